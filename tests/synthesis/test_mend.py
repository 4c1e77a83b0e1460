"""The repair loop's judgements: who is asked about a rule that tools break, and which tool there is no doing without."""

from types import SimpleNamespace
from typing import Any

from envgen.database.spec import Tool
from envgen.synthesis.mend import _doubt, _is_idle, _only_maker
from envgen.synthesis.trial import NEVER, Findings

BROKEN = "a call of it was carried out and breaks rule one_per_locker, which the tools should guard, with (7,): one at most"


def writer(name: str, sql: str) -> Tool:
    steps: Any = ({"run": sql}, {"return": {"value": "SELECT 1"}})
    return Tool(name=name, description="d", parameters={"properties": {}, "required": []}, steps=steps)


def test_the_author_of_a_rule_is_asked_only_when_the_tools_author_was_told_before() -> None:
    first = Findings(tools={"put_in_locker": [BROKEN]})
    told = _doubt(first, set())
    assert told == {"one_per_locker"}
    assert not first.rules
    second = Findings(tools={"put_in_locker": [BROKEN]})
    assert _doubt(second, told) == {"one_per_locker"}
    assert "calls of put_in_locker still break it" in second.rules["one_per_locker"][0]


def test_other_problems_raise_no_doubt_about_rules() -> None:
    findings = Findings(tools={"put_in_locker": ["no such column: x"]})
    assert _doubt(findings, {"one_per_locker"}) == set()
    assert not findings.rules


def test_the_only_maker_of_a_tables_rows_is_told_from_others() -> None:
    tools = [
        writer("put_in_locker", "INSERT INTO locker_stays (id) VALUES (1)"),
        writer("register", "INSERT INTO charges (id) VALUES (1)"),
        writer("raise_charge", "INSERT INTO charges (id) VALUES (2)"),
        writer("collect", "UPDATE locker_stays SET id = 2"),
    ]
    parts: Any = SimpleNamespace(tools=tools)
    assert [tool.name for tool in tools if _only_maker(parts, tool.name)] == ["put_in_locker"]


def test_a_tool_is_idle_when_nothing_else_is_held_against_it() -> None:
    assert _is_idle([f"{NEVER}: of 3 calls, not_found 3 times"])
    assert not _is_idle([f"{NEVER}: of 3 calls", "no such column: x"])
