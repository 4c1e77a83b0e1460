"""Hypothesis strategies for tool arguments: what fits the schema, what lies on its edges, and what does not fit.

Only choices among given values are drawn: hypothesis mixes constants of loaded modules into its integers and texts, and an
exploration must not depend on what else is imported.
"""

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


def argument_strategies(environment: DatabaseEnvironment) -> list[Any]:
    """Return, per tool, a strategy of (tool, "valid" | "invalid", arguments). A valid call may still be refused by a guard."""
    from hypothesis import strategies as st

    found = []
    for name in sorted(environment.compiled):
        schema = environment.compiled[name].arguments.schema
        fits = _object(schema, environment)
        wrong = fits.flatmap(lambda arguments, schema=schema: st.sampled_from(misfits(schema, arguments)))
        kinds = [st.tuples(st.just(name), st.just("valid"), fits)] * 3
        # Writes make the states in which promises break.
        found += [st.one_of(*kinds, st.tuples(st.just(name), st.just("invalid"), wrong))] * (2 if environment.compiled[name].writes else 1)
    return found


def _object(schema: JsonObject, environment: DatabaseEnvironment) -> Any:
    from hypothesis import strategies as st

    properties = schema.get("properties", {})
    required = set(schema.get("required", ()))
    strategies = {name: _value(child, environment) for name, child in properties.items()}
    return st.fixed_dictionaries(
        {name: strategy for name, strategy in strategies.items() if name in required},
        optional={name: strategy for name, strategy in strategies.items() if name not in required},
    )


def _value(child: JsonObject, environment: DatabaseEnvironment) -> Any:
    from hypothesis import strategies as st

    if child.get("type") == "array":
        most = min(child.get("maxItems", 3), 3)
        return st.lists(_value(child["items"], environment), min_size=min(child.get("minItems", 1), most), max_size=most)
    if child.get("type") == "object":
        return _object(child, environment)
    return st.sampled_from(fitting(child, environment))


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
