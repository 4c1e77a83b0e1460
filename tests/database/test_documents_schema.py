import time
from typing import Any

import pytest

from envgen.core.types import JsonObject
from envgen.database.documents_schema import MAX_FIELDS, Schemas
from envgen.database.documents_types import Reading


def schemas(**named: Any) -> Schemas:
    return Schemas({"$defs": named}, "a.json", Reading())


def ref(name: str) -> JsonObject:
    return {"$ref": f"#/$defs/{name}"}


def test_references_are_followed_through_escapes_and_lists() -> None:
    read = Schemas({"a/b": {"~c": [{"x": {"type": "integer"}}]}}, "a.json", Reading())
    assert read.resolve({"$ref": "#/a~1b/~0c/0/x"}) == {"type": "integer"}
    assert read.resolve({"$ref": "#/a%7E1b/~0c/0/x"}) == {"type": "integer"}


def test_a_description_beside_a_reference_wins() -> None:
    read = schemas(A={"type": "string", "description": "inner"}, B={**ref("A"), "description": "middle"})
    assert read.resolve({**ref("B"), "description": "outer"}) == {"type": "string", "description": "outer"}
    assert read.resolve(ref("B"))["description"] == "middle"


@pytest.mark.parametrize(
    ("reference", "note"),
    [
        (
            "https://example.org/a.json#/B",
            "a.json: the reference 'https://example.org/a.json#/B' leads out of the document and is not followed",
        ),
        ("other.yaml", "a.json: the reference 'other.yaml' leads out of the document and is not followed"),
        ("#/$defs/none", "a.json: the reference '#/$defs/none' leads nowhere"),
        ("#/$defs/L/9", "a.json: the reference '#/$defs/L/9' leads nowhere"),
    ],
)
def test_references_that_cannot_be_followed_are_noted_once(reference: str, note: str) -> None:
    read = schemas(L=[1])
    assert read.resolve({"$ref": reference}) == read.resolve({"$ref": reference}) == {}
    assert read.reading.notes == [note]


def test_circles_of_references_end() -> None:
    read = schemas(A=ref("B"), B=ref("A"), C={"allOf": [ref("C"), {"properties": {"x": {}, "c": ref("C")}}]})
    assert read.resolve(ref("A")) == {}
    assert list(read.merged(ref("C"))["properties"]) == ["x", "c"]
    assert [(field.name, field.type) for field in read.fields(ref("C"))] == [("x", "string"), ("c", "object")]


def test_all_of_is_merged_and_what_is_said_first_stands() -> None:
    read = schemas(Base={"required": ["id"], "properties": {"id": {"type": "integer"}, "name": {"type": "string"}}})
    schema = {"allOf": [ref("Base"), {"properties": {"name": {"type": "array"}, "note": {}}}], "properties": {"id": {"type": "string"}}}
    assert [(field.name, field.type, field.required) for field in read.fields(schema)] == [
        ("id", "string", True),
        ("name", "string", False),
        ("note", "string", False),
    ]


def test_doubling_all_of_and_choices_take_no_exponential_time() -> None:
    doubling = {f"A{n}": {"allOf": [ref(f"A{n + 1}"), ref(f"A{n + 1}")]} for n in range(60)}
    choosing = {f"B{n}": {"anyOf": [ref(f"B{n + 1}"), ref(f"B{n + 1}")]} for n in range(60)}
    read = schemas(**doubling, **choosing, A60={"properties": {"x": {"type": "integer"}}}, B60={"type": "integer"})
    before = time.process_time()
    assert [field.name for field in read.fields(ref("A0"))] == ["x"]
    assert read.parameter("b", ref("B0"), False).type == "string"
    assert time.process_time() - before < 1


def test_a_long_chain_of_all_of_does_not_recurse() -> None:
    chain = {f"A{n}": {"allOf": [ref(f"A{n + 1}")], "properties": {f"p{n}": {}}} for n in range(5_000)}
    assert len(schemas(**chain).fields(ref("A0"))) == MAX_FIELDS


def test_read_only_properties_are_left_out() -> None:
    read = schemas(Id={"type": "integer", "readOnly": True})
    assert [field.name for field in read.fields({"properties": {"id": ref("Id"), "name": {}}})] == ["name"]


def test_the_properties_of_a_choice_are_taken_together() -> None:
    one = {"properties": {"kind": {}, "iban": {}}, "required": ["kind", "iban"]}
    other = {"properties": {"kind": {}, "card": {}}, "required": ["kind"]}
    found = schemas().fields({"oneOf": [one, other]})
    assert [(field.name, field.required) for field in found] == [("kind", True), ("iban", False), ("card", False)]


@pytest.mark.parametrize(
    ("schema", "kind", "values"),
    [
        ({"type": ["null", "integer"]}, "integer", ()),
        ({"type": "number", "format": "int64"}, "integer", ()),
        ({"type": "number"}, "number", ()),
        ({"type": "file"}, "string", ()),
        ({"enum": ["a", "b", None]}, "string", ("a", "b")),
        ({"enum": [1, 2]}, "integer", ("1", "2")),
        ({"enum": [1, 2.5]}, "number", ("1", "2.5")),
        ({"const": True}, "boolean", ("true",)),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, "integer", ()),
        ({"oneOf": [{"const": "a"}, {"const": "b"}]}, "string", ("a", "b")),
        ({"oneOf": [{"type": "string"}, {"type": "object"}]}, "object", ()),
        ({"properties": {}}, "object", ()),
        ({"items": {"enum": ["x", "y"]}}, "array", ("x", "y")),
        ({}, "string", ()),
        (True, "string", ()),
        ({"type": 3, "enum": "no list", "required": "no list"}, "string", ()),
    ],
)
def test_types_and_values_are_read_off(schema: Any, kind: str, values: tuple[str, ...]) -> None:
    found = schemas().parameter("a", schema, True)
    assert (found.type, found.enum) == (kind, values)


def test_formats_of_numbers_are_dropped_and_changed_names_explained() -> None:
    read = schemas()
    assert read.parameter("day", {"type": "string", "format": "date"}, False).format == "date"
    assert read.parameter("n", {"type": "integer", "format": "int64"}, False).format == ""
    assert read.parameter("page[size]", {"description": "Rows."}, False).description == "Rows. (in the document: page[size])"
