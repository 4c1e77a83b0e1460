"""The order of tasks that wait for one another, the most urgent ready task always next."""

import random
from collections.abc import Mapping
from heapq import heapify, heappop, heappush
from typing import Any

from envgen.fused.problem import Problem, Values
from envgen.fused.types import Int, List, Tuple

MOST, MOST_EDGES = 60, 150
EDGE = Tuple((Int(0, MOST - 1, "id"), Int(0, MOST - 1, "id")), ("earlier", "later"))


def sample(rng: random.Random, level: int, bound: Mapping[str, Any]) -> Values | None:
    """About one arrow a task, along an order that the numbers do not show, so that several tasks are ready most of the time."""
    size = len(bound.get("keys", [])) or min(8 + level + rng.randrange(3), MOST)
    before = bound["before"] if "before" in bound else _edges(rng, size)
    if "keys" not in bound:
        size = max([size, *(node + 1 for edge in before for node in edge)])
    values: Values = {"keys": bound.get("keys") or [rng.randint(1, 99 + 50 * min(level, 10**6)) for _ in range(size)], "before": before}
    try:
        solve(values)
    except ValueError:
        return None
    return values


def _edges(rng: random.Random, size: int) -> list[list[int]]:
    order, edges = rng.sample(range(size), size), list[list[int]]()
    for _ in range(size + 1):
        one, other = sorted(rng.sample(range(size), 2))
        if [order[one], order[other]] not in edges:
            edges.append([order[one], order[other]])
    return edges


def solve(values: Mapping[str, Any]) -> list[int]:
    """Kahn's algorithm with a heap of the tasks that are ready. ValueError when tasks wait in a circle or have no key."""
    keys = values["keys"]
    waits, later = [0] * len(keys), [list[int]() for _ in keys]
    for one, other in values["before"]:
        if max(one, other) >= len(keys):
            raise ValueError("a task without a key")
        later[one].append(other)
        waits[other] += 1
    ready = [(keys[task], task) for task, count in enumerate(waits) if not count]
    heapify(ready)
    order = []
    while ready:
        task = heappop(ready)[1]
        order.append(task)
        for other in later[task]:
            waits[other] -= 1
            if not waits[other]:
                heappush(ready, (keys[other], other))
    if len(order) < len(keys):
        raise ValueError("tasks wait for one another in a circle")
    return order


PROBLEM = Problem(
    name="topo_lexmin",
    topic="graphs",
    ports={"keys": List(Int(), 2, MOST), "before": List(EDGE, 0, MOST_EDGES, tag="dag")},
    out=List(Int(0, MOST - 1), 2, MOST, unique=True, tag="perm"),
    sample=sample,
    solve=solve,
    unique="canonical",
    wordings=(
        "the order in which one worker does the tasks 0, 1, 2, ... with the keys {keys} (task i has the key at index i), if he always "
        "takes, among the tasks not yet done all of whose predecessors are done, the one with the smallest key, at equal keys the "
        "one with the smallest number; each [a, b] of {before} makes a a predecessor of b",
        "the topological ordering of the directed acyclic graph that has the arrows {before} and one node for every index, from 0, of "
        "{keys}, whose sequence of pairs (entry at that index, index) is lexicographically least",
        "that permutation p of the positions, starting at 0, of the list {keys} in which u stands to the left of v for all [u, v] out "
        "of {before}, and in which p_1 has the least possible entry, then p_2 the least entry that p_1 allows, and so on, with lower "
        "positions first where entries are equal",
        "how a packet manager would install its packets, named by their numbers: packet n, counted from 0, has as its rank item n of "
        "{keys}, a pair [x, y] in {before} forbids y until x is installed, and the installable packet of lowest rank is installed at "
        "every step, the lower number deciding between equal ranks",
        "the numbers called out by a heap of pairs (key, number) that is emptied from its minimum: at first it holds every number "
        "with no incoming arrow; whenever a number is called, it is taken out, and the numbers to which it was the last uncalled "
        "origin of an arrow enter; {before} lists the arrows as [origin, head], repeated ones adding nothing, and number j (the "
        "first being 0) carries key j of {keys}",
    ),
)
