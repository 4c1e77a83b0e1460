"""Witnesses for gate E3: calls that break an agent rule, which shows that the rule forbids something."""

import json
import random
from collections.abc import Iterator, Sequence

from envgen.core.digest import rng
from envgen.core.types import JsonObject
from envgen.database.draw import Drawer
from envgen.database.runtime import DatabaseEnvironment, DatabaseSession
from envgen.database.spec import Rule
from envgen.gates.replay import neutral_task
from envgen.gates.witness import at_example, single_calls, touched

WALKS, WALK_CALLS, TRIES = 120, 30, 4


def breach(environment: DatabaseEnvironment, rule: Rule) -> str:
    """Return the calls that break an agent rule, in words; "" when none were found.

    The examples of its own tool that succeed are tried first, then drawn calls of it alone, then walks that stay with the rows just
    written. A prohibition that says what it forbids (`breach`) is aimed at.
    """
    tools = [rule.tool] if rule.tool else sorted(name for name, tool in environment.compiled.items() if tool.writes)
    for tool in tools:
        if _by_example(environment, rule, tool) or _breaks_alone(environment, rule, tool):
            return tool
    for walk in range(WALKS):
        made = _by_walk(environment, rule, tools, walk)
        if made:
            return ", ".join(made)
    return ""


def _by_example(environment: DatabaseEnvironment, rule: Rule, tool: str) -> bool:
    for example in environment.spec.tool(tool).examples:
        if "error" not in example.expect:
            with at_example(environment, example) as session:
                if session.call(tool, example.args).ok and rule.id in session.broken():
                    return True
    return False


def _breaks_alone(environment: DatabaseEnvironment, rule: Rule, tool: str) -> bool:
    schema = environment.compiled[tool].arguments.schema
    with environment.start(neutral_task(environment.spec)) as session:
        for arguments in single_calls(environment, session, tool, rng(0, "gates", "E3", rule.id, tool)):
            if _points_at(session, rule, schema, arguments) and session.probe(tool, arguments).ok:
                with environment.start(session.task) as trial:
                    trial.call(tool, arguments)
                    if rule.id in trial.broken():
                        return True
    return False


def _points_at(session: DatabaseSession, rule: Rule, schema: JsonObject, arguments: JsonObject) -> bool:
    """True when the rule's `breach` query says that the call would break it, or when it has none."""
    if rule.breach is None:
        return True
    binds = {**dict.fromkeys(schema.get("properties", {})), **arguments, "now": session.now, "actor": session.task.start.actor}
    binds = {name: json.dumps(value) if isinstance(value, (list, dict)) else value for name, value in binds.items()}
    return session.connection.execute(rule.breach, binds).fetchone() is not None


def _by_walk(environment: DatabaseEnvironment, rule: Rule, tools: Sequence[str], walk: int) -> list[str]:
    """Make writes that mostly go on with the rows of the one before; after each, try the rule's own tool on those rows."""
    dice = rng(0, "gates", "E3", rule.id, walk)
    writers = sorted(name for name, tool in environment.compiled.items() if tool.writes)
    made: list[str] = []
    with environment.start(neutral_task(environment.spec)) as session:
        focus: dict[str, list[object]] = {}
        for _ in range(WALK_CALLS if writers else 0):
            tool = dice.choice(writers)
            drawer = Drawer(session.connection.execute, dice, narrow=focus if dice.random() < 0.6 else None, skew=walk % 4 * 0.5)
            arguments = drawer.arguments(environment.compiled[tool].arguments.schema, session.now)
            if arguments is None or not session.call(tool, arguments).ok:
                continue
            made.append(tool)
            focus = touched(environment, session.calls[-1]) or focus
            for last in _breaking(environment, session, rule, tools, focus, dice):
                return [*made, last]
    return []


def _breaking(
    environment: DatabaseEnvironment,
    session: DatabaseSession,
    rule: Rule,
    tools: Sequence[str],
    focus: dict[str, list[object]],
    dice: random.Random,
) -> Iterator[str]:
    """Yield the rule's tool when a call of it on the rows of `focus` breaks the rule (or when it is broken already)."""
    for tool in tools:
        schema = environment.compiled[tool].arguments.schema
        for _ in range(TRIES):
            narrow = {column: values for column, values in focus.items() if dice.random() < 0.8}
            arguments = Drawer(session.connection.execute, dice, narrow=narrow).arguments(schema, session.now)
            if arguments is None or not _points_at(session, rule, schema, arguments):
                continue
            if session.call(tool, arguments).ok and rule.id in session.broken():
                yield tool
