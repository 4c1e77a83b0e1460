import io

import pytest
from rich.console import Console

from envgen.cli.output import Reporter, table
from envgen.core.events import Event

Capture = pytest.CaptureFixture[str]


def test_lines_when_there_is_no_terminal(capsys: Capture) -> None:
    with Reporter() as report:
        report(Event("stage", "world", "12 tables"))
        for done in range(1, 501):
            report(Event("progress", "tasks", done=done, total=500))
        report(Event("warning", "tasks", "few rows [in table x]"))
        report(Event("result", "all"))
    out, err = capsys.readouterr()
    lines = err.splitlines()
    assert out == ""
    assert lines[0] == "world: 12 tables"
    assert "tasks 500/500" in lines
    assert lines[-1] == "tasks: few rows [in table x]"
    assert len(lines) < 20


def test_a_terminal_gets_live_bars() -> None:
    screen = io.StringIO()
    with Reporter() as report:
        report.console = Console(file=screen, force_terminal=True, width=100, color_system=None)
        report(Event("stage", "world"))
        report(Event("progress", "tasks", done=3, total=5))
        report(Event("note", "domain", "nearest is library"))
    assert "tasks" in screen.getvalue()
    assert "3/5" in screen.getvalue()
    assert "domain: nearest is library" in screen.getvalue()


def test_no_color_is_respected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    screen = io.StringIO()
    with Reporter() as report:
        report.console = Console(file=screen, force_terminal=True, width=100)
        report(Event("progress", "tasks", done=3, total=5))
    assert "\x1b[3" not in screen.getvalue()


def test_tables_are_aligned() -> None:
    assert table(("gate", "passed"), [("E1", 1), ("T10", 200)]).splitlines() == [
        "gate  passed",
        "----  ------",
        "E1         1",
        "T10      200",
    ]
    assert table(("a",), []).splitlines() == ["a", "-"]
