"""Real runs that are stopped in the middle: Ctrl-C and kill -9. Going on loses nothing, repeats nothing, and gives the same bundle."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from envgen.bundle.ledger import ledger_path
from envgen.bundle.read import read_bundle
from envgen.cli.app import main

ROOT = Path(__file__).resolve().parents[2]
WORDS = ["synthesize", "--domain", "public library", "--size", "small", "--tasks", "6", "--seed", "3", "--jobs", "1", "--json"]


def start(out: Path) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "envgen", *WORDS, "--out", str(out)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)


def stop_after_two_tasks(process: subprocess.Popen[str], how: signal.Signals) -> None:
    assert process.stdout is not None
    for line in process.stdout:
        event = json.loads(line)
        if event["event"] == "progress" and event["done"] >= 2:
            process.send_signal(how)
            return
    raise AssertionError("the run ended before it could be stopped")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The digest of a run that nobody stops."""
    out = tmp_path_factory.mktemp("whole") / "library"
    assert main([*WORDS[:-1], "--out", str(out)]) == 0
    assert not ledger_path(out).exists()
    return read_bundle(out).manifest.digest


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT], ids=["kill -9", "Ctrl-C"])
def test_a_stopped_run_goes_on(how: signal.Signals, whole: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "library"
    with start(out) as process:
        stop_after_two_tasks(process, how)
        _, err = process.communicate(timeout=60)
    assert not out.exists()
    assert ledger_path(out).exists()
    if how is signal.SIGINT:
        assert process.returncode == 130
        assert "Go on with: envgen synthesize" in err
        assert err.rstrip().endswith("--resume")
        assert "Traceback" not in err
    capsys.readouterr()
    assert main([*WORDS, "--out", str(out), "--resume"]) == 0
    events = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert any("used again" in event.get("message", "") for event in events)
    assert read_bundle(out).manifest.digest == whole
    assert [path.name for path in tmp_path.iterdir()] == ["library"]


def test_going_on_with_another_seed_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "library"
    with start(out) as process:
        stop_after_two_tasks(process, signal.SIGKILL)
        process.communicate(timeout=60)
    capsys.readouterr()
    assert main([*WORDS, "--out", str(out)]) == 2
    assert "was stopped. Go on with --resume, start over with --force" in capsys.readouterr().err
    other = [word if word != "3" else "4" for word in WORDS]
    assert main([*other, "--out", str(out), "--resume"]) == 2
    err = capsys.readouterr().err
    assert "seed 3, not 4" in err
    for flag in ("--out", "--resume", "--force"):
        assert flag in err
