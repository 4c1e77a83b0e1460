"""The proposer as a whole."""

import pytest

from envgen.core.digest import digest
from envgen.core.errors import UsageError
from envgen.database.grammar import check_patterns, list_domains, propose


def test_the_same_inputs_give_the_same_proposal() -> None:
    one, other = (propose("museum", seed=4, size="medium").model_dump(mode="json") for _ in range(2))
    assert digest(one) == digest(other)


def test_seeds_give_different_environments() -> None:
    tools = {tuple(tool.name for tool in propose("hotel", seed=seed, size="small").spec.tools) for seed in range(6)}
    assert len(tools) > 2


def test_a_domain_of_its_own_has_no_notes() -> None:
    proposal = propose("veterinary clinic", seed=7, size="small")
    assert proposal.spec.name == "veterinary-clinic" and proposal.notes == ()
    assert "Willow Lane" in proposal.spec.role


def test_a_stranger_is_named_by_its_own_words_and_said_so() -> None:
    proposal = propose("night-shift pharmacy", seed=0, size="small")
    assert proposal.spec.name == "night-shift-pharmacy" and proposal.spec.title == "Night-shift pharmacy"
    assert proposal.notes[0].startswith("no lexicon for 'night-shift pharmacy'; nearest is '")
    assert proposal.notes[0].endswith("wording is generic")


def test_features_say_what_was_drawn() -> None:
    features = propose("public library", seed=0, size="medium").features
    assert features["loan.period"]["days"] in (14, 21)


def test_an_empty_phrase_is_refused() -> None:
    with pytest.raises(UsageError):
        propose("", seed=0, size="small")


def test_the_exports_of_the_module_work() -> None:
    assert [info.key for info in list_domains()] == sorted(info.key for info in list_domains())
    assert check_patterns(["party"]) == []
