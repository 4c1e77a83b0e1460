"""Types as JSON and back, for bundles and for the stand-alone verifier."""

from typing import Any

from envgen.fused.types import Bool, Date, Enum, Int, List, Rational, Str, Tuple, Type


def to_json(kind: Type) -> dict[str, Any]:
    """Return a type as plain data."""
    if isinstance(kind, Int):
        return {"type": "int", "low": kind.low, "high": kind.high, **({"role": kind.role} if kind.role else {})}
    if isinstance(kind, Str):
        return {"type": "str", "alphabet": kind.alphabet, "least": kind.least, "most": kind.most}
    if isinstance(kind, Enum):
        return {"type": "enum", "values": list(kind.values)}
    if isinstance(kind, List):
        flags = {name: True for name in ("unique", "ordered") if getattr(kind, name)} | ({"tag": kind.tag} if kind.tag else {})
        return {"type": "list", "item": to_json(kind.item), "least": kind.least, "most": kind.most, **flags}
    if isinstance(kind, Tuple):
        return {"type": "tuple", "items": [to_json(item) for item in kind.items], "names": list(kind.names)}
    return {"type": {Bool: "bool", Rational: "rational", Date: "date"}[type(kind)]}


def from_json(data: dict[str, Any]) -> Type:
    """Return the type that `to_json` wrote. ValueError for another text."""
    name = data.get("type")
    if name == "int":
        return Int(data["low"], data["high"], data.get("role", ""))
    if name == "str":
        return Str(data["alphabet"], data["least"], data["most"])
    if name == "enum":
        return Enum(tuple(data["values"]))
    if name == "list":
        inner = from_json(data["item"])
        return List(inner, data["least"], data["most"], bool(data.get("unique")), bool(data.get("ordered")), data.get("tag", ""))
    if name == "tuple":
        return Tuple(tuple(from_json(item) for item in data["items"]), tuple(data["names"]))
    plain: dict[Any, Type] = {"bool": Bool(), "rational": Rational(), "date": Date()}
    if name not in plain:
        raise ValueError(f"unknown type {name!r}")
    return plain[name]


def schema_of(kind: Type) -> dict[str, Any]:
    """Return the JSON Schema of a type's values, as a hint in a tool's parameters. Bounds that would give answers away are left out."""
    if isinstance(kind, Int):
        return {"type": "integer"}
    if isinstance(kind, Bool):
        return {"type": "boolean"}
    if isinstance(kind, Enum):
        return {"type": "string", "enum": list(kind.values)}
    if isinstance(kind, List):
        return {"type": "array", "items": schema_of(kind.item)}
    if isinstance(kind, Tuple):
        return {"type": "array", "prefixItems": [schema_of(item) for item in kind.items], "minItems": len(kind.items)}
    return {"type": "string"}
