"""Tool lists: what an MCP server answers to `tools/list`, and lists of OpenAI or Anthropic functions."""

from typing import Any

from envgen.core.errors import UsageError
from envgen.core.types import JsonObject
from envgen.database.documents_schema import Schemas
from envgen.database.documents_types import DocumentedTool, Reading, mapping, string, tool_name

MAX_TOOLS = 1_000
_SCHEMAS = ("inputSchema", "input_schema", "parameters")


def tool_entries(data: Any) -> list[Any] | None:
    """Return the entries of a tool list: the list itself, or that under "tools", "functions" or "result"; None when it is none."""
    if isinstance(data, dict):
        for key in ("tools", "functions"):
            if isinstance(data.get(key), list):
                return list(data[key])
        return tool_entries(data["result"]) if isinstance(data.get("result"), dict) and "result" not in data["result"] else None
    if isinstance(data, list) and data and all(isinstance(_function(entry).get("name"), str) for entry in data):
        return data
    return None


def read_tool_list(data: Any, entries: list[Any], name: str) -> Reading:
    """Return the tools of a list in the file `name`. UsageError: an empty list, or an entry without a name (it says which)."""
    if not entries:
        raise UsageError(f"{name}: the tool list is empty: an entry has a name, a description and an inputSchema")
    about = mapping(data)
    reading = Reading(title=string(about.get("title") or about.get("name"), 100), text=string(about.get("instructions"), 4_000))
    if len(entries) > MAX_TOOLS:
        reading.note(f"{name}: the first {MAX_TOOLS} tools are used, the others left out")
    for number, entry in enumerate(entries[:MAX_TOOLS], 1):
        reading.tools.append(_tool(_function(entry), number, name, reading))
    return reading


def _function(entry: Any) -> JsonObject:
    """The part of an entry that has the name: OpenAI's chat format has it under "function"."""
    whole = mapping(entry)
    return mapping(whole.get("function")) or whole


def _tool(entry: JsonObject, number: int, name: str, reading: Reading) -> DocumentedTool:
    original = entry.get("name")
    if not isinstance(original, str) or not original.strip():
        raise UsageError(f'{name}: tool {number} of the list has no "name"; an entry has a name, a description and an inputSchema')
    schema: JsonObject = next((entry[key] for key in _SCHEMAS if isinstance(entry.get(key), dict)), {})
    parameters = {parameter.name: parameter for parameter in Schemas(schema, name, reading).fields(schema)}
    read_only = mapping(entry.get("annotations")).get("readOnlyHint")
    writes = not read_only if isinstance(read_only, bool) else None
    description = string(entry.get("description")) or string(entry.get("title"))
    return DocumentedTool(tool_name(original.strip()), original.strip(), description, tuple(parameters.values()), writes, name)
