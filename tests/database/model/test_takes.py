"""The small language of parameters and columns: everything is read, or refused with what is expected; nothing overflows."""

from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envgen.core.numbers import integer_of
from envgen.database.model.takes import MOST_CHOICES, moment_of, parameter_schema, parse_takes

NOW = "2026-05-12 09:30:00"


@given(st.text() | st.from_regex(r"(integer|money|date|moment|one of|text|parts|always) .*", fullmatch=True))
def test_any_text_is_read_or_refused_in_words(text: str) -> None:
    try:
        takes = parse_takes(text)
    except ValueError as problem:
        assert str(problem)
    else:
        assert takes.kind


@given(st.sampled_from(["integer", "money"]), st.integers(-1000, 1000), st.integers(0, 1000), st.integers(1, 50))
def test_ranges_are_read_as_written(kind: str, low: int, width: int, step: int) -> None:
    schema = parameter_schema(parse_takes(f"{kind} {low}..{low + width} step {step}"))
    assert (schema["minimum"], schema["maximum"]) == (low, low + width)
    assert schema["x-domain"].get("step", 1) == step


@pytest.mark.parametrize(
    "text", ["integer 5..1", "integer 1..2 step 0", "date -90000..1", "parts list", "one of ", "one of | |", "integer"]
)
def test_what_cannot_be_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"is not understood|is empty|write"):
        parse_takes(text)


def test_choices_are_counted() -> None:
    assert len(parse_takes("one of " + "|".join(map(str, range(MOST_CHOICES)))).choices) == MOST_CHOICES
    with pytest.raises(ValueError, match="at most"):
        parse_takes("one of " + "|".join(map(str, range(MOST_CHOICES + 1))))


@given(st.integers(-10_000, 10_000), st.sampled_from([("minute", 1), ("hour", 60), ("day", 1440)]))
def test_moments_move_by_what_is_said(number: int, unit: tuple[str, int]) -> None:
    expected = datetime(2026, 5, 12, 9, 30) + timedelta(minutes=number * unit[1])
    assert moment_of(f"now{number:+d} {unit[0]}s", NOW, day=False) == expected.strftime("%Y-%m-%d %H:%M:%S")


@given(st.text(alphabet="now today+-0123456789 daysweek", max_size=60))
def test_no_text_of_a_moment_raises(text: str) -> None:
    assert isinstance(moment_of(text, NOW, day=True), str)


@given(st.integers(-(10**18) + 1, 10**18 - 1))
def test_integers_are_read_back(number: int) -> None:
    assert integer_of(f" {number} ") == number


@pytest.mark.parametrize("text", ["--5", "²", "", "1.0", "5e3", "٣", "9" * 19])
def test_what_is_no_integer_is_none(text: str) -> None:
    assert integer_of(text) is None
