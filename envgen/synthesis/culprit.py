"""Which tool breaks a guard rule: the calls of the past are made again with an eye on the rule, then calls are drawn."""

import random
import re
from dataclasses import replace

import apsw

from envgen.core.digest import rng
from envgen.core.errors import EnvgenError
from envgen.database.draw import Drawer
from envgen.database.model.assemble import Parts
from envgen.database.runtime import DatabaseEnvironment
from envgen.database.spec import Rule
from envgen.database.world import build_world
from envgen.gates.procedural import Broken, Watch

WALKS, WALK_CALLS = 16, 90
_NAMED = re.compile(r"\b([a-z][a-z0-9_]*)\b")
BREAKS = re.compile(r"breaks rule (\w+), which the tools should guard")


class _Found(Exception):
    """Ends the making of a world at the call that breaks the rule."""


def who_breaks(parts: Parts, rule: Rule, seed: int) -> tuple[str, str] | None:
    """Return (tool, what is wrong) for the first call that breaks a guard rule, starting from rows that keep it; None when none does.

    A rule whose own SQL cannot be run is nobody else's fault.
    """
    quiet = replace(parts, rules=[rule])
    try:
        return _in_the_past(quiet, rule, seed) or _in_walks(quiet, rule, seed)
    except (EnvgenError, apsw.Error):
        return None


def _in_the_past(parts: Parts, rule: Rule, seed: int) -> tuple[str, str] | None:
    def look(tool: str, connection: apsw.Connection) -> None:
        row = connection.execute(rule.sql).fetchone()
        if row is not None:
            raise _Found(
                tool, f"a call of it was carried out and breaks rule {rule.id}, which the tools should guard, with {row}: {rule.policy}"
            )

    try:
        build_world(parts.proposal(), seed, "small", after=look)
    except _Found as found:
        return found.args[0], found.args[1]
    except EnvgenError:
        pass
    return None


def _in_walks(parts: Parts, rule: Rule, seed: int) -> tuple[str, str] | None:
    proposal = parts.proposal()
    proposal = proposal.model_copy(update={"language": proposal.language.model_copy(update={"history": ()})})
    environment = DatabaseEnvironment(proposal.spec, build_world(proposal, seed, "small")[0])
    walks = (_walk(environment, rng(seed, "trial", rule.id, walk)) for walk in range(WALKS))
    return next(filter(None, walks), None)


def _walk(environment: DatabaseEnvironment, dice: random.Random) -> tuple[str, str] | None:
    watch = Watch(environment)
    writers = [name for name, tool in environment.compiled.items() if tool.writes]
    drawer = Drawer(watch.session.connection.execute, dice, skew=0.5)
    try:
        for _ in range(WALK_CALLS):
            tool = dice.choice(writers)
            arguments = drawer.arguments(environment.compiled[tool].arguments.schema, watch.session.now)
            if arguments is not None:
                watch.call(tool, "valid", arguments)
    except Broken as problem:
        return blamed(environment, str(problem))
    finally:
        watch.session.close()
    return None


def blamed(environment: DatabaseEnvironment, text: str) -> tuple[str, str] | None:
    """Return (tool, text) for the tool that a broken promise names first, or None."""
    name = next((word for word in _NAMED.findall(text) if word in environment.compiled), None)
    return (name, text) if name else None
