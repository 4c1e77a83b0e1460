"""Types: what fits where, what is a value, and narrowing to what was seen."""

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envgen.fused.contract import any_value
from envgen.fused.types import Bool, Date, Enum, Int, List, Rational, Str, Tuple, Type, asked_as, narrowed, problem_of, subtype
from envgen.fused.typing_json import from_json, schema_of, to_json

SMALL = Int(0, 9)
PERM = List(Int(0, 5, "index"), 2, 6, unique=True, tag="perm")

ints = st.builds(lambda low, width: Int(low, low + width), st.integers(-50, 50), st.integers(0, 60))
leaves = st.one_of(ints, st.just(Bool()), st.just(Rational()), st.just(Date()), st.builds(lambda n: Str("abc", 0, n), st.integers(0, 6)))
kinds = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.builds(lambda item, least, more: List(item, least, least + more), inner, st.integers(0, 3), st.integers(0, 3)),
        st.builds(lambda items: Tuple(tuple(items)), st.lists(inner, min_size=1, max_size=3)),
    ),
    max_leaves=4,
)


@pytest.mark.parametrize(
    ("one", "other", "fits"),
    [
        (Int(3, 5), Int(0, 9), True),
        (Int(3, 50), Int(0, 9), False),
        (Int(0, 5, "id"), Int(0, 9), False),
        (Int(0, 5), Int(0, 9, "id"), False),
        (Int(0, 5, "count"), Int(0, 9), True),
        (Int(0, 5, "count"), Int(0, 9, "index"), False),
        (Int(0, 5, "id"), Int(0, 9, "id"), True),
        (List(SMALL, 1, 4), List(Int(-1, 20), 0, 9), True),
        (List(SMALL, 1, 4), List(SMALL, 0, 9, unique=True), False),
        (List(SMALL, 0, 1), List(SMALL, 0, 9, unique=True), True),
        (List(SMALL, 1, 4, unique=True, ordered=True), List(SMALL, 0, 9), True),
        (List(SMALL, 1, 4), List(SMALL, 0, 9, tag="perm"), False),
        (PERM, List(Int(0, 9), 0, 9), True),
        (Tuple((SMALL, SMALL)), List(SMALL, 2, 2), True),
        (Tuple((SMALL, Bool())), List(SMALL, 2, 2), False),
        (Tuple((SMALL, SMALL)), List(SMALL, 2, 2, unique=True), None),
        (Enum(("a", "b")), Str("", 1, 3), True),
        (Str("ab", 1, 3), Str("abc", 0, 9), True),
        (Str("", 1, 3), Str("abc", 0, 9), False),
        (Bool(), SMALL, False),
        (Rational(), Rational(), True),
    ],
)
def test_what_fits_where(one: Type, other: Type, fits: bool | None) -> None:
    assert subtype(one, other) is fits


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (SMALL, True),
        (SMALL, 10),
        (SMALL, 1.0),
        (SMALL, "1"),
        (Bool(), 1),
        (Rational(), "2/4"),
        (Rational(), "1/0"),
        (Rational(), "-0/1"),
        (Date(), "2026-02-30"),
        (Date(), "2026-2-3"),
        (PERM, [0, 2]),
        (PERM, [0, 0]),
        (List(List(SMALL, 0, 9), 0, 9, tag="grid"), [[1], [1, 2]]),
        (List(SMALL, 0, 9, ordered=True), [2, 1]),
        (Str("ab"), "abc"),
        (Str(), "ü"),
        (Str(), "a\nb"),
        (Enum(("a",)), "b"),
        (Tuple((SMALL,)), [1, 2]),
    ],
)
def test_what_is_no_value(kind: Type, value: Any) -> None:
    assert problem_of(kind, value)


@given(kinds, kinds, st.integers(0, 2**32))
def test_every_value_of_a_subtype_is_a_value_of_the_type(one: Type, other: Type, seed: int) -> None:
    value = any_value(one, random.Random(seed))
    if not problem_of(one, value) and subtype(one, other) is True:
        assert problem_of(other, value) == ""


@given(kinds)
def test_a_type_fits_itself_and_survives_json(kind: Type) -> None:
    assert subtype(kind, kind) is True
    assert from_json(to_json(kind)) == kind
    assert asked_as(kind)
    assert schema_of(kind)["type"]


@given(kinds, st.lists(st.integers(0, 2**32), min_size=1, max_size=6))
def test_a_narrowed_type_holds_what_was_seen_and_lies_within_the_declared_one(kind: Type, seeds: list[int]) -> None:
    values = [value for seed in seeds if not problem_of(kind, value := any_value(kind, random.Random(seed)))]
    if values:
        narrow = narrowed(kind, values)
        assert all(problem_of(narrow, value) == "" for value in values)
        assert subtype(narrow, kind) is True
