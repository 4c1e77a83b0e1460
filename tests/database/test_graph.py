"""The tool graph: who gives whom what, and what cannot be reached."""

import json

from toy import SPEC, spec

from envgen.database.analysis import analyse_tools, schema_connection
from envgen.database.graph import columns, tool_graph, unreachable
from envgen.database.spec import EnvironmentSpec


def test_strong_edges_carry_a_column_to_a_parameter() -> None:
    strong = [edge for edge in tool_graph(spec()).edges(data=True) if edge[2]["kind"] == "strong"]
    assert strong == [("list_animals", "adopt", {"kind": "strong", "parameter": "animal_id", "column": "animals.id"})]


def test_weak_edges_join_what_is_written_with_what_reads_it() -> None:
    weak = [edge for edge in tool_graph(spec()).edges(data=True) if edge[2]["kind"] == "weak"]
    assert weak == [("adopt", "list_animals", {"kind": "weak", "tables": ("animals",)})]
    assert tool_graph(spec()).nodes["list_animals"] == {"read_only": True}


def test_fields_of_lists_count() -> None:
    item = {"type": "object", "properties": {"book": {"x-column": "books.id"}, "n": {"type": "integer"}}}
    parameters = {"properties": {"lines": {"type": "array", "items": item}, "tags": {"items": {"x-column": "tags.id"}}}}
    assert list(columns(parameters)) == [("lines[].book", "books.id"), ("tags[]", "tags.id")]


def test_a_key_that_no_chain_of_look_ups_gives_is_named() -> None:
    data = json.loads(json.dumps(SPEC))
    find = "SELECT id, animal_id, person FROM adoptions WHERE id = :adoption_id"
    parameter = {"type": "integer", "x-column": "adoptions.id"}
    tool = {
        "name": "get_adoption",
        "description": "One.",
        "parameters": {"type": "object", "properties": {"adoption_id": parameter}, "required": ["adoption_id"]},
    }
    data["tools"].append({**tool, "steps": [{"require": find, "else": ["not_found", "None."]}, {"return": {"one": find}}]})
    changed = EnvironmentSpec.model_validate(data)
    assert unreachable(changed, analyse_tools(changed, schema_connection(changed))) == ["get_adoption.adoption_id"]
    assert unreachable(spec(), analyse_tools(spec(), schema_connection(spec()))) == []
