"""The most profitable choice of jobs that do not overlap."""

import random
from bisect import bisect_right
from collections.abc import Mapping
from typing import Any

from envgen.fused.problem import Problem, Values
from envgen.fused.types import Int, List, Tuple

MOST, MOST_FEE, MOST_VALUE = 60, 10**15, 10**18
INTERVAL = Tuple((Int(), Int()), ("start", "end"))


def sample(rng: random.Random, level: int, bound: Mapping[str, Any]) -> Values | None:
    """Values a few times the fee: it counts, and most jobs are worth taking."""
    intervals = bound.get("intervals") or _intervals(rng, level, len(bound.get("values", ())))
    if any(end <= start for start, end in intervals):
        return None
    values, fee = bound.get("values"), bound.get("fee")
    if fee is None:
        fee = rng.randint(1, min(max(max(values) // 4, 2), MOST_FEE) if values else 30)
    if values is None:
        values = [fee + rng.randint(max(fee // 2, 10), 2 * fee + 80 + 50 * min(level, 10**6)) for _ in intervals]
    return {"intervals": intervals, "values": values, "fee": fee}


def _intervals(rng: random.Random, level: int, given: int) -> list[list[int]]:
    """As many as there are values given, or some ten; any time lies in about two of them."""
    size, jobs = min(given or 9 + level + rng.randrange(3), MOST), []
    for _ in range(max(size, 6)):
        start = rng.randint(0, 12 * size)
        jobs.append([start, start + rng.randint(2, 30)])
    return jobs


def solve(values: Mapping[str, Any]) -> int:
    """Jobs by end; the best total up to each one, with it or without it."""
    worth, fee = values["values"], values["fee"]
    jobs = sorted((end, start, worth[place % len(worth)] - fee) for place, (start, end) in enumerate(values["intervals"]))
    ends, best = [job[0] for job in jobs], [0]
    for place, (end, start, gain) in enumerate(jobs):
        if end <= start:
            raise ValueError("a job ends before it starts, or just then")
        best.append(max(best[-1], best[bisect_right(ends, start, 0, place)] + gain))
    return best[-1]


PROBLEM = Problem(
    name="weighted_interval",
    topic="schedules",
    ports={
        "intervals": List(INTERVAL, 1, MOST, tag="intervals"),
        "values": List(Int(-MOST_VALUE, MOST_VALUE), 1, MOST),
        "fee": Int(0, MOST_FEE),
    },
    out=Int(0, MOST * MOST_VALUE, "measure"),
    sample=sample,
    solve=solve,
    wordings=(
        "the greatest profit that one worker can make from jobs that run over the times {intervals}, each [start, end], and pay "
        "the amounts {values} in the same order, beginning again with the first amount once all are used up, when every job taken "
        "costs {fee}, jobs may not overlap but may start the moment another one ends, and taking none makes 0",
        "the maximum, over all sets of bookings out of {intervals} of which no two share more than an end point, of the sum of the "
        "fees minus {fee} for each booking (0 for the empty set), where booking number i, from 0, brings v_(i mod n) for v = "
        "{values} with its n entries",
        "how much a telescope can score in a night: observation windows [from, to] are {intervals}; their raw scores are dealt out "
        "from {values} in turn, round and round, and surplus scores are left over; setting up takes {fee} off the score of each "
        "observation but no time; every observation fills its whole window, the next may begin as soon as it is over, and windows "
        "may stay unused",
        "the weight of a heaviest chain, an empty one weighing 0, in the order in which [a, b] comes before a different [c, d] "
        "whenever b <= c, its elements being {intervals} and the weight of the k-th of them the k-th entry of {values}, repeated "
        "periodically without end, less {fee}",
        "the best net income from letting one hall, with requests for the times {intervals} that offer, request by request, what a "
        "reader of the list {values} reads who goes back to its head from its tail, if cleaning costs {fee} for each request "
        "granted, granted times have no inner point in common, and any request, or all of them, may be turned down",
    ),
)
