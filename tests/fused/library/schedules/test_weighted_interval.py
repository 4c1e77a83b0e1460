"""Choices of jobs against trying all that go together."""

from collections.abc import Mapping
from typing import Any

import pytest
from library_checks import check

from envgen.fused.library.schedules.weighted_interval import PROBLEM
from envgen.fused.seeds import dice


def independent(values: Mapping[str, Any]) -> int:
    rates = values["rates"] * len(values["intervals"])
    jobs = sorted(zip(values["intervals"], rates, strict=False))

    def best(place: int, free: int | None) -> int:
        """The most that the jobs from `place` on bring, none of them starting before `free`."""
        total = 0
        for later in range(place, len(jobs)):
            (start, end), rate = jobs[later]
            if free is None or start >= free:
                total = max(total, rate * (end - start) - values["fee"] + best(later + 1, end))
        return total

    return best(0, None)


def test_weighted_interval() -> None:
    check(PROBLEM, independent)


def test_by_hand() -> None:
    jobs = {"intervals": [[0, 3], [3, 5], [1, 9], [6, 8]], "rates": [4, 5, 3, 2]}
    assert PROBLEM.solve({**jobs, "fee": 0}) == 12 + 10 + 4
    assert PROBLEM.solve({**jobs, "fee": 4}) == 24 - 4
    assert PROBLEM.solve({**jobs, "fee": 11}) == 24 - 11
    assert PROBLEM.solve({**jobs, "fee": 24}) == 0
    assert PROBLEM.solve({"intervals": [[0, 3], [5, 6], [7, 8]], "rates": [4, 5], "fee": 2}) == 10 + 3 + 2
    assert PROBLEM.solve({"intervals": [[0, 3]], "rates": [-4, 9], "fee": 0}) == 0


def test_what_is_no_job() -> None:
    for interval in ([3, 0], [3, 3]):
        with pytest.raises(ValueError, match="ends before"):
            PROBLEM.solve({"intervals": [interval], "rates": [1], "fee": 0})
        assert PROBLEM.sample(dice(1), 0, {"intervals": [interval]}) is None


def test_as_many_jobs_as_rates() -> None:
    values = PROBLEM.sample(dice(1), 0, {"rates": list(range(40))})
    assert values is not None and len(values["intervals"]) == 40
