"""Adapters: total, documented functions that fit one problem's answer to another's port. At most one per edge, each with its own sentence.

An adapter that leaves less than `min(entropy before, 5 bits)` over the observed answers is refused when an edge is audited.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from fractions import Fraction
from typing import Any

from envgen.fused.types import Bool, Date, Enum, Int, List, Rational, Str, Tuple, Type, subtype

Arguments = Mapping[str, int]
# Below this modulus too few values are left to tell answers apart.
LEAST_MODULUS, MOST_DIGITS = 11, 40


@dataclass(frozen=True)
class Adapter:
    """One adapter. fits: the type of its result for an input type, None when it cannot take it. words: a noun phrase with {x}."""

    name: str
    fits: Callable[[Type, Arguments], Type | None]
    apply: Callable[[Any, Arguments], Any]
    words: str


def _mod_type(kind: Type, args: Arguments) -> Type | None:
    if not isinstance(kind, Int) or kind.role == "id":
        return None
    return Int(args["offset"], args["offset"] + args["modulus"] - 1)


def _digits_type(kind: Type, args: Arguments) -> Type | None:
    if not isinstance(kind, Int) or kind.role == "id":
        return None
    sizes = len(str(max(abs(kind.low), abs(kind.high))))
    least = 1 if kind.low <= 0 else len(str(kind.low))
    return List(Int(0, 9), least, sizes) if sizes <= MOST_DIGITS else None


def _length_type(kind: Type, args: Arguments) -> Type | None:
    if isinstance(kind, List):
        return Int(kind.least, kind.most, "count")
    return Int(kind.least, kind.most, "count") if isinstance(kind, Str) else None


def _sum_type(kind: Type, args: Arguments) -> Type | None:
    if not isinstance(kind, List) or not isinstance(kind.item, Int) or kind.item.role == "id":
        return None
    ends = [size * bound for size in (kind.least, kind.most) for bound in (kind.item.low, kind.item.high)]
    return Int(min(ends), max(ends))


def _place_type(kind: Type, args: Arguments) -> Type | None:
    """The k-th part of a tuple, whose parts are what it is."""
    if isinstance(kind, Tuple) and 1 <= args["k"] <= len(kind.items):
        return kind.items[args["k"] - 1]
    if isinstance(kind, List) and 1 <= args["k"] <= kind.least:
        return kind.item
    return None


def _weighted_type(kind: Type, args: Arguments) -> Type | None:
    if not isinstance(kind, List) or not isinstance(kind.item, Int) or kind.item.role == "id" or kind.least < 1:
        return None
    return Int(0, args["modulus"] - 1)


def _rows_type(kind: Type, args: Arguments) -> Type | None:
    if not isinstance(kind, List) or not isinstance(kind.item, List) or not isinstance(kind.item.item, Int) or kind.item.item.role == "id":
        return None
    inner = _sum_type(kind.item, args)
    return List(inner, kind.least, kind.most) if inner is not None else None


def _codes_type(kind: Type, args: Arguments) -> Type | None:
    if not isinstance(kind, Str):
        return None
    codes = [ord(letter) for letter in kind.alphabet] or [32, 126]
    return List(Int(min(codes), max(codes), "code"), kind.least, kind.most)


def _text_sum(value: Any, args: Arguments) -> int:
    return sum(place * ord(letter) for place, letter in enumerate(value, 1)) % args["modulus"]


def _text_sum_type(kind: Type, args: Arguments) -> Type | None:
    return Int(0, args["modulus"] - 1) if isinstance(kind, Str) and kind.most > 1 else None


def _ranks(value: Any, args: Arguments) -> list[int]:
    order = sorted(range(len(value)), key=lambda place: (value[place], place))
    ranks = [0] * len(value)
    for rank, place in enumerate(order):
        ranks[place] = rank
    return ranks


def _ranks_type(kind: Type, args: Arguments) -> Type | None:
    if not isinstance(kind, List) or not isinstance(kind.item, Int) or kind.least < 2:
        return None
    return List(Int(0, kind.most - 1, "index"), kind.least, kind.most, unique=True, tag="perm")


def _fraction_type(kind: Type, args: Arguments) -> Type | None:
    return Int(0, args["modulus"] - 1) if isinstance(kind, Rational) else None


def _ordinal_type(kind: Type, args: Arguments) -> Type | None:
    return Int(0, args["modulus"] - 1) if isinstance(kind, Date) else None


def _flat_type(kind: Type, args: Arguments) -> Type | None:
    if not isinstance(kind, List) or not isinstance(kind.item, (List, Tuple)):
        return None
    inner = kind.item
    if isinstance(inner, Tuple):
        if not all(isinstance(item, Int) and item.role != "id" for item in inner.items):
            return None
        whole = [item for item in inner.items if isinstance(item, Int)]
        size = len(whole)
        return List(Int(min(i.low for i in whole), max(i.high for i in whole)), kind.least * size, kind.most * size)
    if not isinstance(inner.item, Int) or inner.item.role == "id" or kind.most * inner.most > 400:
        return None
    return List(replace(inner.item, role=""), kind.least * inner.least, kind.most * inner.most)


def _tuple_list_type(kind: Type, args: Arguments) -> Type | None:
    if not isinstance(kind, Tuple) or not all(isinstance(item, Int) and item.role != "id" for item in kind.items):
        return None
    whole = [item for item in kind.items if isinstance(item, Int)]
    return List(Int(min(i.low for i in whole), max(i.high for i in whole)), len(whole), len(whole))


def _digits(value: int, args: Arguments) -> list[int]:
    return [int(digit) for digit in str(abs(value))]


def _weighted(value: list[int], args: Arguments) -> int:
    return sum(place * item for place, item in enumerate(value, 1)) % args["modulus"]


def _fraction(value: str, args: Arguments) -> int:
    found = Fraction(value)
    return (found.numerator * 31 + found.denominator) % args["modulus"]


def _ordinal(value: str, args: Arguments) -> int:
    return (date.fromisoformat(value).toordinal() - date(2000, 1, 1).toordinal()) % args["modulus"]


# name, type of the result, function, noun phrase
_TABLE: tuple[tuple[str, Callable[[Type, Arguments], Type | None], Callable[[Any, Arguments], Any], str], ...] = (
    ("mod", _mod_type, lambda x, a: x % a["modulus"] + a["offset"], "{offset} plus the non-negative remainder of {x} modulo {modulus}"),
    ("digits", _digits_type, _digits, "the list of the decimal digits of {x}, the leading one first, without a sign"),
    ("length", _length_type, lambda x, a: len(x), "the length of {x}"),
    ("sum", _sum_type, lambda x, a: sum(x), "the sum of the entries of {x} (0 when it is empty)"),
    ("place", _place_type, lambda x, a: x[a["k"] - 1], "entry number {k} of {x}, counting from 1"),
    ("weighted", _weighted_type, _weighted, "the sum of each entry of {x} times its position (from 1), modulo {modulus}"),
    ("row_sums", _rows_type, lambda x, a: [sum(row) for row in x], "the list of the row sums of {x}, from the top"),
    ("codes", _codes_type, lambda x, a: [ord(letter) for letter in x], "the list of the ASCII codes of the characters of {x}"),
    ("text_sum", _text_sum_type, _text_sum, "the sum over the characters of {x} of ASCII code times position (from 1), modulo {modulus}"),
    ("ranks", _ranks_type, _ranks, "the list of the ranks (from 0, ascending, equal entries from left to right) of the entries of {x}"),
    ("fraction", _fraction_type, _fraction, "31 times the numerator plus the denominator of {x} in lowest terms, modulo {modulus}"),
    ("ordinal", _ordinal_type, _ordinal, "the number of days from 2000-01-01 to {x}, modulo {modulus}"),
    ("flat", _flat_type, lambda x, a: [item for row in x for item in row], "the entries of {x}, one row after the other, as one list"),
    ("as_list", _tuple_list_type, lambda x, a: list(x), "the entries of {x} as one list"),
)
ADAPTERS: dict[str, Adapter] = {row[0]: Adapter(*row) for row in _TABLE}
PRIMES = (97, 101, 103, 107, 109, 113, 127, 131, 137, 139, 149, 151, 157, 163, 167, 173, 179, 181, 191, 193, 197, 199)


def options(one: Type, port: Type) -> list[tuple[str, dict[str, int]]]:
    """Return the ways to feed an answer of type `one` into `port`: ("", {}) when it fits as it is, else adapters with their arguments.

    A modulus is chosen to fill the port's range where that has a width of its own, else 97 and upwards.
    """
    if subtype(one, port) is True:
        return [("", {})]
    found = []
    for name, adapter in ADAPTERS.items():
        for args in _arguments(name, one, port):
            kind = adapter.fits(one, args)
            if kind is not None and subtype(_plain(kind), port) is True:
                found.append((name, dict(args)))
                break
    return found


def _plain(kind: Type) -> Type:
    """What an adapter computes is a plain number: it takes the role that a port asks for, but never that of an id."""
    return replace(kind, role="") if isinstance(kind, Int) else kind


def _arguments(name: str, one: Type, port: Type) -> list[dict[str, int]]:
    if name == "mod":
        if not isinstance(port, Int) or port.role == "id":
            return []
        width = port.high - port.low + 1
        modulus = min(width, PRIMES[-1]) if width < PRIMES[-1] else PRIMES[(width * 7 + len(PRIMES)) % len(PRIMES)]
        return (
            [{"modulus": modulus, "offset": max(port.low, 0 if port.low <= 0 <= port.high else port.low)}]
            if modulus >= LEAST_MODULUS
            else []
        )
    if name in ("weighted", "text_sum", "fraction", "ordinal"):
        if not isinstance(port, Int):
            return []
        fitting = [prime for prime in PRIMES if prime - 1 <= port.high]
        return [{"modulus": fitting[-1]}] if fitting and port.low <= 0 else []
    if name == "place":
        count = len(one.items) if isinstance(one, Tuple) else 2
        return [{"k": place} for place in range(1, count + 1)]
    return [{}]


def adapt(value: Any, name: str, args: Arguments) -> Any:
    """Return `value` adapted; "" leaves it as it is."""
    return ADAPTERS[name].apply(value, args) if name else value


def adapted_type(kind: Type, name: str, args: Arguments) -> Type | None:
    """Return the type of an adapted value, None when the adapter cannot take it."""
    return ADAPTERS[name].fits(kind, args) if name else kind


def adapter_words(name: str, args: Arguments, shown: str) -> str:
    """Return the noun phrase for an adapted value that is shown as `shown`."""
    return ADAPTERS[name].words.format(x=shown, **args) if name else shown


SINKS = (Bool, Enum)


def is_sink(kind: Type) -> bool:
    """True for types with too few values to be an answer of their own or to feed another problem."""
    return isinstance(kind, SINKS) or (isinstance(kind, Int) and kind.high - kind.low < 8)
