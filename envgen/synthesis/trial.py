"""Parts of a proposed environment run on a small world: what is wrong with each tool, rule and example, in words for its author."""

import re
from collections import Counter
from dataclasses import dataclass, field, replace
from itertools import islice

import apsw

from envgen.core.digest import derive_seed, rng
from envgen.core.errors import EnvgenError, SpecError
from envgen.core.types import JsonObject
from envgen.database.analysis import analyse, analyse_tools, schema_connection
from envgen.database.draw import Drawer
from envgen.database.engine import CALL_TICKS, OTHER_TICKS
from envgen.database.graph import unreachable
from envgen.database.model.assemble import Parts
from envgen.database.model.examples import codes
from envgen.database.model.keys import key_problems
from envgen.database.model.stopgap import unreached_states
from envgen.database.model.views import finders_of, views_of
from envgen.database.runtime import DatabaseEnvironment, DatabaseSession
from envgen.database.spec import Rule, Tool, step_sql
from envgen.database.world import build_world
from envgen.gates.procedural import Broken, Watch
from envgen.gates.replay import neutral_task
from envgen.gates.witness import single_calls
from envgen.synthesis.culprit import blamed, who_breaks
from envgen.verify.rules import broken_rules

CALLS, EPISODE, WALKS, WALK_CALLS = 160, 24, 16, 30
MOST_WORLDS, OTHER_WORLDS = 8, 3
RULE_CALLS = 24
NEVER = "it never succeeds"
# Codes of the engine for calls that it stops.
MOST_STOPPED = 3
_STOPPED = {
    "too_expensive": "they need too much work",
    "too_large": "a value grows too large",
    "result_too_large": "the result is too large",
}
_STATE = re.compile(r"state (\w+) of ")
_UNSHOWN = re.compile(r"table (\w+): no read tool shows it|no read tool shows (\w+)\.")


@dataclass
class Findings:
    """What a trial found. tools, rules: name -> what is wrong. missing: what no tool does yet."""

    tools: dict[str, list[str]] = field(default_factory=dict)
    rules: dict[str, list[str]] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)

    def blame(self, tool: str, problem: str) -> None:
        """Note a problem of a tool, each once."""
        known = self.tools.setdefault(tool, [])
        if problem not in known:
            known.append(problem)

    @property
    def any(self) -> bool:
        """True when something was found."""
        return bool(self.tools or self.rules or self.missing)


def inspect(parts: Parts, seed: int) -> Findings:
    """Return what is wrong with the tools and rules of `parts`: read off first, then run; what cannot be read off is not run."""
    findings = Findings()
    _static(parts, findings)
    tools = [tool for tool in parts.tools if tool.name not in findings.tools]
    names = {tool.name for tool in tools}
    rules = [rule for rule in parts.rules if rule.id not in findings.rules and _tools_of(rule) <= names]
    sound = replace(parts, tools=tools, rules=rules, examples={})
    if tools:
        # What a tool that is yet to be repaired will show or write is not missing.
        _coverage(sound, findings, [sql for tool in parts.tools if tool.name not in names for step in tool.steps for sql in step_sql(step)])
        _run(sound, seed, findings)
    return findings


def _static(parts: Parts, findings: Findings) -> None:
    """Each tool and each rule is analysed by itself, so that one that does not compile hides nothing about the others."""
    bare = replace(parts, tools=[], rules=[], examples={}).spec()
    for tool in parts.tools:
        own = [problem.problem for problem in analyse(bare.model_copy(update={"tools": (tool,)})) if _own(problem.where, tool.name)]
        for problem in own:
            if not problem.startswith("no read tool shows"):
                findings.blame(tool.name, problem)
        for problem in key_problems(tool, parts.tables):
            findings.blame(tool.name, problem)
    names = Counter(tool.name for tool in parts.tools)
    for name in (name for name, count in names.items() if count > 1):
        findings.blame(name, "the name is used twice")
    sound = tuple(tool for tool in parts.tools if tool.name not in findings.tools)
    repaired = {f"tool {name} does not exist" for name in (*findings.tools, *parts.malformed)}
    for rule in parts.rules:
        spec = bare.model_copy(update={"tools": sound, "rules": (rule,)})
        found = [problem.problem for problem in analyse(spec) if problem.where == f"rule {rule.id}"]
        if set(found) - repaired:
            findings.rules[rule.id] = found


def _tools_of(rule: Rule) -> set[str]:
    fixes = [*([rule.fix] if rule.fix else []), *rule.facts]
    return {fix.tool for fix in fixes} | ({rule.tool} if rule.tool else set())


def _own(where: str, tool: str) -> bool:
    return where == f"tool {tool}" or where.startswith(f"tool {tool},")


def _coverage(parts: Parts, findings: Findings, waiting: list[str]) -> None:
    """What the tools as a whole leave out: tables and values that nothing shows, states that nothing reaches, writes without a guard.

    waiting: the SQL of tools that are left out until they are repaired.
    """
    spec = parts.spec()
    analyses = analyse_tools(spec, schema_connection(spec))
    missing = [f"{p.where}: {p.problem}" for p in analyse(spec) if p.problem.startswith("no read tool shows")]
    missing += [f"no chain of look-ups leads to {taken}" for taken in unreachable(spec, analyses)] if not missing else []
    party = parts.brief.people_table
    finder = finders_of(spec, views_of(spec, analyses), party).get(party)
    if finder is None or not any(source.startswith("field:") for source in finder.args.values()):
        missing.append(f"no read tool finds {party} by a part of the name and shows the id and the name")
    for (table, column), states in unreached_states(spec).items():
        missing += [f"state {state} of {table}.{column} is reached by no tool" for state in states]
    if parts.documents is not None:
        from envgen.database.documents import kept

        missing += kept(parts.documents, parts.tools)
    for tool in spec.tools:
        if not analyses[tool.name].read_only and not set(codes(tool)) - {"not_found"}:
            findings.blame(tool.name, "it refuses nothing but unknown ids: add the guards that the rules of the business ask for")
    missing = [text for text in missing if not any(text.startswith(f"tool {name},") for name in findings.tools)]
    findings.missing += [text for text in missing if not _awaited(text, waiting)]


def _awaited(missing: str, waiting: list[str]) -> bool:
    """True when the SQL of a tool that is yet to be repaired speaks of what is missing."""
    match = _STATE.match(missing) or _UNSHOWN.search(missing)
    if match is None:
        return False
    wanted = rf"'{match[1]}'" if missing.startswith("state ") else rf"\b{match[1] or match[2]}\b"
    return any(re.search(wanted, sql) for sql in waiting)


def _run(parts: Parts, seed: int, findings: Findings) -> None:
    """Build a small world and call every tool, validly and otherwise."""
    environment = build(parts, seed, findings)
    if environment is None:
        return
    try_rules(environment, findings)
    seen = {tool.name: _try(environment, tool) for tool in environment.spec.tools}
    idle = [name for name, (succeeded, _, fault) in seen.items() if not succeeded and not fault and not _by_walks(environment, name)]
    idle = _elsewhere(parts, seed, idle)
    for name, (_, refusals, fault) in seen.items():
        if fault:
            findings.blame(name, fault)
        elif name in idle:
            counted = ", ".join(f"{code} {number} times" for code, number in refusals.most_common(4)) or "no argument could be drawn"
            findings.blame(name, f"{NEVER}: of {refusals.total()} calls with rows of every state, {counted}")
    for tool in environment.spec.tools:
        if tool.name not in findings.tools:
            _watch(environment, tool.name, findings)


def try_rules(environment: DatabaseEnvironment, findings: Findings) -> None:
    """Blame each agent rule whose SQL fails, or needs more work than a call may, in an episode of calls of its tool."""
    for rule in environment.spec.rules:
        if rule.tool is None or rule.tool not in environment.compiled:
            continue
        with environment.start(neutral_task(environment.spec)) as session:
            calls = single_calls(environment, session, rule.tool, rng(0, "trial", "rule", rule.id))
            for arguments in islice(calls, RULE_CALLS):
                session.call(rule.tool, arguments)
                problem = _rule_fails(environment, session, rule, arguments)
                if problem:
                    findings.rules.setdefault(rule.id, []).append(problem)
                    break


def _rule_fails(environment: DatabaseEnvironment, session: DatabaseSession, rule: Rule, arguments: JsonObject) -> str:
    properties = environment.compiled[str(rule.tool)].arguments.schema.get("properties", {})
    binds = {**dict.fromkeys(properties), **arguments, "now": session.now, "actor": session.task.start.actor}
    try:
        session.slot.ticks_left = CALL_TICKS
        if rule.breach is not None:
            session.connection.execute(rule.breach, binds).fetchone()
        session.slot.ticks_left = CALL_TICKS
        broken_rules(session.connection, [(rule.id, rule.sql)], session.calls, environment.infos)
    except apsw.InterruptError:
        return "its SQL needs too much work: a query must come to an end, and a join needs its condition"
    except apsw.Error as problem:
        return f"its SQL fails: {problem}"
    finally:
        session.slot.ticks_left = OTHER_TICKS
    return ""


def _elsewhere(parts: Parts, seed: int, idle: list[str]) -> list[str]:
    """Of the tools that never succeeded in one world, those that do not in larger ones either: few rows may just not fit together."""
    for number in range(OTHER_WORLDS):
        environment = build(parts, derive_seed(seed, "trial", number), Findings(), size="medium") if idle else None
        if environment is not None:
            there = [name for name in idle if name in environment.compiled]
            done = {name for name in there if _try(environment, environment.spec.tool(name))[0] or _by_walks(environment, name)}
            idle = [name for name in idle if name not in done]
    return idle


def build(parts: Parts, seed: int, findings: Findings, size: str = "small") -> DatabaseEnvironment | None:
    """Return an environment of `parts`; what keeps a world from being built is blamed on its tool or rule and left out."""
    parts = replace(parts, tools=list(parts.tools), rules=list(parts.rules))
    for _ in range(MOST_WORLDS):
        try:
            proposal = parts.proposal()
            world, _report = build_world(proposal, seed, size)
            return DatabaseEnvironment(proposal.spec, world)
        except EnvgenError as problem:
            if not _leave_out(parts, problem, seed, findings):
                findings.missing.append(f"no world can be built: {problem}")
                return None
    return None


def _leave_out(parts: Parts, problem: EnvgenError, seed: int, findings: Findings) -> bool:
    """Blame what a failed world names; False when it names nothing that can be left out."""
    text = str(problem)
    where = problem.where if isinstance(problem, SpecError) else ""
    rule = next((rule for rule in parts.rules if where == f"rule {rule.id}"), None)
    if rule is not None:
        culprit = who_breaks(parts, rule, seed)
        if culprit is not None:
            findings.blame(*culprit)
        else:
            findings.rules.setdefault(rule.id, []).append(f"rows made by the tools' own calls break it: {text}")
        parts.rules.remove(rule)
        return True
    tool = next((tool for tool in parts.tools if re.search(rf"\b{tool.name}\b", text)), None)
    if tool is None:
        return False
    findings.blame(tool.name, text)
    parts.tools.remove(tool)
    parts.rules[:] = [rule for rule in parts.rules if tool.name not in (rule.tool, rule.fix.tool if rule.fix else None)]
    return True


def _try(environment: DatabaseEnvironment, tool: Tool) -> tuple[bool, Counter[str], str]:
    """Return whether some drawn call succeeds, the codes of the refusals, and the environment's fault if there was one."""
    refusals: Counter[str] = Counter()
    succeeded = False
    with environment.start(neutral_task(environment.spec)) as session:
        for number, arguments in enumerate(single_calls(environment, session, tool.name, rng(0, "trial", tool.name))):
            result = session.probe(tool.name, arguments)
            if result.error is not None and result.error.code == "environment_fault":
                session.call(tool.name, arguments)
                return succeeded, refusals, f"a call failed: {session.fault}"
            succeeded = succeeded or result.ok
            if result.error is not None:
                refusals[result.error.code] += 1
            stopped = _stopped(tool, refusals)
            if stopped:
                return succeeded, refusals, stopped
            if number >= CALLS and succeeded:
                break
    return succeeded, refusals, ""


def _stopped(tool: Tool, refusals: Counter[str]) -> str:
    """Say that calls are stopped for the work they need, or ""; a code of the tool's own may have the same name."""
    for code, what in _STOPPED.items():
        if refusals[code] >= MOST_STOPPED and code not in codes(tool):
            return f"calls of it are stopped, since {what}: a query must come to an end, and a join needs its condition"
    return ""


def _by_walks(environment: DatabaseEnvironment, name: str) -> bool:
    """True when the tool succeeds at some point of walks of writes."""
    writers = [tool for tool, compiled in environment.compiled.items() if compiled.writes]
    for walk in range(WALKS):
        dice = rng(0, "trial", "walk", name, walk)
        with environment.start(neutral_task(environment.spec)) as session:
            drawer = Drawer(session.connection.execute, dice, skew=walk % 4 * 0.6)
            for turn in range(WALK_CALLS):
                tool = name if turn % 2 else dice.choice(writers or [name])
                arguments = drawer.arguments(environment.compiled[tool].arguments.schema, session.now)
                if arguments is not None and session.call(tool, arguments).ok and tool == name:
                    return True
    return False


def _watch(environment: DatabaseEnvironment, name: str, findings: Findings) -> None:
    """Call a tool among others in a watched episode: results fit, refusals change nothing, guard rules hold."""
    watch = Watch(environment)
    dice = rng(0, "trial", "watch", name)
    writers = [tool for tool, compiled in environment.compiled.items() if compiled.writes] or [name]
    drawer = Drawer(watch.session.connection.execute, dice)
    try:
        for turn in range(EPISODE):
            tool = name if turn % 2 == 0 else dice.choice(writers)
            arguments = drawer.arguments(environment.compiled[tool].arguments.schema, watch.session.now)
            if arguments is not None:
                watch.call(tool, "valid", arguments)
    except Broken as problem:
        culprit = blamed(environment, str(problem))
        if culprit:
            findings.blame(*culprit)
    finally:
        watch.session.close()
