"""Distances of pairs against a search for the least distance that enough pairs keep to."""

from collections.abc import Mapping
from typing import Any

import pytest
from library_checks import check

from envgen.fused.library.lists.kth_pair_diff import PROBLEM
from envgen.fused.seeds import dice


def independent(values: Mapping[str, Any]) -> int:
    items = values["items"]
    low, high = 0, max(items) - min(items)
    while low < high:
        middle = (low + high) // 2
        near = sum(abs(items[i] - items[j]) <= middle for i in range(len(items)) for j in range(i))
        low, high = (low, middle) if near >= values["k"] else (middle + 1, high)
    return low


def test_kth_pair_diff() -> None:
    check(PROBLEM, independent)


def test_by_hand() -> None:
    assert [PROBLEM.solve({"items": [10, 1, 4, 1], "k": k}) for k in range(1, 7)] == [0, 3, 3, 6, 9, 9]
    with pytest.raises(ValueError, match="fewer pairs"):
        PROBLEM.solve({"items": [10, 1, 4, 1], "k": 7})


def test_a_great_k_gets_a_longer_list() -> None:
    for k in (1, 500, 2016):
        values = PROBLEM.sample(dice(k), 0, {"k": k})
        assert values is not None and PROBLEM.solve(values) >= 0
    assert PROBLEM.sample(dice(1), 0, {"k": 4, "items": [1, 2, 3]}) is None
