"""Typed answers."""

from typing import Any

import pytest

from envgen.core.types import Answer
from envgen.verify.answer import answer_matches


@pytest.mark.parametrize(
    ("kind", "value", "given"),
    [
        ("integer", 5, 5), ("integer", 5, 5.0), ("integer", 5, "5"), ("integer", -12, " -12 "), ("integer", 0, "0"),
        ("text", "Café Noir", "CAFE\u0301 noir "), ("date", "2026-03-01", "2026-03-01"), ("boolean", True, True),
        ("texts", ["A", "b"], ["B", "a", "a"]), ("texts", [], []),
    ],
)  # fmt: skip
def test_equal_answers(kind: Any, value: Any, given: Any) -> None:
    assert answer_matches(Answer(type=kind, value=value), given)


@pytest.mark.parametrize(
    ("kind", "value", "given"),
    [
        ("integer", 1, True), ("integer", 5, 5.5), ("integer", 5, "5.0"), ("integer", 5, "05"), ("integer", 5, "five"),
        ("integer", 5, None), ("integer", 5, float("nan")), ("integer", 5, "9" * 5000), ("integer", 5, {"value": 5}),
        ("text", "x", 1), ("text", "x", ""), ("date", "2026-02-28", "2026-02-30"), ("date", "2026-03-01", "1 March 2026"),
        ("boolean", True, 1), ("boolean", True, "true"), ("texts", ["a"], "a"), ("texts", ["a"], ["a", "b"]),
        ("texts", ["a"], [1]),
    ],
)  # fmt: skip
def test_other_answers(kind: Any, value: Any, given: Any) -> None:
    assert not answer_matches(Answer(type=kind, value=value), given)


@pytest.mark.parametrize(("given", "passes"), [(None, True), ("", True), ("All done.", True), (0, False), (False, False), ([], False)])
def test_without_an_expected_answer_only_a_remark_passes(given: Any, passes: bool) -> None:
    assert answer_matches(None, given) is passes
