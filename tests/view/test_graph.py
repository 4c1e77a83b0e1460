import sys

import pytest
from toy import spec

from envgen.view.graph import columns, graph_lines


def test_each_parameter_names_the_tools_that_show_its_column() -> None:
    assert list(graph_lines(spec())) == ["  adopt.animal_id (animals.id) <- list_animals"]


def test_fields_of_lists_count() -> None:
    item = {"type": "object", "properties": {"book": {"x-column": "books.id"}, "n": {"type": "integer"}}}
    parameters = {"properties": {"lines": {"type": "array", "items": item}, "tags": {"items": {"x-column": "tags.id"}}}}
    assert list(columns(parameters)) == [("lines[].book", "books.id"), ("tags[]", "tags.id")]


def test_without_the_extra_it_says_what_is_lacking(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "envgen.database.analysis", None)
    assert list(graph_lines(spec())) == ["  needs the synth extra: pip install 'envgen-rl[synth]'"]
