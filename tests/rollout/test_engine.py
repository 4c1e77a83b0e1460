from collections.abc import Iterator
from pathlib import Path

import envgen
from envgen.core.errors import SessionClosed
from envgen.core.protocols import Environment, Session
from envgen.core.types import Task
from envgen.rollout.engine import run_episode
from envgen.rollout.policies import Move, Play, Submit


class Careless:
    """Calls a tool that does not exist, then submits."""

    name = "careless"

    def play(self, environment: Environment, session: Session, task: Task, *, seed: int) -> Play:
        yield Move("no_such_tool", {"x": 1})
        return Submit(answer=5, outcome="partial", reason="adopted")


class Broken(Careless):
    """The session under it breaks."""

    def play(self, environment: Environment, session: Session, task: Task, *, seed: int) -> Play:
        session.close()
        yield Move("list_animals", {})
        return Submit()


def test_a_bad_call_is_data(shelter: Path) -> None:
    environment = envgen.load(shelter)
    episode = run_episode(environment, environment.tasks()[0], Careless())
    assert episode.verdict.reward == 0.0
    assert episode.calls[0]["code"] == "unknown_tool"
    assert episode.to_json()["submit"] == {"answer": 5, "outcome": "partial", "reason": "adopted"}


def test_a_session_that_breaks_is_invalid_and_never_a_reward_of_zero(shelter: Path) -> None:
    environment = envgen.load(shelter)
    verdict = run_episode(environment, environment.tasks()[0], Broken()).verdict
    assert (verdict.status, verdict.reward, verdict.failure_kind) == ("invalid", None, SessionClosed.__name__)


def test_sessions_are_closed_whatever_happens(shelter: Path) -> None:
    environment = envgen.load(shelter)
    seen: list[Session] = []

    class Watching(Careless):
        def play(self, environment: Environment, session: Session, task: Task, *, seed: int) -> Play:
            seen.append(session)
            raise RuntimeError("a bug in the policy")
            yield Move("", {})

    try:
        run_episode(environment, environment.tasks()[0], Watching())
    except RuntimeError:
        pass
    else:
        raise AssertionError("the policy's bug was swallowed")
    assert _is_closed(seen)


def _is_closed(sessions: list[Session]) -> bool:
    def closed(session: Session) -> Iterator[bool]:
        try:
            session.call("list_animals", {})
        except SessionClosed:
            yield True

    return all(any(closed(session)) for session in sessions) and bool(sessions)
