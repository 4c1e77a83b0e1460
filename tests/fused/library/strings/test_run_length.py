"""Run-length coding against looking at one character after the other."""

from collections.abc import Mapping
from typing import Any

from library_checks import check

from envgen.fused.library.strings.run_length import PROBLEM
from envgen.fused.seeds import dice


def independent(values: Mapping[str, Any]) -> str:
    text, coded, start = values["text"], "", 0
    while start < len(text):
        end = start + 1
        while end < len(text) and text[end] == text[start]:
            end += 1
        coded += text[start:end] if end - start < values["least"] else str(end - start) + text[start]
        start = end
    return coded


def test_run_length() -> None:
    check(PROBLEM, independent)


def test_by_hand() -> None:
    assert PROBLEM.solve({"text": "aaabccdddd", "least": 3}) == "3abcc4d"
    assert PROBLEM.solve({"text": "aab", "least": 1}) == "2a1b"
    assert PROBLEM.solve({"text": "1122", "least": 2}) == "2122"
    assert PROBLEM.solve({"text": "x" * 12, "least": 12}) == "12x"
    assert PROBLEM.solve({"text": "x" * 12, "least": 13}) == "x" * 12


def test_any_least_length_finds_a_text() -> None:
    for least in (1, 9, 20):
        values = PROBLEM.sample(dice(least), 3, {"least": least})
        assert values is not None and len(values["text"]) <= 200
