"""Lexicons: roles, the nearest for a phrase, and phrases that name nothing."""

import pytest

from envgen.core.errors import SpecError, UsageError
from envgen.database import grammar_lexicon
from envgen.database.grammar import propose
from envgen.database.grammar_lexicon import (
    bind_roles,
    bound_patterns,
    choose_lexicon,
    domain_words,
    lexicons,
    list_domains,
    pattern_names,
    patterns,
)
from envgen.database.grammar_names import Names

ASKED_FOR = {"veterinary-clinic", "public-library", "car-rental", "hotel"}


def test_there_are_at_least_twelve_domains_and_nine_patterns() -> None:
    keys = {info.key for info in list_domains()}
    assert len(keys) >= 12 and keys >= ASKED_FOR
    assert len(patterns()) >= 9


@pytest.mark.parametrize("key", sorted(lexicons()))
def test_a_lexicon_fills_every_role_it_can_be_asked_for(key: str) -> None:
    for seed in range(6):
        bound = bound_patterns(key, seed)
        roles = bind_roles(key, bound, Names())
        assert len({role.t for role in roles.values()}) == len(roles)
        assert 4 <= len(bound) <= 6
    rows = [len(role.get("rows", [])) for role in lexicons()[key]["roles"].values() if role.get("rows")]
    assert rows and min(rows) >= 8


def test_rows_of_a_role_have_the_same_number_of_parts_and_differ() -> None:
    for key, lexicon in lexicons().items():
        for name, role in lexicon["roles"].items():
            rows = role.get("rows", [])
            assert len({row.count("|") for row in rows}) <= 1, (key, name)
            assert len(set(rows)) == len(rows), (key, name)


def test_a_phrase_is_matched_by_key_title_or_alias() -> None:
    assert choose_lexicon("Veterinary  Clinic") == ("veterinary-clinic", True)
    assert choose_lexicon("animal hospital") == ("veterinary-clinic", True)


def test_an_unknown_phrase_takes_the_nearest() -> None:
    assert choose_lexicon("mobile library van") == ("public-library", False)
    assert choose_lexicon("night-shift pharmacy") == ("veterinary-clinic", False)
    assert choose_lexicon("village bakery") == ("food-cooperative", False)
    assert choose_lexicon("yoga studio") == ("climbing-hall", False)


def test_a_lexicon_may_be_forced() -> None:
    assert choose_lexicon("night-shift pharmacy", "hotel") == ("hotel", False)
    with pytest.raises(UsageError, match=r"no lexicon 'moon'.*hotel"):
        choose_lexicon("pharmacy", "moon")


@pytest.mark.parametrize("phrase", ["", " ", "x", "../etc", "a/b", "12345", "a" * 10_000])
def test_a_phrase_that_names_nothing_is_refused_in_words(phrase: str) -> None:
    with pytest.raises(UsageError, match=r"phrase|letters|short|path"):
        choose_lexicon(phrase)


def test_words_of_a_domain() -> None:
    assert domain_words("night-shift pharmacy") == ("night-shift-pharmacy", "Night-shift pharmacy")
    one, other = domain_words("夜間薬局")[0], domain_words("深夜食堂")[0]
    assert one != other and one.isascii()


def test_seeds_draw_groups_of_patterns() -> None:
    drawn = {pattern_names("museum", seed) for seed in range(12)}
    assert len(drawn) > 1
    assert all({"party", "booking"} <= set(names) for names in drawn)


def test_a_pattern_without_its_partner_is_refused() -> None:
    with pytest.raises(SpecError, match="pattern order needs the roles"):
        bound_patterns("museum", 0, ("party", "order"))
    with pytest.raises(SpecError, match="unknown patterns"):
        bound_patterns("museum", 0, ("party", "nothing"))


def test_a_role_without_a_noun_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    bare = {"odd": {"domain": "odd", "patterns": ["party", "loan"], "roles": {"party": {"one": "person"}}}}
    monkeypatch.setattr(grammar_lexicon, "lexicons", lambda: bare)
    with pytest.raises(SpecError, match="role asset has no noun"):
        bind_roles("odd", bound_patterns("odd", 0, ("party", "loan")), Names())


@pytest.mark.parametrize("key", list(lexicons()))
def test_a_small_environment_has_a_few_patterns_that_go_together(key: str) -> None:
    drawn = {pattern_names(key, seed, "small") for seed in range(40)}
    assert len(drawn) > 1
    for names in drawn:
        assert names[0] == "party" and 3 <= len(names) <= 4
        assert set(names) <= set(pattern_names(key))
        assert sum(len(patterns()[name]["table"]) for name in names) in range(6, 9)
        bound_patterns(key, 0, names)
        if "team" in names:
            assert {"case", "approvals"} & set(names)
        if "catalogue" in names:
            assert {"order", "stock"} & set(names)


def test_a_small_environment_has_fewer_tools_than_a_medium_one() -> None:
    small, medium = (propose("hotel", seed=1, size=size).spec for size in ("small", "medium"))  # type: ignore[arg-type]
    assert len(small.tools) < len(medium.tools) - 5 and len(small.tables) < len(medium.tables)
