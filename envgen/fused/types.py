"""Types of values that flow between problems: a decidable core with nominal tags and roles, and a three-valued subtype relation.

Values are JSON: integers, booleans, strings and lists of these. A rational is the text "p/q" in lowest terms ("3/1", "-2/7"), a date
is "YYYY-MM-DD". There are no floats anywhere.

    role    what an integer stands for: `count`, `index`, `id`, `code`, `measure`, or "" for a plain number. An id never enters
            arithmetic without an adapter, so a type with the role `id` fits only a port with that role.
    tag     a nominal shape of a list: `perm`, `graph`, `tree`, `intervals`, `table`, `grid`, `bits`, ...; a tagged type fits an untagged
            port of its structure, never the other way round.
"""

import re
from dataclasses import dataclass, field, replace
from datetime import date
from fractions import Fraction
from itertools import pairwise
from typing import Any

ROLES = ("", "count", "index", "id", "code", "measure")
# A tag fits where one of these is asked for.
TAG_PARENTS: dict[str, tuple[str, ...]] = {"tree": ("graph",), "dag": ("graph",), "bits": ("grid_row",), "perm": ()}
_RATIONAL = re.compile(r"-?(0|[1-9]\d*)/([1-9]\d*)", re.ASCII)
HUGE = 10**18


@dataclass(frozen=True)
class Int:
    """An integer in [low, high]."""

    low: int = -HUGE
    high: int = HUGE
    role: str = ""


@dataclass(frozen=True)
class Bool:
    """True or false."""


@dataclass(frozen=True)
class Str:
    """A text of characters from `alphabet` ("" means any printable ASCII), of `least` to `most` characters."""

    alphabet: str = ""
    least: int = 0
    most: int = 400


@dataclass(frozen=True)
class Enum:
    """One of some texts."""

    values: tuple[str, ...]


@dataclass(frozen=True)
class Rational:
    """A fraction "p/q" in lowest terms, q > 0."""


@dataclass(frozen=True)
class Date:
    """A day, "YYYY-MM-DD"."""


@dataclass(frozen=True)
class List:
    """A list of `least` to `most` items. unique: no two are equal. ordered: ascending. tag: its nominal shape, if it has one."""

    item: "Type"
    least: int = 0
    most: int = 200
    unique: bool = False
    ordered: bool = False
    tag: str = ""


@dataclass(frozen=True)
class Tuple:
    """A list of fixed length with a type for each place; `names` say what the places hold."""

    items: "tuple[Type, ...]"
    names: tuple[str, ...] = field(default=())


Type = Int | Bool | Str | Enum | Rational | Date | List | Tuple


def matrix(item: Type, rows: tuple[int, int], columns: tuple[int, int], tag: str = "grid") -> List:
    """A rectangular list of rows; that rows are equally long is checked by `problem_of`."""
    return List(List(item, *columns), *rows, tag=tag)


def subtype(one: Type, other: Type) -> bool | None:
    """True when every value of `one` is a value of `other`, False when some is not, None when it cannot be told: then they do not fuse."""
    if isinstance(one, Int) and isinstance(other, Int):
        if one.role != other.role and ("id" in (one.role, other.role) or other.role):
            return False
        return other.low <= one.low and one.high <= other.high
    if isinstance(one, Str) and isinstance(other, Str):
        letters = not other.alphabet or (bool(one.alphabet) and set(one.alphabet) <= set(other.alphabet))
        return letters and other.least <= one.least and one.most <= other.most
    if isinstance(one, Enum) and isinstance(other, Enum):
        return set(one.values) <= set(other.values)
    if isinstance(one, Enum) and isinstance(other, Str):
        return all(not problem_of(other, value) for value in one.values)
    if isinstance(one, List) and isinstance(other, List):
        return _lists(one, other)
    if isinstance(one, Tuple) and isinstance(other, Tuple):
        return _all([subtype(a, b) for a, b in zip(one.items, other.items, strict=True)]) if len(one.items) == len(other.items) else False
    if isinstance(one, Tuple) and isinstance(other, List):
        plain = other.least <= len(one.items) <= other.most and not (other.unique or other.ordered or other.tag)
        return _all([subtype(item, other.item) for item in one.items]) if plain else None
    return type(one) is type(other)


def _all(answers: list[bool | None]) -> bool | None:
    return False if False in answers else None if None in answers else True


def _lists(one: List, other: List) -> bool | None:
    if other.tag and other.tag != one.tag and other.tag not in TAG_PARENTS.get(one.tag, ()):
        return False
    if not (other.least <= one.least and one.most <= other.most):
        return False
    # Being free of repeats or in order is a promise of the type: without it some list breaks it, unless it is too short to.
    if (other.unique and not one.unique) or (other.ordered and not one.ordered):
        return one.most < 2
    return subtype(one.item, other.item)


def problem_of(kind: Type, value: Any) -> str:
    """Return why `value` is no value of `kind`, or ""."""
    check = _CHECKS[type(kind)]
    return str(check(kind, value))


def _int(kind: Int, value: Any) -> str:
    if type(value) is not int:
        return "no integer"
    return "" if kind.low <= value <= kind.high else f"{value} is not in {kind.low}..{kind.high}"


def _bool(kind: Bool, value: Any) -> str:
    return "" if type(value) is bool else "neither true nor false"


def _str(kind: Str, value: Any) -> str:
    if not isinstance(value, str) or not value.isascii() or not (value.isprintable() or value == ""):
        return "no printable ASCII text"
    if not kind.least <= len(value) <= kind.most:
        return f"{len(value)} characters, {kind.least} to {kind.most} are allowed"
    return "" if not kind.alphabet or set(value) <= set(kind.alphabet) else "characters outside the alphabet"


def _enum(kind: Enum, value: Any) -> str:
    return "" if isinstance(value, str) and value in kind.values else f"not one of {', '.join(kind.values)}"


def _rational(kind: Rational, value: Any) -> str:
    match = _RATIONAL.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        return 'no fraction "p/q"'
    return "" if fraction_text(Fraction(value)) == value else "not in lowest terms"


def _date(kind: Date, value: Any) -> str:
    try:
        return "" if isinstance(value, str) and date.fromisoformat(value).isoformat() == value else "no date"
    except ValueError:
        return "no date"


def _list(kind: List, value: Any) -> str:
    if not isinstance(value, list):
        return "no list"
    if not kind.least <= len(value) <= kind.most:
        return f"{len(value)} items, {kind.least} to {kind.most} are allowed"
    inner = next((text for item in value if (text := problem_of(kind.item, item))), "")
    if inner:
        return inner
    if kind.unique and any(item in value[:place] for place, item in enumerate(value)):
        return "an item is there twice"
    if kind.ordered and any(later < earlier for earlier, later in pairwise(value)):
        return "not in ascending order"
    if kind.tag == "perm" and sorted(value) != list(range(len(value))):
        return "no permutation of 0..n-1"
    if kind.tag == "grid" and len({len(row) for row in value}) > 1:
        return "rows of different lengths"
    return ""


def _tuple(kind: Tuple, value: Any) -> str:
    if not isinstance(value, list) or len(value) != len(kind.items):
        return f"no list of {len(kind.items)}"
    return next((text for inner, item in zip(kind.items, value, strict=True) if (text := problem_of(inner, item))), "")


_CHECKS: dict[type, Any] = {
    Int: _int, Bool: _bool, Str: _str, Enum: _enum, Rational: _rational, Date: _date, List: _list, Tuple: _tuple,
}  # fmt: skip


def fraction_text(value: Fraction) -> str:
    """Return a fraction as a `Rational` value."""
    return f"{value.numerator}/{value.denominator}"


def narrowed(kind: Type, values: list[Any]) -> Type:
    """Return the narrowest type below `kind` that holds every one of `values` (at least one): bounds and lengths as observed."""
    if isinstance(kind, Int):
        return replace(kind, low=min(values), high=max(values))
    if isinstance(kind, Str):
        sizes = [len(value) for value in values]
        letters = "".join(sorted({letter for value in values for letter in value}))
        return replace(kind, alphabet=letters or kind.alphabet, least=min(sizes), most=max(sizes))
    if isinstance(kind, List):
        sizes = [len(value) for value in values]
        items = [item for value in values for item in value]
        return replace(kind, item=narrowed(kind.item, items) if items else kind.item, least=min(sizes), most=max(sizes))
    if isinstance(kind, Tuple):
        return replace(kind, items=tuple(narrowed(item, [value[place] for value in values]) for place, item in enumerate(kind.items)))
    return kind


def asked_as(kind: Type) -> str:
    """Return how an answer of this type is written, in words: "an integer", "a JSON list of integers"."""
    if isinstance(kind, List):
        return f"a JSON list of {_many(kind.item)}"
    if isinstance(kind, Tuple):
        parts = kind.names or tuple(asked_as(item) for item in kind.items)
        return f"a JSON list [{', '.join(parts)}]"
    return {
        Int: "an integer", Bool: "true or false", Str: "a text in double quotes", Enum: "one of the given words in double quotes",
        Rational: 'a fraction in lowest terms, as a text such as "3/7" (whole numbers as "3/1")', Date: 'a date such as "2026-03-14"',
    }[type(kind)]  # fmt: skip


def _many(kind: Type) -> str:
    if isinstance(kind, List):
        return f"lists of {_many(kind.item)}"
    if isinstance(kind, Tuple):
        return "lists [" + ", ".join(kind.names or tuple(asked_as(item) for item in kind.items)) + "]"
    return {Int: "integers", Bool: "true or false", Str: "texts", Enum: "texts", Rational: 'fractions "p/q"', Date: "dates"}[type(kind)]
