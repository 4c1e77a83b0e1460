"""Validate a bundle: every gate again, from the bundle alone."""

import json
import subprocess
import sys
import tempfile
from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path

from envgen.bundle.read import Bundle, read_bundle
from envgen.core.data import data_path
from envgen.core.errors import UsageError
from envgen.core.events import Event, Events, silent
from envgen.core.processes import exit_with_parent
from envgen.core.types import Evidence, Gold, Task
from envgen.database.runtime import DatabaseEnvironment
from envgen.gates.registry import (
    ENVIRONMENT_GATES,
    FOUNDATIONS,
    TASK_GATES,
    TITLES,
    EnvironmentSubject,
    Seconds,
    bundle_task_gates,
    environment_gates,
)
from envgen.gates.replay import Replay
from envgen.gates.report import GateReport
from envgen.verify.records import episode_records

ALL_GATES = (*ENVIRONMENT_GATES, *TASK_GATES)
LARGEST_SHARE = 25


def validate_bundle(path: str | Path, *, jobs: int = 1, gates: Collection[str] | None = None, events: Events | None = None) -> GateReport:
    """Run every gate (or those of `gates`) on the bundle in `path`, in `jobs` processes.

    Errors: UsageError (no bundle there, an unknown gate, no gold), FormatError, BundleError (damaged), InfrastructureError.
    An unsound bundle is no error: the report says what is wrong.
    """
    chosen = chosen_gates(gates)
    tell = events or silent
    tell(Event("stage", "validate", f"reading {path}"))
    bundle = read_bundle(path)
    bundle.verify_digest()
    environment = DatabaseEnvironment.load(path)
    seconds: Seconds = {}
    subject = EnvironmentSubject(environment)
    tell(Event("stage", "validate", "environment gates"))
    # Asked for only when E1 and E2 hold: what is not statically sound is not run.
    evidence = environment_gates(environment, gates=[gate for gate in chosen if gate in ("E1", "E2")], seconds=seconds)
    if all(item.status != "fail" for item in evidence):
        replay = subject.replay if {"E4", "T9"} & set(chosen) else None
        rest = [gate for gate in chosen if gate in ENVIRONMENT_GATES and gate not in FOUNDATIONS]
        evidence += environment_gates(environment, gates=rest, replay=replay, seconds=seconds)
        evidence += _tasks(bundle, environment, [gate for gate in chosen if gate in TASK_GATES], replay, jobs, seconds, tell)
    notes = _spawned(bundle, environment, evidence) if "T1" in chosen else []
    report = GateReport(bundle.manifest.name, evidence, TITLES, seconds, bundle.manifest.digest, tuple(notes))
    tell(Event("result", "validate", "sound" if report.sound else "unsound", data={"problems": report.problems()}))
    return report


def chosen_gates(gates: Collection[str] | None) -> list[str]:
    """Return the ids of the gates to run, in their order; UsageError on an unknown one."""
    unknown = sorted(set(gates or ()) - set(ALL_GATES))
    if unknown:
        raise UsageError(f"unknown gate {', '.join(unknown)}; the gates are {', '.join(ALL_GATES)}")
    return [gate for gate in ALL_GATES if gates is None or gate in gates]


def _tasks(
    bundle: Bundle,
    environment: DatabaseEnvironment,
    gates: Sequence[str],
    replay: Replay | None,
    jobs: int,
    seconds: Seconds,
    tell: Events,
) -> list[Evidence]:
    tasks = list(environment.tasks())
    if not gates or not tasks:
        return []
    without = [task.id for task in tasks if not environment.has_gold(task.id)]
    if without:
        raise UsageError(f"{len(without)} tasks have no gold ({without[0]}); a public copy cannot be validated, only the original")
    found: dict[str, list[Evidence]] = {}
    with _shares(bundle, environment, tasks, gates, replay, jobs) as results:
        for evidence, spent in results:
            for item in evidence:
                found.setdefault(item.subject, []).append(item)
            for gate, value in spent.items():
                seconds[gate] = seconds.get(gate, 0.0) + value
            tell(Event("progress", "validate", "task gates", done=len(found), total=len(tasks)))
    return [item for task in tasks for item in found[task.id]]


@contextmanager
def _shares(
    bundle: Bundle, environment: DatabaseEnvironment, tasks: Sequence[Task], gates: Sequence[str], replay: Replay | None, jobs: int
) -> Iterator[Iterator[tuple[list[Evidence], Seconds]]]:
    """Split the tasks among `jobs` processes, small shares so that progress shows; one job runs here."""
    recorded = {item.subject: item.seen["digest"] for item in bundle.evidence if item.gate == "T9" and "digest" in item.seen}
    size = max(1, min(LARGEST_SHARE, -(-len(tasks) // max(1, jobs * 2))))
    ids = [[task.id for task in tasks[start : start + size]] for start in range(0, len(tasks), size)]
    if jobs <= 1:
        yield (_share(environment, bundle.gold, part, gates, replay, recorded) for part in ids)
        return
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn"), initializer=exit_with_parent) as pool:
        yield pool.map(_share_of_bundle, *zip(*[(str(bundle.path), part, tuple(gates), replay, recorded) for part in ids], strict=True))


def _share_of_bundle(
    path: str, ids: Sequence[str], gates: Sequence[str], replay: Replay | None, recorded: dict[str, str]
) -> tuple[list[Evidence], Seconds]:
    return _share(DatabaseEnvironment.load(path), read_bundle(path).gold, ids, gates, replay, recorded)


def _share(
    environment: DatabaseEnvironment,
    all_gold: Sequence[Gold],
    ids: Sequence[str],
    gates: Sequence[str],
    replay: Replay | None,
    recorded: dict[str, str],
) -> tuple[list[Evidence], Seconds]:
    seconds: Seconds = {}
    gold = {task: environment.gold(task) for task in ids}
    tasks = [environment.task(task) for task in ids]
    found = bundle_task_gates(environment, tasks, gold, gates=gates, all_gold=all_gold, replay=replay, recorded=recorded, seconds=seconds)
    return found, seconds


def _spawned(bundle: Bundle, environment: DatabaseEnvironment, evidence: list[Evidence]) -> list[str]:
    """Run the bundle's own verify.py once, as a program, on the first task's gold. A failure replaces that task's T1.

    It is run only when it is this version's: another text is somebody's program, and validating must not execute it.
    """
    place = next((i for i, item in enumerate(evidence) if item.gate == "T1" and item.status == "pass"), None)
    program = bundle.path / "verify.py"
    if place is None:
        return []
    if program.read_text(encoding="utf-8") != data_path("verifiers/state_diff.py").read_text(encoding="utf-8"):
        return ["verify.py is not the one of this version of envgen: it was not run"]
    task = environment.task(evidence[place].subject)
    code, output = spawn_verifier(environment, task, environment.gold(task.id), bundle.path)
    if code != 0:
        reason = f"verify.py, run as a program, exits with {code} for gold: {output[:300]}"
        evidence[place] = Evidence(subject=task.id, gate="T1", status="fail", reason=reason)
    return []


def spawn_verifier(environment: DatabaseEnvironment, task: Task, gold: Gold, folder: Path) -> tuple[int, str]:
    """Play the gold, then run the bundle's verify.py on what it left; returns (exit status, output)."""
    with tempfile.TemporaryDirectory(prefix="envgen-verify-") as place, environment.start(task) as session:
        for call in gold.calls:
            session.call(call.tool, call.arguments)
        Path(place, "final.sqlite").write_bytes(session.connection.serialize("main"))
        answer = gold.answer.value if gold.answer else None
        records = episode_records(session.calls, environment.infos, answer=answer, outcome=gold.outcome, reason=gold.reason)
        Path(place, "calls.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
        command = [sys.executable, "-I", str(folder / "verify.py"), "--task", task.id, "--bundle", str(folder)]
        command += ["--world", str(Path(place, "final.sqlite")), "--calls", str(Path(place, "calls.jsonl"))]
        done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)
    return done.returncode, done.stdout + done.stderr
