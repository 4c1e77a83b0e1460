"""The k-th smallest distance between two items."""

import random
from collections.abc import Mapping
from itertools import combinations
from math import isqrt
from typing import Any

from envgen.fused.problem import Problem, Values
from envgen.fused.types import Int, List

MOST = 64
MOST_K = MOST * (MOST - 1) // 2


def sample(rng: random.Random, level: int, bound: Mapping[str, Any]) -> Values | None:
    """Seven to ten items at level 0, more where k asks for them; items spread widely, so that few pairs are equally far apart."""
    size = min(7 + level + rng.randrange(4), MOST - 4)
    if "k" in bound:
        size = max(size, min(isqrt(2 * bound["k"]) + 2, MOST))
    items = bound.get("items") or [rng.randint(1, 10 ** min(3 + level // 2, 9)) for _ in range(size)]
    pairs = len(items) * (len(items) - 1) // 2
    values: Values = {"items": items, "k": bound.get("k", rng.randint(1, pairs))}
    return values if values["k"] <= pairs else None


def solve(values: Mapping[str, Any]) -> int:
    """All distances, sorted."""
    distances = sorted([b - a for a, b in combinations(sorted(values["items"]), 2)])
    if values["k"] > len(distances):
        raise ValueError("there are fewer pairs than k")
    return int(distances[values["k"] - 1])


PROBLEM = Problem(
    name="kth_pair_diff",
    topic="lists",
    ports={"items": List(Int(), 2, MOST), "k": Int(1, MOST_K)},
    out=Int(0, 2 * 10**18),
    sample=sample,
    solve=solve,
    wordings=(
        "the absolute difference at place {k}, counted from 1, when the absolute differences of all pairs of different positions "
        "of {items} are sorted in ascending order and equal ones are kept as often as they occur",
        "the {k}-th smallest value (1-based, with repetitions) of |x - y| over the unordered pairs of two entries at distinct "
        "places of {items}",
        "how far apart the two marks of the pair ranked {k} lie, if every two of the marks at {items} on a ruler form a pair and "
        "the pairs are ranked from the nearest, rank 1, to the farthest, with marks at the same spot counting as separate marks at "
        "distance 0",
        "the least integer d >= 0 for which {k} or more of the index pairs i < j satisfy -d <= a_i - a_j <= d, a being the list {items}",
        "element number {k} of the ascending multiset that holds, for each choice of 2 of the numbers {items}, the larger minus "
        "the smaller (0 for equal ones), the least element having number 1",
    ),
)
