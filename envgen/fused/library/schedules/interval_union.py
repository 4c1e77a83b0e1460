"""The union of intervals, with short holes closed."""

import random
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from envgen.fused.problem import Problem, Values
from envgen.fused.types import Int, List, Tuple

MOST, MOST_GAP = 60, 10**15
INTERVAL = Tuple((Int(), Int()), ("start", "end"))


def sample(rng: random.Random, level: int, bound: Mapping[str, Any]) -> Values | None:
    """Holes between the intervals of about the length of the gap, some shorter and some longer."""
    if "intervals" in bound:
        if any(end < start for start, end in bound["intervals"]):
            return None
        gap = bound["gap"] if "gap" in bound else _gap(rng, bound["intervals"])
        return {"intervals": bound["intervals"], "gap": gap}
    gap = bound.get("gap", rng.randint(0, 60))
    size, unit = min(9 + level + rng.randrange(3), MOST), max(gap // 2, 8) if "gap" in bound else 15
    intervals = []
    for _ in range(size):
        start = rng.randint(0, 3 * unit * size)
        intervals.append([start, start + rng.randint(1, 2 * unit)])
    return {"intervals": intervals, "gap": gap}


def _gap(rng: random.Random, intervals: list[list[int]]) -> int:
    """As long as one of the holes, or a little shorter or longer."""
    ends = solve({"intervals": intervals, "gap": 0})
    holes = [later[0] - earlier[1] for earlier, later in pairwise(ends)]
    return min(max(rng.choice(holes or [9]) + rng.randint(-2, 2), 0), MOST_GAP)


def solve(values: Mapping[str, Any]) -> list[list[int]]:
    """Sweep by start; what begins within the gap after the greatest end so far is joined."""
    gap, joined = values["gap"], list[list[int]]()
    for start, end in sorted(values["intervals"]):
        if end < start:
            raise ValueError("an interval ends before it starts")
        if joined and start - joined[-1][1] <= gap:
            joined[-1][1] = max(joined[-1][1], end)
        else:
            joined.append([start, end])
    return joined


PROBLEM = Problem(
    name="interval_union",
    topic="schedules",
    ports={"intervals": List(INTERVAL, 1, MOST, tag="intervals"), "gap": Int(0, MOST_GAP)},
    out=List(INTERVAL, 1, MOST, unique=True, ordered=True, tag="intervals"),
    sample=sample,
    solve=solve,
    wordings=(
        "the union of the intervals {intervals}, each [start, end] with both ends included, after every hole of length {gap} or "
        "less between two parts has been filled, as [start, end] pairs in ascending order",
        "what {intervals} become when two of them, [a, b] and [c, d] with a <= c, are merged into [a, max(b, d)] as long as some "
        "two have c - b <= {gap}; listed by increasing start",
        "the stretches of road under repair, sorted by where they begin, if the crews report the stretches {intervals} as [from, "
        "to] and everything between two reported points at most {gap} apart, with no report in between, counts as under repair too",
        "busy periods [begin, finish] of a machine in the order of time, where it runs during {intervals} and a break only "
        "separates two periods if it is longer than {gap}",
        "the ascending list of connected blocks obtained from the segments {intervals} of the number line by linking segments that "
        "overlap, touch, or leave at most {gap} free between them, directly or through further segments, each block written as "
        "[its least point, its greatest point]",
    ),
)
