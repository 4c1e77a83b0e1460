"""Tools as a model reads them are tools as it writes them; documents stay between their markers."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_author import TOOLS, small_parts

from envgen.database.model.prompts import render, tool_source
from envgen.database.model.tools import tool_of
from envgen.database.model.wire import WireTool


@pytest.mark.parametrize("name", [tool["name"] for tool in TOOLS])
def test_a_tool_is_read_back_from_what_is_shown_of_it(name: str) -> None:
    parts = small_parts()
    tool = next(tool for tool in parts.tools if tool.name == name)
    again = tool_of(WireTool.model_validate(json.loads(tool_source(tool))), parts.tables)
    assert tool_source(again) == tool_source(tool)
    assert again.steps == tool.steps
    assert list(again.parameters["properties"]) == list(tool.parameters["properties"])


@given(st.text(max_size=200))
def test_what_stands_in_a_prompt_is_no_template(text: str) -> None:
    value = text + " {{ 7 * 7 }} {% for x in y %}"
    user = render("reword", title="Shop", items=[{"id": "r1", "text": value, "keep": ""}])[1]["content"]
    assert "{{ 7 * 7 }}" in user
    assert "49" not in user.replace(text, "")
