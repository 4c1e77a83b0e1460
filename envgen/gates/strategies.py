"""Calls that explore an environment: arguments that fit their schema, lie on its edges, or do not fit it."""

import random
from typing import Any

from envgen.core.clock import DATE, DATE_TIME, parse_time, shift
from envgen.core.types import JsonObject
from envgen.database.draw import column_values
from envgen.database.runtime import DatabaseEnvironment

TEXTS = (
    "as agreed",
    "new.address@example.org",
    "07700 900999",
    "x",
    "O'Brien; DROP TABLE t; --",
    "日本 ✓ é",
    "a" * 1_500,
    '{"a": 1}',
    "%",
    "_",
    "1",
    "null",
)
WRONG: tuple[Any, ...] = (None, True, 1.5, float("nan"), 10**30, -(10**30), [], {}, [[]], "\ud800", "a\0b", "z" * 100_000)
NOT_DATES = ("now", "2026-02-30", "tomorrow", "2026-01-01T00:00:00", "")
NOT_OBJECTS: tuple[Any, ...] = (None, [], "text", 3, float("nan"), [{}], True)
MOST_VALUES = 60


class Calls:
    """Calls of an environment's tools, each made from one number: (tool, "valid" | "invalid", arguments).

    A valid call may still be refused by a guard. Writes come twice as often, since they make the states in which promises break;
    one call in four is a misfit.
    """

    def __init__(self, environment: DatabaseEnvironment) -> None:
        self._environment = environment
        self._values: dict[int, list[Any]] = {}
        tools = environment.compiled
        self._names = [name for name in sorted(tools) for _ in range(2 if tools[name].writes else 1)]

    def __call__(self, number: int) -> tuple[str, str, Any]:
        """Return the call that `number` stands for."""
        dice = random.Random(number)
        name = dice.choice(self._names)
        schema = self._environment.compiled[name].arguments.schema
        arguments = self._object(schema, dice)
        if dice.random() < 0.25:
            return name, "invalid", dice.choice(misfits(schema, arguments))
        return name, "valid", arguments

    def _object(self, schema: JsonObject, dice: random.Random) -> JsonObject:
        required = schema.get("required", ())
        properties = schema.get("properties", {})
        return {name: self._value(child, dice) for name, child in properties.items() if name in required or dice.random() < 0.5}

    def _value(self, child: JsonObject, dice: random.Random) -> Any:
        if child.get("type") == "array":
            most = min(child.get("maxItems", 3), 3)
            return [self._value(child["items"], dice) for _ in range(dice.randint(min(child.get("minItems", 1), most), most))]
        if child.get("type") == "object":
            return self._object(child, dice)
        if id(child) not in self._values:  # the schemas live as long as the environment
            self._values[id(child)] = fitting(child, self._environment)
        return dice.choice(self._values[id(child)])


def plain_backend() -> JsonObject:
    """Return settings by which hypothesis draws evenly; none when this version of it has no backends to choose from."""
    try:
        from hypothesis.internal.conjecture.providers import AVAILABLE_PROVIDERS, HypothesisProvider
    except ImportError:
        return {}
    if not hasattr(HypothesisProvider, "_maybe_draw_constant"):
        return {}
    AVAILABLE_PROVIDERS["envgen"] = "envgen.gates.provider.PlainProvider"
    return {"backend": "envgen"}


def fitting(child: JsonObject, environment: DatabaseEnvironment) -> list[Any]:
    """Return values that fit a parameter's schema: likely ones and the edges. Never empty."""
    values = column_values(environment.world.execute, child["x-column"])[:MOST_VALUES] if "x-column" in child else []
    return _fitting(child, environment, values)


def edges(child: JsonObject, environment: DatabaseEnvironment) -> list[Any]:
    """Return the values on the edges of a parameter's schema: bounds, odd texts, far dates, each choice. Never empty."""
    return _fitting(child, environment, [])


def _fitting(child: JsonObject, environment: DatabaseEnvironment, values: list[Any]) -> list[Any]:
    if "enum" in child:
        return list(child["enum"])
    kinds = child.get("type", "string")
    kind = kinds if isinstance(kinds, str) else kinds[0]
    if child.get("format") in ("date", "date-time"):
        return values + _moments(child, environment.spec.now)
    if kind == "integer":
        return _integers(child, values)
    if kind == "boolean":
        return [True, False]
    low, high = child.get("minLength", 0), child.get("maxLength", 2_000)
    texts = [text for text in (*values, *TEXTS) if isinstance(text, str) and low <= len(text) <= high]
    return texts or ["a" * low]


def _moments(child: JsonObject, now: str) -> list[Any]:
    low, high = child.get("x-domain", {}).get("days_from_now", (-3, 30))
    days = sorted({low, high, (low + high) // 2, -1, 0, 1, 400, -400})
    form = DATE if child["format"] == "date" else DATE_TIME
    return [parse_time(shift(now, days=day)).strftime(form) for day in days]


def _integers(child: JsonObject, values: list[Any]) -> list[Any]:
    low, high = child["minimum"], child["maximum"]
    domain = child.get("x-domain", {}).get("int", ())
    edges = [low, high, 0, 1, -1, 2, 100, low + 1, high - 1, *domain, *(sum(domain) // 2 for _ in domain[:1])]
    return [*(value for value in values if isinstance(value, int)), *sorted({edge for edge in edges if low <= edge <= high})]


def misfits(schema: JsonObject, arguments: JsonObject) -> list[Any]:
    """Return arguments that do not fit the schema, each by one fault. Never empty."""
    properties = schema.get("properties", {})
    found: list[Any] = [*NOT_OBJECTS, {**arguments, "no_such_argument": 1}]
    found += [{name: value for name, value in arguments.items() if name != lost} for lost in schema.get("required", ())]
    for name, child in properties.items():
        found += [{**arguments, name: value} for value in WRONG if not _may_fit(child, value)]
        if child.get("format") in ("date", "date-time"):
            found += [{**arguments, name: value} for value in NOT_DATES]
        if child.get("type") == "integer":
            found += [{**arguments, name: "7"}, {**arguments, name: child["maximum"] + 1}, {**arguments, name: child["minimum"] - 1}]
    return found


def _may_fit(child: JsonObject, value: Any) -> bool:
    """True when `value` may be right for a parameter after all, so that it is no misfit for certain."""
    kinds = child.get("type", ())
    kinds = (kinds,) if isinstance(kinds, str) else kinds
    names = {type(None): ("null",), bool: ("boolean",), list: ("array",), dict: ("object",), float: ("number",)}
    if type(value) in names:
        return not kinds or names[type(value)][0] in kinds
    return not kinds
