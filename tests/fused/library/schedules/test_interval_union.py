"""Unions of intervals against merging any two that meet until none do."""

from collections.abc import Mapping
from itertools import permutations
from typing import Any

import pytest
from library_checks import check

from envgen.fused.library.schedules.interval_union import PROBLEM
from envgen.fused.seeds import dice


def independent(values: Mapping[str, Any]) -> list[list[int]]:
    blocks = [(start - values["margin"], end + values["margin"]) for start, end in values["intervals"]]
    while True:
        near = next((pair for pair in permutations(range(len(blocks)), 2) if _meet(blocks, *pair)), None)
        if near is None:
            return [list(block) for block in sorted(blocks)]
        one, other = (blocks[place] for place in near)
        blocks = [block for place, block in enumerate(blocks) if place not in near] + [(one[0], max(one[1], other[1]))]


def _meet(blocks: list[tuple[int, int]], one: int, other: int) -> bool:
    return blocks[one][0] <= blocks[other][0] <= blocks[one][1]


def test_interval_union() -> None:
    check(PROBLEM, independent)


def test_by_hand() -> None:
    intervals = [[8, 9], [1, 6], [2, 3], [13, 13]]
    assert PROBLEM.solve({"intervals": intervals, "margin": 0}) == [[1, 6], [8, 9], [13, 13]]
    assert PROBLEM.solve({"intervals": intervals, "margin": 1}) == [[0, 10], [12, 14]]
    assert PROBLEM.solve({"intervals": intervals, "margin": 2}) == [[-1, 15]]
    assert PROBLEM.solve({"intervals": [[1, 2], [2, 3]], "margin": 0}) == [[1, 3]]


def test_what_is_no_interval() -> None:
    with pytest.raises(ValueError, match="ends before"):
        PROBLEM.solve({"intervals": [[2, 1]], "margin": 0})
    assert PROBLEM.sample(dice(1), 0, {"intervals": [[2, 1]]}) is None


def test_its_own_output_fits() -> None:
    first = PROBLEM.sample(dice(1), 2, {})
    assert first is not None
    again = PROBLEM.sample(dice(2), 2, {"intervals": PROBLEM.solve(first)})
    assert again is not None and PROBLEM.solve({**again, "margin": 0}) == again["intervals"]
