"""Identifiers, plurals and articles."""

import re

from hypothesis import given
from hypothesis import strategies as st

from envgen.database.grammar_names import KEYWORDS, RESERVED, Names, article, plural, slug


def test_slug_is_ascii_and_starts_with_a_letter() -> None:
    assert slug("Café visit") == "cafe_visit"
    assert slug("9-hole round") == "n9_hole_round"
    assert slug("patient's record") == "patients_record"
    assert slug("夜間") == ""


def test_keywords_and_reserved_names_are_never_given_out() -> None:
    names = Names()
    assert names.take("order", "shop") == "shop_order"
    assert names.take("submit", "party") == "party_submit"


def test_the_same_wish_twice_gets_the_owner_then_a_number() -> None:
    names = Names()
    assert [names.take("booking", "slot") for _ in range(3)] == ["booking", "slot_booking", "slot_booking_2"]


def test_a_stem_may_be_a_keyword_but_its_key_is_unique() -> None:
    names = Names()
    assert names.stem("case", "case") == "case"
    assert names.stem("case", "claim") == "claim_case"


@given(st.lists(st.text(max_size=20), max_size=12))
def test_names_are_always_usable_and_distinct(wishes: list[str]) -> None:
    names = Names()
    given_out = [names.take(wish, "owner") for wish in wishes]
    assert len(set(given_out)) == len(given_out)
    assert all(re.fullmatch(r"[a-z][a-z0-9_]*", name) and name not in KEYWORDS | RESERVED for name in given_out)


def test_plurals_are_formed_at_the_head() -> None:
    assert plural("piece of gear") == "pieces of gear"
    assert plural("depot hand") == "depot hands"
    assert plural("query") == "queries"
    assert plural("camera equipment") == "camera equipment"


def test_articles_follow_the_sound() -> None:
    assert (article("hour"), article("unit"), article("outing")) == ("an", "a", "an")
