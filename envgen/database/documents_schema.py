"""JSON Schema as documents use it: references inside the document followed, `allOf` merged, each property's type read off.

Reading is lenient and bounded: whatever does not fit is an empty schema, a reference is followed once per merge, and no depth of
references makes it recurse.
"""

from collections import deque
from collections.abc import Iterator
from typing import Any, get_args
from urllib.parse import unquote

from envgen.core.types import JsonObject
from envgen.database.documents_types import DocumentedParameter, DocumentedType, Reading, listing, mapping, parameter_name, string

MAX_FIELDS = 60
_MAX_CHAIN = 50
_MAX_PARTS = 300
_MAX_CHOICES = 20
# How wide a number is stored says nothing about the business.
_WIDTHS = ("int32", "int64", "float", "double")
_TYPES: tuple[str, ...] = get_args(DocumentedType)


class Schemas:
    """Reads schemas of one document. `root` is what "#/…" points into; notes go to `reading` and begin with `name`."""

    def __init__(self, root: Any, name: str, reading: Reading) -> None:
        self.root, self.name, self.reading = root, name, reading

    def resolve(self, node: Any) -> JsonObject:
        """Return the object that `node` is or refers to; {} for a reference that leads out of the document, nowhere, or in a circle."""
        seen: set[str] = set()
        beside: JsonObject = {}
        while isinstance(node, dict) and isinstance(node.get("$ref"), str):
            reference = node["$ref"]
            if reference in seen or len(seen) >= _MAX_CHAIN:
                return {}
            seen.add(reference)
            # OpenAPI 3.1 lets a description stand beside a reference; the outermost one wins.
            beside = {key: node[key] for key in ("description",) if key in node} | beside
            node = self._target(reference)
        return {**mapping(node), **beside}

    def _target(self, reference: str) -> Any:
        if not reference.startswith("#"):
            self.reading.note(f"{self.name}: the reference {string(reference, 100)!r} leads out of the document and is not followed")
            return None
        node = self.root
        for part in [] if reference in ("#", "#/") else reference.removeprefix("#/").split("/"):
            key = unquote(part).replace("~1", "/").replace("~0", "~")
            if isinstance(node, dict) and key in node:
                node = node[key]
            elif isinstance(node, list) and key.isascii() and key.isdigit() and len(key) < 9 and int(key) < len(node):
                node = node[int(key)]
            else:
                self.reading.note(f"{self.name}: the reference {string(reference, 100)!r} leads nowhere")
                return None
        return node

    def merged(self, schema: Any) -> JsonObject:
        """Return one schema for `schema` and everything that its `allOf` names; what is said first stands."""
        whole: JsonObject = {}
        properties: JsonObject = {}
        required: list[Any] = []
        for part in self._parts(schema):
            for name, child in mapping(part.get("properties")).items():
                properties.setdefault(name, child)
            required += listing(part.get("required"))
            for key, value in part.items():
                whole.setdefault(key, value)
        extra = {"properties": properties} if properties else {}
        return {**whole, **extra, "required": [name for name in required if isinstance(name, str)]}

    def _parts(self, schema: Any) -> Iterator[JsonObject]:
        todo, seen = deque([schema]), set[str]()
        for _ in range(_MAX_PARTS):
            if not todo:
                return
            node = todo.popleft()
            reference = mapping(node).get("$ref")
            if isinstance(reference, str):
                if reference in seen:
                    continue
                seen.add(reference)
            part = self.resolve(node)
            todo.extend(listing(part.get("allOf")))
            yield part

    def fields(self, schema: Any, *, skip: frozenset[str] = frozenset()) -> list[DocumentedParameter]:
        """Return the top-level properties of an object schema as parameters, without those that are read-only or in `skip`.

        Of a choice (`oneOf`, `anyOf`) all properties are taken, required when each alternative requires them.
        """
        whole = self.merged(schema)
        found = self._properties(whole)
        required = set(whole["required"]) | self._always(whole)
        parameters = [
            self.parameter(name, child, name in required)
            for name, child in found.items()
            if name not in skip and self.resolve(child).get("readOnly") is not True
        ]
        if len(parameters) > MAX_FIELDS:
            self.reading.note(f"{self.name}: of an object with {len(parameters)} properties the first {MAX_FIELDS} are used")
        return parameters[:MAX_FIELDS]

    def _properties(self, whole: JsonObject) -> JsonObject:
        found = dict(mapping(whole.get("properties")))
        for choice in self._choices(whole):
            for name, child in mapping(choice.get("properties")).items():
                found.setdefault(name, child)
        return found

    def _always(self, whole: JsonObject) -> set[str]:
        asked = [set(choice["required"]) for choice in self._choices(whole)]
        return set.intersection(*asked) if asked else set()

    def _choices(self, schema: JsonObject) -> list[JsonObject]:
        choices = [*listing(schema.get("oneOf")), *listing(schema.get("anyOf"))][:_MAX_CHOICES]
        return [self.merged(choice) for choice in choices]

    def parameter(self, name: str, schema: Any, required: bool, description: str = "") -> DocumentedParameter:
        """Return a parameter for a named schema. A name that SQL cannot bind is changed, and the description keeps the document's."""
        whole = self.merged(schema)
        own = parameter_name(name)
        text = description or string(whole.get("description"))
        if own != name:
            text = f"{text} (in the document: {string(name, 100)})".strip()
        form = "" if whole.get("format") in _WIDTHS else string(whole.get("format"), 40)
        return DocumentedParameter(own, self.kind(whole), required, text, self.values(whole), form)

    def kind(self, whole: JsonObject) -> DocumentedType:
        """Return the type of a merged schema; where none is said it follows from values, properties, items or alternatives."""
        names = whole.get("type")
        kinds = [name for name in (names if isinstance(names, list) else [names]) if isinstance(name, str) and name != "null"]
        found = kinds[0] if kinds else self._implied(whole)
        if found == "number" and str(whole.get("format")) in ("int32", "int64"):
            found = "integer"
        return found if found in _TYPES else "string"  # type: ignore[return-value]

    def _implied(self, whole: JsonObject) -> str:
        if "properties" in whole or "additionalProperties" in whole:
            return "object"
        if "items" in whole:
            return "array"
        values = listing(whole.get("enum")) or [whole[key] for key in ("const",) if key in whole]
        kinds = {_type_of(value) for value in values if value is not None}
        for choice in self._choices(whole):
            said = choice.get("type")
            kinds |= {_type_of_choice(choice)} if said != "null" else set()
        if kinds == {"integer", "number"}:
            return "number"
        return kinds.pop() if len(kinds) == 1 else "object" if "object" in kinds else "string"

    def values(self, whole: JsonObject) -> tuple[str, ...]:
        """Return the listed values of a merged schema as texts: its `enum` or `const`, an array's items', or its alternatives'."""
        sources = [whole, *self._choices(whole)] if "enum" not in whole else [whole]
        if self.kind(whole) == "array":
            sources.append(self.merged(whole.get("items")))
        found: list[str] = []
        for source in sources:
            values = [*listing(source.get("enum")), *([source["const"]] if "const" in source else [])]
            found += [_text(value) for value in values if isinstance(value, (str, int, float))]
        return tuple(dict.fromkeys(value for value in found if value))[:MAX_FIELDS]


def _type_of(value: Any) -> str:
    names = {bool: "boolean", int: "integer", float: "number", list: "array", dict: "object"}
    return names.get(type(value), "string")


def _type_of_choice(choice: JsonObject) -> str:
    said = choice.get("type")
    if isinstance(said, str):
        return said
    values = listing(choice.get("enum")) or [choice[key] for key in ("const",) if key in choice]
    if values:
        return _type_of(values[0])
    return "object" if "properties" in choice else "array" if "items" in choice else "string"


def _text(value: str | int | float) -> str:
    return str(value).lower() if isinstance(value, bool) else string(str(value), 100)
