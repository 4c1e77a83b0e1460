"""What documents say about a system, as data, and the names under which envgen can carry it."""

import re
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from envgen.core.names import slug
from envgen.core.types import JsonObject
from envgen.database.prompt import RESERVED

DocumentedType = Literal["string", "integer", "boolean", "array", "object", "number"]
LONGEST_NAME = 64
LONGEST_TEXT = 1_000
_TOOL = re.compile(r"[a-z][a-z0-9_]{0,63}", re.ASCII)
_PARAMETER = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}", re.ASCII)
# The engine binds these names itself, so no parameter can have them.
_RESERVED_BINDS = frozenset({"now", "actor", "_given"})
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


@dataclass(frozen=True)
class DocumentedParameter:
    """One parameter. `enum` holds its values as texts; `format` is the document's ("date", "uuid"), empty when there is none."""

    name: str
    type: DocumentedType
    required: bool
    description: str
    enum: tuple[str, ...] = ()
    format: str = ""


@dataclass(frozen=True)
class DocumentedTool:
    """One operation. `name` is a tool name that envgen accepts, `original` the document's own.

    writes: None when the document does not say. source: the file's name within what was read.
    """

    name: str
    original: str
    description: str
    parameters: tuple[DocumentedParameter, ...]
    writes: bool | None
    source: str

    def parameter(self, name: str) -> DocumentedParameter | None:
        """Return the parameter called `name`, None when there is none."""
        return next((parameter for parameter in self.parameters if parameter.name == name), None)


@dataclass(frozen=True)
class Documents:
    """What was read: tools with distinct names, texts as (file name, text), and notes on what was left out or renamed."""

    title: str
    tools: tuple[DocumentedTool, ...] = ()
    texts: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()


@dataclass
class Reading:
    """What one file holds, while documents are put together."""

    title: str = ""
    tools: list[DocumentedTool] = field(default_factory=list)
    text: str = ""
    notes: list[str] = field(default_factory=list)

    def note(self, text: str) -> None:
        """Add a note unless it is there already."""
        if text not in self.notes:
            self.notes.append(text)


def tool_name(original: str) -> str:
    """Return `original` when it is a valid tool name, else the nearest one: snake_case, transliterated, never a reserved name."""
    if _TOOL.fullmatch(original) and original not in RESERVED:
        return original
    name = slug(_HUMP.sub(" ", original).replace("_", " ")).replace("-", "_")
    if name in RESERVED or not name[:1].isalpha():
        name = f"do_{name}"
    return name[:LONGEST_NAME]


def parameter_name(original: str) -> str:
    """Return `original` when SQL can bind it, else the nearest name that it can: "filter[status]" becomes "filter_status"."""
    if _PARAMETER.fullmatch(original) and original not in _RESERVED_BINDS:
        return original
    name = re.sub(r"[^A-Za-z0-9]+", "_", original).strip("_") if original.isascii() else slug(original.replace("_", " ")).replace("-", "_")
    if name in _RESERVED_BINDS or not name[:1].isalpha():
        name = f"p_{name}" if name else "p"
    return name[:LONGEST_NAME].rstrip("_")


def distinct(tools: list[DocumentedTool], reading: Reading) -> list[DocumentedTool]:
    """Return `tools` with distinct names: the same original twice is kept once, others that collide are numbered. Notes say so."""
    first: dict[str, DocumentedTool] = {}
    taken: dict[str, DocumentedTool] = {}
    renamed: dict[str, list[str]] = {}
    for tool in tools:
        if tool.original in first:
            reading.note(f"{string(tool.original, 100)!r} stands in {first[tool.original].source} and in {tool.source}: the first is used")
            continue
        name, number = tool.name, 2
        while name in taken:
            name, number = f"{tool.name[: LONGEST_NAME - 5]}_{number}", number + 1
        if name != tool.original:
            renamed.setdefault(tool.source, []).append(f"{string(tool.original, 100)!r} is {name!r}")
        first[tool.original] = taken[name] = replace(tool, name=name)
    for source, pairs in renamed.items():
        shown = ", ".join(pairs[:3]) + (", …" if len(pairs) > 3 else "")
        reading.note(f"{source}: {len(pairs)} tool name{'s' if len(pairs) > 1 else ''} changed to what envgen accepts: {shown}")
    return list(taken.values())


def mapping(value: Any) -> JsonObject:
    """Return `value` when it is a JSON object, else an empty one: documents are read leniently below their outline."""
    return value if isinstance(value, dict) else {}


def listing(value: Any) -> list[Any]:
    """Return `value` when it is a JSON array, else an empty one."""
    return value if isinstance(value, list) else []


def string(value: Any, longest: int = LONGEST_TEXT) -> str:
    """Return `value` as one line of printable text, cut to `longest` characters; "" when it is no text."""
    if not isinstance(value, str):
        return ""
    line = " ".join("".join(sign if sign.isprintable() else " " for sign in value[: 4 * longest]).split())
    return line if len(line) <= longest else line[: longest - 1].rstrip() + "…"
