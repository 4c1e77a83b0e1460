"""Argument checking: a compiled JSON Schema plus what JSON Schema cannot say, then values ready to bind.

Limits that the compiler adds to every schema: integers within ±2**53, strings of at most 2,000 characters that are valid
UTF-8 without NUL, arrays of at most 50 items, no extra names, real calendar dates. Absent optional parameters bind NULL.
"""

import copy
import json
from collections.abc import Callable
from typing import Any

import jsonschema_rs

from envgen.core.clock import is_date, is_date_time
from envgen.core.types import JsonObject

MAX_INTEGER = 2**53
MAX_STRING = 2_000
MAX_ITEMS = 50
MAX_BYTES = 65_536
Binds = dict[str, Any]


class BadArguments(Exception):
    """The arguments do not fit. The text is for the agent."""


def closed_schema(schema: JsonObject) -> JsonObject:
    """Return a copy of `schema` with every limit written in, recursively. `x-` keys stay: they are annotations."""
    closed = copy.deepcopy(schema)
    _close(closed)
    return closed


def _close(schema: JsonObject) -> None:
    kinds = schema.get("type", ())
    kinds = (kinds,) if isinstance(kinds, str) else kinds
    if "integer" in kinds or "number" in kinds:
        schema["minimum"] = max(schema.get("minimum", -MAX_INTEGER), -MAX_INTEGER)
        schema["maximum"] = min(schema.get("maximum", MAX_INTEGER), MAX_INTEGER)
    if "string" in kinds and "enum" not in schema:
        schema["maxLength"] = min(schema.get("maxLength", MAX_STRING), MAX_STRING)
    if "array" in kinds:
        schema["maxItems"] = min(schema.get("maxItems", MAX_ITEMS), MAX_ITEMS)
        schema.setdefault("items", {"type": ["string", "integer"]})
        _close(schema["items"])
    if "object" in kinds:
        schema.setdefault("additionalProperties", False)
        for child in schema.get("properties", {}).values():
            _close(child)


def shown_schema(schema: JsonObject) -> JsonObject:
    """Return `schema` as an agent sees it: without `x-` keys."""
    return {key: shown_schema(value) if isinstance(value, dict) else value for key, value in schema.items() if not key.startswith("x-")}


class Arguments:
    """The compiled parameters of one tool. Call it with the agent's arguments to get binds; raises `BadArguments`."""

    def __init__(self, parameters: JsonObject) -> None:
        self.schema = closed_schema(parameters)
        self._validator = jsonschema_rs.validator_for(self.schema, validate_formats=False)
        properties: dict[str, JsonObject] = self.schema.get("properties", {})
        self._defaults: Binds = {name: child.get("default") for name, child in properties.items()}
        self._strings = [name for name, child in properties.items() if "string" in _types(child) and "enum" not in child]
        self._whole = [name for name, child in properties.items() if "integer" in _types(child)]
        self._nested = [name for name, child in properties.items() if {"array", "object"} & set(_types(child))]
        self._dates: list[tuple[str, Callable[[str], bool], str]] = [
            (name, is_date, "YYYY-MM-DD") if child["format"] == "date" else (name, is_date_time, "YYYY-MM-DD HH:MM:SS")
            for name, child in properties.items()
            if child.get("format") in ("date", "date-time")
        ]
        self.names = tuple(properties)

    def __call__(self, arguments: Any) -> Binds:
        """Return {parameter: value} with defaults filled, JSON text for arrays and objects; BadArguments says what is wrong."""
        try:
            valid = self._validator.is_valid(arguments)
        except (ValueError, TypeError, OverflowError, RecursionError):
            valid = False
        if not valid:
            raise BadArguments(self._explain(arguments))
        binds = {**self._defaults, **arguments}
        for name in self._whole:
            value = binds[name]
            if type(value) is float:
                binds[name] = int(value)
            elif type(value) is int and not -MAX_INTEGER <= value <= MAX_INTEGER:
                # The validator lets integers pass that have more digits than Python prints.
                raise BadArguments(f"{name}: the number is too large.")
        for name in self._strings:
            value = binds[name]
            if type(value) is str and not storable(value):
                raise BadArguments(f"{name}: a text is valid UTF-8 without NUL characters.")
        for name, check, shape in self._dates:
            value = binds[name]
            if value is not None and not check(value):
                raise BadArguments(f"{name}: {clip(repr(value))} is not a date of the form {shape}.")
        if self._nested:
            self._bind_nested(binds)
        return binds

    def _bind_nested(self, binds: Binds) -> None:
        for name in self._nested:
            value = binds[name]
            if isinstance(value, (list, dict)):
                try:
                    text = json.dumps(value, ensure_ascii=False)
                except (ValueError, RecursionError):
                    raise BadArguments(f"{name}: this is not a value that JSON can carry here.") from None
                if len(text) > MAX_BYTES or "\\u0000" in text or not storable(text):
                    raise BadArguments(f"{name}: too large, or a text in it is not valid UTF-8 without NUL characters.")
                binds[name] = text

    def _explain(self, arguments: Any) -> str:
        if not isinstance(arguments, dict):
            return f"Arguments must be a JSON object, not {_kind(arguments)}."
        properties = self.schema.get("properties", {})
        for name in arguments:
            if name not in properties:
                return f"Unknown argument {clip(repr(name))}. The arguments are: {', '.join(properties) or 'none'}."
        for name in self.schema.get("required", ()):
            if name not in arguments:
                return f"Argument {name} is missing."
        return self._first_problem(arguments)

    def _first_problem(self, arguments: JsonObject) -> str:
        for name, value in arguments.items():
            child = self.schema["properties"][name]
            try:
                jsonschema_rs.validate(child, value, validate_formats=False)
            except jsonschema_rs.ValidationError as problem:
                return f"{name}: {clip(problem.message, 200)}"
            except (ValueError, TypeError, OverflowError, RecursionError):
                return f"{name}: this is not a value that JSON and UTF-8 can carry here."
        return "The arguments do not fit the schema."


def _types(schema: JsonObject) -> tuple[str, ...]:
    kinds = schema.get("type", ())
    return (kinds,) if isinstance(kinds, str) else tuple(kinds)


def _kind(value: Any) -> str:
    names = {list: "an array", str: "a string", type(None): "null", bool: "a boolean", int: "a number", float: "a number"}
    return names.get(type(value), "something else")


def storable(text: str) -> bool:
    """True when SQLite can hold `text` and give it back: no NUL, no unpaired surrogate."""
    if "\0" in text:
        return False
    if not text.isascii():
        try:
            text.encode("utf-8")
        except UnicodeEncodeError:
            return False
    return True


def clip(text: str, size: int = 80) -> str:
    """Return `text` cut to `size` characters, safe to show: unpaired surrogates are replaced."""
    text = text.encode("utf-8", "replace").decode()
    return text if len(text) <= size else text[: size - 1] + "…"
