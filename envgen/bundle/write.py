"""Write a bundle folder: everything into a sibling folder first, flushed to disk, then renamed into place."""

import errno
import json
import os
import shutil
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from envgen.bundle.digest import json_digest, manifest_digest, ordered_json, row_counts, text_digest, world_digest
from envgen.bundle.readme import bundle_readme
from envgen.core.data import data_path
from envgen.core.digest import digest
from envgen.core.errors import InfrastructureError, UsageError
from envgen.core.types import Evidence, Gold, JsonObject, Manifest, Record, Task

PAGE = 512  # a small world has many tables and indexes of a few rows, each of which takes a page at least
VERIFIERS = {"database": "state_diff.py", "fused": "answer_match.py"}
FULL = {errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC)}


# Below this size most of a world's pages are nearly empty, and smaller ones halve the file.
SMALL_WORLD = 128 * 1024


@dataclass(frozen=True)
class Content:
    """All that goes into a bundle. `world` is the bytes of an SQLite database, None for a family without one.

    `ledger` is outside the digest. `verifier` is the text of verify.py; None takes the family's own from `verifiers/`.
    """

    manifest: Manifest
    environment: JsonObject
    world: bytes | None
    policy: str
    tasks: Sequence[Task]
    gold: Sequence[Gold]
    evidence: Sequence[Evidence] = ()
    ledger: JsonObject = field(default_factory=dict)
    verifier: str | None = None


def check_target(path: str | Path, *, resume: bool = False, force: bool = False) -> Path:
    """Check, before any work is done, that a bundle can be written to `path`, and make the folder above it.

    Errors: UsageError when something is there (names --out, --resume, --force) or when --force would delete what is no
    bundle; InfrastructureError when the folder above cannot be made or written.
    """
    target = Path(path)
    if (target.exists() or target.is_symlink()) and not resume:
        _check_existing(target, force)
    with _disk(target.parent):
        target.parent.mkdir(parents=True, exist_ok=True)
    if not os.access(target.parent, os.W_OK | os.X_OK):
        raise InfrastructureError(f"{target.parent} cannot be written: choose another folder with --out, or change its permissions")
    return target


def _check_existing(target: Path, force: bool) -> None:
    if not force:
        raise UsageError(
            f"{target} already exists. Choose another folder with --out, go on with a run by --resume, or replace it with --force"
        )
    if not target.is_dir() or target.is_symlink() or (any(target.iterdir()) and not (target / "bundle.json").is_file()):
        raise UsageError(f"{target} is not a bundle, so --force does not delete it. Choose another folder with --out")


def write_bundle(path: str | Path, content: Content, *, force: bool = False) -> Manifest:
    """Write `content` to the folder `path` and return the manifest with counts, splits, parts and digest filled in.

    The folder appears whole or not at all. Errors as `check_target`, and InfrastructureError when the disk is full.
    """
    target = check_target(path, force=force)
    staging = target.parent / f".{target.name}.partial"
    with _disk(target):
        shutil.rmtree(staging, ignore_errors=True)
        try:
            staging.mkdir()
            manifest = _write_parts(staging, content)
            _flush(staging)
            _swap(staging, target)
        finally:
            shutil.rmtree(staging, ignore_errors=True)
    return manifest


def _write_parts(folder: Path, content: Content) -> Manifest:
    own = data_path(f"verifiers/{VERIFIERS[content.manifest.family]}").read_text(encoding="utf-8")
    verifier = own if content.verifier is None else content.verifier
    texts = {"policy.md": content.policy, "verify.py": verifier}
    records: dict[str, list[Any]] = {
        "tasks.jsonl": _plain(content.tasks),
        "gold.jsonl": _plain(content.gold),
        "evidence.jsonl": _plain(content.evidence),
    }
    for name, text in texts.items():
        _write(folder / name, text)
    for name, rows in records.items():
        _write(folder / name, "".join(ordered_json(row) + "\n" for row in rows))
    _write(folder / "environment.json", _by_line(content.environment))
    if content.world is not None:
        _write_world(folder / "world.sqlite", content.world)
    parts = {name: text_digest(text) for name, text in texts.items()} | {name: json_digest(rows) for name, rows in records.items()}
    parts["environment.json"] = json_digest(content.environment)
    counted: Mapping[str, int] = {}
    if content.world is not None:
        parts["world.sqlite"], counted = world_digest(folder / "world.sqlite"), row_counts(folder / "world.sqlite")
    manifest = _manifest(content, parts, counted)
    _write(folder / "bundle.json", _pretty(manifest.model_dump(mode="json")))
    _write(folder / "ledger.json", _pretty(content.ledger))
    _write(folder / "README.md", bundle_readme(manifest, content.tasks))
    return manifest


def _manifest(content: Content, parts: dict[str, str], rows: Mapping[str, int]) -> Manifest:
    counts: dict[str, int] = {name: len(content.environment[name]) for name in ("tables", "tools", "rules") if name in content.environment}
    if content.world is not None:
        counts["rows"] = sum(count for name, count in rows.items() if not name.startswith("_"))
    counts |= {"tasks": len(content.tasks)} | content.manifest.counts
    given = content.manifest
    filled = given.model_copy(
        update={
            "counts": counts,
            "splits": _splits(content.tasks),
            "parts": dict(sorted(parts.items())),
            "licences": {"generator": "Apache-2.0"} | given.licences,
            "canary": given.canary or _canary(given.name, parts["gold.jsonl"]),
        }
    )
    return filled.model_copy(update={"digest": manifest_digest(filled)})


def _canary(name: str, gold: str) -> str:
    return f"envgen-canary {digest([name, gold], size=16)}: this text marks gold solutions that no model should be trained on"


def _splits(tasks: Sequence[Task]) -> dict[str, int]:
    names = [task.split for task in tasks]
    return {name: names.count(name) for name in sorted(set(names))}


def _plain(records: Iterable[Record]) -> list[Any]:
    return [record.model_dump(mode="json", by_alias=True, exclude_defaults=True) for record in records]


def _pretty(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def _by_line(value: JsonObject) -> str:
    """One line per field, and per element of a list: small, and a difference shows the table or tool that it is in."""
    fields = [f"{json.dumps(name)}:{_elements(child)}" for name, child in value.items()]
    return "{\n" + ",\n".join(fields) + "\n}\n"


def _elements(child: Any) -> str:
    if not isinstance(child, list | tuple) or not child:
        return ordered_json(child)
    return "[\n" + ",\n".join(f" {ordered_json(element)}" for element in child) + "\n]"


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")


def _write_world(path: Path, data: bytes) -> None:
    path.write_bytes(data)
    # One compact file without a journal: pages in the order of the schema, no free pages.
    with closing(sqlite3.connect(path, isolation_level=None)) as world:
        world.execute("PRAGMA journal_mode = DELETE")
        if len(data) < SMALL_WORLD:
            world.execute("PRAGMA page_size = 1024")
        world.execute(f"PRAGMA page_size = {PAGE}")
        world.execute("VACUUM")


def _flush(folder: Path) -> None:
    for path in sorted(folder.iterdir()):
        with path.open("rb+") as file:
            os.fsync(file.fileno())
    _flush_folder(folder)


def _flush_folder(folder: Path) -> None:
    if os.name == "nt":  # Windows cannot open a folder
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _swap(staging: Path, target: Path) -> None:
    old = target.parent / f".{target.name}.replaced"
    shutil.rmtree(old, ignore_errors=True)
    if target.exists():
        target.rename(old)
    staging.rename(target)
    _flush_folder(target.parent)
    shutil.rmtree(old, ignore_errors=True)


@contextmanager
def _disk(where: Path) -> Iterator[None]:
    """Turn what the disk refuses into one clear error."""
    try:
        yield
    except sqlite3.OperationalError as problem:
        raise InfrastructureError(f"{where}: {problem} in writing the world. Free some space, then run again with --resume") from problem
    except OSError as problem:
        if problem.errno in FULL:
            raise InfrastructureError(f"{where}: no space left on the disk. Free some, then run again with --resume") from problem
        raise InfrastructureError(f"{where} cannot be written ({problem.strerror}). Choose another folder with --out") from problem
