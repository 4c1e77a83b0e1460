"""OpenAPI 3.0 and 3.1 and Swagger 2: operations become tools, the named schemas a text about the data."""

from typing import Any

from envgen.core.types import JsonObject
from envgen.database.documents_schema import MAX_FIELDS, Schemas
from envgen.database.documents_types import DocumentedParameter, DocumentedTool, Reading, listing, mapping, string, tool_name

MAX_OPERATIONS = 1_000
_METHODS = {"get": False, "head": False, "post": True, "put": True, "patch": True, "delete": True}
# Where no security scheme says so, these names still carry a key, not a business value.
_KEYS = frozenset({"api_key", "apikey", "api-key", "apiKey", "access_token", "authorization", "Authorization"})
_MAX_OBJECTS = 100


def is_openapi(data: Any) -> bool:
    """True when `data` says that it is an OpenAPI or Swagger description."""
    return isinstance(data, dict) and ("openapi" in data or "swagger" in data)


def read_openapi(data: JsonObject, name: str) -> Reading:
    """Return the operations and data of the description in the file `name`. Tool names are not yet distinct."""
    reading = Reading(title=string(mapping(data.get("info")).get("title"), 100))
    api = _Api(data, name, reading)
    reading.text = api.text()
    reading.tools = api.tools()
    return reading


class _Api:
    """One description while it is read."""

    def __init__(self, data: JsonObject, name: str, reading: Reading) -> None:
        self.data, self.name, self.reading = data, name, reading
        self.schemas = Schemas(data, name, reading)
        self.keys = _KEYS | self._key_names()

    def _key_names(self) -> frozenset[str]:
        components = mapping(self.data.get("components"))
        found = [*mapping(components.get("securitySchemes")).values(), *mapping(self.data.get("securityDefinitions")).values()]
        schemes = [self.schemas.resolve(scheme) for scheme in found]
        return frozenset(scheme["name"] for scheme in schemes if scheme.get("in") == "query" and isinstance(scheme.get("name"), str))

    def tools(self) -> list[DocumentedTool]:
        tools: list[DocumentedTool] = []
        for path, item in mapping(self.data.get("paths")).items():
            whole = self.schemas.resolve(item)
            for method in [method for method in _METHODS if isinstance(whole.get(method), dict)]:
                if len(tools) == MAX_OPERATIONS:
                    self.reading.note(f"{self.name}: the first {MAX_OPERATIONS} operations are used, the others left out")
                    return tools
                tools.append(self._tool(path, method, whole))
        return tools

    def _tool(self, path: str, method: str, item: JsonObject) -> DocumentedTool:
        operation = item[method]
        place = f"{method.upper()} {string(path, 200)}"
        own = operation.get("operationId")
        if isinstance(own, str) and own.strip():
            original, name = own.strip(), tool_name(own.strip())
        else:
            original, name = place, tool_name(f"{method} {path.replace('{', 'by_').replace('}', '')}")
        said = [string(operation.get(key)) for key in ("summary", "description")]
        # Many generators write the summary twice.
        parts = list(dict.fromkeys(text.rstrip(".") for text in said if text))
        description = string(". ".join(parts) + ".") if parts else place
        return DocumentedTool(name, original, description, tuple(self._parameters(operation, item, place)), _METHODS[method], self.name)

    def _parameters(self, operation: JsonObject, item: JsonObject, place: str) -> list[DocumentedParameter]:
        given: dict[tuple[str, str], JsonObject] = {}
        for raw in [*listing(item.get("parameters")), *listing(operation.get("parameters"))]:
            one = self.schemas.resolve(raw)
            if isinstance(one.get("name"), str) and isinstance(one.get("in"), str):
                given[one["name"], one["in"]] = one
        found: dict[str, DocumentedParameter] = {}
        for parameter in [*self._in_path_and_query(given), *self._in_body(given, operation, place)]:
            found.setdefault(parameter.name, parameter)
        if len(found) > MAX_FIELDS:
            self.reading.note(f"{self.name}: {place} has {len(found)} parameters, the first {MAX_FIELDS} are used")
        return list(found.values())[:MAX_FIELDS]

    def _in_path_and_query(self, given: dict[tuple[str, str], JsonObject]) -> list[DocumentedParameter]:
        found = []
        for place in ("path", "query", "formData"):
            for (name, where), one in given.items():
                if where == place and not (place == "query" and name in self.keys):
                    required = place == "path" or one.get("required") is True
                    found.append(self.schemas.parameter(name, _schema_of(one), required, string(one.get("description"))))
        return found

    def _in_body(self, given: dict[tuple[str, str], JsonObject], operation: JsonObject, place: str) -> list[DocumentedParameter]:
        bodies = [(one, one.get("schema")) for (_, where), one in given.items() if where == "body"]
        if "requestBody" in operation:
            body = self.schemas.resolve(operation["requestBody"])
            bodies.append((body, _content_schema(mapping(body.get("content")))))
        found: list[DocumentedParameter] = []
        for body, schema in bodies[:1]:
            found = self._fields_or_whole(body, schema, place)
        return found

    def _fields_or_whole(self, body: JsonObject, schema: Any, place: str) -> list[DocumentedParameter]:
        if schema is None:
            self.reading.note(f"{self.name}: {place}: the body is not described as JSON or form data and is left out")
            return []
        fields = self.schemas.fields(schema)
        whole = self.schemas.merged(schema)
        if fields or self.schemas.kind(whole) == "object":
            return fields
        name = "items" if self.schemas.kind(whole) == "array" else "value"
        return [self.schemas.parameter(name, schema, body.get("required") is True, string(body.get("description")))]

    def text(self) -> str:
        """Return what the description says besides its operations: its purpose, its tags, and its data objects with their fields."""
        info = mapping(self.data.get("info"))
        tags = [mapping(tag) for tag in listing(self.data.get("tags"))[:_MAX_OBJECTS]]
        lines = [string(info.get("description"), 4_000)]
        lines += [f"{string(tag.get('name'), 60)}: {string(tag['description'])}" for tag in tags if string(tag.get("description"))]
        named = mapping(mapping(self.data.get("components")).get("schemas")) | mapping(self.data.get("definitions"))
        objects = [self._object(name, schema) for name, schema in list(named.items())[:_MAX_OBJECTS]]
        if len(named) > _MAX_OBJECTS:
            self.reading.note(f"{self.name}: of {len(named)} named schemas the first {_MAX_OBJECTS} are read")
        lines += ["Data:", *objects] if objects else []
        return "\n".join(line for line in lines if line)

    def _object(self, name: str, schema: Any) -> str:
        whole = self.schemas.merged(schema)
        about = string(whole.get("description"), 200)
        children = [(child, self.schemas.merged(part)) for child, part in list(mapping(whole.get("properties")).items())[:MAX_FIELDS]]
        fields = ", ".join(f"{string(child, 60)} {self._kind(part)}" for child, part in children) or self._kind(whole)
        return f"- {string(name, 60)}: {fields}" + (f". {about}" if about else "")

    def _kind(self, whole: JsonObject) -> str:
        values = self.schemas.values(whole)[:20]
        return self.schemas.kind(whole) + (f" ({' | '.join(values)})" if values else "")


def _schema_of(parameter: JsonObject) -> Any:
    """The schema of a parameter: OpenAPI 3 has one beside it or inside a media type, Swagger 2 is one itself."""
    if "schema" in parameter:
        return parameter["schema"]
    return _content_schema(mapping(parameter.get("content"))) or {key: value for key, value in parameter.items() if key != "required"}


def _content_schema(content: JsonObject) -> Any:
    def rank(kind: str) -> int:
        return 0 if kind.split(";")[0].strip() == "application/json" else 1 if "json" in kind else 2 if "form" in kind else 3

    kinds = sorted(content, key=rank)
    return mapping(content[kinds[0]]).get("schema", {}) if kinds and rank(kinds[0]) < 3 else None
