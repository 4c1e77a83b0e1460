"""Conditions on the columns of result rows."""

import pytest

from envgen.core.conditions import column, holds, matching

NOW = "2026-06-10 09:00:00"


@pytest.mark.parametrize(
    ("value", "wanted", "expected"),
    [
        (3, 3, True), (3, 4, False), ("A", "a", True), ("3", 3, False), (3, "3", False), (None, None, True), (None, 3, False),
        (3, [1, 3], True), (3, [1, 2], False), (None, [None, 2], True),
        (3, {">": 2}, True), (3, {">": 3}, False), (3, {">=": 3, "<": 4}, True), (4, {">=": 3, "<": 4}, False), (3, {"!=": 3}, False),
        (None, {"!=": 3}, True), (None, {">": 3}, False), ("b", {">": 3}, False),
        ("2026-06-10 10:00:00", {">": "now"}, True), ("2026-06-10 08:00:00", {">": "now"}, False),
        ("2026-06-11 08:00:00", {"<=": "2026-06-11"}, True), ("2026-06-11", {"<=": "2026-06-11"}, True),
    ],
)  # fmt: skip
def test_holds(value: object, wanted: object, expected: bool) -> None:
    assert holds(value, wanted, NOW) is expected


def test_parts_of_moments() -> None:
    row = {"at": "2026-06-10 09:30:00", "none": None}
    assert [column(row, name) for name in ("at", "at|day", "at|hour", "none|day", "gone")] == [row["at"], "2026-06-10", "09:30", None, None]


def test_matching_needs_every_condition() -> None:
    rows = [{"a": 1, "b": "x"}, {"a": 2, "b": "X"}, {"a": 2, "b": "y"}]
    assert matching(rows, {"a": 2, "b": "x"}) == [rows[1]]
    assert matching(rows, {}) == rows
