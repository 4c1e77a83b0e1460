"""The library check finds features that do nothing and pairs that do not compile."""

import copy

import pytest

from envgen.core.errors import UsageError
from envgen.database import grammar_check, grammar_compose, grammar_lexicon
from envgen.database.grammar_check import changed_tools, check_patterns, optional_features
from envgen.database.grammar_compose import compose
from envgen.database.grammar_spec import build_spec


@pytest.mark.parametrize("name", sorted(grammar_lexicon.patterns()))
def test_every_pattern_passes(name: str) -> None:
    assert check_patterns([name]) == []


def test_an_unknown_pattern_is_refused() -> None:
    with pytest.raises(UsageError, match="no pattern 'moon'"):
        check_patterns(["moon"])


def test_a_feature_that_does_nothing_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    known = copy.deepcopy(dict(grammar_lexicon.patterns()))
    known["party"]["features"]["idle"] = {"p": 0.5}
    for module in (grammar_check, grammar_compose, grammar_lexicon):
        monkeypatch.setattr(module, "patterns", lambda: known)
    assert "idle" in optional_features("party")
    assert any("feature idle: it changes no tool" in problem for problem in check_patterns(["party"]))


def test_a_pair_that_does_not_compile_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    known = copy.deepcopy(dict(grammar_lexicon.patterns()))
    known["party"]["features"]["odd"] = {"p": 0.5}
    known["party"]["tool"][0]["steps"] = (
        "?odd,!tiers require SELECT 1 FROM nowhere -> x: X.\n" + known["party"]["tool"][0]["steps"].lstrip()
    )
    for module in (grammar_check, grammar_compose, grammar_lexicon):
        monkeypatch.setattr(module, "patterns", lambda: known)
    known["party"]["features"]["even"] = {"p": 0.5}
    assert any("nowhere" in problem for problem in check_patterns(["party"]))


def test_changed_tools_are_named_by_key() -> None:
    base = {"party": {"probation": {"days": 14}}}
    one = build_spec(compose("hotel", seed=0, features=base))
    other = build_spec(compose("hotel", seed=0, features={"party": {**base["party"], "tiers": {"days": 30}}}))
    assert changed_tools(one, other) == ["party.find", "party.tier"]
