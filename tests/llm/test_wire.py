from typing import Any, Literal

import pytest
from pydantic import BaseModel, Field

from envgen.llm.wire import is_strict, wire_schema


class Column(BaseModel):
    title: str = Field(min_length=1, max_length=40, pattern="^[a-z]+$", description="what it is called")
    type: Literal["TEXT", "INTEGER"]
    default: str | None = None
    kind: Literal["one"] = "one"


class Table(BaseModel):
    name: str
    columns: list[Column] = Field(min_length=1, max_length=30)
    rows: int = Field(default=20, ge=1, le=500)
    key: tuple[str, int] = ("id", 1)


class Tree(BaseModel):
    name: str
    children: list["Tree"] = []


class Free(BaseModel):
    parameters: dict[str, Any]


class Anything(BaseModel):
    value: Any


class Numbers(BaseModel):
    counts: dict[str, int]


def walk(schema: Any) -> list[dict[str, Any]]:
    """Return every schema in `schema`, names of properties left aside."""
    if not isinstance(schema, dict):
        return []
    inner = [*schema.get("properties", {}).values(), *schema.get("$defs", {}).values(), *schema.get("anyOf", []), schema.get("items")]
    return [schema, *(part for each in inner for part in walk(each))]


def test_closes_every_object_and_requires_every_property() -> None:
    schema = wire_schema(Table)
    objects = [part for part in walk(schema) if part.get("type") == "object"]
    assert len(objects) == 2
    assert all(part["additionalProperties"] is False and part["required"] == list(part["properties"]) for part in objects)


def test_leaves_out_what_strict_endpoints_refuse() -> None:
    refused = {
        "title",
        "default",
        "format",
        "minLength",
        "maxLength",
        "pattern",
        "minItems",
        "maxItems",
        "minimum",
        "maximum",
        "const",
        "prefixItems",
    }
    assert not [part for part in walk(wire_schema(Table)) if refused & part.keys()]


def test_keeps_properties_that_are_named_like_keywords() -> None:
    column = wire_schema(Table)["$defs"]["Column"]
    assert list(column["properties"]) == ["title", "type", "default", "kind"]
    assert column["properties"]["title"] == {"type": "string", "description": "what it is called"}
    assert column["properties"]["default"] == {"anyOf": [{"type": "string"}, {"type": "null"}]}
    assert column["properties"]["kind"] == {"type": "string", "enum": ["one"]}


def test_a_tuple_becomes_a_list_of_its_types() -> None:
    assert wire_schema(Table)["properties"]["key"]["items"] == {"anyOf": [{"type": "string"}, {"type": "integer"}]}


def test_a_model_that_holds_itself_has_an_object_at_the_root() -> None:
    schema = wire_schema(Tree)
    assert schema["type"] == "object"
    assert schema["properties"]["children"]["items"] == {"$ref": "#/$defs/Tree"}
    assert is_strict(schema)


@pytest.mark.parametrize(("kind", "strict"), [(Table, True), (Tree, True), (Free, False), (Anything, False), (Numbers, False)])
def test_a_free_map_or_value_is_not_strict(kind: type[BaseModel], strict: bool) -> None:
    assert is_strict(wire_schema(kind)) is strict


def test_a_free_map_stays_one() -> None:
    assert wire_schema(Free)["properties"]["parameters"] == {"type": "object", "additionalProperties": True}
    assert wire_schema(Numbers)["properties"]["counts"] == {"type": "object", "additionalProperties": {"type": "integer"}}


@pytest.mark.parametrize(
    "schema", [True, {}, {"type": "array"}, {"type": "object", "properties": {"a": {"type": "string"}}, "required": []}]
)
def test_open_schemas_are_not_strict(schema: Any) -> None:
    assert not is_strict(schema)
