"""Medians of windows against counting ranks in each window."""

from collections.abc import Mapping
from typing import Any

import pytest
from library_checks import check

from envgen.fused.library.lists.sliding_median import PROBLEM
from envgen.fused.seeds import dice


def independent(values: Mapping[str, Any]) -> list[int]:
    items, window = values["items"], values["window"]
    medians = []
    for start in range(len(items) - window + 1):
        part = items[start : start + window]
        # The least item that at least half of the window does not exceed.
        medians.append(min(item for item in part if 2 * sum(other <= item for other in part) >= window))
    return medians


def test_sliding_median() -> None:
    check(PROBLEM, independent)


def test_by_hand() -> None:
    assert PROBLEM.solve({"items": [5, 1, 4, 9, 2], "window": 3}) == [4, 4, 4]
    assert PROBLEM.solve({"items": [5, 1, 4, 9, 2], "window": 4}) == [4, 2]
    assert PROBLEM.solve({"items": [5, 1, 4, 9, 2], "window": 2}) == [1, 1, 4, 2]
    assert PROBLEM.solve({"items": [3, 3, 1], "window": 3}) == [3]


def test_windows_that_do_not_fit() -> None:
    with pytest.raises(ValueError, match="longer"):
        PROBLEM.solve({"items": [5, 1], "window": 3})
    assert PROBLEM.sample(dice(1), 0, {"items": [5, 1], "window": 3}) is None
    assert PROBLEM.sample(dice(1), 0, {"items": [5, 1]}) == {"items": [5, 1], "window": 2}
