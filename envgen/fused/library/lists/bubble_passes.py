"""A list in the middle of a bubble sort."""

import random
from collections.abc import Mapping
from heapq import heapify, heappushpop
from typing import Any

from envgen.fused.problem import Problem, Values
from envgen.fused.types import Int, List

MOST, MOST_K = 160, 70


def sample(rng: random.Random, level: int, bound: Mapping[str, Any]) -> Values | None:
    """So few passes for the length that the list is far from sorted after them."""
    if "items" in bound:
        k = bound.get("k", rng.randint(1, max(1, min(len(bound["items"]) // 3, MOST_K))))
        return {"items": bound["items"], "k": k}
    size = min(10 + level + rng.randrange(4), 60)
    k = bound.get("k", rng.randint(1, max(4, size // 3)))
    return {"items": [rng.randint(1, 99 + 50 * min(level, 10**6)) for _ in range(max(size, 2 * k + 4))], "k": k}


def solve(values: Mapping[str, Any]) -> list[int]:
    """k passes carry the k greatest items so far along: a heap of k items that lets its least one go for each item that comes."""
    items, k = values["items"], min(values["k"], len(values["items"]))
    carried = items[:k]
    heapify(carried)
    return [heappushpop(carried, item) for item in items[k:]] + sorted(carried)


PROBLEM = Problem(
    name="bubble_passes",
    topic="lists",
    ports={"items": List(Int(), 1, MOST), "k": Int(1, MOST_K)},
    out=List(Int(), 1, MOST),
    sample=sample,
    solve=solve,
    wordings=(
        "the list {items} after {k} passes of ascending bubble sort, each pass going once from the left end to the right end and "
        "swapping two neighbours whenever the left one is greater",
        "what {k} rounds of the following leave of the row {items}: for i = 0, 1, ..., n - 2 in this order, exchange the entries "
        "at i and i + 1 (counted from 0) if they stand in descending order, n being the length of the row",
        "the arrangement of a line of boxes with the weights {items}, front to back, once a worker has walked {k} times from the "
        "front to the back, on each walk carrying the front box along and, at every box he meets, putting down the lighter of the "
        "two in the gap and going on with the heavier (at equal weights it makes no difference), and putting down the last one at "
        "the back",
        "f applied {k} times to {items}, where f turns a list of one number into itself and a longer list [a, b, ...] into the "
        "smaller of a and b followed by f of the list whose first entry is the larger of a and b and whose remaining entries are "
        "those behind b",
        "the intermediate state, {k} sweeps into the sort, of the algorithm that brings {items} into non-decreasing order by "
        "sweeping over all adjacent pairs from first to last, mending each pair out of order as it comes to it; sweeps that change "
        "nothing are counted too",
    ),
)
