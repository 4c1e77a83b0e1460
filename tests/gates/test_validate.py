"""Validating a bundle on disk, and the agreement of its verify.py with the verifier in the process."""

import json
from pathlib import Path
from typing import Any

import pytest
from desk_tasks import make_environment

from envgen.bundle.write import Content, write_bundle
from envgen.core.errors import BundleError, UsageError
from envgen.core.events import Event
from envgen.core.types import Evidence
from envgen.database.runtime import DatabaseEnvironment
from envgen.gates import procedural
from envgen.gates.mutation import mutants
from envgen.gates.play import Submission, TaskContext, verifier
from envgen.gates.replay import transcript_digest
from envgen.gates.validate import chosen_gates, validate_bundle

QUICK = ["E1", "E2", "T1", "T2", "T7", "T8", "T9", "T11"]


def write(folder: Path, environment: DatabaseEnvironment, verify: str | None = None, drift: bool = False) -> Path:
    """Write `environment` as a bundle, with the transcript digests as evidence."""
    tasks = list(environment.tasks())
    gold = [environment.gold(task.id) for task in tasks]
    digests = [transcript_digest(environment, task, record) for task, record in zip(tasks, gold, strict=True)]
    evidence = [
        Evidence(subject=task.id, gate="T9", status="pass", seen={"digest": "0" * 32 if drift else digest})
        for task, digest in zip(tasks, digests, strict=True)
    ]
    content = Content(
        manifest=environment.manifest,
        environment=environment.spec.model_dump(mode="json", by_alias=True, exclude_defaults=True),
        world=environment.world.serialize("main"),
        policy=environment.policy,
        tasks=tasks,
        gold=gold,
        evidence=evidence,
        verifier=verify,
    )
    write_bundle(folder / "desk", content)
    return folder / "desk"


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("bundle"), make_environment())


def test_a_sound_bundle_is_sound_in_one_process_and_in_two(bundle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(procedural, "EPISODES", 6)
    events: list[Event] = []
    one = validate_bundle(bundle, events=events.append)
    assert one.problems() == []
    assert one.gates() == chosen_gates(None)
    assert events[-1].kind == "result" and events[-1].message == "sound"
    gates = ["T1", "T3", "T4", "T5", "T6", "T10", "T12"]
    two = validate_bundle(bundle, jobs=2, gates=gates)
    assert list(two.evidence) == [item for item in one.evidence if item.gate in gates]


def test_evidence_is_the_same_in_every_run(bundle: Path) -> None:
    assert validate_bundle(bundle, gates=QUICK).evidence == validate_bundle(bundle, gates=QUICK).evidence


def test_a_drifted_transcript_is_noticed(tmp_path: Path) -> None:
    assert validate_bundle(write(tmp_path, make_environment(), drift=True), gates=QUICK).failing() == {"T9"}


def test_another_verify_py_is_not_run(tmp_path: Path) -> None:
    report = validate_bundle(write(tmp_path, make_environment(), verify="raise SystemExit(1)\n"), gates=["T1"])
    assert report.sound
    assert report.notes == ("verify.py is not the one of this version of envgen: it was not run",)


def test_an_altered_bundle_is_refused(tmp_path: Path) -> None:
    folder = write(tmp_path, make_environment())
    lines = (folder / "gold.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    (folder / "gold.jsonl").write_text("".join(lines[:-1]), encoding="utf-8")
    with pytest.raises(BundleError, match=r"gold\.jsonl"):
        validate_bundle(folder, gates=["E1"])


def test_unknown_gates_and_missing_gold_are_said(bundle: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="unknown gate E9; the gates are E1, E2"):
        validate_bundle(bundle, gates=["E9"])
    environment = make_environment()
    folder = write(
        tmp_path, environment.with_tasks(environment.tasks(), {task.id: environment.gold(task.id) for task in environment.tasks()})
    )
    data = json.loads((folder / "bundle.json").read_text(encoding="utf-8"))
    assert data["counts"]["tasks"] == len(environment.tasks())


@pytest.mark.parametrize("task_id", [task.id for task in make_environment().tasks()])
def test_verify_py_agrees_on_gold_noop_and_every_mutant(bundle: Path, task_id: str) -> None:
    environment = DatabaseEnvironment.load(bundle)
    context = TaskContext(environment, environment.task(task_id), environment.gold(task_id), standalone=verifier().load(bundle))
    compared = 0
    episodes: list[tuple[Any, Submission]] = [(context.steps, context.submission), ((), Submission()), ((), context.submission)]
    episodes += [(mutant.steps, mutant.submission) for mutant in mutants(context)]
    for steps, submission in episodes:
        with context.play(steps) as run:
            verdict, other = run.score(submission), run.standalone(submission)
        assert other["status"] == verdict.status == "valid"
        assert other["reward"] == verdict.reward
        assert [(check["name"], check["passed"]) for check in other["checks"]] == [(check.name, check.passed) for check in verdict.checks]
        compared += 1
    assert compared >= 20
