"""Witnesses for gate E5: a success of every tool, a refusal by every guard."""

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from envgen.core.digest import rng
from envgen.core.outcome import CallRecord, Change, ToolResult
from envgen.core.types import JsonObject, RowPatch
from envgen.database.boundary import boundary_values
from envgen.database.draw import Drawer, column_values
from envgen.database.patches import apply_patch
from envgen.database.runtime import DatabaseEnvironment, DatabaseSession
from envgen.database.spec import Example, Forbid, Require, Tool
from envgen.gates.aim import aimed_calls, pressed_calls, varied_calls
from envgen.gates.replay import neutral_task
from envgen.gates.strategies import fitting
from envgen.verify.changes import TableInfo

DRAWS, WALKS, WALK_CALLS, MOST_VALUES = 120, 60, 40, 150
NOWHERE: dict[str, Any] = {"integer": 9_007_199_254_740_000, "string": "no such thing"}


@dataclass(frozen=True)
class Guard:
    """One refusing step of a tool, told apart by its code and its words."""

    tool: str
    code: str
    text: str

    def __str__(self) -> str:
        return f"{self.tool}: {self.code}"

    def refused(self, result: ToolResult) -> bool:
        """True when `result` is a refusal by this guard."""
        if result.error is None or result.error.code != self.code:
            return False
        words = re.split(r"\{\s*\w+\s*\}", self.text)
        return re.fullmatch(".*".join(map(re.escape, words)), result.error.message, re.DOTALL) is not None


@dataclass
class Witnesses:
    """What has been seen. `succeeded` holds tool names."""

    guards: Sequence[Guard]
    tools: Sequence[str]
    succeeded: set[str] = field(default_factory=set)
    refused: set[Guard] = field(default_factory=set)

    def note(self, tool: str, result: ToolResult) -> None:
        """Take one call's result into account."""
        if result.ok:
            self.succeeded.add(tool)
            return
        self.refused |= {guard for guard in self.guards if guard.tool == tool and guard not in self.refused and guard.refused(result)}

    def missing(self) -> list[str]:
        """Return what has not been seen, in words, in a fixed order."""
        missing = [f"{tool} never succeeds" for tool in self.tools if tool not in self.succeeded]
        return missing + [f"{guard} never refuses" for guard in self.guards if guard not in self.refused]

    def wanting(self) -> list[str]:
        """Return the tools that still have something to show."""
        return [tool for tool in self.tools if self.wants(tool)]

    def wants(self, tool: str) -> bool:
        """True while `tool` has something to show."""
        return tool not in self.succeeded or any(guard.tool == tool and guard not in self.refused for guard in self.guards)


def guards_of(tools: Sequence[Tool]) -> list[Guard]:
    """Return the guards of `tools`, each once."""
    found = [Guard(tool.name, *step.otherwise) for tool in tools for step in tool.steps if isinstance(step, (Require, Forbid))]
    return list(dict.fromkeys(found))


def at_example(environment: DatabaseEnvironment, example: Example) -> DatabaseSession:
    """Begin an episode at an example's clock in which its setup is part of the start: the rows are in `main` and in `before`."""
    task = neutral_task(environment.spec)
    if example.now:
        task = task.model_copy(update={"start": task.start.model_copy(update={"now": example.now})})
    session = environment.start(task)
    try:
        for statement in environment.spec.setup(example):
            session.connection.execute(statement)
        known = [change for change in session.slot.log if change.table in environment.infos]
        apply_patch(session.slot, [_patch(environment.infos[change.table], change) for change in known], schemas=("before",))
    except BaseException:
        session.close()
        raise
    return session


def _patch(info: TableInfo, change: Change) -> RowPatch:
    row = dict(zip(info.columns, change.new or (), strict=False))
    key = {info.columns[index]: (change.old or change.new or ())[index] for index in info.key}
    return RowPatch(op=change.op, table=change.table, key={} if change.op == "insert" else key, row=row)


def run_example(environment: DatabaseEnvironment, tool: Tool, example: Example) -> ToolResult:
    """Run a tool's example: its setup, then its call, at its clock."""
    with at_example(environment, example) as session:
        return session.call(tool.name, example.args)


def seek(environment: DatabaseEnvironment) -> Witnesses:
    """Look for every witness: by the tools' examples, by the golds, by single drawn calls, then by walks of many calls.

    Each step of the search runs only while something is missing, so that a well-planted world costs little.
    """
    spec = environment.spec
    witnesses = Witnesses(guards_of(spec.tools), [tool.name for tool in spec.tools])
    for tool in spec.tools:
        for example in tool.examples:
            witnesses.note(tool.name, run_example(environment, tool, example))
    _by_gold(environment, witnesses)
    for name in witnesses.wanting():
        _by_single_calls(environment, name, witnesses)
    for name in witnesses.wanting():
        _by_aim(environment, name, witnesses)
    for walk in range(WALKS):
        if not witnesses.wanting():
            break
        _by_walk(environment, walk, witnesses)
    return witnesses


def _by_gold(environment: DatabaseEnvironment, witnesses: Witnesses) -> None:
    for task in environment.tasks():
        if environment.has_gold(task.id):
            with environment.start(task) as session:
                for call in environment.gold(task.id).calls:
                    witnesses.note(call.tool, session.call(call.tool, call.arguments))


def _by_single_calls(environment: DatabaseEnvironment, name: str, witnesses: Witnesses) -> None:
    with environment.start(neutral_task(environment.spec)) as session:
        for arguments in single_calls(environment, session, name, rng(0, "gates", "E5", name)):
            witnesses.note(name, session.probe(name, arguments))
            if not witnesses.wants(name):
                return


def _by_aim(environment: DatabaseEnvironment, name: str, witnesses: Witnesses) -> None:
    """Vary what succeeds, ask each guard that has not refused, and press limits: see `envgen.gates.aim`."""
    with environment.start(neutral_task(environment.spec)) as session:
        for arguments in varied_calls(environment, session, name):
            witnesses.note(name, session.probe(name, arguments))
        for guard in [guard for guard in witnesses.guards if guard.tool == name and guard not in witnesses.refused]:
            for arguments in aimed_calls(environment, session, name, guard.code):
                witnesses.note(name, session.probe(name, arguments))
                if guard in witnesses.refused:
                    break
    if not witnesses.wants(name) or not environment.compiled[name].writes:
        return
    session = environment.start(neutral_task(environment.spec))
    with environment.start(neutral_task(environment.spec)) as fresh:
        for arguments, anew in pressed_calls(environment, fresh, name):
            if anew:
                session.close()
                session = environment.start(neutral_task(environment.spec))
            witnesses.note(name, session.call(name, arguments))
            if not witnesses.wants(name):
                break
    session.close()


def single_calls(environment: DatabaseEnvironment, session: DatabaseSession, name: str, dice: random.Random) -> Iterator[JsonObject]:
    """Yield arguments for one tool: with a value that names nothing, drawn, drawn with values at which its guards turn, then a sweep."""
    parameters = environment.compiled[name].arguments.schema
    drawer = Drawer(session.connection.execute, dice, frozen=True)
    yield from _lost(drawer, parameters, session.now)
    edges = boundary_values(environment.spec.tool(name), session.connection.execute)
    for turn in range(DRAWS):
        edge = {key: dice.choice(values) for key, values in edges.items() if values and turn % 2 and dice.random() < 0.6}
        arguments = drawer.arguments(parameters, session.now, edge)
        if arguments is not None:
            yield arguments
    yield from _sweeps(environment, drawer, parameters, session.now)


def _lost(drawer: Drawer, parameters: JsonObject, now: str) -> Iterator[JsonObject]:
    for name, child in parameters.get("properties", {}).items():
        arguments = drawer.arguments(parameters, now) if "x-column" in child else None
        if arguments is not None:
            yield from ({**arguments, name: value} for value in _nowhere(child))


def _sweeps(environment: DatabaseEnvironment, drawer: Drawer, parameters: JsonObject, now: str) -> Iterator[JsonObject]:
    """Yield calls in which one argument takes every value that its schema suggests, its edges, and one that names nothing."""
    for name, child in parameters.get("properties", {}).items():
        for value in [*_all_values(environment, drawer, child), *_nowhere(child)]:
            for _ in range(3):
                arguments = drawer.arguments(parameters, now, {name: value})
                if arguments is None:  # another argument depends on the row that is not there
                    arguments = drawer.arguments(parameters, now)
                if arguments is not None:
                    yield {**arguments, name: value}


def _all_values(environment: DatabaseEnvironment, drawer: Drawer, child: JsonObject) -> list[Any]:
    if "x-column" in child:
        return column_values(drawer.execute, child["x-column"])[:MOST_VALUES]
    return fitting(child, environment) if child.get("type") not in ("array", "object") else []


def _nowhere(child: JsonObject) -> list[Any]:
    nowhere = NOWHERE.get(str(child.get("type")))
    if nowhere is None or "enum" in child:
        return []
    return [min(nowhere, child["maximum"]) if isinstance(nowhere, int) else nowhere]


def _by_walk(environment: DatabaseEnvironment, walk: int, witnesses: Witnesses) -> None:
    """Many calls in one episode; after each write, the tools that have yet to show something are tried on the rows it touched.

    Later walks stay with fewer rows, so that limits and states are reached.
    """
    dice = rng(0, "gates", "E5", "walk", walk)
    tools = [tool.name for tool in environment.spec.tools if environment.compiled[tool.name].writes] or list(environment.compiled)
    with environment.start(neutral_task(environment.spec)) as session:
        drawer = Drawer(session.connection.execute, dice, skew=walk % 20 * 0.5)
        for turn in range(WALK_CALLS):
            wanting = witnesses.wanting()
            if not wanting:
                return
            tool = dice.choice(wanting) if turn % 2 else dice.choice(tools)
            arguments = drawer.arguments(environment.compiled[tool].arguments.schema, session.now)
            if arguments is not None:
                result = session.call(tool, arguments)
                witnesses.note(tool, result)
                if result.ok and session.calls[-1].writes:
                    _try_on(environment, session, touched(environment, session.calls[-1]), dice, witnesses)


def touched(environment: DatabaseEnvironment, call: CallRecord) -> dict[str, list[Any]]:
    """Return the keys of the rows that a call wrote and of those they refer to: "table.column" -> values."""
    found: dict[str, list[Any]] = {}
    for change in call.writes:
        info = environment.infos.get(change.table)
        row = change.new or change.old
        if info is None or row is None:
            continue
        named = {f"{info.name}.{info.columns[index]}": row[index] for index in info.key}
        named |= {f"{table}.{to}": row[info.columns.index(column)] for column, (table, to) in info.references.items()}
        for column, value in named.items():
            if value is not None and value not in found.setdefault(column, []):
                found[column].append(value)
    return {column: values for column, values in found.items() if values}


def _try_on(
    environment: DatabaseEnvironment, session: DatabaseSession, rows: dict[str, list[Any]], dice: random.Random, witnesses: Witnesses
) -> None:
    for tool in witnesses.wanting():
        for _ in range(2):
            narrow = {column: values for column, values in rows.items() if dice.random() < 0.7}
            drawer = Drawer(session.connection.execute, dice, narrow=narrow)
            arguments = drawer.arguments(environment.compiled[tool].arguments.schema, session.now)
            if arguments is not None:
                witnesses.note(tool, session.probe(tool, arguments))
