"""The run ledger: what a run did, stage by stage and item by item, in SQLite. A killed run resumes from it.

Every item is committed by itself, so `kill -9` loses at most the item in the making, and an item that is there is never
made again: (stage, kind, index) is unique.
"""

import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self

from envgen.bundle.digest import ordered_json
from envgen.core.digest import canonical_json, digest
from envgen.core.errors import InfrastructureError, UsageError
from envgen.core.types import Json, JsonObject

ItemStatus = Literal["kept", "rejected"]
_SCHEMA = """
CREATE TABLE IF NOT EXISTS run (one INTEGER PRIMARY KEY CHECK (one = 1), command TEXT NOT NULL, seed INTEGER NOT NULL,
    flags TEXT NOT NULL, flags_digest TEXT NOT NULL, finished INTEGER NOT NULL DEFAULT 0) STRICT;
CREATE TABLE IF NOT EXISTS stages (name TEXT PRIMARY KEY, inputs TEXT NOT NULL, status TEXT NOT NULL CHECK (status IN ('running', 'done')),
    seconds REAL NOT NULL DEFAULT 0, output TEXT) STRICT;
CREATE TABLE IF NOT EXISTS items (stage TEXT NOT NULL, kind TEXT NOT NULL, idx INTEGER NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('kept', 'rejected')), reason TEXT NOT NULL, payload TEXT NOT NULL,
    PRIMARY KEY (stage, kind, idx)) STRICT;
"""


@dataclass(frozen=True, slots=True)
class Item:
    """One thing that a stage made. `reason` is a short stable code when it was rejected."""

    stage: str
    kind: str
    index: int
    status: ItemStatus
    reason: str
    payload: Json


class RunLedger:
    """The ledger of one run, open for writing by one process. Use it as a context manager."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self._db = connection

    @classmethod
    def open(cls, path: str | Path, *, command: str, seed: int, flags: Mapping[str, Any], force: bool = False) -> Self:
        """Open the ledger `path`, or make it. The same command, seed and flags continue what is there.

        Errors: UsageError when the ledger is of another command, seed or flags (unless `force`, which empties it);
        InfrastructureError when the file cannot be read or written.
        """
        file = Path(path)
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            if force:
                remove(file)
            ledger = cls(file, _connect(file))
            ledger._identify(command, seed, flags)
        except (sqlite3.Error, OSError) as problem:
            raise InfrastructureError(
                f"{file}: the run ledger cannot be opened ({problem}). Delete the file, or choose another"
            ) from problem
        return ledger

    def _run(self, sql: str, values: tuple[Any, ...] = ()) -> sqlite3.Cursor:
        try:
            return self._db.execute(sql, values)
        except sqlite3.OperationalError as problem:
            raise InfrastructureError(f"{self.path}: {problem}. Free some disk space, then run again with --resume") from problem

    def _identify(self, command: str, seed: int, flags: Mapping[str, Any]) -> None:
        wanted = (command, seed, digest(dict(flags)))
        row = self._run("SELECT command, seed, flags_digest, flags FROM run").fetchone()
        if row is None:
            values = (command, seed, canonical_json(dict(flags)), wanted[2])
            self._run("INSERT INTO run (one, command, seed, flags, flags_digest) VALUES (1, ?, ?, ?, ?)", values)
        elif row[:3] != wanted:
            self._db.close()
            raise UsageError(f"{self.path} belongs to another run: {_difference(row, command, seed, flags)}. {_CHOICES}")

    def begin(self, stage: str, inputs: Json) -> bool:
        """Start `stage` on `inputs`. True: there is work to do. False: it was finished on equal inputs, see `output`.

        Items of an unfinished stage on equal inputs stay; on other inputs the stage starts afresh.
        """
        key = digest(inputs)
        row = self._run("SELECT inputs, status FROM stages WHERE name = ?", (stage,)).fetchone()
        if row == (key, "done"):
            return False
        if row is None or row[0] != key:
            self._restart(stage, key)
        return True

    def _restart(self, stage: str, key: str) -> None:
        self._run("BEGIN IMMEDIATE")
        self._run("DELETE FROM items WHERE stage = ?", (stage,))
        self._run("REPLACE INTO stages (name, inputs, status) VALUES (?, ?, 'running')", (stage, key))
        self._run("COMMIT")

    def finish(self, stage: str, *, seconds: float = 0.0, output: Json = None) -> None:
        """Mark `stage` as finished with its `output`. UsageError when it was not begun."""
        values = (seconds, ordered_json(output), stage)
        done = self._run("UPDATE stages SET status = 'done', seconds = seconds + ?, output = ? WHERE name = ?", values)
        if done.rowcount != 1:
            raise UsageError(f"stage {stage!r} was not begun")

    def output(self, stage: str) -> Json:
        """Return the output of a finished stage, or None."""
        row = self._run("SELECT output FROM stages WHERE name = ? AND status = 'done'", (stage,)).fetchone()
        return json.loads(row[0]) if row else None

    def add(self, stage: str, kind: str, index: int, status: ItemStatus, *, reason: str = "", payload: Json = None) -> bool:
        """Record an item and commit. False when it is there already: the recorded one stands."""
        values = (stage, kind, index, status, reason, ordered_json(payload))
        return self._run("INSERT INTO items VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING", values).rowcount == 1

    def items(self, stage: str | None = None, *, kind: str | None = None, status: ItemStatus | None = None) -> Iterator[Item]:
        """Yield the items, ordered by stage, kind and index."""
        sql = "SELECT * FROM items WHERE stage = ifnull(?, stage) AND kind = ifnull(?, kind) AND status = ifnull(?, status)"
        for row in self._run(f"{sql} ORDER BY stage, kind, idx", (stage, kind, status)).fetchall():
            stage_name, kind_name, index, state, reason, payload = row
            yield Item(stage_name, kind_name, index, state, reason, json.loads(payload))

    def rejected(self) -> dict[str, int]:
        """Return how many items were rejected for each reason, most frequent first."""
        sql = "SELECT reason, count(*) AS n FROM items WHERE status = 'rejected' GROUP BY reason ORDER BY n DESC, reason"
        return dict(self._run(sql).fetchall())

    @property
    def finished(self) -> bool:
        """True when the run came to its end."""
        return bool(self._run("SELECT finished FROM run").fetchone()[0])

    def complete(self) -> None:
        """Mark the whole run as finished."""
        self._run("UPDATE run SET finished = 1")

    def to_json(self) -> JsonObject:
        """Return the ledger for `ledger.json`: identity, stages with seconds, counts, and each rejected item with its reason."""
        command, seed, flags = self._run("SELECT command, seed, flags FROM run").fetchone()
        stages = self._run("SELECT name, status, round(seconds, 3) FROM stages ORDER BY rowid").fetchall()
        kept = self._run("SELECT kind, count(*) FROM items WHERE status = 'kept' GROUP BY kind ORDER BY kind").fetchall()
        rejects = [{"kind": item.kind, "index": item.index, "reason": item.reason, "payload": item.payload} for item in self._rejects()]
        return {
            "command": command,
            "seed": seed,
            "flags": json.loads(flags),
            "stages": [dict(zip(("name", "status", "seconds"), row, strict=True)) for row in stages],
            "kept": dict(kept),
            "rejected": self.rejected(),
            "rejects": rejects,
        }

    def _rejects(self) -> Iterator[Item]:
        return self.items(status="rejected")

    def close(self) -> None:
        """Close the file. Idempotent."""
        self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


_CHOICES = "Choose another folder with --out, give the same seed and flags to --resume, or start over with --force"


def ledger_path(out: str | Path) -> Path:
    """Return where the ledger of the run that makes the bundle `out` lies: beside it, so that it outlives a killed run."""
    target = Path(out)
    return target.parent / f".{target.name}.ledger.sqlite"


def unfinished(path: str | Path) -> bool:
    """True when `path` is the ledger of a run that was stopped before its end."""
    if not Path(path).is_file():
        return False
    try:
        with closing(sqlite3.connect(f"{Path(path).resolve().as_uri()}?mode=ro", uri=True)) as connection:
            row = connection.execute("SELECT finished FROM run").fetchone()
    except sqlite3.Error:
        return True
    return row is not None and not row[0]


def remove(path: str | Path) -> None:
    """Delete a ledger with its side files; nothing happens when there is none."""
    for suffix in ("", "-wal", "-shm"):
        Path(f"{path}{suffix}").unlink(missing_ok=True)


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None, timeout=10)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.executescript(_SCHEMA)
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def _difference(row: tuple[Any, ...], command: str, seed: int, flags: Mapping[str, Any]) -> str:
    if row[0] != command:
        return f"command {row[0]!r}, not {command!r}"
    if row[1] != seed:
        return f"seed {row[1]}, not {seed}"
    old = json.loads(row[3])
    names = sorted(name for name in {*old, *flags} if old.get(name) != flags.get(name))
    return ", ".join(f"{name} {old.get(name)!r}, not {flags.get(name)!r}" for name in names)
