"""Passes of bubble sort against doing them."""

from collections.abc import Mapping
from typing import Any

from library_checks import check

from envgen.fused.library.lists.bubble_passes import PROBLEM
from envgen.fused.seeds import dice


def independent(values: Mapping[str, Any]) -> list[int]:
    row = list(values["items"])
    for _ in range(values["k"]):
        for place in range(len(row) - 1):
            if row[place] > row[place + 1]:
                row[place], row[place + 1] = row[place + 1], row[place]
    return row


def test_bubble_passes() -> None:
    check(PROBLEM, independent)


def test_by_hand() -> None:
    assert PROBLEM.solve({"items": [5, 1, 4, 2, 3], "k": 1}) == [1, 4, 2, 3, 5]
    assert PROBLEM.solve({"items": [5, 1, 4, 2, 3], "k": 2}) == [1, 2, 3, 4, 5]
    assert PROBLEM.solve({"items": [2], "k": 70}) == [2]
    assert PROBLEM.solve({"items": [2, 2, 1], "k": 9}) == [1, 2, 2]


def test_ties_and_many_passes() -> None:
    rng = dice("bubble")
    for _ in range(200):
        values = {"items": [rng.randint(0, 3) for _ in range(rng.randint(1, 9))], "k": rng.randint(1, 10)}
        assert PROBLEM.solve(values) == independent(values)
