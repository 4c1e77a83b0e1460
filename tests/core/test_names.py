import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envgen.core.errors import UsageError
from envgen.core.names import check_phrase, slug


def test_a_phrase_is_tidied() -> None:
    assert check_phrase("  veterinary \t clinic\n") == "veterinary clinic"
    assert check_phrase("car/van  rental") == "car van rental"


@pytest.mark.parametrize(
    ("phrase", "problem"),
    [
        ("", "empty"),
        (" \n\t ", "empty"),
        ("x", "too short"),
        ("7 7", "too short"),
        ("ab" * 5_000, "10000 characters"),
        ("../../etc/passwd", "looks like a path"),
        ("/etc/passwd", "looks like a path"),
        ("~/data", "looks like a path"),
        ("C:\\Users\\me", "looks like a path"),
        ("shop.sqlite", "looks like a path"),
        ("https://example.org/shop", "looks like a path"),
        ("library\x00clinic", "control characters"),
        ("library\ud800", "control characters"),
    ],
)
def test_what_is_no_phrase(phrase: str, problem: str) -> None:
    with pytest.raises(UsageError, match=problem):
        check_phrase(phrase)


def test_latin_names_are_plain() -> None:
    assert slug("Veterinary Clinic") == "veterinary-clinic"
    assert slug("Café & Bäckerei") == "cafe-backerei"
    assert len(slug("word " * 40)) <= 60


def test_other_scripts_are_transliterated_and_stay_apart() -> None:
    assert re.fullmatch(r"biblioteka-[0-9a-f]{6}", slug("библиотека"))
    assert re.fullmatch(r"nosokomeio-[0-9a-f]{6}", slug("νοσοκομείο"))
    assert re.fullmatch(r"[0-9a-f]{6}", slug("図書館"))
    assert slug("図書館") != slug("病院")


def test_names_that_windows_reserves() -> None:
    assert slug("con") == "con-env"


@given(st.text(min_size=1, max_size=300))
def test_a_slug_is_a_safe_name_and_stable(phrase: str) -> None:
    name = slug(phrase)
    assert re.fullmatch(r"[a-z0-9](-?[a-z0-9])*", name)
    assert len(name) <= 64
    assert slug(phrase) == name
