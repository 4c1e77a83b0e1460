"""Arguments with which each write tool succeeds in the start state: found once per environment, tried first by every task's gates."""

from weakref import WeakKeyDictionary

from envgen.core.digest import rng
from envgen.core.types import JsonObject
from envgen.database.draw import Drawer
from envgen.database.engine import Pool
from envgen.database.runtime import DatabaseEnvironment
from envgen.gates.replay import neutral_task

WANTED, DRAWS = 12, 400
# Keyed by the pool, which every view of one environment (`with_tasks`) shares.
_known: "WeakKeyDictionary[Pool, dict[str, list[JsonObject]]]" = WeakKeyDictionary()


def successes(environment: DatabaseEnvironment, tool: str) -> list[JsonObject]:
    """Return up to WANTED argument sets with which `tool` succeeds at the start; the same for every run."""
    found = _known.setdefault(environment.pool, {})
    if tool not in found:
        found[tool] = _find(environment, tool)
    return found[tool]


def _find(environment: DatabaseEnvironment, tool: str) -> list[JsonObject]:
    schema = environment.compiled[tool].arguments.schema
    found: list[JsonObject] = []
    with environment.start(neutral_task(environment.spec)) as session:
        drawer = Drawer(session.connection.execute, rng(0, "gates", "successes", tool), frozen=True)
        for _ in range(DRAWS):
            arguments = drawer.arguments(schema, session.now)
            if arguments is not None and session.probe(tool, arguments).ok:
                found.append(arguments)
                if len(found) == WANTED:
                    break
    return found
