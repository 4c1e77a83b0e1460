"""A model writes the world, stage by stage: brief, schema, tools, rules, examples, content, words. What fails is repaired or dropped."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from envgen.core.clock import is_date_time
from envgen.core.errors import BadAnswer, SpecError, UnsoundError
from envgen.core.types import JsonObject
from envgen.database.analysis import analyse_tools, schema_connection
from envgen.database.documents import Documents, prompt_text
from envgen.database.model.assemble import Parts, pools_of_parameters, usable_pools
from envgen.database.model.documented import operations_text
from envgen.database.model.prompts import SCALES, brief_text, shown_text, tables_text, tool_line
from envgen.database.model.rows import made_by, pool_names
from envgen.database.model.tables import kinds_of, schema_problems, tables_of
from envgen.database.model.takes import parse_takes
from envgen.database.model.views import finders_of, views_of
from envgen.database.model.wire import Brief, WireActs, WireContent, WireRules, WireSchema, WireTools, WireWords
from envgen.database.spec import Tool
from envgen.synthesis.exemplify import exemplify
from envgen.synthesis.hidden import without_rules, without_texts, without_tools
from envgen.synthesis.mend import mend
from envgen.synthesis.take import take_rules, take_tools
from envgen.synthesis.talk import Talk

BATCH, LEAST_TOOLS, LEAST_TEXTS, FEW_TEXTS = 12, 4, 8, 3
ACTS_AT_ONCE, MOST_DOCUMENTED = 20, 40
FIRST_YEAR, LAST_YEAR = 1980, 2080


@dataclass(frozen=True)
class Job:
    """What the model is asked for. `tools`: how many (None: by size, or as many as documents describe). branch: of the taxonomy."""

    domain: str
    name: str
    size: str
    seed: int
    tools: int | None = None
    branch: Mapping[str, str] | None = None
    documents: Documents | None = None

    @property
    def scale(self) -> dict[str, int]:
        """Numbers for the prompts."""
        scale = SCALES[self.size]
        documented = len(self.documents.tools) if self.documents else 0
        return scale | {"tools": self.tools or max(scale["tools"], min(documented, MOST_DOCUMENTED))}

    @property
    def material(self) -> Documents | None:
        """The documents with as many operations as tools are asked for."""
        return replace(self.documents, tools=self.documents.tools[: self.scale["tools"]]) if self.documents else None


def write_parts(talk: Talk, job: Job) -> Parts:
    """Return the parts of an environment that passed their trials.

    UnsoundError when too little is left to be an environment, with what was wrong; the client's own errors.
    """
    parts = begin(talk, job)
    write_tools(talk, job, parts)
    write_rules(talk, job, parts)
    # Before the trial, so that tools are tried on rows such as the business has: kinds, amounts and days that go together.
    write_content(talk, parts)
    mend(talk, job.seed, parts, most=job.scale["tools"] + BATCH // 2)
    _enough(parts, talk)
    exemplify(talk, job.seed, parts)
    mend(talk, job.seed, parts, most=job.scale["tools"] + BATCH // 2, rounds=0)
    _enough(parts, talk)
    if parts.content is None or content_problems(parts.content, parts, pools_of_parameters(parts.tools)):
        write_content(talk, parts)
    write_words(talk, parts)
    write_acts(talk, parts)
    return parts


def begin(talk: Talk, job: Job) -> Parts:
    """Ask for the brief and the schema. UnsoundError when either stays wrong."""
    try:
        brief = talk.ask(
            "brief", Brief, check=brief_problems, domain=job.domain, branch=job.branch,
            documents=prompt_text(job.documents) if job.documents else "", **job.scale,
        )  # fmt: skip
        check = partial(schema_problems, brief=brief)
        schema = talk.ask("schema", WireSchema, check=check, brief=brief_text(brief), people=brief.people_table, **job.scale)
    except BadAnswer as problem:
        raise UnsoundError(f"{problem}. Try another --model, a larger --max-tokens, or the same again with another --seed") from problem
    return Parts(name=job.name, brief=brief, tables=tables_of(schema), kinds=kinds_of(schema), documents=job.material)


def brief_problems(brief: Brief) -> list[str]:
    """Return what is wrong with a brief, in words for its author."""
    problems = []
    if not is_date_time(brief.now):
        problems.append(f"now: {brief.now!r} is not YYYY-MM-DD HH:MM:SS")
    elif not FIRST_YEAR <= int(brief.now[:4]) <= LAST_YEAR:
        problems.append(f"now: {brief.now!r} is not of our time; write a year from {FIRST_YEAR} to {LAST_YEAR}")
    if brief.people_table not in [entity.table for entity in brief.entities]:
        problems.append(f"people_table: {brief.people_table!r} is not among the entities")
    if not brief.rules or not brief.entities:
        problems.append("entities and rules must not be empty")
    if not brief.title.strip() or len(brief.currency) > 4:
        problems.append("title needs words, and currency is a sign such as €")
    return problems


def write_tools(talk: Talk, job: Job, parts: Parts) -> None:
    """Ask for the tools in batches, each of which sees those before it."""
    total = job.scale["tools"]
    for _ in range(-(-total // BATCH)):
        count = min(BATCH, total - len(parts.tools) - len(parts.malformed))
        if count <= 0:
            break
        try:
            reply = talk.ask(
                "tools", WireTools, brief=brief_text(parts.brief), tables=tables_text(parts.tables), people=parts.brief.people_table,
                tools=_lines(parts.tools), count=count, total=total, documented=operations_text(job.material) if job.material else "",
            )  # fmt: skip
        except BadAnswer as problem:
            talk.note("tools", str(problem))
            continue
        take_tools(parts, _at_most(talk, reply, parts, total + BATCH // 2))


def _at_most(talk: Talk, reply: WireTools, parts: Parts, most: int) -> WireTools:
    """The tools of a reply, without those that hide instructions and those beyond what was asked for."""
    reply = without_tools(talk, reply)
    room = max(0, most - len(parts.tools) - len(parts.malformed))
    if len(reply.tools) > room:
        talk.drop("tool", reply.tools[room].name, f"{len(reply.tools)} tools were written, {room} more may be: the rest is left out")
    return reply.model_copy(update={"tools": reply.tools[:room]})


def write_rules(talk: Talk, job: Job, parts: Parts) -> None:
    """Ask for the rules as checks."""
    values: JsonObject = {**job.scale, "brief": brief_text(parts.brief), "tables": tables_text(parts.tables), "tools": _lines(parts.tools)}
    try:
        reply = talk.ask("rules", WireRules, **values)
    except BadAnswer as problem:
        talk.note("rules", str(problem))
        return
    take_rules(talk, parts, without_rules(talk, reply))


def _lines(tools: Sequence[Tool]) -> str:
    return "\n".join(map(tool_line, tools))


def _enough(parts: Parts, talk: Talk) -> None:
    if len(parts.tools) < LEAST_TOOLS:
        reasons = "; ".join(f"{name}: {reason}" for kind, name, reason in talk.dropped[:4] if kind == "tool")
        raise UnsoundError(f"{len(parts.tools)} tools are left of {len(parts.tools) + len(talk.dropped)}: {reasons or 'none was written'}")


def write_content(talk: Talk, parts: Parts) -> None:
    """Ask for what stands in the rows; asked again once when pools are missing."""
    spec = _compiled(parts).spec()
    analyses = analyse_tools(spec, schema_connection(spec))
    needed = pools_of_parameters(parts.tools)
    made = [name for name, tools in made_by(spec, analyses).items() if tools]
    values: JsonObject = {
        "brief": brief_text(parts.brief, rules=False), "tables": tables_text(parts.tables), "title": parts.brief.title,
        "people": parts.brief.people_table, "made": ", ".join(made) or "no table", "least": LEAST_TEXTS,
        "pools": ", ".join(f"{name} (for {where})" for name, where in needed.items()) or "none",
    }  # fmt: skip
    best: tuple[int, WireContent] | None = None
    problems: list[str] = []
    for attempt in range(1 + min(talk.repairs, 1)):
        reply = talk.mend("content", WireContent, essential=attempt == 0, problems=problems[:12], **values)
        if reply is None:
            break
        problems = content_problems(reply, parts, needed)
        if best is None or len(problems) < best[0]:
            best = (len(problems), reply)
        if not problems or attempt == talk.repairs:
            break
    if best is not None:
        parts.content = without_texts(talk, best[1])


def _compiled(parts: Parts) -> Parts:
    """The parts with those tools alone whose SQL compiles: the others are yet to be repaired."""
    bare = replace(parts, tools=[], rules=[], examples={}).spec()
    kept = []
    for tool in parts.tools:
        spec = bare.model_copy(update={"tools": (tool,)})
        try:
            analyse_tools(spec, schema_connection(spec))
        except SpecError:
            continue
        kept.append(tool)
    return replace(parts, tools=kept)


def content_problems(content: WireContent, parts: Parts, needed: Mapping[str, str]) -> list[str]:
    """Return what is wrong with a reply of the stage `content`, in words for its author."""
    pools = usable_pools(content)
    short = {name: where for name, where in needed.items() if len(pools.get(name, ())) < FEW_TEXTS}
    problems = [f"pool {name}, which {where} draws from, has only {len(pools.get(name, ()))} texts" for name, where in short.items()]
    problems += [f"{where}: there is no pool {name}" for where, name in pool_names(content) if name not in pools]
    tables = {table.name: {column.name for column in table.columns} for table in parts.tables}
    for entry in content.tables:
        if entry.table not in tables:
            problems.append(f"there is no table {entry.table}")
            continue
        for fill in entry.columns:
            if fill.column not in tables[entry.table]:
                problems.append(f"table {entry.table} has no column {fill.column}")
                continue
            try:
                parse_takes(fill.takes)
            except ValueError as problem:
                problems.append(f"{entry.table}.{fill.column}: {problem}")
    return problems


def write_words(talk: Talk, parts: Parts) -> None:
    """Ask how people name rows and what they ask; asked again once when texts cannot be used."""
    spec = parts.spec()
    analyses = analyse_tools(spec, schema_connection(spec))
    views = views_of(spec, analyses)
    finders = finders_of(spec, views, parts.brief.people_table)
    writers = [tool for tool in parts.tools if not analyses[tool.name].read_only]
    values: JsonObject = {
        "title": parts.brief.title, "now": parts.brief.now, "people": parts.brief.people_table, "tables": shown_text(spec, views, finders),
        "tools": _lines(writers), "questions": 10, "choices": 4,
    }  # fmt: skip
    best: tuple[int, WireWords] | None = None
    problems: list[str] = []
    for attempt in range(1 + min(talk.repairs, 1)):
        reply = talk.mend("words", WireWords, essential=attempt == 0, problems=problems[:14], **values)
        if reply is None:
            break
        parts.words = reply
        problems = parts.speech(spec, analyses).problems
        if best is None or len(problems) < best[0]:
            best = (len(problems), reply)
        if not _serious(problems):
            break
    parts.words = without_texts(talk, best[1]) if best else None


def _serious(problems: Sequence[str]) -> bool:
    """True when a repair is worth its price: a table without a name, or more than a few texts lost."""
    return len(problems) > 3 or any("none of the texts" in problem for problem in problems)


def write_acts(talk: Talk, parts: Parts) -> None:
    """Ask how people ask for each write tool; those without usable texts are asked for again once."""
    spec = parts.spec()
    analyses = analyse_tools(spec, schema_connection(spec))
    writers = [tool for tool in parts.tools if not analyses[tool.name].read_only]
    parts.acts = WireActs(acts=[])
    wanted, problems = [tool.name for tool in writers], list[str]()
    for attempt in range(1 + min(talk.repairs, 1)):
        for start in range(0, len(wanted), ACTS_AT_ONCE):
            chosen = [tool for tool in writers if tool.name in wanted[start : start + ACTS_AT_ONCE]]
            reply = talk.mend(
                "acts", WireActs, essential=attempt == 0, title=parts.brief.title, now=parts.brief.now,
                tools=_lines(chosen), alternatives=5, situations=6, problems=problems[:14],
            )  # fmt: skip
            if reply is not None:
                _merge(parts.acts, without_texts(talk, reply))
        speech = parts.speech(spec, analyses)
        wanted = [name for name in wanted if name not in speech.acts]
        problems = [text for text in speech.problems if any(name in text for name in wanted)]
        if not wanted:
            break
    for name in wanted:
        talk.note("acts", f"no task asks for {name}: {next((text for text in problems if name in text), 'no usable texts')}")


def _merge(acts: WireActs, reply: WireActs) -> None:
    given = {act.tool for act in reply.acts}
    acts.acts[:] = [act for act in acts.acts if act.tool not in given] + reply.acts
    acts.alternatives.extend(reply.alternatives)
    acts.situations.extend(reply.situations)
    acts.chat.extend(reply.chat)
