"""Scoring: one strict extractor, then typed equality or the problem's own check. No eval, no timers, no credit for parts."""

import json
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from envgen.fused.problem import same
from envgen.fused.types import Bool, Enum, Int, List, Rational, Str, Tuple, Type, fraction_text, problem_of

_BLOCK = re.compile(r"<answer>(.*?)</answer>", re.DOTALL)
_INTEGER = re.compile(r"[+-]?\d{1,400}")
_RATIONAL = re.compile(r"([+-]?\d{1,200})(?:\s*/\s*(\d{1,200}))?")
LONGEST = 20_000
NOTHING = object()


@dataclass(frozen=True)
class Score:
    """What a reply is worth: 1.0 or 0.0, and why. metrics are never rewards."""

    reward: float
    why: str = ""
    metrics: Mapping[str, float] = field(default_factory=dict)


def extract(text: str) -> tuple[str | None, str]:
    """Return (the content of the answer block, "") or (None, why). Blocks count after the last `</think>`; two that differ are none."""
    rest = text.rsplit("</think>", 1)[-1]
    blocks = [block.strip() for block in _BLOCK.findall(rest)]
    if not blocks:
        return None, "no answer block"
    if len(set(blocks)) > 1:
        return None, "two answers that differ"
    return (blocks[-1], "") if len(blocks[-1]) <= LONGEST else (None, "the answer is too long")


def parse(text: str, kind: Type) -> Any:
    """Return the value of type `kind` that a text means, `NOTHING` when it means none. Strict JSON, then a few spellings of the type."""
    try:
        value = json.loads(text, parse_float=_no_float, parse_constant=_no_float)
    except (ValueError, RecursionError):
        value = text
    found = normal(value, kind)
    return found if found is not NOTHING and not problem_of(kind, found) else NOTHING


def _no_float(text: str) -> Any:
    raise ValueError(f"{text} is no exact number")


def normal(value: Any, kind: Type) -> Any:
    """Return `value` in the one spelling of its type: "7" and "+7" are 7, "1 2 3" is [1, 2, 3], "6/4" is "3/2". NOTHING if it is none."""
    if isinstance(kind, Int):
        return _integer(value)
    if isinstance(kind, Bool):
        return value if type(value) is bool else {"true": True, "false": False}.get(str(value).strip().lower(), NOTHING)
    if isinstance(kind, Rational):
        return _fraction(value)
    if isinstance(kind, (List, Tuple)):
        return _listed(value, kind)
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str):
        return NOTHING
    text = unicodedata.normalize("NFC", value)
    if isinstance(kind, Enum):
        return next((known for known in kind.values if known.lower() == text.strip().lower()), NOTHING)
    return text if isinstance(kind, Str) else text.strip()


def _integer(value: Any) -> Any:
    if type(value) is int:
        return value
    return int(value.strip()) if isinstance(value, str) and _INTEGER.fullmatch(value.strip()) else NOTHING


def _fraction(value: Any) -> Any:
    match = _RATIONAL.fullmatch(str(value).strip()) if isinstance(value, (str, int)) and not isinstance(value, bool) else None
    if match is None or (match[2] and int(match[2]) == 0):
        return NOTHING
    return fraction_text(Fraction(int(match[1]), int(match[2] or 1)))


def _listed(value: Any, kind: List | Tuple) -> Any:
    if isinstance(value, str):
        value = [part for part in re.split(r"[\s,]+", value.strip().strip("[]()")) if part]
    if not isinstance(value, list) or len(value) > 10_000:
        return NOTHING
    inner = kind.items if isinstance(kind, Tuple) else (kind.item,) * len(value)
    if len(inner) != len(value):
        return NOTHING
    found = [normal(item, each) for item, each in zip(value, inner, strict=True)]
    return NOTHING if any(item is NOTHING for item in found) else found


def score_value(value: Any, gold: Any, kind: Type) -> Score:
    """Score an answer that was submitted as data."""
    found = normal(value, kind)
    if found is NOTHING or problem_of(kind, found):
        return Score(0.0, "not of the type asked for")
    if same(found, gold):
        return Score(1.0)
    return Score(0.0, "wrong", _parts(found, gold))


def _parts(found: Any, gold: Any) -> dict[str, float]:
    if isinstance(found, list) and isinstance(gold, list) and gold:
        right = sum(same(one, other) for one, other in zip(found, gold, strict=False))
        return {"share_right": right / max(len(found), len(gold))}
    return {}


def score(text: str, gold: Any, kind: Type) -> Score:
    """Score a reply: its answer block against the gold answer. Never raises."""
    block, why = extract(text)
    if block is None:
        return Score(0.0, why)
    value = parse(block, kind)
    return Score(0.0, "not of the type asked for") if value is NOTHING else score_value(value, gold, kind)
