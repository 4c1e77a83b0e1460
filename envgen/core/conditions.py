"""Conditions on the columns of result rows, as specifications and gold write them.

A scalar means equal, a list means one of, `{"<" | "<=" | ">" | ">=" | "!=": value}` compares (several of them must all hold); the
value "now" is the clock. A column "c|day" looks at the day of a moment only, "c|hour" at its time of day (HH:MM).
"""

from collections.abc import Mapping, Sequence
from operator import ge, gt, le, lt, ne
from typing import Any

_COMPARE = {"<": lt, "<=": le, ">": gt, ">=": ge, "!=": ne}


def holds(value: Any, wanted: Any, now: str = "") -> bool:
    """True when `value` fits the condition `wanted`. NULL fits only an explicit None, or "!="."""
    if isinstance(wanted, Mapping):
        return all(_compares(value, name, _clock(bound, now)) for name, bound in wanted.items())
    if isinstance(wanted, (list, tuple)):
        return any(holds(value, item, now) for item in wanted)
    return equal(value, _clock(wanted, now))


def _compares(value: Any, name: str, bound: Any) -> bool:
    if name == "!=":
        return not equal(value, bound)
    if value is None or bound is None or isinstance(value, str) != isinstance(bound, str):
        return False
    if isinstance(value, str):
        # A day compares with the day of a moment.
        value = value[: len(bound)] if len(bound) == 10 else value
    return bool(_COMPARE[name](value, bound))


def _clock(value: Any, now: str) -> Any:
    return now if value == "now" and now else value


def equal(one: Any, other: Any) -> bool:
    """Equality as a reader sees it: texts are compared case-folded, and a text is never a number."""
    if isinstance(one, str) and isinstance(other, str):
        return one.casefold() == other.casefold()
    return bool(one == other) and isinstance(one, str) == isinstance(other, str)


def column(row: Mapping[str, Any], name: str) -> Any:
    """Return the value of `name` in a row, or the day or hour of it for "name|day" and "name|hour"; None when absent."""
    base, _, part = name.partition("|")
    value = row.get(base)
    if value is None or not part:
        return value
    return str(value)[:10] if part in ("day", "date") else str(value)[11:16]


def matching(rows: Sequence[Mapping[str, Any]], where: Mapping[str, Any], now: str = "") -> list[Mapping[str, Any]]:
    """Return the rows that fit every condition of `where`."""
    return [row for row in rows if all(holds(column(row, name), wanted, now) for name, wanted in where.items())]
