"""Rewriting against trying every position with every rule."""

from collections.abc import Mapping
from typing import Any

from library_checks import check

from envgen.fused.library.strings.string_rewrite import PROBLEM
from envgen.fused.seeds import dice


def step(rules: list[list[str]], text: str) -> str:
    for place in range(len(text)):
        for left, right in rules:
            if text[place:].startswith(left):
                return text[:place] + right + text[place + len(left) :]
    return text


def independent(values: Mapping[str, Any]) -> str:
    text = values["text"]
    for _ in range(values["steps"]):
        text = step(values["rules"], text)
    return str(text)


def test_string_rewrite() -> None:
    check(PROBLEM, independent)


def test_by_hand() -> None:
    assert PROBLEM.solve({"rules": [["ba", "ab"]], "text": "bbaa", "steps": 2}) == "abba"
    assert PROBLEM.solve({"rules": [["ba", "ab"]], "text": "bbaa", "steps": 60}) == "aabb"
    assert PROBLEM.solve({"rules": [["b", "x"], ["bc", "y"]], "text": "abc", "steps": 1}) == "axc"
    assert PROBLEM.solve({"rules": [["bc", "y"], ["b", "x"]], "text": "abc", "steps": 1}) == "ay"
    assert PROBLEM.solve({"rules": [["a", ""]], "text": "aa", "steps": 2}) == ""


def test_most_systems_still_move_at_their_last_step() -> None:
    moving = 0
    for number in range(100):
        values = PROBLEM.sample(dice("rewrite", number), 1, {"steps": 40})
        assert values is not None
        moving += PROBLEM.solve(values) != PROBLEM.solve({**values, "steps": 39})
    assert moving >= 90
