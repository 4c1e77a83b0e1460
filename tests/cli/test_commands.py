import io
import json
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from envgen.bundle import schemas
from envgen.cli import installed
from envgen.cli.app import main
from envgen.core.data import data_path
from envgen.database.language import Proposal
from envgen.database.spec import EnvironmentSpec

Capture = pytest.CaptureFixture[str]


def test_show(shelter: Path, capsys: Capture) -> None:
    assert main(["show", str(shelter)]) == 0
    assert "TOOL GRAPH" in capsys.readouterr().out
    assert main(["show", str(shelter), "t-adopt", "--gold"]) == 0
    assert "EXPECTED CHANGES" in capsys.readouterr().out
    assert main(["show", str(shelter), "t-adopt", "--as-agent"]) == 0
    assert "--- tools" in capsys.readouterr().out


def test_play_from_standard_input(shelter: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("list_animals kind=cat\nadopt animal_id=3 person=Eve\nsubmit\n"))
    assert main(["play", str(shelter), "t-adopt"]) == 0
    assert "Reward 1: solved." in capsys.readouterr().out


def test_rollout_writes_a_run_and_prints_it(shelter: Path, tmp_path: Path, capsys: Capture) -> None:
    runs = tmp_path / "runs"
    assert main(["rollout", str(shelter), "--policy", "oracle", "--runs", str(runs)]) == 0
    out, err = capsys.readouterr()
    (folder,) = runs.iterdir()
    assert f"run       {folder}" in out
    assert "reward    1.000 on average" in out
    assert "rollout oracle 2/2" in err


def test_rollout_as_json_lines(shelter: Path, tmp_path: Path, capsys: Capture) -> None:
    assert main(["rollout", str(shelter), "--policy", "noop", "--json", "--runs", str(tmp_path / "runs")]) == 0
    events = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [event["event"] for event in events] == ["episode", "episode", "result"]
    assert events[-1]["mean_reward"] == 0.0
    assert events[-1]["failures"] == {"answer": 1, "state": 1}


def test_rollout_of_an_empty_split_is_never_a_success(shelter: Path, tmp_path: Path, capsys: Capture) -> None:
    assert main(["rollout", str(shelter), "--policy", "noop", "--split", "dev", "--runs", str(tmp_path)]) == 2
    assert "0 tasks in split 'dev'; splits are test 1, train 1" in capsys.readouterr().err


@pytest.mark.parametrize("command", [["show"], ["play"], ["rollout", "--policy", "oracle"], ["validate"]])
def test_a_damaged_bundle_names_the_file(command: list[str], shelter: Path, capsys: Capture) -> None:
    (shelter / "gold.jsonl").write_bytes((shelter / "gold.jsonl").read_bytes()[:-9])
    assert main([command[0], str(shelter), *command[1:]]) == 1
    assert "gold.jsonl, line 2: the line is cut off" in capsys.readouterr().err


@pytest.mark.parametrize("command", [["show"], ["play"], ["rollout", "--policy", "oracle"], ["validate"]])
def test_a_newer_format_is_usage(command: list[str], shelter: Path, capsys: Capture) -> None:
    manifest = json.loads((shelter / "bundle.json").read_text())
    (shelter / "bundle.json").write_text(json.dumps({**manifest, "format": 9}))
    assert main([command[0], str(shelter), *command[1:]]) == 2
    assert "has format 9" in capsys.readouterr().err


def test_schemas_in_the_repository_are_in_step(capsys: Capture) -> None:
    types = {**schemas.CORE, "environment": EnvironmentSpec, "proposal": Proposal}
    assert schemas.stale(types, data_path("schemas")) == []
    assert main(["schema", "--check"]) == 0


def test_schema_check_fails_on_a_stale_file(tmp_path: Path, capsys: Capture) -> None:
    assert main(["schema", "--out", str(tmp_path)]) == 0
    assert main(["schema", "--out", str(tmp_path), "--check"]) == 0
    (tmp_path / "task.schema.json").write_text("{}")
    assert main(["schema", "--out", str(tmp_path), "--check"]) == 1
    assert "task.schema.json differ from the types" in capsys.readouterr().err


def test_doctor_says_what_is_here(capsys: Capture) -> None:
    assert main(["doctor"]) == 0
    out = capsys.readouterr().out
    assert "sqlite (apsw)" in out
    assert "extra synth              installed" in out


def test_doctor_fails_without_a_base_package(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(installed, "BASE", (*installed.BASE, "no-such-package"))
    assert main(["doctor"]) == 3
    out, err = capsys.readouterr()
    assert "no-such-package          missing" in out
    assert "the base is incomplete (no-such-package)" in err


def test_library_patterns(capsys: Capture) -> None:
    assert main(["library", "patterns", "list"]) == 0
    names = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert {"booking", "loan", "party"} <= set(names)
    assert main(["library", "patterns", "show", "loan"]) == 0
    assert capsys.readouterr().out == data_path("templates/patterns/loan.toml").read_text()
    assert main(["library", "patterns", "show", "lone"]) == 2
    assert "the patterns are" in capsys.readouterr().err


def test_validate_names_the_gate_that_rejects(shelter: Path, tmp_path: Path, capsys: Capture) -> None:
    # The shelter has no tool that shows its adoptions.
    junit = tmp_path / "report.xml"
    assert main(["validate", str(shelter), "--jobs", "1", "--junit", str(junit)]) == 1
    out = capsys.readouterr().out
    assert "shelter: NOT SOUND: E2" in out
    assert "table adoptions: no read tool shows it" in out
    root = ElementTree.parse(junit).getroot()
    assert root.get("failures") == "1"


def test_validate_as_json(shelter: Path, capsys: Capture) -> None:
    assert main(["validate", str(shelter), "--gates", "E1", "--json"]) == 0
    events = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert events[-1]["event"] == "report"
    assert events[-1]["sound"] is True
    assert [row["gate"] for row in events[-1]["gates"]] == ["E1"]


def test_validate_with_a_gate_that_does_not_exist(shelter: Path, capsys: Capture) -> None:
    assert main(["validate", str(shelter), "--gates", "E1,X9"]) == 2
    assert "unknown gate X9; the gates are E1, E2" in capsys.readouterr().err


def test_a_report_that_cannot_be_written(shelter: Path, tmp_path: Path, capsys: Capture) -> None:
    assert main(["validate", str(shelter), "--gates", "E1", "--junit", str(tmp_path / "no" / "report.xml")]) == 3
    assert "report.xml cannot be written" in capsys.readouterr().err
