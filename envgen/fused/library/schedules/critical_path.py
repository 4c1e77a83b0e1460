"""The least time in which tasks that wait for one another can all be done."""

import random
from collections.abc import Mapping
from typing import Any

from envgen.fused.problem import Problem, Values
from envgen.fused.types import Int, List, Tuple

MOST, MOST_EDGES, MOST_TIME = 60, 150, 10**15
EDGE = Tuple((Int(0, MOST - 1, "id"), Int(0, MOST - 1, "id")), ("earlier", "later"))


def sample(rng: random.Random, level: int, bound: Mapping[str, Any]) -> Values | None:
    """Some one and a half arrows a task, along an order that the numbers do not show; times of the order of the handover."""
    size = min(7 + level + rng.randrange(3), MOST)
    handover = bound.get("handover", rng.randint(1, 25))
    if "before" in bound:
        size = max([size, *(node + 1 for edge in bound["before"] for node in edge)])
    high = min(max(40 + 10 * min(level, 10**6), 2 * handover), MOST_TIME)
    durations = bound.get("durations") or [rng.randint(1, high) for _ in range(size)]
    values: Values = {
        "durations": durations,
        "before": bound["before"] if "before" in bound else _edges(rng, len(durations)),
        "handover": handover,
    }
    try:
        solve(values)
    except ValueError:
        return None
    return values


def _edges(rng: random.Random, size: int) -> list[list[int]]:
    order, edges = rng.sample(range(size), size), list[list[int]]()
    for later in range(1, size):
        for _ in range(1 + rng.randrange(2)):
            edge = [order[rng.randrange(max(later - 4, 0), later)], order[later]]
            if edge not in edges:
                edges.append(edge)
    rng.shuffle(edges)
    return edges


def solve(values: Mapping[str, Any]) -> int:
    """Tasks in topological order, each as early as those before it allow."""
    durations, handover = values["durations"], values["handover"]
    waits, later, start = [0] * len(durations), [list[int]() for _ in durations], [0] * len(durations)
    for one, other in values["before"]:
        if not 0 <= one < len(durations) or not 0 <= other < len(durations):
            raise ValueError("a task without a duration")
        later[one].append(other)
        waits[other] += 1
    ready = [task for task, count in enumerate(waits) if not count]
    for task in ready:  # grows while it is gone through
        for other in later[task]:
            start[other] = max(start[other], start[task] + durations[task] + handover)
            waits[other] -= 1
            if not waits[other]:
                ready.append(other)
    if len(ready) < len(durations):
        raise ValueError("tasks wait for one another in a circle")
    return max(int(start[task] + durations[task]) for task in ready)


PROBLEM = Problem(
    name="critical_path",
    topic="schedules",
    ports={
        "durations": List(Int(0, MOST_TIME), 1, MOST),
        "before": List(EDGE, 0, MOST_EDGES, tag="dag"),
        "handover": Int(0, MOST_TIME),
    },
    out=Int(0, 2 * MOST * MOST_TIME, "measure"),
    sample=sample,
    solve=solve,
    wordings=(
        "the shortest time in which a project can be finished whose tasks, numbered from 0, take the times {durations}, where each "
        "[a, b] of {before} means that task b cannot begin until {handover} after the end of task a, and any number of tasks may "
        "run at once",
        "the length of the critical path through the jobs 0, 1, 2, ... with lengths {durations} and the precedence arrows "
        "{before}, [u, v] being an arrow from u to v: the largest sum of job lengths along a path, a single job included, plus "
        "{handover} for every arrow on it",
        "the moment at which the last of several builders lays down the tools, work having begun at moment 0, builder i (counted "
        "from 0) needing entry i of {durations}, starting as early as possible, and waiting for a message from every builder p "
        "with [p, i] in {before}, sent when p is done and under way for {handover}",
        "max(F), with F(t) = D(t) + max(0, F(s) + {handover} for all s with [s, t] in {before}) for every index t from 0 of the "
        "list D = {durations}",
        "the makespan, with unlimited workers and the best planning, of a plan in which activity k lasts as long as item k (from "
        "0) of {durations} says, and a delay of {handover} lies at least between the finish of x and the launch of y whenever [x, "
        "y] is one of the pairs {before}",
    ),
)
