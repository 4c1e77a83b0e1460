"""Typed answers: equal values are equal however they are written, and nothing else is."""

import re
import unicodedata
from typing import Any

from envgen.core.clock import is_date
from envgen.core.types import Answer

_INTEGER = re.compile(r"0|-?[1-9][0-9]*", re.ASCII)


def _integer(value: Any) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    if isinstance(value, str) and len(value) <= 20 and _INTEGER.fullmatch(value.strip()):
        return int(value.strip())
    return None


def _text(value: Any) -> str | None:
    return unicodedata.normalize("NFC", value.strip()).casefold() if isinstance(value, str) else None


def _date(value: Any) -> str | None:
    return value.strip() if isinstance(value, str) and is_date(value.strip()) else None


def _boolean(value: Any) -> bool | None:
    return value if isinstance(value, bool) else None


def _texts(value: Any) -> list[str] | None:
    """A set written as a list: order and repeats do not count."""
    if not isinstance(value, (list, tuple)):
        return None
    texts = [_text(item) for item in value]
    return None if None in texts else sorted({text for text in texts if text is not None})


_CANONICAL = {"integer": _integer, "text": _text, "date": _date, "boolean": _boolean, "texts": _texts}


def canonical(kind: str, value: Any) -> Any:
    """Return the canonical form of `value` read as an answer of type `kind`, or None when it is not one."""
    return _CANONICAL[kind](value)


def answer_matches(expected: Answer | None, given: Any) -> bool:
    """True when `given` is the expected answer.

    integer: 5, 5.0 and "5", never true. text: NFC, trimmed, case-folded. date: YYYY-MM-DD. boolean: true or false only.
    texts: a list taken as a set of texts. When no answer is expected, none (null) or a text passes, since agents close
    with a remark; any other value claims a result that nobody asked for and fails.
    """
    if expected is None:
        return given is None or isinstance(given, str)
    right = canonical(expected.type, expected.value)
    return right is not None and canonical(expected.type, given) == right
