"""Witnesses: guards are told apart, and the search finds what the world holds."""

from desk_tasks import make_environment

from envgen.core.outcome import CallRecord, Change, ToolError, ToolResult
from envgen.gates.breach import breach
from envgen.gates.witness import Guard, guards_of, seek, touched


def refusal(code: str, message: str) -> ToolResult:
    return ToolResult("", ToolError(code, message))


def test_guards_are_told_apart_by_their_words() -> None:
    guard = Guard("t", "not_found", "No claim {claim_id}.")
    assert guard.refused(refusal("not_found", "No claim 7."))
    assert not guard.refused(refusal("not_found", "No holder 7."))
    assert not guard.refused(refusal("other", "No claim 7."))
    assert not guard.refused(ToolResult("{}"))


def test_the_desk_shows_everything() -> None:
    witnesses = seek(make_environment(tasks=[]))
    assert witnesses.missing() == []
    assert len(witnesses.guards) == len(set(witnesses.guards)) == len(guards_of(make_environment(tasks=[]).spec.tools))


def test_every_agent_rule_can_be_broken() -> None:
    environment = make_environment(tasks=[])
    found = {rule.id: breach(environment, rule) for rule in environment.spec.rules if rule.kind == "agent"}
    assert found == {"note_before_pay": "pay_claim", "not_suspended": "pay_claim"}


def test_touched_names_the_rows_and_what_they_refer_to() -> None:
    environment = make_environment(tasks=[])
    change = Change("insert", "payments", None, (9, 4, 100, "2026-03-02 09:00:00"))
    call = CallRecord(0, "pay_claim", {}, True, "", None, "", (change,))
    assert touched(environment, call) == {"payments.id": [9], "claims.id": [4]}
