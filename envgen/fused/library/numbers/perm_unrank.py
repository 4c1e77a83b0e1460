"""The permutation at a place of the lexicographic order."""

import random
from collections.abc import Mapping
from math import factorial
from typing import Any

from envgen.fused.problem import Problem, Values
from envgen.fused.types import Int, List

LEAST, MOST, MOST_RANK = 4, 30, 10**36


def sample(rng: random.Random, level: int, bound: Mapping[str, Any]) -> Values | None:
    """Five to eight items at level 0; a small rank that is given gets fewer, so that it moves more than the tail."""
    n = bound.get("n", min(5 + level + rng.randrange(4), MOST))
    rank = bound.get("rank", rng.randrange(2 * factorial(n)))
    while "n" not in bound and n > LEAST + 1 and factorial(n - 1) > rank:
        n -= 1
    return {"n": n, "rank": rank}


def solve(values: Mapping[str, Any]) -> list[int]:
    """Digits of the rank in the factorial number system choose from what is left."""
    rank, left = values["rank"] % factorial(values["n"]), list(range(values["n"]))
    order = []
    for size in range(values["n"] - 1, -1, -1):
        place, rank = divmod(rank, factorial(size))
        order.append(left.pop(place))
    return order


PROBLEM = Problem(
    name="perm_unrank",
    topic="numbers",
    ports={"n": Int(LEAST, MOST), "rank": Int(0, MOST_RANK)},
    out=List(Int(0, MOST - 1), LEAST, MOST, unique=True, tag="perm"),
    sample=sample,
    solve=solve,
    wordings=(
        "the permutation of 0, 1, ..., {n} - 1 that stands at index ({rank} mod {n}!) when all permutations of these numbers are "
        "listed in lexicographic order, indices from 0",
        "what the ascending list of the {n} least non-negative integers has become after {rank} calls of a routine that moves to "
        "the next permutation in dictionary order, comparing numbers by size, and goes from the last permutation back to the first",
        "the arrangement p of the first {n} whole numbers, starting with 0, whose lexicographic rank, that is the number of "
        "arrangements smaller than p, equals the remainder of {rank} on division by the factorial of {n}",
        "the order in which numbers leave a row that holds 0 up to {n} - 1 ascending, if the remainder of {rank} modulo {n}! is "
        "written in the factorial number system with {n} digits, most significant first and the last one 0, and each digit d in "
        "turn takes out the number with exactly d smaller ones still in the row",
        "entry {rank}, counted from 0, of the endless sequence that runs through every ordering of the numbers below {n} (0 "
        "included) from the lexicographically least to the greatest and then begins again",
    ),
    inverse="perm_rank",
)
