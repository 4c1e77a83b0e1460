"""The proposal of a model, and the last repairs: what the gates of the whole world refuse is left out, one part after the other."""

import re
from dataclasses import dataclass

import apsw

from envgen.core.digest import derive_seed
from envgen.core.errors import EnvgenError, UnsoundError
from envgen.core.types import Evidence
from envgen.database.language import Proposal
from envgen.database.model.assemble import Parts
from envgen.database.runtime import DatabaseEnvironment
from envgen.database.spec import step_sql
from envgen.database.world import WorldReport, build_world
from envgen.gates.registry import environment_gates
from envgen.gates.witness import seek
from envgen.synthesis.author import LEAST_TOOLS, Job, write_parts
from envgen.synthesis.mend import drop_rule, drop_tool
from envgen.synthesis.talk import Talk

# E4 replays the golds as well, so it waits for the tasks.
GATES = ("E1", "E2", "E3", "E5")
ROUNDS = 24
_EMPTY = re.compile(r"table (\w+) is empty")
_EXAMPLE = re.compile(r"example of (\w+), (.+?): (?:expected|refused|the result|\w[\w.]* is)")
_RULE = re.compile(r"\brules? (\w+)")
_WORD = re.compile(r"[a-z][a-z0-9_]*")


@dataclass(frozen=True)
class Built:
    """A world that passes the gates which need no task, and the proposal as it is in the end."""

    proposal: Proposal
    world: apsw.Connection
    report: WorldReport
    evidence: list[Evidence]


def propose_and_build(talk: Talk, job: Job, seconds: dict[str, float]) -> Built:
    """Ask the model for an environment, build its world, and leave out what the gates refuse.

    UnsoundError when too little is left, or when the gates name nothing that could be left out; the client's own errors.
    """
    parts = write_parts(talk, job)
    first = ""
    for turn in range(ROUNDS):
        # A refusal may be the luck of one world: another is tried before a part is left out.
        built, problem = _build(parts, job, seconds, derive_seed(job.seed, "world", turn) if turn % 2 else job.seed)
        if built is not None:
            return built
        first = first or problem
        if turn % 2 == 0 and not _EMPTY.search(problem):
            continue
        if not _leave_out(talk, parts, problem):
            break
        if len(parts.tools) < LEAST_TOOLS:
            break
    raise UnsoundError(f"nothing was written: the world does not pass its gates: {first}. Try another --seed or another --model")


def _build(parts: Parts, job: Job, seconds: dict[str, float], seed: int) -> tuple[Built | None, str]:
    try:
        proposal = parts.proposal()
        world, report = build_world(proposal, seed, job.size)
        environment = DatabaseEnvironment(proposal.spec, world)
    except EnvgenError as problem:
        return None, str(problem)
    evidence = environment_gates(environment, gates=GATES, seconds=seconds)
    failed = [item for item in evidence if item.status == "fail"]
    if not failed:
        return Built(proposal, world, report, evidence), ""
    if any(item.gate == "E5" for item in failed):
        # The gate names three at most; all of them go at once.
        missing = "; ".join(seek(environment).missing())
        return None, "; ".join([*(item.reason for item in failed if item.gate != "E5"), missing])
    return None, "; ".join(f"{item.gate}: {item.reason}" for item in failed)


def _leave_out(talk: Talk, parts: Parts, problem: str) -> bool:
    """Leave out what a refusal names: fill a table that came out empty, else drop a rule, else the tools. False when it names nothing."""
    empty = [name for name in _EMPTY.findall(problem) if name not in parts.fill_too]
    if empty:
        parts.fill_too.update(empty)
        talk.note("world", f"the calls of the past left {', '.join(empty)} empty: filled from the start")
        return True
    wrong = [(name, given) for name, given in _EXAMPLE.findall(problem) if _without_example(parts, name, given)]
    for name, given in wrong:
        talk.drop("example", f"{name}, {given}", "it holds alone, and not among the rows of the world")
    if wrong:
        return True
    idle = next((name for name in _EMPTY.findall(problem) if _give_up(talk, parts, name)), None)
    if idle is not None:
        return True
    rules = {rule.id for rule in parts.rules} & set(_RULE.findall(problem))
    for name in sorted(rules):
        drop_rule(talk, parts, name, problem)
    if rules:
        return True
    tools = {tool.name for tool in parts.tools}
    named = [part for part in problem.split("; ") if _tool_in(part, tools)]
    for part in named:
        name = _tool_in(part, {tool.name for tool in parts.tools})
        if name:
            drop_tool(talk, parts, name, part)
    return bool(named)


def _without_example(parts: Parts, name: str, given: str) -> bool:
    examples = parts.examples.get(name, [])
    kept = [example for example in examples if example.given != given]
    parts.examples[name] = kept
    return len(kept) < len(examples)


def _give_up(talk: Talk, parts: Parts, name: str) -> bool:
    """Leave out a table that nothing can fill, with the tools and rules that speak of it; False when other tables refer to it."""
    if any((column.references or "").startswith(f"{name}.") for table in parts.tables for column in table.columns):
        return False
    word = re.compile(rf"\b{name}\b")
    for rule in [rule for rule in parts.rules if word.search(f"{rule.sql} {rule.breach or ''}")]:
        drop_rule(talk, parts, rule.id, f"it is about {name}, a table that nothing can fill")
    for tool in [tool for tool in parts.tools if any(word.search(sql) for step in tool.steps for sql in step_sql(step))]:
        drop_tool(talk, parts, tool.name, f"it is about {name}, a table that nothing can fill")
    for tool_name, examples in parts.examples.items():
        parts.examples[tool_name] = [example for example in examples if not any(word.search(sql) for sql in example.setup)]
    parts.tables = tuple(table for table in parts.tables if table.name != name)
    talk.drop("table", name, "nothing can fill it: every row that was drawn breaks a rule or a constraint")
    return True


def _tool_in(text: str, tools: set[str]) -> str:
    """The tool that a line about a failure names first."""
    return next((word for word in _WORD.findall(text) if word in tools), "")
