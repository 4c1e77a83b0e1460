"""Whole runs: the same bundle whatever the processes, hash seed and time zone; clear ends when nothing can be kept."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from envgen.bundle.ledger import ledger_path
from envgen.bundle.read import read_bundle
from envgen.core.errors import PlanError, SpecError, UnsoundError, UsageError
from envgen.core.events import Event
from envgen.synthesis import pipeline
from envgen.synthesis.options import SynthesisOptions
from envgen.synthesis.pipeline import synthesize
from envgen.synthesis.recipe import check_specification
from envgen.synthesis.workers import Made

ROOT = Path(__file__).resolve().parents[2]


def options(out: Path, **changes: object) -> SynthesisOptions:
    chosen = {"domain": "public library", "out": out, "size": "small", "tasks": 8, "seed": 11, "jobs": 1, **changes}
    return SynthesisOptions(**chosen)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("made") / "library"
    events: list[Event] = []
    report = synthesize(options(out), events.append)
    assert report.kept == 8
    assert [event.stage for event in events if event.kind == "stage"] == ["specification", "world", "tasks", "gates", "bundle"]
    assert not ledger_path(out).exists()
    return out


@pytest.mark.determinism
def test_processes_hash_seed_and_time_zone_do_not_change_the_digest(made: Path, tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONHASHSEED": "99", "TZ": "Pacific/Kiritimati", "PYTHONPATH": str(ROOT)}
    words = ["--domain", "public library", "--size", "small", "--tasks", "8", "--seed", "11", "--jobs", "2", "--out", str(tmp_path / "b")]
    subprocess.run([sys.executable, "-m", "envgen", "synthesize", *words], check=True, env=environment, capture_output=True)
    assert read_bundle(tmp_path / "b").manifest.digest == read_bundle(made).manifest.digest


def test_evidence_ships_and_passes(made: Path) -> None:
    bundle = read_bundle(made)
    bundle.verify_digest()
    subjects = {item.subject for item in bundle.evidence}
    assert subjects == {"environment", *(task.id for task in bundle.tasks)}
    assert {item.gate for item in bundle.evidence} == {f"E{n}" for n in range(1, 6)} | {f"T{n}" for n in range(1, 13)}
    assert not [item for item in bundle.evidence if item.status == "fail"]


def test_an_existing_folder_is_refused_with_the_ways_out(made: Path) -> None:
    with pytest.raises(UsageError, match=r"--out.*--resume.*--force"):
        synthesize(options(made))


def test_resuming_uses_what_the_ledger_has(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "stopped"

    def stop(event: Event) -> None:
        if event.kind == "progress" and event.done >= 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        synthesize(options(out), stop)
    assert not out.exists()
    fresh: list[int] = []
    plain = pipeline.candidates

    def counting(recipe, jobs, known, limit):  # type: ignore[no-untyped-def]
        for item in plain(recipe, jobs, known, limit):
            fresh.extend([item.index] if item.index not in known else [])
            yield item

    monkeypatch.setattr(pipeline, "candidates", counting)
    synthesize(options(out, resume=True))
    assert read_bundle(out).manifest.digest == read_bundle(made).manifest.digest
    assert min(fresh) >= 3


def test_a_resumed_run_of_other_flags_is_refused(tmp_path: Path) -> None:
    out = tmp_path / "stopped"

    def stop(event: Event) -> None:
        if event.kind == "progress":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        synthesize(options(out), stop)
    with pytest.raises(UsageError, match="seed 11, not 12"):
        synthesize(options(out, seed=12, resume=True))


def test_when_no_task_can_be_kept_the_reasons_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Barren:
        def __init__(self, *arguments: object) -> None:
            pass

        def candidate(self, index: int) -> list[object]:
            raise PlanError("no_frame", "nothing to say")

    monkeypatch.setattr("envgen.synthesis.recipe.Planner", Barren)
    with pytest.raises(UnsoundError, match=r"no task was kept: \d+ plan:no_frame"):
        synthesize(options(tmp_path / "b", tasks=2))
    assert not (tmp_path / "b").exists()


def test_an_unsound_specification_stops_the_run_before_any_work() -> None:
    from toy import spec

    with pytest.raises(SpecError, match="table adoptions: no read tool shows it"):
        check_specification(spec())


def test_what_a_worker_made_travels_as_plain_data() -> None:
    made = Made(3, reason="T5", detail="why", seconds={"T5": 0.5})
    assert Made.from_json(made.to_json()) == made
