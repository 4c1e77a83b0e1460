"""The union of intervals that are widened first."""

import random
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from envgen.fused.problem import Problem, Values
from envgen.fused.types import Int, List, Tuple

MOST, MOST_MARGIN, FAR = 60, 10**15, 10**17
INTERVAL, WIDENED = (Tuple((Int(-far, far), Int(-far, far)), ("start", "end")) for far in (FAR, 2 * FAR))


def sample(rng: random.Random, level: int, bound: Mapping[str, Any]) -> Values | None:
    """Holes between the intervals of about twice the margin, some shorter and some longer."""
    if "intervals" in bound:
        if any(end < start for start, end in bound["intervals"]):
            return None
        margin = bound["margin"] if "margin" in bound else _margin(rng, bound["intervals"])
        return {"intervals": bound["intervals"], "margin": margin}
    margin = bound.get("margin", rng.randint(1, 25))
    size, unit = min(9 + level + rng.randrange(3), MOST), max(margin, 8) if "margin" in bound else 15
    intervals = []
    for _ in range(size):
        start = rng.randint(0, 3 * unit * size)
        intervals.append([start, start + rng.randint(1, 2 * unit)])
    return {"intervals": intervals, "margin": margin}


def _margin(rng: random.Random, intervals: list[list[int]]) -> int:
    """About half of one of the holes."""
    holes = [later[0] - earlier[1] for earlier, later in pairwise(solve({"intervals": intervals, "margin": 0}))]
    return min(max(rng.choice(holes or [9]) // 2 + rng.randint(-2, 2), 1), MOST_MARGIN)


def solve(values: Mapping[str, Any]) -> list[list[int]]:
    """Sweep by start; what begins up to the greatest end so far is joined."""
    margin, joined = values["margin"], list[list[int]]()
    for start, end in sorted(values["intervals"]):
        if end < start:
            raise ValueError("an interval ends before it starts")
        if joined and start - margin <= joined[-1][1]:
            joined[-1][1] = max(joined[-1][1], end + margin)
        else:
            joined.append([start - margin, end + margin])
    return joined


PROBLEM = Problem(
    name="interval_union",
    topic="schedules",
    ports={"intervals": List(INTERVAL, 1, MOST, tag="intervals"), "margin": Int(0, MOST_MARGIN)},
    out=List(WIDENED, 1, MOST, unique=True, ordered=True, tag="intervals"),
    sample=sample,
    solve=solve,
    wordings=(
        "the union of the intervals {intervals}, each [start, end] with both ends included, after every one of them has been made "
        "longer by {margin} at either end, as the ascending list of its separate [start, end] parts, parts that touch being one",
        "what remains of {intervals} when [a, b] is first rewritten as [a - {margin}, b + {margin}] throughout and then any two "
        "[a, b] and [c, d] with a <= c <= b are replaced by [a, max(b, d)] until no such two are left; listed by increasing start",
        "the closed stretches of road as [from, to], sorted by where they begin, if crews work on the stretches {intervals} and a "
        "road is closed wherever a place of work lies at most {margin} away; stretches that share a point are given as one",
        "busy periods [begin, finish] of a machine in the order of time, where it is asked for during {intervals}, warms up from "
        "{margin} before each of these times on, cools down until {margin} after it, and two periods count as one unless there is "
        "some idle time between them",
        "the ascending list of connected blocks, each written as [its least point, its greatest point], of the set of real numbers "
        "whose distance to the nearest point of the segments {intervals} is no more than {margin}",
    ),
)
