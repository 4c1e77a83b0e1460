"""The scripted policies: the oracle knows the gold, the no-op submits at once, random makes valid calls."""

from typing import Any

from envgen.core.digest import rng
from envgen.core.errors import UsageError
from envgen.core.protocols import Environment, Session
from envgen.core.types import Gold, GoldCall, JsonObject, Task
from envgen.database.draw import Drawer
from envgen.database.runtime import DatabaseEnvironment, DatabaseSession
from envgen.rollout.policies import Move, Play, Submit

RANDOM_CALLS = (1, 12)


class NoOp:
    """Submits at once and claims that all is done."""

    name = "noop"

    def play(self, environment: Environment, session: Session, task: Task, *, seed: int) -> Play:
        """Make no call."""
        return Submit()
        yield Move("", {})  # makes this a generator; never reached


class Oracle:
    """Replays the gold. Arguments that came from earlier results are taken from what was returned this time."""

    name = "oracle"

    def play(self, environment: Environment, session: Session, task: Task, *, seed: int) -> Play:
        """Make the gold's calls in order. UsageError when the bundle comes without gold."""
        gold = _gold(environment, task)
        results: list[Any] = []
        for call in gold.calls:
            result = yield Move(call.tool, live_arguments(call, results))
            results.append(result.value)
        answer = gold.answer.value if gold.answer else None
        return Submit(answer, gold.outcome, gold.reason)


class Random:
    """Makes one to twelve calls with arguments that fit their schemas and name rows that exist, then claims to be done."""

    name = "random"

    def play(self, environment: Environment, session: Session, task: Task, *, seed: int) -> Play:
        """Draw tools and arguments from `seed` and the task."""
        spec = _database(environment).spec
        assert isinstance(session, DatabaseSession)
        dice = rng(seed, "random policy", task.id)
        drawer = Drawer(session.connection.execute, dice)
        for _ in range(dice.randint(*RANDOM_CALLS)):
            tool = dice.choice(spec.tools)
            arguments = drawer.arguments(tool.parameters, task.start.now)
            if arguments is not None:
                yield Move(tool.name, arguments)
        return Submit(dice.choice([None, dice.randint(0, 20)]), dice.choice(["done", "done", "refused"]))


def live_arguments(call: GoldCall, results: list[Any]) -> JsonObject:
    """Return the arguments of `call`, with each one that an earlier result gave read from `results`.

    results: the values that the gold's earlier calls returned, in order. A path that is not there keeps the recorded value.
    """
    arguments = dict(call.arguments)
    for name, origin in call.origin.items():
        if origin.get("from") == "result" and name in arguments:
            found, value = _follow(results, origin)
            arguments[name] = value if found else arguments[name]
    return arguments


def _follow(results: list[Any], origin: JsonObject) -> tuple[bool, Any]:
    step = origin.get("step", -1)
    if not isinstance(step, int) or not 0 <= step < len(results):
        return False, None
    value = results[step]
    for part in [part for part in str(origin.get("path", "")).split(".") if part]:
        if isinstance(value, dict) and part in value:
            value = value[part]
        elif isinstance(value, list) and part.isdigit() and int(part) < len(value):
            value = value[int(part)]
        else:
            return False, None
    return not isinstance(value, dict | list), value


def _gold(environment: Environment, task: Task) -> Gold:
    """The gold, from whichever family keeps one."""
    keeper = getattr(environment, "gold", None)
    if keeper is None:
        raise UsageError(f"{environment.manifest.name}: bundles of the family {environment.manifest.family!r} have no gold to replay")
    found = keeper(task.id)
    assert isinstance(found, Gold)
    return found


def _database(environment: Environment) -> DatabaseEnvironment:
    if not isinstance(environment, DatabaseEnvironment):
        raise UsageError(f"{environment.manifest.name}: this policy plays bundles of the family 'database' only")
    return environment
