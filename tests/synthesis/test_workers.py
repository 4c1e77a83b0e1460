"""Candidates in other processes: what is known is not made again, and a process that dies is a clear error."""

import os

import pytest

from envgen.core.errors import InfrastructureError
from envgen.database.grammar import propose
from envgen.database.plan.planner import Options
from envgen.database.world import build_world
from envgen.synthesis import workers
from envgen.synthesis.recipe import Recipe


@pytest.fixture(scope="module")
def recipe() -> Recipe:
    proposal = propose("public library", seed=11, size="small")
    world, _ = build_world(proposal, 11, "small")
    return Recipe.of(proposal, world, 11, Options())


def test_candidates_are_the_same_here_and_elsewhere_and_known_ones_are_not_made_again(recipe: Recipe) -> None:
    here = [made.to_json() | {"seconds": {}} for made in workers.candidates(recipe, 1, {}, 3)]
    known = {1: here[1] | {"reason": "known"}}
    there = [made.to_json() | {"seconds": {}} for made in workers.candidates(recipe, 2, known, 3)]
    assert there == [here[0], known[1], here[2]]


def _die(recipe: Recipe) -> None:
    os._exit(9)


def test_a_process_that_dies_is_an_error_that_names_the_way_on(recipe: Recipe, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "_prepare", _die)
    with pytest.raises(InfrastructureError, match="--resume"):
        list(workers.candidates(recipe, 2, {}, 3))
