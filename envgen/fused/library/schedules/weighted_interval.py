"""The most valuable choice of jobs that keep a pause between them."""

import random
from bisect import bisect_right
from collections.abc import Mapping
from typing import Any

from envgen.fused.problem import Problem, Values
from envgen.fused.types import Int, List, Tuple

MOST, MOST_PAUSE, MOST_VALUE = 60, 10**15, 10**18
INTERVAL = Tuple((Int(), Int()), ("start", "end"))


def sample(rng: random.Random, level: int, bound: Mapping[str, Any]) -> Values | None:
    """Pauses as long as the jobs, so that they decide which jobs go together."""
    size = min(9 + level + rng.randrange(3), MOST)
    size = len(bound.get("intervals") or bound.get("values") or range(size))
    pause = bound.get("pause", rng.randint(0, 30))
    intervals = bound.get("intervals") or _intervals(rng, size, max(pause, 10) if "pause" in bound else 15)
    if "intervals" in bound and "pause" not in bound:
        longest = max(end - start for start, end in intervals)
        pause = rng.randint(0, max(min(2 * longest, MOST_PAUSE), 10))
    values = bound.get("values") or [rng.randint(10, 99 + 50 * min(level, 10**6)) for _ in range(size)]
    if len(intervals) != len(values) or any(end < start for start, end in intervals):
        return None
    return {"intervals": intervals, "values": values, "pause": pause}


def _intervals(rng: random.Random, size: int, unit: int) -> list[list[int]]:
    jobs = []
    for _ in range(size):
        start = rng.randint(0, unit * size)
        jobs.append([start, start + rng.randint(1, 2 * unit)])
    return jobs


def solve(values: Mapping[str, Any]) -> int:
    """Jobs by end; the best total up to each one, with it or without it."""
    jobs = sorted(zip(values["intervals"], values["values"], strict=True), key=lambda job: (job[0][1], job[0][0]))
    ends, best = [job[0][1] for job in jobs], [0]
    for place, ((start, end), value) in enumerate(jobs):
        if end < start:
            raise ValueError("an interval ends before it starts")
        before = bisect_right(ends, start - values["pause"], 0, place)
        best.append(max(best[-1], best[before] + value))
    return best[-1]


PROBLEM = Problem(
    name="weighted_interval",
    topic="schedules",
    ports={
        "intervals": List(INTERVAL, 1, MOST, tag="intervals"),
        "values": List(Int(-MOST_VALUE, MOST_VALUE), 1, MOST),
        "pause": Int(0, MOST_PAUSE),
    },
    out=Int(0, MOST * MOST_VALUE, "measure"),
    sample=sample,
    solve=solve,
    wordings=(
        "the greatest total value of jobs that one worker can take, where job i runs over the i-th [start, end] of {intervals} and "
        "is worth the i-th of {values}, and each job taken must start {pause} or more after the end of the one taken before it; "
        "taking none is worth 0",
        "the maximum, over all sets of bookings out of {intervals} any two of which are separated by a time of at least {pause} "
        "between the end of the earlier and the start of the later, of the sum of the fees at the same places of {values} (0 for "
        "the empty set)",
        "how much a telescope can score in a night: observation windows [from, to] are {intervals}, their scores in the same order "
        "are {values}, turning to the next target takes {pause} (an observation may begin at the very moment the turn is over), "
        "every observation fills its whole window, and windows may be left unused",
        "the weight of a heaviest chain, an empty one weighing 0, in the order in which [a, b] comes before [c, d] whenever b + "
        "{pause} <= c, its elements being {intervals} with the weights {values}, place by place",
        "the best possible income from letting one hall, with requests for the times {intervals} that offer the amounts {values} "
        "respectively (negative offers cost money), if the hall has to stand empty for not less than {pause} between two lettings "
        "and any request, or all of them, may be turned down",
    ),
)
