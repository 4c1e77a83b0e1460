from pathlib import Path

import pytest

import envgen
from envgen.core.errors import UsageError
from envgen.core.types import GoldCall
from envgen.rollout.engine import run
from envgen.rollout.policies import scripted
from envgen.rollout.scripted import live_arguments


def test_the_oracle_solves_all_and_doing_nothing_solves_none(shelter: Path) -> None:
    environment = envgen.load(shelter)
    for name, reward in (("oracle", 1.0), ("noop", 0.0)):
        episodes = list(run(environment, environment.tasks(), scripted(name)))
        assert [episode.verdict.reward for episode in episodes] == [reward] * 2
        assert [episode.verdict.status for episode in episodes] == ["valid"] * 2


def test_random_makes_calls_that_fit_their_schemas_and_repeats_with_its_seed(shelter: Path) -> None:
    environment = envgen.load(shelter)
    one, again, other = (list(run(environment, environment.tasks(), scripted("random"), seed=seed)) for seed in (1, 1, 2))
    assert one == again
    assert one != other
    calls = [call for episode in one + other for call in episode.calls]
    assert calls
    assert {call["code"] for call in calls} <= {"", "adopted"}


def test_an_unknown_policy_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(UsageError, match=r"'gpt'; choose one of oracle, noop, random"):
        scripted("gpt")


def test_arguments_follow_the_results_of_this_episode() -> None:
    call = GoldCall(
        tool="lend",
        arguments={"book_id": 3, "person": "Eve", "days": 7, "shelf": 1},
        origin={
            "book_id": {"from": "result", "step": 0, "path": "books.1.id"},
            "days": {"from": "result", "step": 5, "path": "days"},
            "shelf": {"from": "result", "step": 0, "path": "books.9.id"},
            "person": {"from": "instruction", "text": "Eve"},
        },
    )
    results = [{"books": [{"id": 8}, {"id": 44}]}]
    assert live_arguments(call, results) == {"book_id": 44, "person": "Eve", "days": 7, "shelf": 1}
