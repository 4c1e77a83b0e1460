"""The n-th working day after a date, with holidays."""

import random
from collections.abc import Mapping
from datetime import date
from typing import Any

from envgen.fused.problem import Problem, Values
from envgen.fused.types import Date, Int, List

MOST_DAYS, MOST_HOLIDAYS = 100_000, 30
FIRST, LAST = date(1990, 1, 1).toordinal(), date(2040, 12, 31).toordinal()


def sample(rng: random.Random, level: int, bound: Mapping[str, Any]) -> Values | None:
    """Some holidays fall between the start and the day sought, on working days, so that each of them moves it."""
    given = sorted(date.fromisoformat(day).toordinal() for day in bound.get("holidays", ()))
    days = bound.get("days", rng.randint(15, min(60 + 20 * level, MOST_DAYS)))
    drawn = max(given[0] - rng.randint(1, 10), 1) if given else rng.randint(FIRST, LAST)
    start = date.fromisoformat(bound["start"]).toordinal() if "start" in bound else drawn
    last = min(start + days * 7 // 5 + 2, date.max.toordinal())
    values: Values = {
        "start": date.fromordinal(start).isoformat(),
        "days": days,
        "holidays": bound["holidays"] if "holidays" in bound else _holidays(rng, level, start, last),
    }
    try:
        solve(values)
    except ValueError:
        return None
    return values


def _holidays(rng: random.Random, level: int, start: int, last: int) -> list[str]:
    """Four to six at level 0, mostly weekdays, in the order in which they were drawn."""
    count, chosen = min(4 + rng.randrange(3) + level // 2, MOST_HOLIDAYS), list[int]()
    for _ in range(2 * count):
        day = rng.randint(start, last)
        if len(chosen) < count and day not in chosen and (day % 7 not in (6, 0) or rng.randrange(4) == 0):
            chosen.append(day)
    return [date.fromordinal(day).isoformat() for day in chosen]


def _ahead(day: int, count: int) -> int:
    """The ordinal `count` weekdays (at least one) after an ordinal; a weekend counts as the Friday before it."""
    weekday = (day - 1) % 7
    if weekday > 4:
        day, weekday = day - weekday + 4, 4
    weeks, rest = divmod(count, 5)
    return day + 7 * weeks + rest + (2 if weekday + rest > 4 else 0)


def solve(values: Mapping[str, Any]) -> str:
    """Weekdays first; each holiday up to the day found, in order of time, then moves it one weekday on."""
    start = date.fromisoformat(values["start"]).toordinal()
    found = _ahead(start, values["days"])
    for day in sorted({date.fromisoformat(text).toordinal() for text in values["holidays"]}):
        if start < day <= found and (day - 1) % 7 < 5:
            found = _ahead(found, 1)
    if found > date.max.toordinal():
        raise ValueError("the day lies after the year 9999")
    return date.fromordinal(found).isoformat()


PROBLEM = Problem(
    name="workday_add",
    topic="schedules",
    ports={"start": Date(), "days": Int(1, MOST_DAYS), "holidays": List(Date(), 0, MOST_HOLIDAYS)},
    out=Date(),
    sample=sample,
    solve=solve,
    wordings=(
        "the date of working day number {days} after {start}, the day {start} itself not being counted, where working days are "
        "Mondays to Fridays (Gregorian calendar) other than the dates {holidays}",
        "the due date of an order that came in on {start} and takes {days} business days, the first of which is the next business "
        "day after that date; no business is done on Saturdays, on Sundays and on {holidays}, in which a date may well fall on a "
        "weekend",
        "where a calendar stands that shows {start} and is turned forward day by day until it has come upon {days} days that are "
        "neither Saturday nor Sunday nor one of the closing days {holidays} (the day it shows at first is left out)",
        "the earliest date d such that the dates later than {start} and not later than d hold {days} weekdays, Monday through "
        "Friday, once those listed in {holidays} are taken away",
        "the end of a job of {days} shifts, one a day, that may begin on the day after {start} and pauses at weekends (Saturday "
        "and Sunday) and on the public holidays {holidays}: the date of its last shift",
    ),
)
