"""Composition: features, clock, names, and determinism."""

from datetime import datetime

import pytest

from envgen.core.errors import SpecError
from envgen.database.grammar_compose import compose, draw_features, draw_now, keep_tools
from envgen.database.grammar_lexicon import lexicons


def test_seeds_turn_on_different_features() -> None:
    drawn = [draw_features("hotel", seed) for seed in range(10)]
    assert len({str(features) for features in drawn}) > 1
    assert draw_features("hotel", 3) == draw_features("hotel", 3)


def test_numbers_of_a_lexicon_replace_those_of_the_pattern() -> None:
    periods = {draw_features("hotel", seed)["loan"]["period"]["days"] for seed in range(12)}
    assert periods <= {3, 5, 7} and len(periods) > 1


def test_what_a_lexicon_switches_off_stays_off() -> None:
    assert all("lost" not in draw_features("hotel", seed)["loan"] for seed in range(12))


def test_the_clock_is_a_weekday_morning() -> None:
    for seed in range(40):
        moment = datetime.fromisoformat(draw_now(seed))
        assert moment.weekday() < 5 and 9 <= moment.hour <= 11 and moment.year in (2026, 2027)


def test_a_phrase_renames_the_house() -> None:
    work = compose("hotel", seed=0, phrase="mountain refuge")
    assert (work.name, work.title, work.house) == ("mountain-refuge", "Mountain refuge", "Mountain refuge")
    assert compose("hotel", seed=0).house == lexicons()["hotel"]["title"]


def test_tool_names_are_unique_and_stable() -> None:
    one, other = compose("museum", seed=5), compose("museum", seed=5)
    assert one.tools == other.tools
    assert len(set(one.tools.values())) == len(one.tools)


def test_tools_left_out_take_what_mentions_them_along() -> None:
    patterns = {
        "party": {
            "tool": [{"key": "party.find"}, {"key": "party.note", "keep": 0.0}],
            "rule": [
                {"id": "a", "tool": "party.find"},
                {"id": "b", "fix": {"tool": "party.note"}},
                {"id": "c", "sql": "x = '[[tool('party.note')]]'"},
            ],
            "query": [{"key": "party.phone_of"}],
        }
    }
    kept = keep_tools(patterns, "hotel", 1)["party"]
    assert [tool["key"] for tool in kept["tool"]] == ["party.find"]
    assert [rule["id"] for rule in kept["rule"]] == ["a"]
    assert kept["query"] == [{"key": "party.phone_of"}]


def test_features_can_be_set_outright() -> None:
    work = compose("hotel", seed=0, features={"party": {}, "team": {"grades": {"top": 3}}})
    assert set(work.patterns) == {"party", "team"}
    assert "staff.away" in work.tools


def test_a_missing_number_is_reported_with_its_pattern() -> None:
    with pytest.raises(SpecError, match="pattern team"):
        compose("hotel", seed=0, features={"party": {}, "team": {}})
