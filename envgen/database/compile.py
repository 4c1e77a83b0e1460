"""Tools compiled to statement lists and run on a slot: one call is one savepoint, and any refusal undoes all of it."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import apsw
import apsw.ext
from pydantic_core import to_json

from envgen.core.errors import SpecError
from envgen.core.outcome import Change
from envgen.database.arguments import MAX_BYTES, Arguments, Binds, clip
from envgen.database.refused import refused_text
from envgen.database.spec import Bind, EnvironmentSpec, Forbid, NewId, Require, Return, Run, Shape, Step, Tool, step_sql

MAX_ROWS = 200
IDS_TABLE = "_ids"
IDS_DDL = f"CREATE TABLE {IDS_TABLE} (tbl TEXT PRIMARY KEY NOT NULL, next INTEGER NOT NULL) STRICT, WITHOUT ROWID"
_NEXT_ID = f"UPDATE {IDS_TABLE} SET next = next + 1 WHERE tbl = :tbl RETURNING next - 1"
_SLOT = re.compile(r"\{\s*([A-Za-z_][A-Za-z0-9_]*)\s*\}")

Execute = Callable[..., apsw.Cursor]


class Ground(Protocol):
    """What a tool runs on: a pooled slot in episodes, a plain connection when history is made."""

    @property
    def connection(self) -> apsw.Connection:
        """The connection that statements run on."""
        ...

    @property
    def execute(self) -> Execute:
        """`connection.execute`, kept at hand."""
        ...

    @property
    def log(self) -> list[Change]:
        """The row changes so far; a refused call takes its own back."""
        ...


Action = Callable[[Execute, Ground, Binds], Any]


class Refusal(Exception):
    """A call that the tool's own steps refused; `code` is stable, the text is for the agent."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class Exhausted(Refusal):
    """A call that was stopped because it needed too much work."""


class EnvironmentFault(Exception):
    """The tool broke a promise of its own (a `one` without a row, an SQL error): the environment is at fault."""


@dataclass(slots=True, frozen=True)
class CompiledTool:
    """A tool ready to run. `run(slot, binds)` returns the result as (data, text) or raises `Refusal` or `EnvironmentFault`."""

    name: str
    spec: Tool
    arguments: Arguments
    actions: tuple[Action, ...]
    writes: bool
    uses_given: bool

    def run(self, slot: Ground, binds: Binds) -> tuple[Any, str]:
        """Carry the call out on `slot`. `binds` holds the arguments and the reserved `now`, `actor` and `_given`."""
        if not self.writes:
            value = self._steps(slot, binds)
            return value, render(value)
        execute = slot.execute
        mark = len(slot.log)
        execute("SAVEPOINT call", can_cache=False)
        try:
            value = self._steps(slot, binds)
            # A result that is too large to show refuses the call, so it must do so while the call can be undone.
            text = render(value)
        except BaseException:
            # SQLite gives the whole transaction up when it stops a write; then there is no savepoint left to go back to.
            if slot.connection.in_transaction:
                execute("ROLLBACK TO call", can_cache=False)
                execute("RELEASE call", can_cache=False)
            del slot.log[mark:]
            raise
        execute("RELEASE call", can_cache=False)
        return value, text

    def _steps(self, slot: Ground, binds: Binds) -> Any:
        execute = slot.execute
        result: Any = None
        try:
            for action in self.actions:
                result = action(execute, slot, binds)
        except apsw.ConstraintError:
            raise Refusal("constraint", "The change would break a rule of the database; nothing was changed.") from None
        except apsw.InterruptError:
            raise Exhausted("too_expensive", "The call needed too much work and was stopped; nothing was changed.") from None
        except apsw.TooBigError:
            raise Refusal("too_large", "A value grew too large; nothing was changed.") from None
        except (apsw.Error, UnicodeError, OverflowError, TypeError) as problem:
            raise EnvironmentFault(f"tool {self.name}: {problem}") from problem
        return result


def compile_tools(spec: EnvironmentSpec, connection: apsw.Connection) -> dict[str, CompiledTool]:
    """Compile every tool against the schema of `connection`. SpecError names the tool and step that do not compile."""
    formats = {f"{table.name}.{column.name}": column.x_id for table in spec.tables for column in table.columns if column.x_id}
    return {tool.name: compile_tool(tool, connection, formats) for tool in spec.tools}


def compile_tool(tool: Tool, connection: apsw.Connection, formats: Mapping[str, str]) -> CompiledTool:
    """Compile one tool; `formats` maps "table.column" to its id format."""
    actions = []
    for index, step in enumerate(tool.steps):
        try:
            actions.append(_compile_step(step, connection, formats))
        except (apsw.Error, ValueError) as problem:
            raise SpecError(f"tool {tool.name}, step {index + 1}", str(problem)) from problem
    statements = [sql for step in tool.steps for sql in step_sql(step)]
    return CompiledTool(
        name=tool.name,
        spec=tool,
        arguments=Arguments(tool.parameters),
        actions=tuple(actions),
        writes=any(isinstance(step, (Run, NewId)) for step in tool.steps),
        uses_given=any(":_given" in sql for sql in statements),
    )


def _compile_step(step: Step, connection: apsw.Connection, formats: Mapping[str, str]) -> Action:
    if isinstance(step, Require):
        return _require(step.require, _names(connection, step.require), *step.otherwise)
    if isinstance(step, Forbid):
        return _forbid(step.forbid, _names(connection, step.forbid), *step.otherwise)
    if isinstance(step, Bind):
        return _bind(step.bind.row, _names(connection, step.bind.row))
    if isinstance(step, NewId):
        return _new_id({name: (target, formats.get(target)) for name, target in step.new_id.items()})
    if isinstance(step, Run):
        _names(connection, step.run)
        return _run(step.run, step.rows)
    return _return(step, connection)


def _names(connection: apsw.Connection, sql: str) -> tuple[str, ...]:
    problem = refused_text(sql)
    if problem:
        raise ValueError(problem)
    info = apsw.ext.query_info(connection, sql)
    if info.query_remaining and info.query_remaining.strip():
        raise ValueError("a step holds one statement")
    return tuple(column[0] for column in info.description)


def _require(sql: str, names: tuple[str, ...], code: str, text: str) -> Action:
    def act(execute: Execute, slot: Ground, binds: Binds) -> None:
        if execute(sql, binds).fetchone() is None:
            raise Refusal(code, fill(text, binds))

    return act


def _forbid(sql: str, names: tuple[str, ...], code: str, text: str) -> Action:
    def act(execute: Execute, slot: Ground, binds: Binds) -> None:
        row = execute(sql, binds).fetchone()
        if row is not None:
            raise Refusal(code, fill(text, {**binds, **dict(zip(names, row, strict=True))}))

    return act


def _bind(sql: str, names: tuple[str, ...]) -> Action:
    empty = (None,) * len(names)

    def act(execute: Execute, slot: Ground, binds: Binds) -> None:
        binds.update(zip(names, execute(sql, binds).fetchone() or empty, strict=True))

    return act


def _new_id(targets: Mapping[str, tuple[str, str | None]]) -> Action:
    def act(execute: Execute, slot: Ground, binds: Binds) -> None:
        for name, (target, form) in targets.items():
            row = execute(_NEXT_ID, {"tbl": target}).fetchone()
            if row is None:
                raise EnvironmentFault(f"no id counter for {target}")
            binds[name] = form.format(row[0]) if form else row[0]

    return act


def _run(sql: str, rows: int | tuple[int, int] | str) -> Action:
    low, high = rows if isinstance(rows, tuple) else (rows, rows)

    def act(execute: Execute, slot: Ground, binds: Binds) -> None:
        execute(sql, binds)
        changed = slot.connection.changes()
        wanted_low, wanted_high = (binds[low] if isinstance(low, str) else low), (binds[high] if isinstance(high, str) else high)
        if not wanted_low <= changed <= wanted_high:
            raise Refusal("conflict", "The records are not in a state that allows this; nothing was changed.")

    return act


def _return(step: Return, connection: apsw.Connection) -> Action:
    shape = step.result
    if shape.object is None:
        return _part(shape, connection)
    parts = [(name, _part(part, connection)) for name, part in shape.object.items()]

    def act(execute: Execute, slot: Ground, binds: Binds) -> dict[str, Any]:
        return {name: part(execute, slot, binds) for name, part in parts}

    return act


def _part(shape: Shape, connection: apsw.Connection) -> Action:
    if shape.one is not None:
        return _one(shape.one, _names(connection, shape.one))
    if shape.many is not None:
        return _many(shape.many, _names(connection, shape.many), min(shape.max or MAX_ROWS, MAX_ROWS))
    if shape.value is None:
        raise ValueError("a return is one, many, value or an object of these")
    _names(connection, shape.value)
    return _value(shape.value)


def _one(sql: str, names: tuple[str, ...]) -> Action:
    def act(execute: Execute, slot: Ground, binds: Binds) -> dict[str, Any]:
        row = execute(sql, binds).fetchone()
        if row is None:
            raise EnvironmentFault("a `one` returned no row")
        return dict(zip(names, row, strict=True))

    return act


def _many(sql: str, names: tuple[str, ...], cap: int) -> Action:
    def act(execute: Execute, slot: Ground, binds: Binds) -> list[dict[str, Any]]:
        cursor = execute(sql, binds)
        rows = [dict(zip(names, row, strict=True)) for row, _ in zip(cursor, range(cap), strict=False)]
        cursor.close()
        return rows

    return act


def _value(sql: str) -> Action:
    def act(execute: Execute, slot: Ground, binds: Binds) -> Any:
        row = execute(sql, binds).fetchone()
        return row[0] if row else None

    return act


def fill(text: str, values: Mapping[str, Any]) -> str:
    """Replace `{name}` in `text` by `values[name]`, each clipped to 80 characters; unknown names stay as they are."""
    return _SLOT.sub(lambda match: clip(str(values[match[1]])) if match[1] in values else match[0], text)


def render(value: Any) -> str:
    """Return a result as the agent sees it; `Refusal` when it exceeds 64 KiB, `EnvironmentFault` when JSON cannot carry it."""
    # The same text as json.dumps with compact separators, several times faster.
    try:
        data = to_json(value)
    except ValueError as problem:
        raise EnvironmentFault(f"a result that JSON cannot carry: {problem}") from problem
    text = data.decode()
    if len(data) > MAX_BYTES:
        raise Refusal("result_too_large", "The result is larger than 64 KiB; ask for fewer rows.")
    return text
