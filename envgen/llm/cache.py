"""The response cache: every answer that was paid for, in one SQLite file, under a digest of everything that affects it.

An answer is committed the moment it arrives, so that a killed run pays for nothing twice. Two processes may share a file.
"""

import json
import sqlite3
import threading
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from envgen.core.digest import digest
from envgen.core.errors import InfrastructureError
from envgen.core.events import Event, Events, silent
from envgen.core.types import JsonObject
from envgen.llm.route import route_of
from envgen.llm.types import ModelRequest, ModelSettings

_SCHEMA = """
CREATE TABLE IF NOT EXISTS responses (key TEXT PRIMARY KEY, stage TEXT NOT NULL, model TEXT NOT NULL, reply TEXT NOT NULL,
    made_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ', 'now')))
"""
_BUSY_SECONDS = 30.0


def request_key(settings: ModelSettings, request: ModelRequest) -> str:
    """Return the hex digest of all that affects an answer: endpoint, model, messages, schema, tools, sampling and sample number.

    The schema is the one wanted, not the way it was negotiated, so that a resumed run finds its answers. Never the key, nor
    credentials in the URL; not the stage either, which only names the work.
    """
    route = route_of(settings)
    return digest(
        {
            "provider": route.provider,
            "endpoint": route.endpoint,
            "model": route.model,
            "messages": list(request.messages),
            "schema": request.schema,
            "tools": list(request.tools),
            "temperature": settings.temperature if request.temperature is None else request.temperature,
            "max_tokens": request.max_tokens or settings.max_tokens,
            "seed": settings.seed,
            "reasoning_effort": settings.reasoning_effort,
            "sample": request.sample,
        }
    )


class ResponseCache:
    """The answers in the file `path`. Safe to use from several threads and processes.

    A damaged file is set aside with a warning and a new one begun. InfrastructureError when the file can be neither made nor opened.
    """

    def __init__(self, path: str | Path, *, events: Events = silent) -> None:
        self.path = Path(path)
        self._events = events
        self._warned: set[str] = set()
        self._lock = threading.RLock()
        self._db = self._open()

    def _open(self) -> sqlite3.Connection:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            return _connect(self.path)
        except sqlite3.OperationalError as problem:
            raise self._unusable(problem) from problem
        except sqlite3.DatabaseError as problem:
            return self._start_over(problem)
        except OSError as problem:
            raise self._unusable(problem) from problem

    def _unusable(self, problem: Exception) -> InfrastructureError:
        return InfrastructureError(f"{self.path}: the response cache cannot be opened ({problem}). Check the folder, or choose another")

    def _start_over(self, problem: Exception) -> sqlite3.Connection:
        """Set the damaged file aside, under the first free name, and begin a new one; unless another process has just done so."""
        sound = _connect_if_sound(self.path)
        if sound is not None:
            return sound
        taken = (self.path.with_name(f"{self.path.name}.damaged-{number}") for number in range(1, 10_000))
        aside = next(path for path in taken if not path.exists())
        for ending in ("", "-wal", "-shm"):
            part = self.path.with_name(self.path.name + ending)
            if part.exists():
                part.replace(aside.with_name(aside.name + ending))
        self._warn(f"the response cache {self.path} is damaged ({problem}); it is set aside as {aside.name} and a new one begun")
        return _connect(self.path)

    def _warn(self, message: str) -> None:
        if message not in self._warned:
            self._warned.add(message)
            self._events(Event("warning", "cache", message))

    def _run(self, sql: str, values: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        """Run one statement. A damaged file is replaced and gives no rows; any other failure is a warning and gives none either."""
        with self._lock:
            try:
                return self._db.execute(sql, values).fetchall()
            except (sqlite3.OperationalError, sqlite3.ProgrammingError) as problem:
                self._warn(f"the response cache {self.path} did not serve ({problem}); the run goes on without it")
            except sqlite3.DatabaseError as problem:
                self._db.close()
                self._db = self._start_over(problem)
            return []

    def get(self, key: str) -> JsonObject | None:
        """Return the answer stored under `key`, None when there is none."""
        rows = self._run("SELECT reply FROM responses WHERE key = ?", (key,))
        try:
            reply = json.loads(rows[0][0]) if rows else None
        except ValueError:
            return None
        return reply if isinstance(reply, dict) else None

    def put(self, key: str, stage: str, model: str, reply: JsonObject) -> JsonObject:
        """Store `reply` under `key`, and return what is stored there: an answer that came first stays, so that all runs use the same."""
        self._run("INSERT OR IGNORE INTO responses (key, stage, model, reply) VALUES (?, ?, ?, ?)", (key, stage, model, json.dumps(reply)))
        return self.get(key) or reply

    def __len__(self) -> int:
        rows = self._run("SELECT count(*) FROM responses", ())
        return int(rows[0][0]) if rows else 0

    def close(self) -> None:
        """Close the file. Idempotent."""
        with self._lock:
            self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute(_SCHEMA)
        connection.execute("SELECT key, stage, model, reply FROM responses LIMIT 1").fetchall()
    except BaseException:
        connection.close()
        raise
    return connection


def _connect_if_sound(path: Path) -> sqlite3.Connection | None:
    try:
        connection = _connect(path)
    except sqlite3.Error:
        return None
    try:
        if connection.execute("PRAGMA quick_check(1)").fetchone() == ("ok",):
            return connection
    except sqlite3.Error:
        pass
    connection.close()
    return None
