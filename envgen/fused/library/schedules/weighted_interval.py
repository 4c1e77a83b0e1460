"""The most profitable choice of jobs that do not overlap."""

import random
from bisect import bisect_right
from collections.abc import Mapping
from typing import Any

from envgen.fused.problem import Problem, Values
from envgen.fused.types import Int, List, Tuple

MOST, MOST_FEE, MOST_RATE = 60, 10**15, 10**18
INTERVAL = Tuple((Int(), Int()), ("start", "end"))


def sample(rng: random.Random, level: int, bound: Mapping[str, Any]) -> Values | None:
    """A fee of some part of what a job pays: it counts, and most jobs are worth taking."""
    intervals = bound.get("intervals") or _intervals(rng, level, len(bound.get("rates", ())))
    if any(end <= start for start, end in intervals):
        return None
    longest = max(end - start for start, end in intervals)
    rates = bound.get("rates")
    if rates is None:
        given = 4 * bound.get("fee", 0) // longest
        rates = [given // 2 + rng.randint(5, given + 30 + 10 * min(level, 10**6)) for _ in intervals]
    fee = bound.get("fee", rng.randint(1, max(min(max(rates) * longest // 4, MOST_FEE), 2)))
    return {"intervals": intervals, "rates": rates, "fee": fee}


def _intervals(rng: random.Random, level: int, given: int) -> list[list[int]]:
    """As many as there are rates given, or some ten; any time lies in about two of them."""
    size, jobs = min(given or 9 + level + rng.randrange(3), MOST), []
    for _ in range(max(size, 6)):
        start = rng.randint(0, 12 * size)
        jobs.append([start, start + rng.randint(2, 30)])
    return jobs


def solve(values: Mapping[str, Any]) -> int:
    """Jobs by end; the best total up to each one, with it or without it."""
    rates, fee = values["rates"], values["fee"]
    jobs = sorted((end, start, rates[place % len(rates)] * (end - start) - fee) for place, (start, end) in enumerate(values["intervals"]))
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
        "rates": List(Int(-MOST_RATE, MOST_RATE), 1, MOST),
        "fee": Int(0, MOST_FEE),
    },
    out=Int(0, 2 * 10**18 * MOST * MOST_RATE, "measure"),
    sample=sample,
    solve=solve,
    wordings=(
        "the greatest profit that one worker can make from jobs that run over the times {intervals}, each [start, end], and pay "
        "per unit of time the rates {rates} in the same order, beginning again with the first rate once all are used up, when "
        "every job taken costs {fee}, jobs may not overlap but may start the moment another one ends, and taking none makes 0",
        "the maximum, over all sets of bookings out of {intervals} of which no two share more than an end point, of the sum of (b "
        "- a) * v_(i mod n) - {fee} for each booking (0 for the empty set), where booking number i, from 0, is [a, b] and v_0 to "
        "v_(n-1) are {rates}",
        "how much a telescope can score in a night: observation windows [from, to] are {intervals}; what a minute of each is worth "
        "is dealt out from {rates} in turn, round and round, surplus numbers being left over; setting up takes {fee} points off "
        "each observation but no time; every observation fills its whole window, the next may begin as soon as it is over, and "
        "windows may stay unused",
        "the weight of a heaviest chain, an empty one weighing 0, in the order in which [a, b] comes before [c, d] whenever b <= "
        "c, its elements being {intervals} and the weight of the k-th of them its length times the k-th entry of {rates}, repeated "
        "periodically without end, less {fee}",
        "the best net income from letting one hall by the hour, with requests for the hours {intervals} that offer, request by "
        "request, the hourly price a reader of the list {rates} reads who goes back to its head from its tail, if cleaning costs "
        "{fee} for each request granted, granted times have no inner point in common, and any request, or all of them, may be "
        "turned down",
    ),
)
