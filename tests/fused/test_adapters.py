"""Adapters: total on what they say they take, typed as they say, and only where entropy is kept."""

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envgen.fused.adapters import ADAPTERS, adapt, adapted_type, adapter_words, is_sink, options
from envgen.fused.contract import any_value
from envgen.fused.types import Bool, Date, Int, List, Rational, Str, Tuple, Type, problem_of, subtype

SOURCES: list[Type] = [
    Int(-500, 10**9),
    Int(0, 40, "count"),
    List(Int(-9, 99), 2, 8),
    Str("abc xyz", 2, 9),
    Rational(),
    Date(),
    Tuple((Int(0, 9), Int(5, 700))),
    List(List(Int(0, 9), 2, 4), 2, 4),
    List(Tuple((Int(0, 9), Int(0, 9))), 1, 5),
    List(Int(0, 7, "id"), 2, 6),
]
PORTS: list[Type] = [
    Int(0, 10**6),
    Int(97, 10**9),
    Int(1, 150),
    Int(0, 8),
    List(Int(-(10**9), 10**9), 0, 200),
    Str("", 0, 400),
    Int(0, 9, "id"),
]


@given(st.sampled_from(SOURCES), st.sampled_from(PORTS), st.integers(0, 2**32))
def test_what_is_offered_fits_the_port_for_every_value(kind: Type, port: Type, seed: int) -> None:
    value = any_value(kind, random.Random(seed))
    if problem_of(kind, value):
        return
    for name, args in options(kind, port):
        given_type = adapted_type(kind, name, args)
        assert given_type is not None
        assert problem_of(port, adapt(value, name, args)) == "", (name, value)


@pytest.mark.parametrize(
    ("name", "value", "args", "found"),
    [
        ("mod", -3, {"modulus": 10, "offset": 5}, 12),
        ("digits", -407, {}, [4, 0, 7]),
        ("length", "abc", {}, 3),
        ("sum", [], {}, 0),
        ("place", [4, 5], {"k": 2}, 5),
        ("weighted", [3, 4], {"modulus": 97}, 11),
        ("row_sums", [[1, 2], [3]], {}, [3, 3]),
        ("codes", "aB", {}, [97, 66]),
        ("text_sum", "ab", {"modulus": 199}, (97 + 2 * 98) % 199),
        ("ranks", [5, 1, 5], {}, [1, 0, 2]),
        ("fraction", "3/7", {"modulus": 101}, (3 * 31 + 7) % 101),
        ("ordinal", "2000-01-31", {"modulus": 97}, 30),
        ("flat", [[1], [2, 3]], {}, [1, 2, 3]),
        ("as_list", [1, 2], {}, [1, 2]),
        ("", 7, {}, 7),
    ],
)
def test_what_each_does(name: str, value: Any, args: dict[str, int], found: Any) -> None:
    assert adapt(value, name, args) == found


def test_every_adapter_has_a_sentence_of_its_own() -> None:
    said = {name: adapter_words(name, {"modulus": 97, "offset": 0, "k": 1}, "A") for name in ADAPTERS}
    assert all(" A" in f" {text}" for text in said.values())
    assert len(set(said.values())) == len(said)


def test_an_id_never_enters_arithmetic() -> None:
    ids = List(Int(0, 7, "id"), 2, 6)
    assert all(name not in ("sum", "weighted", "mod") for name, _ in options(ids, Int(0, 10**6)))
    assert options(Int(0, 7, "id"), Int(0, 10**6)) == []


def test_few_values_are_a_sink() -> None:
    assert is_sink(Bool()) and is_sink(Int(0, 5)) and not is_sink(Int(0, 100))


def test_a_modulus_fills_a_narrow_port_and_is_refused_for_a_tiny_one() -> None:
    assert options(Int(0, 10**9), Int(1, 150)) == [("mod", {"modulus": 150, "offset": 1})]
    assert options(Int(0, 10**9), Int(0, 8)) == []
    assert subtype(Int(0, 149), Int(1, 150)) is False
