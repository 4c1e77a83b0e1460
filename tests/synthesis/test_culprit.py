"""Whoever breaks a guard rule is found, by the calls of the past or by drawn calls. The scripted blood bank was written for the tests."""

import json
from dataclasses import replace
from typing import Any

import pytest
from scripted_author import FOLDER

from envgen.database.model.assemble import Parts
from envgen.database.model.rules import guard_rule
from envgen.database.model.tables import kinds_of, tables_of
from envgen.database.model.tools import tool_of
from envgen.database.model.wire import Brief, GuardRule, WireContent, WireSchema, WireTool
from envgen.database.spec import Rule
from envgen.synthesis.culprit import BREAKS, blamed, who_breaks
from envgen.synthesis.trial import Findings, build

WRITERS = ("add_deferral", "book_appointment", "cancel_appointment", "claim_expense", "decide_expense", "record_donation")


def reply(name: str) -> Any:
    return json.loads((FOLDER / "blood_bank" / f"{name}.json").read_text(encoding="utf-8"))


def blood_bank(versions: dict[str, int]) -> Parts:
    """Some tools of the blood bank; `versions` says which repaired version of a tool stands in place of the first one."""
    schema = WireSchema.model_validate(reply("schema"))
    parts = Parts(name="blood", brief=Brief.model_validate(reply("brief")), tables=tables_of(schema), kinds=kinds_of(schema))
    parts.content = WireContent.model_validate(reply("content"))
    repaired = reply("repairs")["tools"]
    for wire in reply("tools")["tools"]:
        if wire["name"] in WRITERS or wire["name"] in ("find_donors", "find_sessions", "get_donor", "list_appointments", "get_donation"):
            chosen = repaired[wire["name"]][versions[wire["name"]]] if wire["name"] in versions else wire
            parts.tools.append(tool_of(WireTool.model_validate(chosen), parts.tables))
    return parts


def rule(name: str) -> Rule:
    found = next(item for item in reply("rules")["guards"] if item["id"] == name)
    return guard_rule(GuardRule.model_validate(found))


def test_a_tool_that_forgets_a_guard_is_found_by_the_calls_of_the_past() -> None:
    found = who_breaks(blood_bank({}), rule("one_claim"), 0)
    assert found is not None
    tool, text = found
    assert tool == "claim_expense"
    match = BREAKS.search(text)
    assert match is not None and match[1] == "one_claim"
    assert "Travel costs are claimed once" in text


def test_nobody_breaks_a_rule_that_the_tools_keep() -> None:
    assert who_breaks(blood_bank({"claim_expense": 1}), rule("one_claim"), 0) is None


def test_a_rule_whose_sql_does_not_run_is_nobodys_fault() -> None:
    broken = rule("one_claim").model_copy(update={"sql": "SELECT id FROM main.expenses WHERE no_such_column = 1"})
    assert who_breaks(blood_bank({}), broken, 0) is None


def test_drawn_calls_find_what_the_past_does_not_show(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("envgen.synthesis.culprit._in_the_past", lambda *_: None)
    sql = "SELECT id FROM deferrals WHERE ends_on > date(starts_on, '+30 days')"
    lengths = GuardRule(id="short", policy="Deferrals are short.", violation=sql)
    found = who_breaks(replace(blood_bank({}), fill_too={"expenses"}), guard_rule(lengths), 0)
    assert found is not None and found[0] == "add_deferral"


def test_the_tool_that_a_text_names_first_is_blamed() -> None:
    environment = build(blood_bank({"claim_expense": 1}), 0, Findings())
    assert environment is not None
    assert blamed(environment, "after book_appointment, claim_expense failed") == (
        "book_appointment", "after book_appointment, claim_expense failed",
    )  # fmt: skip
    assert blamed(environment, "nobody is named here") is None
