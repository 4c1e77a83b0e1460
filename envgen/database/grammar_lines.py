"""The line languages of pattern files: columns, arguments and steps.

columns    NAME KIND [null] [unique] [default VALUE] [check (SQL)] [policy POLICY]
           KIND: key · text · int · date · moment · money · flag · ref:TABLE · enum:a|b|c
arguments  NAME[?] KIND … [= DEFAULT] [; description]
           KIND: ref TABLE.COLUMN · like TABLE.COLUMN · int LO HI · money LO HI STEP · share TABLE.COLUMN [LO HI] ·
           text POOL · date LO HI · enum a|b|c · limit · offset
steps      require SQL -> code: text | forbid SQL -> code: text | bind SQL | new_id NAME=TABLE.COLUMN … | run[ROWS] SQL |

           return one|value|many[MAX] SQL | return object, then lines `part NAME one|value|many[MAX] SQL`
An indented line continues the one before.
"""

import re
from typing import Any

from envgen.core.errors import SpecError
from envgen.core.types import JsonObject

_STEP = re.compile(r"(require|forbid|bind|new_id|run|return|part|gates)(?:\[([^\]]*)\])?\s*(.*)", re.DOTALL)
_SHAPE = re.compile(r"(one|value|many)(?:\[(\d+)\])?\s+(.*)", re.DOTALL)
_FLAGS = re.compile(
    r"\bcheck \((?P<check>.*?)\)\s*(?=$|policy|default|unique|null)|\bdefault (?P<default>\S+)"
    r"|\bpolicy (?P<policy>\w+)|\b(?P<unique>unique)\b|\b(?P<null>null)\b"
)
_FORMATS = {"date": "date", "moment": "date-time", "money": "money", "flag": "flag"}
_PAGE: dict[str, JsonObject] = {
    "limit": {
        "type": "integer", "minimum": 1, "maximum": 50, "default": 20, "x-domain": {"int": [1, 50]},
        "description": "How many rows to return.",
    },
    "offset": {
        "type": "integer", "minimum": 0, "maximum": 100_000, "default": 0, "x-domain": {"int": [0, 60]},
        "description": "How many rows to skip, to read the next page.",
    },
}  # fmt: skip


def joined(text: str) -> list[str]:
    """Return the lines of `text` with indented lines joined to the one before; blank lines and `#` comments are left out."""
    lines: list[str] = []
    for line in text.splitlines():
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if line[0] in " \t" and lines:
            lines[-1] += " " + line.strip()
        else:
            lines.append(line.strip())
    return lines


def parse_column(line: str) -> JsonObject:
    """Return the `Column` fields of one column line."""
    name, kind, rest = [*line.split(None, 2), ""][:3]
    column: JsonObject = {"name": name}
    if kind == "key":
        return column | {"type": "INTEGER", "primary_key": True, "policy": "generated"}
    if kind.startswith("ref:"):
        column |= {"type": "INTEGER", "references": f"{kind[4:]}.id"}
    elif kind.startswith("enum:"):
        column["values"] = tuple(kind[5:].split("|"))
    elif kind in ("int", "money", "flag"):
        column |= {"type": "INTEGER", "format": _FORMATS.get(kind, "plain")}
    elif kind in ("text", "date", "moment"):
        column["format"] = _FORMATS.get(kind, "plain")
    else:
        raise SpecError(f"column {name}", f"unknown kind {kind!r}")
    return column | _flags(rest)


def _flags(rest: str) -> JsonObject:
    found: JsonObject = {}
    for match in _FLAGS.finditer(rest):
        if match["check"]:
            found["check"] = match["check"]
        elif match["default"]:
            found["default"] = int(match["default"]) if match["default"].lstrip("-").isdigit() else match["default"]
        elif match["policy"]:
            found["policy"] = match["policy"]
        elif match["unique"]:
            found["unique"] = True
        elif match["null"]:
            found["not_null"] = False
    return found


def parse_arguments(text: str, described: dict[str, str]) -> JsonObject:
    """Return the JSON Schema of a tool's arguments. `described` has a sentence per "table.column"."""
    properties: JsonObject = {}
    required = []
    for line in joined(text):
        body, _, description = line.partition(" ; ")
        body, _, default = body.partition(" = ")
        name, kind, *rest = body.split()
        optional = name.endswith("?") or bool(default) or kind in _PAGE
        name = name.rstrip("?")
        schema = _argument(name, kind, rest, described)
        if default:
            schema["default"] = int(default) if default.lstrip("-").isdigit() else default.strip()
        if description:
            schema["description"] = description.strip()
        properties[name] = schema
        if not optional:
            required.append(name)
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _argument(name: str, kind: str, rest: list[str], described: dict[str, str]) -> JsonObject:
    if kind in _PAGE:
        return dict(_PAGE[kind])
    if kind == "ref":
        return {"type": "integer", "minimum": 1, "x-column": rest[0], "description": described.get(rest[0], f"Value of {rest[0]}.")}
    if kind == "like":
        said = f"Part of the {name.replace('_', ' ')} to look for."
        return {"type": "string", "minLength": 1, "maxLength": 80, "x-column": rest[0], "description": said}
    if kind == "int":
        low, high = int(rest[0]), int(rest[1])
        return {"type": "integer", "minimum": low, "maximum": high, "x-domain": {"int": [low, high]}}
    if kind == "money":
        low, high, step = map(int, rest)
        return _cents({"int": [low, high], "step": step})
    if kind == "share":
        times = [float(part) for part in rest[1:3]] or [0, 1]
        return _cents({"column": rest[0], "times": times})
    if kind == "text":
        return {"type": "string", "minLength": 1, "maxLength": 200, "x-domain": {"text": rest[0]}}
    if kind == "date":
        days = {"days_from_now": [int(rest[0]), int(rest[1])]}
        return {"type": "string", "format": "date", "x-domain": days, "description": "A day, YYYY-MM-DD."}
    if kind == "enum":
        return {"type": "string", "enum": " ".join(rest).split("|")}
    raise SpecError(f"argument {name}", f"unknown kind {kind!r}")


def _cents(domain: JsonObject) -> JsonObject:
    return {"type": "integer", "minimum": 1, "maximum": 10_000_000, "x-domain": domain, "description": "In cents."}


def parse_steps(text: str, gates: list[JsonObject], where: str) -> list[JsonObject]:
    """Return the steps of a tool; `gates` (steps of linked facts) go in where the line `gates` stands."""
    steps: list[JsonObject] = []
    for line in joined(text):
        match = _STEP.fullmatch(line)
        if match is None:
            raise SpecError(where, f"not a step: {line!r}")
        kind, option, body = match[1], match[2], match[3]
        if kind == "gates":
            steps.extend(gates)
        elif kind == "part":
            name, shape = body.split(None, 1)
            steps[-1]["return"]["object"][name] = _shape(shape, where)
        else:
            steps.append(_step(kind, option, body, where))
    return steps


def _step(kind: str, option: str | None, body: str, where: str) -> JsonObject:
    if kind in ("require", "forbid"):
        return refusal(kind, body, where)
    if kind == "bind":
        return {"bind": {"row": body}}
    if kind == "new_id":
        return {"new_id": dict(pair.split("=", 1) for pair in body.split())}
    if kind == "run":
        return {"run": body, "rows": _rows(option)}
    return {"return": {"object": {}} if body == "object" else _shape(body, where)}


def refusal(kind: str, body: str, where: str) -> JsonObject:
    """Return a require or forbid step from "SQL -> code: text"."""
    sql, arrow, message = body.rpartition(" -> ")
    code, colon, text = message.partition(": ")
    if not arrow or not colon:
        raise SpecError(where, f"a {kind} step ends in `-> code: text`, not {body!r}")
    return {kind: sql.strip(), "else": [code.strip(), text.strip()]}


def _rows(option: str | None) -> Any:
    if option is None:
        return 1
    if "," in option:
        low, high = option.split(",")
        return [int(low), int(high)]
    return int(option) if option.isdigit() else option


def _shape(body: str, where: str) -> JsonObject:
    match = _SHAPE.fullmatch(body)
    if match is None:
        raise SpecError(where, f"not a result: {body!r}")
    shape: JsonObject = {match[1]: match[3]}
    if match[1] == "many":
        shape["max"] = int(match[2] or 50)
    return shape
