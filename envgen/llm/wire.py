"""The JSON Schema of a pydantic model in the subset that strict structured output takes."""

from typing import Any

from pydantic import BaseModel

from envgen.core.types import JsonObject

# Strict endpoints refuse some of these and ignore others; the answer is validated here in any case.
_REFUSED = frozenset(
    "title default format examples minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength pattern "
    "minItems maxItems uniqueItems minProperties maxProperties discriminator contentMediaType deprecated readOnly writeOnly".split()
)
_LISTS = ("anyOf", "allOf", "prefixItems")


def wire_schema(kind: type[BaseModel]) -> JsonObject:
    """Return the schema to send for `kind`: every object closed, every property required, no keywords that strict endpoints refuse.

    A free map (`dict[str, X]`) or a value of any kind stays what it is, and makes the schema one that `is_strict` denies.
    """
    schema = kind.model_json_schema(by_alias=True, mode="validation")
    if "$ref" in schema:  # a model that holds itself; the root must be an object
        schema = {**schema["$defs"][schema["$ref"].rpartition("/")[2]], "$defs": schema["$defs"]}
    cleaned: JsonObject = _clean(schema)
    return cleaned


def _clean(schema: Any) -> Any:
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return {"$ref": schema["$ref"]}
    result: JsonObject = {key: value for key, value in schema.items() if key not in _REFUSED}
    if "oneOf" in result:
        result["anyOf"] = result.pop("oneOf")
    if "const" in result:
        result["enum"] = [result.pop("const")]
    for key in _LISTS:
        if key in result:
            result[key] = [_clean(each) for each in result[key]]
    if "prefixItems" in result:
        result["items"] = {"anyOf": result.pop("prefixItems")}
    if isinstance(result.get("allOf"), list) and len(result["allOf"]) == 1:
        return result["allOf"][0]
    if "items" in result:
        result["items"] = _clean(result["items"])
    for key in ("properties", "$defs"):
        if key in result:
            result[key] = {name: _clean(each) for name, each in result[key].items()}
    return _closed(result)


def _closed(schema: JsonObject) -> JsonObject:
    if schema.get("type") != "object":
        return schema
    if isinstance(schema.get("additionalProperties"), dict):
        return {**schema, "additionalProperties": _clean(schema["additionalProperties"])}
    if "properties" not in schema:
        return (
            schema
            if schema.get("additionalProperties") is True
            else {**schema, "properties": {}, "required": [], "additionalProperties": False}
        )
    return {**schema, "required": list(schema["properties"]), "additionalProperties": False}


def is_strict(schema: Any) -> bool:
    """Return whether strict mode takes `schema`: all objects in it are closed with every property required, and no value is free."""
    if not isinstance(schema, dict):
        return False
    parts = [*schema.get("properties", {}).values(), *schema.get("$defs", {}).values(), *schema.get("anyOf", [])]
    parts += [schema["items"]] if "items" in schema else []
    if not all(is_strict(part) for part in parts):
        return False
    kind = schema.get("type")
    if kind == "object":
        return schema.get("additionalProperties") is False and set(schema.get("required", ())) == set(schema.get("properties", {}))
    if kind == "array":
        return "items" in schema
    return kind is not None or any(key in schema for key in ("$ref", "anyOf", "enum"))
