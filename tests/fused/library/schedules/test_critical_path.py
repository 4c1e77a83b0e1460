"""Projects against walking every chain of tasks."""

from collections.abc import Mapping
from typing import Any

import pytest
from library_checks import check

from envgen.fused.library.schedules.critical_path import PROBLEM
from envgen.fused.seeds import dice


def independent(values: Mapping[str, Any]) -> int:
    def longest(task: int) -> int:
        """The longest chain from a task on."""
        tails = [values["handover"] + longest(later) for earlier, later in values["before"] if earlier == task]
        return int(values["durations"][task] + max(tails, default=0))

    return max(longest(task) for task in range(len(values["durations"])))


def test_critical_path() -> None:
    check(PROBLEM, independent)


def test_by_hand() -> None:
    project = {"durations": [3, 2, 7], "before": [[1, 0]]}
    assert PROBLEM.solve({**project, "handover": 0}) == 7
    assert PROBLEM.solve({**project, "handover": 5}) == 10
    assert PROBLEM.solve({"durations": [3, 2], "before": [], "handover": 9}) == 3


def test_plans_that_cannot_be() -> None:
    with pytest.raises(ValueError, match="circle"):
        PROBLEM.solve({"durations": [3, 2], "before": [[0, 1], [1, 0]], "handover": 9})
    with pytest.raises(ValueError, match="without a duration"):
        PROBLEM.solve({"durations": [3, 2], "before": [[0, 2]], "handover": 9})
    assert PROBLEM.sample(dice(1), 0, {"durations": [3, 2], "before": [[0, 2]]}) is None
