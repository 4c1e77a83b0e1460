from typing import Any

import pytest

from envgen.database.documents_lists import read_tool_list, tool_entries
from envgen.database.documents_types import DocumentedParameter, DocumentedTool

SCHEMA = {"type": "object", "properties": {"code": {"type": "string", "description": "As printed."}}, "required": ["code"]}
PARAMETER = DocumentedParameter("code", "string", True, "As printed.")


def tools(data: Any) -> list[DocumentedTool]:
    entries = tool_entries(data)
    assert entries is not None
    return read_tool_list(data, entries, "a.json").tools


@pytest.mark.parametrize(
    "entry",
    [
        {"name": "find", "description": "Find it.", "inputSchema": SCHEMA},
        {"name": "find", "description": "Find it.", "input_schema": SCHEMA},
        {"type": "function", "function": {"name": "find", "description": "Find it.", "parameters": SCHEMA}},
        {"type": "function", "name": "find", "description": "Find it.", "parameters": SCHEMA},
    ],
)
def test_the_formats_of_providers_are_read_alike(entry: Any) -> None:
    expected = [DocumentedTool("find", "find", "Find it.", (PARAMETER,), None, "a.json")]
    wrapped = [[entry], {"tools": [entry]}, {"functions": [entry]}, {"jsonrpc": "2.0", "id": 1, "result": {"tools": [entry]}}]
    for data in wrapped:
        assert tools(data) == expected


def test_hints_say_what_writes() -> None:
    entries = [{"name": f"t{hint}", "annotations": {"readOnlyHint": hint}} for hint in (True, False, "yes")]
    assert [tool.writes for tool in tools(entries)] == [False, True, None]


def test_a_title_stands_in_for_a_description_and_a_server_may_name_itself() -> None:
    data = {"name": "parcel desk", "instructions": "Ask for a document.", "tools": [{"name": "find", "title": "Find a parcel"}]}
    reading = read_tool_list(data, data["tools"], "a.json")  # type: ignore[arg-type]
    assert (reading.title, reading.text, reading.tools[0].description) == ("parcel desk", "Ask for a document.", "Find a parcel")


def test_references_point_into_the_tools_own_schema() -> None:
    schema = {"properties": {"by": {"$ref": "#/$defs/By"}}, "$defs": {"By": {"enum": ["car", "bike"]}}}
    assert tools([{"name": "send", "inputSchema": schema}])[0].parameters == (
        DocumentedParameter("by", "string", False, "", ("car", "bike")),
    )


@pytest.mark.parametrize(
    "data", [{}, [], [1], [{"id": 1}], [{"name": "a"}, {"name": 3}], "text", None, {"tools": {}}, {"result": {"result": {"tools": []}}}]
)
def test_other_data_is_no_tool_list(data: Any) -> None:
    assert tool_entries(data) is None
