"""The content digest of a bundle: compact JSON and ordered rows, never the bytes of an SQLite file.

The order of fields is part of the content: it is the order in which an agent sees a tool's parameters and a result's columns.
"""

import hashlib
import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from envgen.core.digest import canonical_json, digest
from envgen.core.errors import BundleError
from envgen.core.types import Manifest

PARTS = ("environment.json", "world.sqlite", "policy.md", "tasks.jsonl", "gold.jsonl", "evidence.jsonl", "verify.py")
OUTSIDE = ("ledger.json", "README.md")


def manifest_digest(manifest: Manifest) -> str:
    """Return the digest of the bundle: the manifest, less what may differ between equal runs, and the digests of its parts."""
    head = manifest.model_dump(mode="json", exclude={"digest", "parts", "cost"})
    return digest({"manifest": head, "parts": dict(manifest.parts)})


def ordered_json(value: Any) -> str:
    """Return `value` as compact JSON with its fields in their own order; NaN is refused."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def json_digest(value: Any) -> str:
    """Return the digest of a JSON part, order of fields included."""
    return hashlib.blake2b(ordered_json(value).encode("utf-8", "surrogatepass"), digest_size=32).hexdigest()


def text_digest(text: str) -> str:
    """Return the digest of a text part; line ends are normalised, since version control may change them."""
    return digest(text.replace("\r\n", "\n"))


def world_digest(path: Path) -> str:
    """Return the digest of the schema and the ordered rows of the SQLite file `path`. BundleError when it cannot be read."""
    try:
        with closing(open_world(path)) as world:
            return _rows_digest(world)
    except sqlite3.Error as problem:
        raise BundleError(f"{path}: the world cannot be read ({problem}): the file is damaged, copy the bundle again") from problem


def open_world(path: Path) -> sqlite3.Connection:
    """Open `path` read-only and without side files, so that looking at a bundle never changes it."""
    return sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro&immutable=1", uri=True)


def table_names(world: sqlite3.Connection) -> list[str]:
    """Names of the ordinary tables, sorted."""
    query = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name"
    return [name for (name,) in world.execute(query)]


def _rows_digest(world: sqlite3.Connection) -> str:
    hasher = hashlib.blake2b(digest_size=32)
    for part in _content(world):
        hasher.update(canonical_json(part).encode("utf-8", "surrogatepass"))
        hasher.update(b"\n")
    return hasher.hexdigest()


def _content(world: sqlite3.Connection) -> Iterator[Any]:
    ddl = "SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type, name"
    for row in world.execute(ddl):
        yield list(row)
    for table in table_names(world):
        quoted = '"' + table.replace('"', '""') + '"'
        columns = [row[1] for row in world.execute(f"PRAGMA table_xinfo({quoted})")]
        yield [table, columns]
        order = ", ".join(str(position + 1) for position in range(len(columns)))
        for row in world.execute(f"SELECT * FROM {quoted} ORDER BY {order}"):
            yield [_plain(value) for value in row]


def _plain(value: Any) -> Any:
    return {"$bytes": value.hex()} if isinstance(value, bytes) else value


def row_counts(path: Path) -> Mapping[str, int]:
    """Return how many rows each table of the world at `path` holds."""
    with closing(open_world(path)) as world:
        return {name: _count(world, name) for name in table_names(world)}


def _count(world: sqlite3.Connection, table: str) -> int:
    quoted = table.replace('"', '""')
    return int(world.execute(f'SELECT count(*) FROM "{quoted}"').fetchone()[0])
