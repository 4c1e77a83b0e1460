"""The small language in which replies say what a parameter takes and how a column is filled (see `wire`)."""

import re
from dataclasses import dataclass, field

from envgen.core.clock import DATE, DATE_TIME, parse_time, shift
from envgen.core.types import JsonObject

_RANGE = re.compile(r"(integer|money|date|moment)\s+(-?\d+)\s*\.\.\s*(-?\d+)(?:\s+step\s+(\d+))?")
_COLUMN = re.compile(r"([a-z]\w*)\.([a-z]\w*)")
_WORDS = re.compile(r"(text|always|mostly|parts)\s+(.+)", re.DOTALL)
_MOMENT = re.compile(r"(now|today)((?:\s*[+-]\s*\d+\s*(?:minute|hour|day|week)s?)*)")
_STEP = re.compile(r"([+-])\s*(\d+)\s*(minute|hour|day|week)s?")
_MINUTES = {"minute": 1, "hour": 60, "day": 1440, "week": 10_080}
MOST, MOST_DAYS, MOST_CHOICES = 2**53, 20_000, 100
EXPECTED = '"table.column", "one of a|b|c", "integer 1..20", "money 100..9000 step 50", "flag", "date -3..30", "moment -3..30", "text POOL"'


@dataclass(frozen=True)
class Takes:
    """A parsed text. kind: column, choice, integer, money, flag, date, moment, text, parts, always, mostly, empty."""

    kind: str
    name: str = ""
    low: int = 0
    high: int = 0
    step: int = 1
    choices: tuple[str, ...] = field(default=())


def parse_takes(text: str) -> Takes:
    """Return what `text` says; ValueError names what is expected."""
    text = text.strip()
    match = _RANGE.fullmatch(text)
    if match:
        low, high, step = int(match[2]), int(match[3]), int(match[4] or 1)
        if (
            low > high
            or step < 1
            or max(abs(low), abs(high)) > MOST
            or (match[1] in ("date", "moment") and max(abs(low), abs(high)) > MOST_DAYS)
        ):
            raise ValueError(f"{text!r}: the range is empty, or too wide")
        return Takes(match[1], low=low, high=high, step=step)
    if text.startswith("one of "):
        choices = tuple(dict.fromkeys(part.strip() for part in text[7:].split("|") if part.strip()))
        if len(choices) > MOST_CHOICES:
            raise ValueError(f"{len(choices)} choices; at most {MOST_CHOICES}")
        if choices:
            return Takes("choice", choices=choices)
    if text in ("flag", "empty"):
        return Takes(text)
    match = _COLUMN.fullmatch(text)
    if match:
        return Takes("column", name=text)
    match = _WORDS.fullmatch(text)
    if match:
        return _worded(match[1], match[2].strip(), text)
    raise ValueError(f"{text!r} is not understood; write {EXPECTED}")


def _worded(kind: str, rest: str, text: str) -> Takes:
    if kind != "parts":
        return Takes(kind, name=rest)
    pool, _, part = rest.rpartition(" ")
    if not pool or not part.isdigit():
        raise ValueError(f'{text!r}: write "parts POOL 0"')
    return Takes(kind, name=pool.strip(), low=int(part))


def parameter_schema(takes: Takes) -> JsonObject:
    """Return the JSON Schema of a parameter that takes this; columns are resolved by the caller. ValueError when only columns may."""
    if takes.kind == "choice":
        return {"type": "string", "enum": list(takes.choices)}
    if takes.kind in ("integer", "money"):
        domain: JsonObject = {"int": [takes.low, takes.high]} | ({"step": takes.step} if takes.step > 1 else {})
        return {"type": "integer", "minimum": takes.low, "maximum": takes.high, "x-domain": domain}
    if takes.kind == "flag":
        return {"type": "integer", "enum": [0, 1]}
    if takes.kind in ("date", "moment"):
        form = "date" if takes.kind == "date" else "date-time"
        return {"type": "string", "format": form, "x-domain": {"days_from_now": [takes.low, takes.high]}}
    if takes.kind == "text":
        return {"type": "string", "minLength": 1, "maxLength": 200, "x-domain": {"text": takes.name}}
    raise ValueError(f"a parameter takes {EXPECTED}, not {takes.kind!r}")


def moment_of(text: str, now: str, *, day: bool) -> str:
    """Return a moment ("now+24 hours") as text, a date when `day`; other texts stay as they are.

    "today" is midnight of the clock's day; for days both words mean the clock's day.
    """
    match = _MOMENT.fullmatch(text.strip().lower())
    if match is None:
        return text
    steps = _STEP.findall(match[2])
    minutes = sum((1 if sign == "+" else -1) * int(number[:9]) * _MINUTES[unit] for sign, number, unit in steps)
    if abs(minutes) > MOST_DAYS * _MINUTES["day"]:
        return text
    start = now if match[1] == "now" else f"{now[:10]} 00:00:00"
    moved = parse_time(shift(start, minutes=minutes))
    return moved.strftime(DATE if day else DATE_TIME)
