"""Scoring: one extractor, typed equality, and nothing that a reply says is ever run."""

import importlib.util
import random
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envgen.core.data import data_path
from envgen.fused.contract import any_value
from envgen.fused.score import extract, score, score_value
from envgen.fused.types import Bool, Enum, Int, List, Rational, Str, Tuple, Type, problem_of
from envgen.fused.typing_json import to_json

KINDS: list[Type] = [
    Int(-100, 100),
    Bool(),
    Rational(),
    List(Int(0, 99), 0, 6),
    Tuple((Int(0, 9), Str("ab", 1, 3))),
    Enum(("one", "two")),
    Str("abc", 1, 6),
    List(List(Int(0, 9), 1, 3), 0, 3),
]


@pytest.fixture(scope="module")
def verifier() -> ModuleType:
    """The stand-alone program."""
    path = data_path("verifiers/answer_match.py")
    spec = importlib.util.spec_from_file_location("answer_match", Path(path))
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("<answer>7</answer>", "7"),
        ("<think><answer>1</answer></think> so <answer> 7 </answer>", "7"),
        ("<answer>7</answer> again <answer>7</answer>", "7"),
        ("<answer>7</answer> or <answer>8</answer>", None),
        ("7", None),
        ("<answer>7", None),
        ("", None),
    ],
)
def test_the_answer_block(text: str, found: str | None) -> None:
    assert extract(text)[0] == found


@pytest.mark.parametrize(
    ("text", "gold", "kind", "reward"),
    [
        ("7", 7, Int(), 1),
        ("+7", 7, Int(), 1),
        ('"7"', 7, Int(), 1),
        ("7.0", 7, Int(), 0),
        ("true", 1, Int(), 0),
        ("1", True, Bool(), 0),
        ("[1, 2]", [1, 2], List(Int()), 1),
        ("1 2", [1, 2], List(Int()), 1),
        ("[1, 2, 3]", [1, 2], List(Int()), 0),
        ("[2, 1]", [1, 2], List(Int()), 0),
        ("6/4", "3/2", Rational(), 1),
        ('"3/2"', "3/2", Rational(), 1),
        ("3", "3/1", Rational(), 1),
        ("3/0", "3/1", Rational(), 0),
        ("TWO", "two", Enum(("one", "two")), 1),
        ("abc", "abc", Str(), 1),
        ('"abc"', "abc", Str(), 1),
        ("ABC", "abc", Str(), 0),
        ("007", "007", Str(), 1),
        ("__import__('os').system('x')", 7, Int(), 0),
        ("[" * 5000, [1], List(Int()), 0),
        ("9" * 5000, 7, Int(), 0),
        ("NaN", 7, Int(), 0),
    ],
)
def test_what_counts(text: str, gold: Any, kind: Type, reward: float) -> None:
    assert score(f"<answer>{text}</answer>", gold, kind).reward == reward


@given(st.sampled_from(KINDS), st.integers(0, 2**32), st.integers(0, 2**32), st.text(max_size=40))
def test_gold_scores_one_and_another_value_none_and_the_verifier_agrees(kind: Type, one: int, other: int, junk: str) -> None:
    gold, wrong = any_value(kind, random.Random(one)), any_value(kind, random.Random(other))
    if problem_of(kind, gold):
        return
    assert score_value(gold, gold, kind).reward == 1.0
    if wrong != gold:
        assert score_value(wrong, gold, kind).reward == 0.0
    assert score(junk, gold, kind).reward in (0.0, 1.0)


@given(kind=st.sampled_from(KINDS), seed=st.integers(0, 2**32), reply=st.one_of(st.text(max_size=30), st.integers(), st.booleans()))
def test_the_stand_alone_verifier_agrees(verifier: ModuleType, kind: Type, seed: int, reply: Any) -> None:
    gold = any_value(kind, random.Random(seed))
    if problem_of(kind, gold):
        return
    row = {"answer": {"value": gold}, "answer_origin": {"type": to_json(kind)}}
    for text in (f"<answer>{reply}</answer>", f"<answer>{gold}</answer>".replace("'", '"'), str(reply)):
        assert verifier.verdict(row, reply=text)["reward"] == score(text, gold, kind).reward, text
