"""Working days against turning the calendar day by day."""

from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any

import pytest
from library_checks import check

from envgen.fused.library.schedules.workday_add import PROBLEM
from envgen.fused.seeds import dice


def independent(values: Mapping[str, Any]) -> str:
    day, left = date.fromisoformat(values["start"]), values["days"]
    while left:
        day += timedelta(days=1)
        left -= day.strftime("%a") not in ("Sat", "Sun") and day.isoformat() not in values["holidays"]
    return day.isoformat()


def test_workday_add() -> None:
    check(PROBLEM, independent)


def test_by_hand() -> None:
    friday = {"start": "2026-07-03", "holidays": []}
    assert PROBLEM.solve({**friday, "days": 1}) == "2026-07-06"
    assert PROBLEM.solve({**friday, "days": 5}) == "2026-07-10"
    assert PROBLEM.solve({**friday, "days": 6}) == "2026-07-13"
    assert PROBLEM.solve({**friday, "start": "2026-07-04", "days": 1}) == "2026-07-06"
    assert PROBLEM.solve({**friday, "days": 1, "holidays": ["2026-07-07", "2026-07-06", "2026-07-06"]}) == "2026-07-08"
    assert PROBLEM.solve({**friday, "days": 1, "holidays": ["2026-07-05", "2026-07-03"]}) == "2026-07-06"


def test_days_beyond_the_calendar() -> None:
    with pytest.raises(ValueError, match="9999"):
        PROBLEM.solve({"start": "9999-12-30", "days": 3, "holidays": []})
    assert PROBLEM.sample(dice(1), 0, {"start": "9999-12-30"}) is None
    assert PROBLEM.sample(dice(1), 0, {"start": "0001-01-01"}) is not None
    assert PROBLEM.sample(dice(1), 0, {"holidays": ["0001-01-01"], "days": 100_000}) is not None
