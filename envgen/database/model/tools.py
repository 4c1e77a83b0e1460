"""The replies of the stage `tools`: turned into tools, with what keeps one from being a tool in words for its author."""

import re
from collections.abc import Mapping, Sequence

from pydantic import ValidationError

from envgen.core.numbers import integer_of
from envgen.core.types import JsonObject
from envgen.database.arguments import MAX_STRING
from envgen.database.model.takes import parameter_schema, parse_takes
from envgen.database.model.wire import (
    BindStep,
    ForbidStep,
    NewIdStep,
    Part,
    RequireStep,
    RunStep,
    Scalar,
    WireParameter,
    WireStep,
    WireTool,
)
from envgen.database.spec import Column, Table, Tool

PAGE, MOST_PAGE = 20, 50
MOST_STEPS, MOST_PARAMETERS = 24, 16
PAGED: dict[str, JsonObject] = {
    "limit": {
        "type": "integer", "minimum": 1, "maximum": MOST_PAGE, "default": PAGE, "x-domain": {"int": [1, MOST_PAGE]},
        "description": "How many rows to return.",
    },
    "offset": {
        "type": "integer", "minimum": 0, "maximum": 100_000, "default": 0, "x-domain": {"int": [0, 60]},
        "description": "How many rows to skip, to read the next page.",
    },
}  # fmt: skip
_CODE = re.compile(r"[a-z][a-z0-9_]{1,48}", re.ASCII)
_BIND = re.compile(r"[a-z]\w*", re.ASCII)
_ROWS = re.compile(r"(\d{1,4})(?:\s*\.\.\s*(\d{1,4}))?")


class Malformed(ValueError):
    """A reply that cannot be turned into a tool; the text is for its author."""


def tool_of(wire: WireTool, tables: Sequence[Table]) -> Tool:
    """Return the tool; Malformed says what is wrong with it. SQL is not looked at here."""
    if not wire.steps or len(wire.steps) > MOST_STEPS or len(wire.parameters) > MOST_PARAMETERS:
        raise Malformed(f"a tool has 1 to {MOST_STEPS} steps and at most {MOST_PARAMETERS} parameters")
    properties = {parameter.name: _parameter(parameter, tables) for parameter in wire.parameters}
    if wire.paged:
        properties = {**{name: child for name, child in properties.items() if name not in PAGED}, **PAGED}
    required = [item.name for item in wire.parameters if item.required and item.default is None and item.name not in PAGED]
    try:
        return Tool(
            name=wire.name, key=wire.name, description=wire.about,
            parameters={"type": "object", "properties": properties, "required": required, "additionalProperties": False},
            steps=tuple(_step(step, wire.paged, tables) for step in wire.steps),
        )  # fmt: skip
    except ValidationError as problem:
        raise Malformed(str(problem.errors()[0]["msg"])) from problem


def _parameter(parameter: WireParameter, tables: Sequence[Table]) -> JsonObject:
    where = f"parameter {parameter.name}"
    if not _BIND.fullmatch(parameter.name) or parameter.name in ("now", "actor"):
        raise Malformed(f"{where}: the name must be lower-case letters, digits and underscores, and not now or actor")
    try:
        takes = parse_takes(parameter.takes)
        schema = _of_column(takes.name, tables) if takes.kind == "column" else parameter_schema(takes)
    except ValueError as problem:
        raise Malformed(f"{where}: {problem}") from problem
    if parameter.default is not None:
        schema["default"] = _default(parameter.default, schema, where)
    about = parameter.about.strip()
    if takes.kind == "money" and "cent" not in about.lower():
        about = f"{about.rstrip('.')}. In cents." if about else "In cents."
    return {**schema, "description": about} if about else schema


def _of_column(name: str, tables: Sequence[Table]) -> JsonObject:
    column = column_of(name, tables)
    if column is None:
        raise ValueError(f"there is no column {name}")
    if column.values:
        return {"type": "string", "enum": list(column.values), "x-of": name}
    if column.type == "INTEGER":
        return {"type": "integer", "minimum": 1 if column.primary_key or column.references else 0, "x-column": column.references or name}
    form: Mapping[str, str] = {"date": "date", "date-time": "date-time"}
    limits = {"format": form[column.format]} if column.format in form else {"minLength": 1, "maxLength": min(200, MAX_STRING)}
    return {"type": "string", **limits, "x-column": name}


def column_of(name: str, tables: Sequence[Table]) -> Column | None:
    """Return the column "table.column", or None."""
    table, _, column = name.partition(".")
    return next((item for found in tables if found.name == table for item in found.columns if item.name == column), None)


def _default(value: Scalar, schema: JsonObject, where: str) -> Scalar:
    if schema["type"] == "integer":
        if isinstance(value, str):
            value = integer_of(value)
        if not isinstance(value, int) or value not in schema.get("enum", [value]):
            raise Malformed(f"{where}: the default {value!r} is not an integer that it takes")
    elif str(value) not in schema.get("enum", [str(value)]):
        raise Malformed(f"{where}: the default {value!r} is not one of {', '.join(schema['enum'])}")
    return value if schema["type"] == "integer" else str(value)


def _step(step: WireStep, paged: bool, tables: Sequence[Table]) -> JsonObject:
    if isinstance(step, RequireStep):
        return {"require": sql_text(step.require), "else": _otherwise(step.code, step.message)}
    if isinstance(step, ForbidStep):
        return {"forbid": sql_text(step.forbid), "else": _otherwise(step.code, step.message)}
    if isinstance(step, BindStep):
        return {"bind": {"row": sql_text(step.bind)}}
    if isinstance(step, NewIdStep):
        return _new_id(step, tables)
    if isinstance(step, RunStep):
        return {"run": sql_text(step.run), "rows": _rows(step.rows)}
    parts = {part.name or "result": _part(part, paged) for part in step.returns}
    if len(parts) != len(step.returns) or not parts:
        raise Malformed("the parts of a result need names of their own")
    single = len(step.returns) == 1 and not step.returns[0].name
    return {"return": next(iter(parts.values())) if single else {"object": parts}}


def _new_id(step: NewIdStep, tables: Sequence[Table]) -> JsonObject:
    name, table = step.new_id.strip().lstrip(":"), step.table.strip().split(".")[0]
    if not _BIND.fullmatch(name) or name in ("now", "actor"):
        raise Malformed(f"new_id {step.new_id!r}: the name must be lower-case letters, digits and underscores, and not now or actor")
    if table not in [other.name for other in tables]:
        raise Malformed(f"new_id {name}: there is no table {step.table}")
    return {"new_id": {name: f"{table}.id"}}


def _part(part: Part, paged: bool) -> JsonObject:
    return {part.shape: sql_text(part.sql)} | ({"max": MOST_PAGE if paged else 200} if part.shape == "many" else {})


def _otherwise(code: str, message: str) -> tuple[str, str]:
    if not _CODE.fullmatch(code):
        raise Malformed(f"the code {code!r} must be lower-case words joined by underscores")
    return code, " ".join(message.split())[:300]


def _rows(text: str) -> int | tuple[int, int] | str:
    text = text.strip().lstrip(":")
    match = _ROWS.fullmatch(text)
    if match:
        return (int(match[1]), int(match[2])) if match[2] else int(match[1])
    if not _BIND.fullmatch(text):
        raise Malformed(f'rows {text!r}: write "1", "0..1" or the name of a bound value')
    return text


def sql_text(sql: str) -> str:
    """Return SQL on one line, without closing semicolons. Line breaks inside literals are kept."""
    text = re.sub(r"[;\s]+\Z", "", sql).strip()
    return " ".join(text.split()) if "'" not in text and "--" not in text else text
