"""JSON Schemas of everything that is stored, written from the types."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from envgen.core.outcome import Verdict
from envgen.core.types import Evidence, Gold, Manifest, Task

CORE: Mapping[str, Any] = {"bundle": Manifest, "evidence": Evidence, "gold": Gold, "task": Task, "verdict": Verdict}
DIALECT = "https://json-schema.org/draft/2020-12/schema"


def render(types: Mapping[str, Any]) -> dict[str, str]:
    """Return file name -> text of the JSON Schema of each of `types`."""
    return {f"{name}.schema.json": _text(name, kind) for name, kind in sorted(types.items())}


def stale(types: Mapping[str, Any], folder: Path) -> list[str]:
    """Return the names of the schema files in `folder` that are missing, differ from `types`, or belong to no type."""
    wanted = render(types)
    found = {path.name: path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.schema.json"))}
    return sorted(name for name in {*wanted, *found} if wanted.get(name) != found.get(name))


def write(types: Mapping[str, Any], folder: Path) -> list[Path]:
    """Write the schema files of `types` to `folder` and return their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for name, text in render(types).items():
        temporary = folder / f".{name}.partial"
        temporary.write_text(text, encoding="utf-8", newline="\n")
        paths.append(temporary.replace(folder / name))
    return paths


def _text(name: str, kind: Any) -> str:
    schema = {"$schema": DIALECT, "$id": f"{name}.schema.json", **TypeAdapter(kind).json_schema(by_alias=True)}
    return json.dumps(schema, indent=1, ensure_ascii=False) + "\n"
