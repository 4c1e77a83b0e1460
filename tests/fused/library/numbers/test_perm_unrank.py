"""Permutations by rank against stepping from one to the next, and against the standard library's order."""

from collections.abc import Mapping
from itertools import islice, permutations
from math import factorial
from typing import Any

from library_checks import check

from envgen.fused.library.numbers.perm_unrank import PROBLEM


def independent(values: Mapping[str, Any]) -> list[int]:
    """The least permutation with as many smaller ones as the rank says, found place by place by counting what is passed."""
    n = values["n"]
    wanted = values["rank"] - values["rank"] // factorial(n) * factorial(n)
    order: list[int] = []
    for place in range(n):
        behind = factorial(n - place - 1)
        for candidate in (number for number in range(n) if number not in order):
            if wanted < behind:
                order.append(candidate)
                break
            wanted -= behind
    return order


def test_perm_unrank() -> None:
    check(PROBLEM, independent)


def test_every_rank_of_five() -> None:
    for rank, order in enumerate(permutations(range(5))):
        assert PROBLEM.solve({"n": 5, "rank": rank}) == list(order) == independent({"n": 5, "rank": rank + 120})


def test_by_hand() -> None:
    assert PROBLEM.solve({"n": 4, "rank": 0}) == [0, 1, 2, 3]
    assert PROBLEM.solve({"n": 4, "rank": 23}) == [3, 2, 1, 0]
    assert PROBLEM.solve({"n": 10, "rank": 999_999}) == [2, 7, 8, 3, 9, 1, 5, 4, 6, 0]
    assert PROBLEM.solve({"n": 9, "rank": 5}) == list(next(islice(permutations(range(9)), 5, 6)))
