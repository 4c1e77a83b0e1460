import json
from pathlib import Path
from typing import Any

from envgen.core.types import JsonObject
from envgen.database.documents import DocumentedParameter, DocumentedTool, read_documents
from envgen.database.documents_openapi import is_openapi, read_openapi

EXAMPLES = Path(__file__).resolve().parents[1] / "documents"


def tool(folder: str, name: str) -> DocumentedTool:
    return next(tool for tool in read_documents(EXAMPLES / folder).tools if tool.name == name)


def names(found: DocumentedTool) -> list[str]:
    return [parameter.name for parameter in found.parameters]


def read(paths: JsonObject, **more: Any) -> list[DocumentedTool]:
    return read_openapi({"openapi": "3.0.0", "paths": paths, **more}, "a.json").tools


def test_an_operation_becomes_a_tool() -> None:
    assert tool("marina", "create_booking") == DocumentedTool(
        name="create_booking",
        original="createBooking",
        description="Book a berth for a boat.",
        parameters=(
            DocumentedParameter("boat_id", "integer", True, ""),
            DocumentedParameter("berth_id", "integer", True, ""),
            DocumentedParameter("arrival_day", "string", True, "", format="date"),
            DocumentedParameter("nights", "integer", True, ""),
            DocumentedParameter("note", "string", False, "What the harbour master should know."),
        ),
        writes=True,
        source="openapi.json",
    )


def test_path_and_body_parameters_come_together_and_keys_and_headers_are_left_out() -> None:
    assert names(tool("marina", "find_boats")) == ["query"]
    assert names(tool("marina", "check_in")) == ["booking_id", "meter_reading"]
    assert names(tool("marina", "register_boat")) == ["length_cm", "draught_cm", "name", "registration", "owner_name", "owner_email"]
    assert tool("marina", "cancel_booking").description == "Cancel a booking. Cancelled late, one night is charged."


def test_yaml_of_version_3_1_is_read_alike() -> None:
    jobs = tool("repair-desk", "list_jobs")
    assert names(jobs) == ["filter_status", "receivedSince", "limit"]
    assert jobs.parameters[0].enum == ("received", "offered", "agreed", "done", "collected", "withdrawn")
    assert [parameter.type for parameter in tool("repair-desk", "make_offer").parameters] == ["string", "number", "string", "array"]
    assert [parameter.required for parameter in tool("repair-desk", "receive_job").parameters] == [True, True, True, False]
    parts = tool("repair-desk", "get_parts")
    assert (parts.original, parts.writes) == ("GET /parts", False)


def test_the_text_tells_of_purpose_tags_and_data() -> None:
    text = dict(read_documents(EXAMPLES / "marina").texts)["openapi.json"]
    assert text.startswith("Berths, boats and bookings of a small harbour. Amounts are in cents.\nbookings: A booking is reserved")
    assert "- BookingStatus: string (reserved | checked_in | checked_out | cancelled)" in text
    assert "state string (open | repair), neighbours array" in text


def test_methods_say_what_writes() -> None:
    tools = read({"/a": {method: {"operationId": method} for method in "get head options trace post put patch delete".split()}})
    assert {tool.original: tool.writes for tool in tools} == {
        "get": False, "head": False, "post": True, "put": True, "patch": True, "delete": True,
    }  # fmt: skip


def test_an_operation_overrides_what_its_path_says() -> None:
    shared = [{"name": "id", "in": "path", "schema": {"type": "string"}}, {"name": "q", "in": "query", "schema": {"type": "string"}}]
    own = [{"name": "q", "in": "query", "required": True, "schema": {"type": "integer"}}]
    found = read({"/a/{id}": {"parameters": shared, "get": {"parameters": own}}})[0]
    assert [(one.name, one.type, one.required) for one in found.parameters] == [("id", "string", True), ("q", "integer", True)]
    assert (found.name, found.original) == ("get_a_by_id", "GET /a/{id}")


def test_bodies_of_other_shapes() -> None:
    def body(content: Any) -> JsonObject:
        return {"/a": {"post": {"operationId": "a", "requestBody": {"required": True, "content": content}}}}

    listed = read(body({"application/json": {"schema": {"type": "array", "items": {"type": "string"}}}}))[0].parameters
    assert [(one.name, one.type, one.required) for one in listed] == [("items", "array", True)]
    form = read(body({"text/csv": {}, "application/x-www-form-urlencoded": {"schema": {"properties": {"a": {}}}}}))[0]
    assert names(form) == ["a"]
    vendor = read(body({"application/vnd.shop+json": {"schema": {"properties": {"b": {}}}}, "multipart/form-data": {}}))[0]
    assert names(vendor) == ["b"]
    reading = read_openapi({"openapi": "3.0.0", "paths": body({"text/csv": {}})}, "a.json")
    assert reading.notes == ["a.json: POST /a: the body is not described as JSON or form data and is left out"]
    assert read(body({"application/json": {"schema": {"type": "object"}}}))[0].parameters == ()


def test_swagger_2_is_read() -> None:
    data = {
        "swagger": "2.0",
        "info": {"title": "Old desk"},
        "securityDefinitions": {"key": {"type": "apiKey", "in": "query", "name": "token"}},
        "definitions": {"Pet": {"required": ["name"], "properties": {"name": {"type": "string"}, "age": {"type": "integer"}}}},
        "paths": {
            "/pets": {
                "get": {"operationId": "listPets", "parameters": [
                    {"name": "kind", "in": "query", "type": "string", "enum": ["cat", "dog"], "required": True},
                    {"name": "token", "in": "query", "type": "string"},
                ]},
                "post": {"operationId": "addPet", "parameters": [{"name": "pet", "in": "body", "schema": {"$ref": "#/definitions/Pet"}}]},
            },
            "/pets/{id}/photo": {"post": {"operationId": "addPhoto", "parameters": [
                {"name": "id", "in": "path", "type": "integer"}, {"name": "caption", "in": "formData", "type": "string"},
            ]}},
        },
    }  # fmt: skip
    assert is_openapi(data)
    reading = read_openapi(data, "a.json")
    assert [names(tool) for tool in reading.tools] == [["kind"], ["name", "age"], ["id", "caption"]]
    assert reading.tools[0].parameters[0] == DocumentedParameter("kind", "string", True, "", ("cat", "dog"))
    assert "- Pet: name string, age integer" in reading.text


def test_external_references_are_noted_not_fetched(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps({"openapi": "3.0.0", "paths": {"/a": {"$ref": "b.json#/a"}, "/c": {"get": {}}}}))
    documents = read_documents(tmp_path)
    assert [tool.name for tool in documents.tools] == ["get_c"]
    assert "a.json: the reference 'b.json#/a' leads out of the document and is not followed" in documents.notes


def test_what_is_too_much_is_noted() -> None:
    reading = read_openapi({"openapi": "3.0.0", "paths": {f"/{n}": {"get": {}} for n in range(1_001)}}, "a.json")
    assert len(reading.tools) == 1_000
    assert reading.notes == ["a.json: the first 1000 operations are used, the others left out"]
    many = [{"name": f"p{n}", "in": "query"} for n in range(61)]
    reading = read_openapi({"openapi": "3.0.0", "paths": {"/a": {"get": {"parameters": many}}}}, "a.json")
    assert len(reading.tools[0].parameters) == 60
    assert reading.notes == ["a.json: GET /a has 61 parameters, the first 60 are used"]
