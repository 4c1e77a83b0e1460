from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from envgen.database.documents import DocumentedParameter, DocumentedTool, Documents, kept, read_documents
from envgen.database.spec import Tool

EXAMPLES = Path(__file__).resolve().parents[1] / "documents"
BOOK = DocumentedTool(
    "book_room",
    "bookRoom",
    "Book a room.",
    (
        DocumentedParameter("guestId", "integer", True, ""),
        DocumentedParameter("price", "number", False, ""),
        DocumentedParameter("address", "object", False, ""),
        DocumentedParameter("extras", "array", False, ""),
    ),
    True,
    "api.json",
)
DOCUMENTS = Documents("x", (BOOK,))


def tool(name: str, /, **types: Any) -> Tool:
    properties = {one: kind if isinstance(kind, dict) else {"type": kind} for one, kind in types.items()}
    return Tool(name=name, description="", parameters={"type": "object", "properties": properties}, steps=())


def as_documented(found: DocumentedTool) -> Tool:
    return tool(found.name, **{parameter.name: parameter.type for parameter in found.parameters})


@pytest.mark.parametrize("folder", ["marina", "repair-desk", "parcel-shop"])
def test_tools_as_documented_are_kept(folder: str) -> None:
    documents = read_documents(EXAMPLES / folder)
    tools = [as_documented(found) for found in documents.tools]
    assert kept(documents, [*tools, tool("something_else", x="string")]) == []
    assert len(kept(documents, tools[1:])) == 1


def test_what_the_family_cannot_carry_may_change() -> None:
    assert kept(DOCUMENTS, [tool("book_room", guestId="integer", price="integer", address_street="string", extras="array")]) == []
    given = tool("book_room", guestId={"type": ["null", "integer"]}, price="number", address="string", extras="array", note="string")
    assert kept(DOCUMENTS, [given]) == []


def test_missing_and_renamed_tools_are_named() -> None:
    missing = "the documents describe the tool 'book_room' (api.json, there 'bookRoom'), which is missing"
    assert kept(DOCUMENTS, [tool("find_guest")]) == [f"{missing}: add it under this name"]
    renamed = "('room_book' looks like it under another name)"
    assert kept(DOCUMENTS, [tool("find_guest"), tool("room_book")]) == [f"{missing} {renamed}: add it under this name"]
    same = Documents("x", (replace(BOOK, original="book_room"),))
    assert kept(same, []) == ["the documents describe the tool 'book_room' (api.json), which is missing: add it under this name"]


def test_renamed_dropped_and_retyped_parameters_are_named() -> None:
    given = tool("book_room", guest_id="integer", price="string", address_town="string")
    assert kept(DOCUMENTS, [given]) == [
        "tool 'book_room', parameter 'guestId': it was renamed to 'guest_id': keep the documents' name",
        "tool 'book_room', parameter 'price': the documents give it the type number, here it is string",
        "tool 'book_room', parameter 'extras': the documents have it (array), here it was dropped: add it",
    ]
    given = tool("book_room", guestId={"enum": [1, 2]}, price={}, address="object", extras={"type": ["array", "null"]})
    assert kept(DOCUMENTS, [given]) == ["tool 'book_room', parameter 'price': the documents give it the type number, here it is of no type"]
    assert "(integer, required)" in kept(DOCUMENTS, [tool("book_room", price="number", address="object", extras="array")])[0]
