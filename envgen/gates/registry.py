"""The gates by id, and how they are run on environments and tasks that may not be on disk yet."""

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from envgen.core.errors import InfrastructureError
from envgen.core.types import Evidence, Gold, Task
from envgen.database.runtime import DatabaseEnvironment
from envgen.gates import environment as on_environment
from envgen.gates import task_mutants, task_state, task_text
from envgen.gates.digests import StateDigest
from envgen.gates.finding import Finding, failed
from envgen.gates.play import TaskContext, standalone_bundle, world_tables
from envgen.gates.procedural import procedural
from envgen.gates.replay import Replay, replay_elsewhere
from envgen.gates.task_text import answer_templates

ENVIRONMENT = "environment"
TaskGate = Callable[[TaskContext], Finding]


class EnvironmentSubject:
    """An environment under test, with what its other process got (asked for once, when a gate needs it)."""

    def __init__(self, environment: DatabaseEnvironment, replay: Replay | None = None) -> None:
        self.environment = environment
        self._replay = replay

    @property
    def replay(self) -> Replay:
        """What another process got for the walks and for every task with gold."""
        if self._replay is None:
            tasks = [task for task in self.environment.tasks() if self.environment.has_gold(task.id)]
            self._replay = replay_elsewhere(self.environment, tasks, {task.id: self.environment.gold(task.id) for task in tasks})
        return self._replay


EnvironmentGate = Callable[[EnvironmentSubject], Finding]
ENVIRONMENT_GATES: dict[str, EnvironmentGate] = {
    "E1": lambda subject: on_environment.schema_builds(subject.environment),
    "E2": lambda subject: on_environment.statically_sound(subject.environment),
    "E3": lambda subject: procedural(subject.environment),
    "E4": lambda subject: on_environment.same_elsewhere(subject.environment, subject.replay.walks),
    "E5": lambda subject: on_environment.everything_happens(subject.environment),
}
TASK_GATES: dict[str, TaskGate] = {
    "T1": task_state.gold_scores_one,
    "T2": task_state.nothing_scores_zero,
    "T3": task_state.gold_is_minimal,
    "T4": task_state.nothing_besides,
    "T5": task_state.siblings_score_zero,
    "T6": task_state.orders_and_routes,
    "T7": task_text.mentions_resolve,
    "T8": task_text.answer_is_not_given_away,
    "T9": task_text.replays_in_a_clean_process,
    "T10": task_mutants.mutants_are_rejected,
    "T11": task_text.everything_is_derivable,
    "T12": task_mutants.rules_decide,
}
TITLES = {
    "E1": "the schema builds, rows fit it, no table is empty",
    "E2": "static soundness, and all that is needed is visible",
    "E3": "drawn calls break no promise; examples hold; rules can be broken",
    "E4": "the same in another process, clock, time zone, hash seed",
    "E5": "every tool has succeeded, every guard has refused",
    "T1": "gold scores 1",
    "T2": "doing nothing scores 0",
    "T3": "gold is minimal",
    "T4": "a write besides scores 0",
    "T5": "a write on a sibling scores 0",
    "T6": "other orders and routes score by what they leave",
    "T7": "descriptions fit one row; optima are strict",
    "T8": "the answer is not given away",
    "T9": "replays in a clean process",
    "T10": "mutants are rejected, equivalents accepted",
    "T11": "everything is derivable",
    "T12": "every rule in play decides",
}
# What the others take for granted: when one of these fails, nothing after it is run.
FOUNDATIONS = frozenset({"E1", "E2", "T1"})


Seconds = dict[str, float]


def environment_gates(
    environment: DatabaseEnvironment,
    *,
    gates: Collection[str] | None = None,
    replay: Replay | None = None,
    seconds: Seconds | None = None,
) -> list[Evidence]:
    """Run E1 to E5 (or those of `gates`) and return their evidence; after a failed E1 or E2 nothing more is run.

    replay: what `replay_elsewhere` got, so that E4 and T9 share one process. seconds: filled with CPU seconds per gate.
    """
    subject = EnvironmentSubject(environment, replay)
    chosen = {gate: run for gate, run in ENVIRONMENT_GATES.items() if gates is None or gate in gates}
    return _run(chosen, subject, ENVIRONMENT, seconds)


def task_gates(
    environment: DatabaseEnvironment,
    task: Task,
    gold: Gold,
    *,
    gates: Collection[str] | None = None,
    answers: Mapping[str, Sequence[Any]] | None = None,
    replay: Replay | None = None,
    recorded: str | None = None,
    digest: StateDigest | None = None,
    standalone: Any = None,
    seconds: Seconds | None = None,
) -> list[Evidence]:
    """Run T1 to T12 (or those of `gates`) on one task and return their evidence; after a failed T1 nothing more is run.

    The task need not be among the environment's own. answers: per goal template, the answers of all tasks (for T8; this
    task's alone when None). replay: what another process got (for T9; asked for when None). recorded: the transcript
    digest of build time. digest, standalone: parts that many tasks of one environment share. seconds: CPU seconds per gate.
    """
    held = _holding(environment, task, gold)
    chosen = {gate: run for gate, run in TASK_GATES.items() if gates is None or gate in gates}
    if "T9" in chosen and replay is None:
        replay = replay_elsewhere(held, [task], {task.id: gold})
    context = TaskContext(
        held,
        task,
        gold,
        digest=digest,
        answers=answers_by_template([gold]) if answers is None else answers,
        replayed=replay.tasks.get(task.id) if replay else None,
        recorded=recorded,
        standalone=standalone,
    )
    return _run(chosen, context, task.id, seconds)


def bundle_task_gates(
    environment: DatabaseEnvironment,
    tasks: Sequence[Task],
    gold: Mapping[str, Gold],
    *,
    gates: Collection[str] | None = None,
    all_gold: Sequence[Gold] | None = None,
    replay: Replay | None = None,
    recorded: Mapping[str, str] | None = None,
    seconds: Seconds | None = None,
    progress: Callable[[int], None] | None = None,
) -> list[Evidence]:
    """Run the task gates on many tasks of one environment, sharing what can be shared.

    all_gold: the gold of every task of the bundle, for T8's count of answers (that of `tasks` when None). progress is told
    how many tasks are done.
    """
    every = list(gold.values()) if all_gold is None else all_gold
    if replay is None and (gates is None or "T9" in gates):
        replay = replay_elsewhere(environment, tasks, gold)
    shared: dict[str, Any] = {
        "answers": answers_by_template(every),
        "digest": StateDigest(environment.spec, world_tables(environment.world)),
        "standalone": standalone_bundle(environment, tasks, [gold[task.id] for task in tasks]),
    }
    found: list[Evidence] = []
    for number, task in enumerate(tasks, 1):
        record = (recorded or {}).get(task.id)
        found += task_gates(environment, task, gold[task.id], gates=gates, replay=replay, recorded=record, seconds=seconds, **shared)
        if progress is not None:
            progress(number)
    return found


def answers_by_template(gold: Sequence[Gold]) -> dict[str, list[Any]]:
    """Return, per goal template that asks something, the answers of all tasks."""
    found: dict[str, list[Any]] = {}
    for record in gold:
        if record.answer is not None:
            for template in answer_templates(record):
                found.setdefault(template, []).append(record.answer.value)
    return found


def _holding(environment: DatabaseEnvironment, task: Task, gold: Gold) -> DatabaseEnvironment:
    """Return an environment that judges `task` by `gold`; the same one when it does already."""
    if environment.has_gold(task.id) and environment.gold(task.id) == gold:
        return environment
    return environment.with_tasks([task], {task.id: gold})


def _run(gates: Mapping[str, Callable[[Any], Finding]], subject: Any, name: str, seconds: Seconds | None) -> list[Evidence]:
    found = []
    for gate, run in gates.items():
        started = time.process_time()
        finding = _closed(run, subject)
        if seconds is not None:
            seconds[gate] = seconds.get(gate, 0.0) + time.process_time() - started
        found.append(finding.evidence(name, gate))
        if finding.status == "fail" and gate in FOUNDATIONS:
            break
    return found


def _closed(run: Callable[[Any], Finding], subject: Any) -> Finding:
    """Run a gate and fail closed: a gate that stops has not shown anything."""
    try:
        return run(subject)
    except InfrastructureError:
        raise
    except Exception as problem:
        return failed(f"the gate stopped with {type(problem).__name__}: {problem}")
