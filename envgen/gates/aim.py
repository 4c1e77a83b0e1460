"""Aimed search for a guard's refusal: its own SQL is asked first, limits are pressed, and successes are varied one argument at a time."""

from collections.abc import Iterator
from typing import Any

from envgen.core.digest import rng
from envgen.core.types import JsonObject
from envgen.database.arguments import BadArguments, Binds
from envgen.database.boundary import boundary_values
from envgen.database.draw import Drawer
from envgen.database.runtime import DatabaseEnvironment, DatabaseSession
from envgen.database.spec import Bind, Forbid, NewId, Require, Run

DRAWS, PRESSED, PRESSES, SUCCESSES = 1500, 8, 24, 6


def aimed_calls(environment: DatabaseEnvironment, session: DatabaseSession, tool: str, code: str) -> Iterator[JsonObject]:
    """Yield arguments for which a guard of `tool` with this code would refuse if it were asked alone. Cheap: nothing is called."""
    drawer = Drawer(session.connection.execute, rng(0, "gates", "aim", tool, code), frozen=True)
    schema = environment.compiled[tool].arguments.schema
    edges = boundary_values(environment.spec.tool(tool), session.connection.execute)
    for turn in range(DRAWS):
        edge = {name: drawer.dice.choice(values) for name, values in edges.items() if values and turn % 2 and drawer.dice.random() < 0.5}
        arguments = drawer.arguments(schema, session.now, edge)
        if arguments is not None and _would_refuse(environment, session, tool, code, arguments):
            yield arguments


def _would_refuse(environment: DatabaseEnvironment, session: DatabaseSession, tool: str, code: str, arguments: JsonObject) -> bool:
    compiled = environment.compiled[tool]
    try:
        binds: Binds = compiled.arguments(arguments)
    except BadArguments:
        return False
    binds |= {"now": session.now, "actor": environment.spec.actor, "_given": "[]"}
    execute = session.connection.execute
    for step, action in zip(compiled.spec.steps, compiled.actions, strict=True):
        if isinstance(step, (Run, NewId)):
            return False
        if isinstance(step, Bind):
            action(execute, session.slot, binds)
        elif isinstance(step, (Require, Forbid)) and step.otherwise[0] == code:
            sql = step.require if isinstance(step, Require) else step.forbid
            if (execute(sql, binds).fetchone() is None) == isinstance(step, Require):
                return True
    return False


def varied_calls(environment: DatabaseEnvironment, session: DatabaseSession, tool: str) -> Iterator[JsonObject]:
    """Yield calls that differ from a succeeding one in one argument: what the others decide is settled then."""
    drawer = Drawer(session.connection.execute, rng(0, "gates", "vary", tool), frozen=True)
    schema = environment.compiled[tool].arguments.schema
    edges = boundary_values(environment.spec.tool(tool), session.connection.execute)
    for arguments in _successes(environment, session, tool, drawer):
        for name, child in schema.get("properties", {}).items():
            values: list[Any] = [drawer.value(child, session.now, arguments, schema) for _ in range(12)]
            for value in [*edges.get(name, ()), *values]:
                if value is not None:
                    yield {**arguments, name: value}


def _successes(environment: DatabaseEnvironment, session: DatabaseSession, tool: str, drawer: Drawer) -> list[JsonObject]:
    found: list[JsonObject] = []
    for _ in range(DRAWS // 4):
        arguments = drawer.arguments(environment.compiled[tool].arguments.schema, session.now)
        if arguments is not None and session.probe(tool, arguments).ok:
            found.append(arguments)
            if len(found) == SUCCESSES:
                break
    return found


def pressed_calls(environment: DatabaseEnvironment, session: DatabaseSession, tool: str) -> Iterator[tuple[JsonObject, bool]]:
    """Yield calls to make for real, that keep one row and vary the rest, until a limit is met; (arguments, True) begins anew."""
    schema = environment.compiled[tool].arguments.schema
    keys = [name for name, child in schema.get("properties", {}).items() if "x-column" in child]
    for name in keys:
        drawer = Drawer(session.connection.execute, rng(0, "gates", "press", tool, name), frozen=True)
        kept = {arguments[name]: arguments for arguments in _successes(environment, session, tool, drawer) if name in arguments}
        for value, first in list(kept.items())[:PRESSED]:
            yield first, True
            for _ in range(PRESSES * 4):
                arguments = drawer.arguments(schema, session.now, {name: value})
                if arguments is not None:
                    yield arguments, False
