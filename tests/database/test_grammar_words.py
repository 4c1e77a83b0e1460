"""The language: frames, finders and questions name only what is there."""

import re

import pytest

from envgen.core.errors import SpecError
from envgen.database.grammar import propose
from envgen.database.grammar_compose import compose
from envgen.database.grammar_lexicon import lexicons
from envgen.database.grammar_spec import build_spec
from envgen.database.grammar_words import build_language, slots
from envgen.database.language import Language
from envgen.database.spec import EnvironmentSpec

SLOT = re.compile(r"\{([^{}]+)\}")
VERBS = {"want", "be", "have", "do", "go", "need"}


def proposed(key: str, seed: int = 0) -> tuple[EnvironmentSpec, Language]:
    proposal = propose(key, seed=seed, size="medium")
    return proposal.spec, proposal.language


@pytest.mark.parametrize("key", sorted(lexicons()))
def test_every_goal_can_be_asked_for_in_many_ways(key: str) -> None:
    spec, language = proposed(key)
    frames = {item.tool: item for item in language.frames}
    for act in language.acts:
        assert len(set(frames[act.tool].ask)) >= 4, act.tool
        assert len(set(frames[act.tool].need)) >= 3, act.tool
        properties = spec.tool(act.tool).parameters["properties"]
        for text in (*frames[act.tool].ask, *frames[act.tool].need):
            heads = {slot.split(".")[0] for slot in SLOT.findall(text)}
            assert heads - {"party"} - VERBS - set(properties) - {slot for slot in heads if slot.startswith("verb:")} == set(), text


@pytest.mark.parametrize("key", sorted(lexicons()))
def test_conditions_belong_to_a_frame(key: str) -> None:
    _, language = proposed(key)
    for frames in language.frames:
        assert set(frames.fits) <= {*frames.ask, *frames.need}


@pytest.mark.parametrize("key", sorted(lexicons()))
def test_what_people_may_name_can_be_found(key: str) -> None:
    spec, language = proposed(key)
    finders = {finder.table: finder for finder in language.finders}
    named = {
        child["x-column"].split(".")[0]
        for act in language.acts
        for child in spec.tool(act.tool).parameters["properties"].values()
        if "x-column" in child
    }
    assert named <= set(finders)
    assert {refer.table for refer in language.refers} >= named
    for finder in finders.values():
        assert set(finder.args) <= set(spec.tool(finder.tool).parameters["properties"])


@pytest.mark.parametrize("key", sorted(lexicons()))
def test_there_is_enough_to_ask(key: str) -> None:
    _, language = proposed(key)
    kinds = [query.kind for query in language.queries]
    assert kinds.count("lookup") >= 4 and kinds.count("aggregate") >= 4 and kinds.count("quiz") >= 3
    assert len(language.choices) >= 3
    assert len(language.situations) >= 6
    assert len({query.key for query in language.queries}) == len(language.queries)


def test_pools_that_arguments_draw_from_exist() -> None:
    for key in lexicons():
        spec, language = proposed(key)
        wanted = {
            child["x-domain"]["text"]
            for tool in spec.tools
            for child in tool.parameters["properties"].values()
            if "text" in child.get("x-domain", {})
        }
        assert wanted <= set(language.pools), key


def test_a_role_slot_becomes_the_parameter() -> None:
    work = compose("veterinary-clinic", seed=0)
    tool = build_spec(work).tool(work.tools["place.book"])
    assert slots(work, tool, "book {party.obj} into {slot}") == "book {party.obj} into {class_id}"
    with pytest.raises(SpecError, match="asset"):
        slots(work, tool, "book {asset}")


def test_a_lexicon_replaces_frames_and_adds_motives() -> None:
    work = compose("car-rental", seed=0)
    language = build_language(work, build_spec(work))
    lend = next(item for item in language.frames if item.tool == work.tools["loan.lend"])
    assert "rent {car_id} to {party.obj}" in lend.ask
    climbing = compose("climbing-hall", seed=0)
    acts = build_language(climbing, build_spec(climbing)).acts
    assert any("finger" in why for act in acts for why in act.why)


def test_staff_acts_are_marked() -> None:
    work = compose("hotel", seed=0)
    acts = {act.tool: act for act in build_language(work, build_spec(work)).acts}
    assert acts[work.tools["party.suspend"]].staff
    assert not acts[work.tools["place.book"]].staff
