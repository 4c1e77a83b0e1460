"""Reports: too few witnesses fail, JUnit is well formed, an empty report is not sound."""

import xml.etree.ElementTree as ElementTree

from envgen.core.types import Evidence
from envgen.gates.report import GateReport

TITLES = {"E1": "the schema builds", "T5": "siblings score 0"}


def evidence(gate: str, status: str, count: int, reason: str = "") -> list[Evidence]:
    return [Evidence(subject=f"t-{status}-{number}", gate=gate, status=status, reason=reason) for number in range(count)]  # type: ignore[arg-type]


def test_nothing_run_is_not_sound() -> None:
    assert not GateReport("x", [], TITLES).sound


def test_a_failure_is_a_problem() -> None:
    report = GateReport("x", [*evidence("E1", "pass", 1), *evidence("T5", "fail", 1, "row 7 scores 1")], TITLES)
    assert not report.sound
    assert report.problems() == ["T5 t-fail-0: row 7 scores 1"]
    assert report.failing() == {"T5"}
    assert [row.failed for row in report.rows()] == [0, 1]


def test_one_in_ten_may_lack_a_witness_and_no_more() -> None:
    enough = GateReport("x", [*evidence("T5", "pass", 9), *evidence("T5", "not_applicable", 1, "none")], TITLES)
    assert enough.sound
    few = GateReport("x", [*evidence("T5", "pass", 8), *evidence("T5", "not_applicable", 1, "none")], TITLES)
    assert not few.sound
    assert few.failing() == {"T5"}
    assert "no witness for 1 of 9" in few.problems()[0]
    assert few.rows()[0].problem == few.problems()[0]


def test_junit_holds_every_case_whatever_the_text() -> None:
    items = [
        *evidence("E1", "pass", 2),
        *evidence("T5", "fail", 1, 'a <b> & "c" \x00 \ud800'),
        *evidence("T5", "not_applicable", 1, "none"),
    ]
    root = ElementTree.fromstring(GateReport("x", items, TITLES, {"E1": 1.5}).to_junit())
    suites = {suite.get("name"): suite for suite in root}
    assert (root.get("tests"), root.get("failures")) == ("4", "2")
    assert [case.get("name") for case in suites["E1 the schema builds"]] == ["t-pass-0", "t-pass-1"]
    failure = suites["T5 siblings score 0"].find("testcase/failure")
    assert failure is not None and failure.get("message") == 'a <b> & "c" ? ?'
    assert suites["T5 siblings score 0"].find("testcase/skipped") is not None


def test_json_counts_what_the_rows_count() -> None:
    data = GateReport("x", evidence("E1", "pass", 3), TITLES, {"E1": 0.25}, "d1").to_json()
    assert data["sound"] is True
    assert data["gates"] == [{"gate": "E1", "title": "the schema builds", "passed": 3, "failed": 0, "not_applicable": 0, "seconds": 0.25}]
