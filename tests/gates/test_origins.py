"""Origins are believed only when computing them again gives the value."""

from typing import Any

import pytest

from envgen.gates.origins import Sources, says_number

ROWS = [{"id": 1, "cents": 500, "status": "open"}, {"id": 2, "cents": 700, "status": "paid"}, {"id": 3, "cents": 900, "status": "open"}]
SOURCES = Sources(
    "Take €16.50 off the past due bill, twelve times, from tomorrow at 10; say 'hello'. Use HM-7 on 14 June.",
    "Always send form B-12.",
    "2026-03-02 09:00:00",
    "€",
    [ROWS, {"bill": {"id": 8}}],
)
INTEGER = {"type": "integer", "minimum": 1, "maximum": 50, "default": 20}


def shown(step: int, path: str) -> dict[str, Any]:
    return {"from": "result", "step": step, "path": path}


def over(op: str, **more: Any) -> dict[str, Any]:
    return {"from": "operation", "op": op, "steps": [0], "rows": "", "where": {"status": "open"}, "column": "cents", **more}


@pytest.mark.parametrize(
    ("value", "origin", "schema"),
    [
        (2, shown(0, "1.id"), {}),
        (8, shown(1, "bill.id"), {}),
        ("hello", {"from": "instruction", "text": "hello"}, {}),
        ("past_due", {"from": "instruction", "text": "past due"}, {"enum": ["past_due", "paid"]}),
        (1650, {"from": "operation", "op": "money", "text": "€16.50"}, {}),
        (1650, {"from": "instruction", "text": "€16.50"}, {}),
        ("owing", {"from": "instruction", "text": "past due"}, {"enum": ["owing", "paid"]}),
        (12, {"from": "operation", "op": "number", "text": "twelve"}, {}),
        ("2026-06-14", {"from": "operation", "op": "date", "text": "14 June"}, {}),
        ("2026-03-03 10:00:00", {"from": "operation", "op": "date-time", "text": "tomorrow at 10"}, {}),
        (2, over("count"), {}),
        (1400, over("sum"), {}),
        (900, over("max"), {}),
        (500, over("min"), {}),
        ("2026-03-02", {"from": "clock"}, {}),
        ("B-12", {"from": "policy"}, {"type": "string", "x-column": "forms.code"}),
        ("anything", {"from": "policy"}, {"type": "string"}),
        (20, {"from": "schema"}, INTEGER),
        ("open", {"from": "schema"}, {"enum": ["open"]}),
    ],
)
def test_right_origins(value: Any, origin: dict[str, Any], schema: dict[str, Any]) -> None:
    assert SOURCES.problem(value, origin, schema, before=2) == ""


@pytest.mark.parametrize(
    ("value", "origin", "schema"),
    [
        (2, None, {}),
        (2, {"from": "thin air"}, {}),
        (2, shown(0, "0.id"), {}),
        (2, shown(0, "7.id"), {}),
        (2, shown(2, ""), {}),
        (2, shown(-1, "bill.id"), {}),
        ("hello", {"from": "instruction", "text": "goodbye"}, {}),
        ("other", {"from": "instruction", "text": "hello"}, {}),
        ("x", {"from": "instruction", "text": ""}, {}),
        ("", {"from": "instruction", "text": "hello"}, {}),
        (1651, {"from": "instruction", "text": "€16.50"}, {}),
        ("paid", {"from": "instruction", "text": "past due"}, {"enum": ["past_due", "paid"]}),
        (1600, {"from": "operation", "op": "money", "text": "€16.50"}, {}),
        (11, {"from": "operation", "op": "number", "text": "twelve"}, {}),
        ("2026-06-15", {"from": "operation", "op": "date", "text": "14 June"}, {}),
        (3, over("count"), {}),
        (1400, over("sum", column="id"), {}),
        (900, over("max", steps=[5]), {}),
        (900, over("median"), {}),
        ("2026-03-03", {"from": "clock"}, {}),
        ("B-13", {"from": "policy"}, {"type": "string", "x-column": "forms.code"}),
        (7, {"from": "schema"}, {"type": "integer", "x-column": "bills.id"}),
        ("paid", {"from": "schema"}, {"enum": ["open"]}),
    ],
)
def test_wrong_origins(value: Any, origin: Any, schema: dict[str, Any]) -> None:
    assert SOURCES.problem(value, origin, schema, before=2) != ""


def test_only_earlier_results_count() -> None:
    assert SOURCES.problem(8, shown(1, "bill.id"), {}, before=1) == "comes from call 1, which has shown nothing by then"


@pytest.mark.parametrize(
    ("text", "found"), [("I have 245 here", True), ("245.", True), ("2456", False), ("1245", False), ("245.50", False), ("1,245", False)]
)
def test_numbers_stand_alone(text: str, found: bool) -> None:
    assert says_number(text, 245) is found
