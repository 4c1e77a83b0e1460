"""Choices of jobs against trying all that go together."""

from collections.abc import Mapping
from typing import Any

import pytest
from library_checks import check

from envgen.fused.library.schedules.weighted_interval import PROBLEM
from envgen.fused.seeds import dice


def independent(values: Mapping[str, Any]) -> int:
    jobs = sorted(zip(values["intervals"], values["values"], strict=True))

    def best(place: int, free: int | None) -> int:
        """The most that the jobs from `place` on bring, none of them starting before `free`."""
        total = 0
        for later in range(place, len(jobs)):
            (start, end), value = jobs[later]
            if free is None or start >= free:
                total = max(total, value + best(later + 1, end + values["pause"]))
        return total

    return best(0, None)


def test_weighted_interval() -> None:
    check(PROBLEM, independent)


def test_by_hand() -> None:
    jobs = {"intervals": [[0, 3], [3, 5], [1, 9], [6, 8]], "values": [4, 5, 10, 2]}
    assert PROBLEM.solve({**jobs, "pause": 0}) == 11
    assert PROBLEM.solve({**jobs, "pause": 1}) == 10
    assert PROBLEM.solve({"intervals": [[0, 3], [5, 6]], "values": [4, 5], "pause": 2}) == 9
    assert PROBLEM.solve({"intervals": [[0, 3]], "values": [-4], "pause": 0}) == 0
    assert PROBLEM.solve({"intervals": [[5, 5], [5, 5], [3, 5]], "values": [1, 2, 4], "pause": 0}) == 7


def test_lists_that_do_not_match() -> None:
    with pytest.raises(ValueError, match="argument 2"):
        PROBLEM.solve({"intervals": [[0, 3]], "values": [1, 2], "pause": 0})
    with pytest.raises(ValueError, match="ends before"):
        PROBLEM.solve({"intervals": [[3, 0]], "values": [1], "pause": 0})
    assert PROBLEM.sample(dice(1), 0, {"intervals": [[3, 0]]}) is None
    assert PROBLEM.sample(dice(1), 0, {"intervals": [[0, 3]], "values": [1, 2]}) is None
