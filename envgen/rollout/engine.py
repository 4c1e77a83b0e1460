"""Run scripted policies over the tasks of an environment, one episode after the other, in this process."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from envgen.core.errors import SessionError
from envgen.core.outcome import Verdict
from envgen.core.protocols import Environment, Session
from envgen.core.types import JsonObject, Task
from envgen.rollout.policies import Move, ScriptedPolicy, Submit


@dataclass(frozen=True)
class Episode:
    """One finished episode: what was called, what came back, and the verdict. `seconds` is not part of any digest."""

    task: str
    policy: str
    seed: int
    calls: tuple[JsonObject, ...]
    submit: JsonObject
    verdict: Verdict
    seconds: float = field(compare=False)

    def to_json(self) -> dict[str, Any]:
        """Return the episode as plain JSON data."""
        return {
            "task": self.task,
            "policy": self.policy,
            "seed": self.seed,
            "calls": list(self.calls),
            "submit": self.submit,
            "verdict": self.verdict.to_json(),
            "seconds": round(self.seconds, 6),
        }


def run(environment: Environment, tasks: Sequence[Task], policy: ScriptedPolicy, *, seed: int = 0) -> Iterator[Episode]:
    """Yield one episode per task, in order."""
    for task in tasks:
        yield run_episode(environment, task, policy, seed=seed)


def run_episode(environment: Environment, task: Task, policy: ScriptedPolicy, *, seed: int = 0) -> Episode:
    """Play `task` to its end. A session that breaks makes the verdict `invalid`: data, not a crash, and never a reward of 0."""
    started = time.perf_counter()
    session = environment.start(task, seed=seed)
    calls: list[JsonObject] = []
    last = Submit()
    try:
        last = _play(environment, session, task, policy, seed, calls)
        verdict = session.submit(last.answer, outcome=last.outcome, reason=last.reason)
    except SessionError as problem:
        verdict = Verdict("invalid", failure_kind=type(problem).__name__)
    finally:
        session.close()
    submit: JsonObject = {"answer": last.answer, "outcome": last.outcome, "reason": last.reason}
    return Episode(task.id, policy.name, seed, tuple(calls), submit, verdict, time.perf_counter() - started)


def _play(environment: Environment, session: Session, task: Task, policy: ScriptedPolicy, seed: int, calls: list[JsonObject]) -> Submit:
    play = policy.play(environment, session, task, seed=seed)
    try:
        move = next(play)
        while True:
            move = play.send(_call(session, move, calls))
    except StopIteration as end:
        submit: Submit = end.value
        return submit


def _call(session: Session, move: Move, calls: list[JsonObject]) -> Any:
    result = session.call(move.tool, move.arguments)
    code = result.error.code if result.error else ""
    calls.append({"tool": move.tool, "arguments": move.arguments, "ok": result.ok, "code": code, "content": result.content})
    return result
