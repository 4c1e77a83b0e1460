"""What a run with a model would send and cost, without sending anything.

Later prompts hold what earlier answers bring. Here the offline proposal nearest to the phrase stands in for them, so that sizes are
realistic; what is really sent differs in content.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass

from envgen.core.types import JsonObject
from envgen.database.analysis import analyse_tools, schema_connection
from envgen.database.documents import prompt_text
from envgen.database.grammar import propose
from envgen.database.model.documented import operations_text
from envgen.database.model.examples import Samples, wants_examples
from envgen.database.model.prompts import (
    brief_text,
    promise,
    render,
    rule_lines,
    samples_text,
    shown_text,
    tables_text,
    tool_line,
    tool_source,
)
from envgen.database.model.views import finders_of, views_of
from envgen.database.model.wire import Brief, BusinessRule, Entity
from envgen.database.prompt import policy_text, system_message, tool_schema
from envgen.database.spec import EnvironmentSpec, Table, Tool
from envgen.llm.budget import estimate_tokens, load_prices
from envgen.llm.route import route_of
from envgen.llm.types import ModelUsage
from envgen.synthesis.author import ACTS_AT_ONCE, BATCH, Job
from envgen.synthesis.options import ModelOptions, SynthesisOptions
from envgen.synthesis.proposer import job_of, settings_of

# Tokens of an answer where the stand-in has no text of that kind: per table, per tool and per request.
_CONTENT, _WORDS, _ACT, _EXAMPLE, _REQUEST = 260, 150, 330, 450, 90
_BRIEF, _RULE = 900, 130
# An attempt at a task takes about so many turns, and a call of a tool so many tokens.
_TURNS, _CALL = 7, 60


@dataclass(frozen=True)
class Planned:
    """One call that would be made, or several alike (`times`): its stage, its prompt, and estimates in tokens for each."""

    stage: str
    messages: tuple[JsonObject, ...]
    completion_tokens: int
    times: int = 1
    tool_tokens: int = 0

    @property
    def prompt_tokens(self) -> int:
        """Tokens of the prompt, at four characters each, the schemas of tools included."""
        return self.tool_tokens + sum(estimate_tokens(str(message["content"])) for message in self.messages)


@dataclass(frozen=True)
class Plan:
    """The calls of a run without repairs; `usd` is None when the price is unknown."""

    calls: tuple[Planned, ...]
    stand_in: str
    usd: float | None

    def stages(self) -> list[tuple[str, int, int, int]]:
        """Return (stage, calls, prompt tokens, completion tokens), in order."""
        found: dict[str, tuple[int, int, int]] = {}
        for call in self.calls:
            calls, prompt, completion = found.get(call.stage, (0, 0, 0))
            tokens_in, tokens_out = call.times * call.prompt_tokens, call.times * call.completion_tokens
            found[call.stage] = (calls + call.times, prompt + tokens_in, completion + tokens_out)
        return [(stage, *numbers) for stage, numbers in found.items()]

    def to_json(self) -> JsonObject:
        """Return the plan as JSON data, prompts included."""
        rows = [dict(zip(("stage", "calls", "prompt_tokens", "completion_tokens"), row, strict=True)) for row in self.stages()]
        prompts = [{"stage": call.stage, "messages": list(call.messages)} for call in self.calls]
        return {"stand_in": self.stand_in, "stages": rows, "usd": self.usd, "prompts": prompts}


def plan_run(options: SynthesisOptions, model: ModelOptions) -> Plan:
    """Return the calls that a run would make. UsageError for documents that cannot be read."""
    job = job_of(options, model)
    proposal = propose(options.domain, seed=options.seed, size=options.size)
    calls = tuple(_calls(job, options, model, proposal.spec))
    price = load_prices().of(model.model, local=route_of(settings_of(model)).local)
    prompt = sum(call.times * call.prompt_tokens for call in calls)
    completion = sum(call.times * call.completion_tokens for call in calls)
    usd = None if price is None else round(price.cost(ModelUsage(prompt, completion)), 4)
    return Plan(calls, proposal.spec.title, usd)


def stand_in_brief(spec: EnvironmentSpec) -> Brief:
    """Return a brief as long as one for `spec` would be."""
    entities = [_entity(table) for table in spec.tables]
    rules = [BusinessRule(id=rule.id, kept_by="system" if rule.kind == "guard" else "agent", text=rule.policy) for rule in spec.rules]
    return Brief(
        title=spec.title, agent_role=spec.role, people_table=spec.tables[0].name, now=spec.now, currency=spec.currency, entities=entities,
        workflows=[tool.description for tool in spec.tools[:8]], rules=rules, troubles=[rule.policy for rule in spec.rules[:4]],
    )  # fmt: skip


def _entity(table: Table) -> Entity:
    states = [list(column.values) for column in table.columns if column.values]
    about = table.description or f"what is known of {table.name}"
    return Entity(table=table.name, one=table.role, many=table.name, about=about, states=states[0] if states else [])


def _calls(job: Job, options: SynthesisOptions, model: ModelOptions, spec: EnvironmentSpec) -> Iterator[Planned]:
    brief, scale = stand_in_brief(spec), job.scale
    about, tables = brief_text(brief), tables_text(spec.tables)
    documents = prompt_text(job.documents) if job.documents else ""
    yield Planned("brief", render("brief", domain=options.domain, branch=job.branch, documents=documents, **scale), _BRIEF)
    yield Planned("schema", render("schema", brief=about, people=brief.people_table, **scale), len(tables) // 2)
    tools = _stretched(spec.tools, scale["tools"])
    for start in range(0, len(tools), BATCH):
        written = tools[start : start + BATCH]
        prompt = render(
            "tools", brief=about, tables=tables, people=brief.people_table, tools=_lines(tools[:start]), count=len(written),
            total=len(tools), documented=operations_text(job.material) if job.material else "",
        )  # fmt: skip
        yield Planned("tools", prompt, sum(estimate_tokens(tool_source(tool)) for tool in written))
    rules = {**scale, "brief": about, "tables": tables, "tools": _lines(tools)}
    yield Planned("rules", render("rules", **rules), _RULE * (scale["guards"] + scale["procedures"] + scale["prohibitions"]))
    yield from _examples(brief, spec, tools)
    yield from _texts(brief, spec, tools, tables)
    if model.reword:
        for start in range(0, options.tasks, 25):
            number = min(25, options.tasks - start)
            items = [{"id": f"r{start + index + 1}", "text": "x" * 240, "keep": "x" * 60} for index in range(number)]
            yield Planned("reword", render("reword", title=spec.title, items=items), _REQUEST * number)
    if model.check_ambiguity:
        tools_shown = estimate_tokens(json.dumps([tool_schema(tool) for tool in spec.tools]))
        shown = ({"role": "system", "content": system_message(spec, policy_text(spec))}, {"role": "user", "content": "(a request)"})
        yield Planned("ambiguity", shown, _CALL, times=options.tasks * model.check_ambiguity * _TURNS, tool_tokens=tools_shown)


def _stretched(tools: tuple[Tool, ...], number: int) -> list[Tool]:
    return [tools[index % len(tools)] for index in range(number)]


def _lines(tools: list[Tool]) -> str:
    return "\n".join(map(tool_line, tools))


def _examples(brief: Brief, spec: EnvironmentSpec, tools: list[Tool]) -> Iterator[Planned]:
    wanting = [tool for tool in tools if wants_examples(tool)]
    for start in range(0, len(wanting), BATCH):
        chosen = wanting[start : start + BATCH]
        prompt = render(
            "examples", title=spec.title, now=spec.now, rules="\n".join(rule_lines(brief)), samples=samples_text(spec, Samples(spec, {})),
            tools="\n".join(map(promise, chosen)),
        )  # fmt: skip
        yield Planned("examples", prompt, _EXAMPLE * len(chosen))


def _texts(brief: Brief, spec: EnvironmentSpec, tools: list[Tool], tables: str) -> Iterator[Planned]:
    analyses = analyse_tools(spec, schema_connection(spec))
    views = views_of(spec, analyses)
    writers = [tool for tool in tools if not analyses[tool.name].read_only]
    common: JsonObject = {"title": spec.title, "people": brief.people_table}
    content = render("content", **common, brief=brief_text(brief, rules=False), tables=tables, made="…", least=8, pools="…")
    yield Planned("content", content, _CONTENT * len(spec.tables))
    shown = shown_text(spec, views, finders_of(spec, views, brief.people_table))
    words = render("words", **common, now=spec.now, tables=shown, tools=_lines(writers), questions=10, choices=4)
    yield Planned("words", words, _WORDS * (len(spec.tables) + 14))
    for start in range(0, len(writers), ACTS_AT_ONCE):
        chosen = writers[start : start + ACTS_AT_ONCE]
        acts = render("acts", title=spec.title, now=spec.now, tools=_lines(chosen), alternatives=5, situations=6)
        yield Planned("acts", acts, _ACT * len(chosen))


def prompts_text(plan: Plan) -> str:
    """Return every prompt in full, each with a head line."""
    parts = []
    for number, call in enumerate(plan.calls, 1):
        times = f", {call.times} times" if call.times > 1 else ""
        parts.append(f"=== {number}. {call.stage}: about {call.prompt_tokens} tokens in, {call.completion_tokens} out{times}")
        parts += [f"[{message['role']}]\n{message['content']}\n" for message in call.messages]
    return "\n".join(parts)
