"""The survivor of the counting-out circle."""

import random
from collections.abc import Mapping
from typing import Any

from envgen.fused.problem import Problem, Values
from envgen.fused.types import Int

MOST = 5000


def sample(rng: random.Random, level: int, bound: Mapping[str, Any]) -> Values | None:
    """Circles of some dozens of people, more with each level; steps of up to twice that, so that the count wraps round."""
    least = min(15 * (level + 2), MOST // 3)
    return {
        "n": bound.get("n", rng.randint(least, 3 * least)),
        "k": bound.get("k", rng.randint(2, 6 * least)),
    }


def solve(values: Mapping[str, Any]) -> int:
    """The well-known recurrence over the size of the circle, places counted from 1."""
    step, place = int(values["k"]), 0
    for size in range(2, values["n"] + 1):
        place = (place + step) % size
    return place + 1


PROBLEM = Problem(
    name="josephus",
    topic="numbers",
    ports={"n": Int(2, MOST), "k": Int(1, 10**18)},
    out=Int(1, MOST),
    sample=sample,
    solve=solve,
    wordings=(
        "the seat number of the last person left in a circle of {n} seats numbered from 1, when counting starts at seat 1 and "
        "every person on whom the count reaches {k} leaves, the next count beginning with 1 at the following occupied seat",
        "the survivor's position (1-based) in the Josephus problem with {n} people and step {k}, a count from 1 to {k} that goes "
        "round as often as needed removing whoever it ends on, the first count beginning with person 1 and each later one with the "
        "next who is left",
        "the only card that remains of a pile with the cards 1 to {n}, 1 on top, after repeating this until one is left: move the "
        "top card to the bottom {k} - 1 times, then throw the top card away",
        "J({n}), where J(1) = 1 and, for every m > 1, J(m) = ((J(m - 1) + {k} - 1) mod m) + 1",
        "what is left of the queue [1, 2, ..., {n}] once all its numbers but one have been deleted, each deletion striking the "
        "number met as number {k} of a walk through the queue that treats it as a ring, skips what has been deleted, begins its "
        "first round at 1 and every later one just behind the latest deletion",
    ),
)
