"""Whether a proposed environment kept what its documents say: names of tools, names and types of parameters."""

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from envgen.core.types import JsonObject
from envgen.database.documents_types import DocumentedParameter, DocumentedTool, Documents
from envgen.database.spec import Tool

_LIKE = 0.7
# Worlds hold no fractions: an amount is whole cents, so a documented number may become an integer.
_INSTEAD = {"number": {"number", "integer"}}
_NAMES = {str: "string", bool: "boolean", int: "integer", float: "number", list: "array", dict: "object"}


def kept(documents: Documents, tools: Sequence[Tool]) -> list[str]:
    """Return what `tools` did not keep of `documents`, one sentence each, worded for the model that has to repair it.

    Documented tools that are missing; parameters that were renamed, dropped or made of another type. A documented number may be
    an integer; a documented object may be split into parameters whose names begin with its own. Tools and parameters that the
    documents do not have are fine.
    """
    present = {tool.name: tool for tool in tools}
    documented = {tool.name for tool in documents.tools}
    spare = [tool.name for tool in tools if tool.name not in documented]
    problems: list[str] = []
    for tool in documents.tools:
        if tool.name in present:
            problems += _parameter_problems(tool, present[tool.name].parameters)
        else:
            problems.append(_missing(tool, spare))
    return problems


def _missing(tool: DocumentedTool, spare: Sequence[str]) -> str:
    like = _nearest(tool.name, spare)
    renamed = f" ('{like}' looks like it under another name)" if like else ""
    own = f", there {tool.original!r}" if tool.original != tool.name else ""
    return f"the documents describe the tool '{tool.name}' ({tool.source}{own}), which is missing{renamed}: add it under this name"


def _parameter_problems(tool: DocumentedTool, parameters: JsonObject) -> Iterator[str]:
    properties: JsonObject = parameters.get("properties", {})
    documented = {parameter.name for parameter in tool.parameters}
    spare = [name for name in properties if name not in documented]
    for parameter in tool.parameters:
        where = f"tool '{tool.name}', parameter '{parameter.name}'"
        if parameter.name in properties:
            found = _types(properties[parameter.name])
            if parameter.type != "object" and not found & _INSTEAD.get(parameter.type, {parameter.type}):
                yield f"{where}: the documents give it the type {parameter.type}, here it is {' or '.join(sorted(found)) or 'of no type'}"
        elif not (parameter.type == "object" and any(name.startswith(f"{parameter.name}_") for name in properties)):
            yield f"{where}: {_lost(parameter, spare)}"


def _lost(parameter: DocumentedParameter, spare: Sequence[str]) -> str:
    like = _nearest(parameter.name, spare)
    if like:
        return f"it was renamed to '{like}': keep the documents' name"
    return f"the documents have it ({parameter.type}{', required' if parameter.required else ''}), here it was dropped: add it"


def _types(child: JsonObject) -> set[str]:
    said = child.get("type")
    if isinstance(said, str):
        return {said}
    if isinstance(said, list):
        return {name for name in said if name != "null"}
    return {_NAMES.get(type(value), "string") for value in child.get("enum", ())}


def _nearest(name: str, others: Sequence[str]) -> str | None:
    """The name most like `name`: by its words whatever their order, or by its letters; None when none is like it."""
    best, likeness = None, _LIKE
    for other in others:
        found = max(_words_alike(name, other), SequenceMatcher(None, _plain(name), _plain(other)).ratio())
        if found >= likeness and (best is None or found > likeness):
            best, likeness = other, found
    return best


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _words_alike(one: str, other: str) -> float:
    first, second = (set(re.findall(r"[a-z0-9]+", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower())) for name in (one, other))
    return len(first & second) / max(1, len(first | second))
