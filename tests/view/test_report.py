from envgen.core.types import Evidence
from envgen.gates.report import GateReport
from envgen.view.report import MOST_PROBLEMS, report_text

TITLES = {"E1": "the schema builds", "T10": "mutants are rejected"}


def report(*evidence: Evidence) -> str:
    return report_text(GateReport("shelter", evidence, TITLES, {"T10": 1.5}, "d" * 64, ("a note",)))


def test_a_sound_bundle() -> None:
    text = report(Evidence(subject="environment", gate="E1", status="pass"), Evidence(subject="t", gate="T10", status="pass"))
    assert text.splitlines()[:3] == [
        "gate  passed  failed  n/a  seconds  what it says",
        "E1         1       0    0     0.00  the schema builds",
        "T10        1       0    0     1.50  mutants are rejected",
    ]
    assert text.splitlines()[3:] == ["note: a note", "", f"shelter: sound  (digest {'d' * 12})"]


def test_an_unsound_bundle_names_gates_and_problems_and_stops_at_twenty() -> None:
    bad = [Evidence(subject=f"t-{number}", gate="T10", status="fail", reason="a mutant scores 1") for number in range(25)]
    text = report(Evidence(subject="environment", gate="E1", status="pass"), *bad)
    assert "T10 t-0: a mutant scores 1" in text
    assert text.count("a mutant scores 1") == MOST_PROBLEMS
    assert "… and 5 more" in text
    assert "shelter: NOT SOUND: T10" in text
