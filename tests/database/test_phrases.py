"""Values as people write them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envgen.core.clock import parse_time, shift
from envgen.database.phrases import day_name, hour_name, money, number, sentence, tidy, verb

NOW = "2026-06-10 09:00:00"  # a Wednesday


@pytest.mark.parametrize(
    ("day", "said"),
    [
        ("2026-06-10", "today"),
        ("2026-06-11", "tomorrow"),
        ("2026-06-09 23:00:00", "yesterday"),
        ("2026-06-12", "Friday"),
        ("2026-06-16", "Tuesday"),
        ("2026-06-17", "17 June"),
        ("2026-06-05", "5 June"),
        ("2027-01-02", "2 January 2027"),
    ],
)
def test_days_are_said_from_the_clock(day: str, said: str) -> None:
    assert day_name(day, NOW) == said


@given(st.integers(-800, 800))
def test_two_days_never_share_a_name(away: int) -> None:
    names = {day_name(shift(NOW[:10], days=away + step), NOW) for step in range(3)}
    assert len(names) == 3


@given(st.integers(-400, 400))
def test_a_preposition_goes_with_names_of_days_only(away: int) -> None:
    day = shift(NOW[:10], days=away)
    plain, placed = day_name(day, NOW), day_name(day, NOW, preposition=True)
    assert placed == (plain if abs((parse_time(day) - parse_time(NOW[:10])).days) <= 1 else f"on {plain}")


def test_hours_money_and_numbers() -> None:
    assert [hour_name("2026-06-10 14:00:00"), hour_name("2026-06-10 09:30:00")] == ["at 14", "at 9:30"]
    assert [money(1600, "€"), money(1650, "£"), money(5, "€"), money(-250, "€"), money(123456700, "€")] == [
        "€16",
        "£16.50",
        "€0.05",
        "-€2.50",
        "€1,234,567",
    ]
    assert [number(2), number(12), number(13), number(1500)] == ["two", "twelve", "13", "1,500"]


@given(st.integers(0, 10**7))
def test_money_can_be_read_back(cents: int) -> None:
    assert round(float(money(cents, "€")[1:].replace(",", "")) * 100) == cents


def test_verbs_agree() -> None:
    assert [verb("be", who) for who in ("I", "third", "they")] == ["am", "is", "are"]
    assert [verb("want", who) for who in ("I", "third", "they")] == ["want", "wants", "want"]
    assert [verb("verb:needs/need", who) for who in ("I", "third")] == ["need", "needs"]


def test_sentences_begin_large_and_end_once() -> None:
    assert sentence("please do.") == "Please do."
    assert sentence('"x" is it') == '"X" is it.'
    assert sentence("is it?") == "Is it?"


def test_tidy_mends_articles_contractions_and_relative_clauses() -> None:
    assert tidy("a umbrella and a one-off") == "an umbrella and a one-off"
    assert tidy("I am here") == "I'm here"
    assert tidy("the car, which she took\x1f back") == "the car, which she took, back"
    assert tidy("the car, which she took\x1f.") == "the car, which she took."
