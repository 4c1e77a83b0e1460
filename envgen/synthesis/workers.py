"""Candidates made and judged, here or in other processes; results come back in the order of their numbers."""

import time
from collections.abc import Generator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from typing import Any

from envgen.core.errors import InfrastructureError, PlanError
from envgen.core.processes import exit_with_parent
from envgen.core.types import Evidence, Gold, JsonObject, Task
from envgen.database.plan.planner import Planner
from envgen.database.runtime import DatabaseEnvironment
from envgen.gates.registry import TASK_GATES, bundle_task_gates
from envgen.synthesis.recipe import Recipe

# T9 asks another process, so it is run once, on the chosen tasks. T8 also counts answers over the whole set: here it looks at
# the text alone, and its evidence is that of the run over the set.
OWN_GATES = tuple(gate for gate in TASK_GATES if gate != "T9")


@dataclass
class Made:
    """What became of one candidate: the reason it was rejected for ("" when it is sound), and its tasks with their evidence."""

    index: int
    reason: str = ""
    detail: str = ""
    tasks: list[Task] = field(default_factory=list)
    gold: list[Gold] = field(default_factory=list)
    evidence: list[Evidence] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)

    def to_json(self) -> JsonObject:
        """Return the outcome as plain data, for the ledger and for other processes."""
        return {
            "index": self.index,
            "reason": self.reason,
            "detail": self.detail,
            "tasks": [task.model_dump(mode="json", exclude_defaults=True) for task in self.tasks],
            "gold": [gold.model_dump(mode="json", exclude_defaults=True) for gold in self.gold],
            "evidence": [item.model_dump(mode="json", exclude_defaults=True) for item in self.evidence],
            "seconds": self.seconds,
        }

    @classmethod
    def from_json(cls, data: JsonObject) -> "Made":
        """Return the outcome that `to_json` wrote."""
        return cls(
            index=data["index"],
            reason=data["reason"],
            detail=data["detail"],
            tasks=[Task.model_validate(item) for item in data["tasks"]],
            gold=[Gold.model_validate(item) for item in data["gold"]],
            evidence=[Evidence.model_validate(item) for item in data["evidence"]],
            seconds=data["seconds"],
        )


class Maker:
    """Plans candidates of one recipe and judges them by the task gates."""

    def __init__(self, recipe: Recipe) -> None:
        self.environment: DatabaseEnvironment = recipe.environment()
        self.planner: Planner = recipe.planner(self.environment)

    def make(self, index: int) -> Made:
        """Return what became of candidate `index`."""
        started = time.perf_counter()
        try:
            candidates = self.planner.candidate(index)
        except PlanError as problem:
            return Made(index, reason=f"plan:{problem.code}", detail=str(problem), seconds={"plan": time.perf_counter() - started})
        made = Made(index, tasks=[item.task for item in candidates], gold=[item.gold for item in candidates])
        made.seconds["plan"] = time.perf_counter() - started
        gold = {gold.task: gold for gold in made.gold}
        environment = self.environment.with_tasks(made.tasks, gold)
        evidence = bundle_task_gates(environment, made.tasks, gold, gates=OWN_GATES, seconds=made.seconds)
        made.evidence = [item for item in evidence if item.gate != "T8"]
        failed = [item for item in evidence if item.status == "fail"]
        if failed:
            made.reason, made.detail = failed[0].gate, failed[0].reason
        return made


_maker: Maker | None = None


def _prepare(recipe: Recipe) -> None:
    global _maker
    exit_with_parent()
    _maker = Maker(recipe)


def _work(index: int) -> JsonObject:
    assert _maker is not None
    return _maker.make(index).to_json()


def candidates(recipe: Recipe, jobs: int, known: dict[int, JsonObject], limit: int) -> Generator[Made]:
    """Yield candidates 0, 1, 2 … below `limit` in order; those in `known` are taken from there instead of being made again.

    jobs: processes; 1 works in this one. Closing the iterator stops the processes. InfrastructureError when one of them dies.
    """
    if jobs == 1:
        maker = Maker(recipe)
        for index in range(limit):
            yield Made.from_json(known[index]) if index in known else maker.make(index)
        return
    pool = ProcessPoolExecutor(jobs, initializer=_prepare, initargs=(recipe,))
    try:
        yield from _ordered(pool, jobs * 4, known, limit)
    except BrokenProcessPool as problem:
        raise InfrastructureError(
            "a working process was stopped from outside, perhaps for want of memory. Go on with --resume, or with fewer --jobs"
        ) from problem
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _ordered(pool: ProcessPoolExecutor, ahead: int, known: dict[int, JsonObject], limit: int) -> Generator[Made]:
    pending: dict[int, Future[Any]] = {}
    following = 0
    for index in range(limit):
        while following < min(index + ahead, limit):
            if following not in known:
                pending[following] = pool.submit(_work, following)
            following += 1
        yield Made.from_json(known[index] if index in known else pending.pop(index).result())
