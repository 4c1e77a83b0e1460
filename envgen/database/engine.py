"""APSW connections as envgen uses them: limits, a strict authorizer, and pooled slots that reset by savepoint.

A slot is one native `:memory:` connection holding three schemas: `main` (the world), `before` (the start state, for rules)
and `trace` (what the agent did, for rules). An episode is one outer savepoint that is rolled back when the slot returns.
"""

import threading
from collections import deque
from contextlib import nullcontext
from typing import Any

import apsw

from envgen.core.outcome import Change
from envgen.verify.rules import create_trace

FUNCTIONS = frozenset(
    """abs avg ceil ceiling char coalesce count cume_dist date datetime dense_rank exp first_value floor format glob
    group_concat hex ifnull iif instr json json_array json_array_length json_each json_extract json_group_array
    json_group_object json_insert json_object json_patch json_quote json_remove json_replace json_set json_tree json_type
    json_valid lag last_value lead length like lower ltrim max min mod nth_value ntile nullif percent_rank printf quote rank
    replace round row_number rtrim sign strftime substr substring sum time total trim typeof unicode unixepoch upper -> ->>""".split()
)
TICK = 50_000
CALL_TICKS = 20
OTHER_TICKS = 20_000
ALLOWED = frozenset(
    {
        apsw.SQLITE_SELECT, apsw.SQLITE_READ, apsw.SQLITE_INSERT, apsw.SQLITE_UPDATE, apsw.SQLITE_DELETE,
        apsw.SQLITE_RECURSIVE, apsw.SQLITE_SAVEPOINT, apsw.SQLITE_TRANSACTION,
    }
)  # fmt: skip
LIMITS = {
    apsw.SQLITE_LIMIT_LENGTH: 256 * 1024,
    apsw.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: 100,
    apsw.SQLITE_LIMIT_COMPOUND_SELECT: 20,
    apsw.SQLITE_LIMIT_EXPR_DEPTH: 100,
    apsw.SQLITE_LIMIT_TRIGGER_DEPTH: 10,
}


def authorize(operation: int, first: str | None, second: str | None, database: str | None, trigger: str | None) -> int:
    """APSW authorizer of a slot: reads, row writes outside SQLite's own tables, allow-listed functions."""
    if operation == apsw.SQLITE_FUNCTION:
        return apsw.SQLITE_OK if (second or "").lower() in FUNCTIONS else apsw.SQLITE_DENY
    if operation == apsw.SQLITE_PRAGMA:
        # `serialize` asks for the page count by this pragma, and returns nothing when it may not.
        return apsw.SQLITE_OK if first == "page_count" and second is None else apsw.SQLITE_DENY
    if operation not in ALLOWED:
        return apsw.SQLITE_DENY
    writes = operation in (apsw.SQLITE_INSERT, apsw.SQLITE_UPDATE, apsw.SQLITE_DELETE)
    if writes and (first or "").startswith("sqlite_"):
        return apsw.SQLITE_DENY
    return apsw.SQLITE_OK


def memory(vfs: str | None = None) -> apsw.Connection:
    """Return an empty in-memory connection with foreign keys enforced."""
    # The cache is a ring of at most 512 places: a statement stays only if it is used again within so many others. So savepoints,
    # which cost next to nothing to prepare, stay out of it.
    connection = apsw.Connection(":memory:", statementcachesize=8192, vfs=vfs)
    connection.execute("PRAGMA foreign_keys = ON")
    # Without the stability guarantee the planner looks at bound values, and prepares a statement anew for each of them.
    connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
    return connection


def copy_database(target: apsw.Connection, schema: str, source: apsw.Connection, source_schema: str = "main") -> None:
    """Copy every page of `source` into `target`; both must be native memory databases or files."""
    with target.backup(schema, source, source_schema) as backup:
        backup.step()


def open_world(path: str) -> apsw.Connection:
    """Return a memory copy of the SQLite file at `path`; the file is opened read-only."""
    source = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READONLY)
    try:
        target = memory()
        copy_database(target, "main", source)
    finally:
        source.close()
    return target


def load(target: apsw.Connection, data: bytes) -> None:
    """Fill the `main` schema of `target`, which stays a native memory database, from the bytes of a database."""
    between = apsw.Connection("")
    try:
        between.deserialize("main", data)
        copy_database(target, "main", between)
    finally:
        between.close()


def native(data: bytes) -> apsw.Connection:
    """Return the database in `data` as a native memory database, which forks and snapshots rely on."""
    target = memory()
    load(target, data)
    return target


class Slot:
    """One reusable connection. `log` holds the row changes of the episode so far, in the engine's order."""

    __slots__ = ("_template", "connection", "dirty", "execute", "log", "ticks_left")

    def __init__(self, template: apsw.Connection, *, vfs: str | None = None, reverse: bool = False) -> None:
        self._template = template
        self.connection = memory(vfs)
        self.execute = self.connection.execute
        self.log: list[Change] = []
        self.dirty = False
        self.ticks_left = OTHER_TICKS
        self.execute("ATTACH ':memory:' AS before")
        self.execute("ATTACH ':memory:' AS trace")
        copy_database(self.connection, "main", template)
        copy_database(self.connection, "before", template)
        create_trace(self.connection)
        if reverse:
            self.execute("PRAGMA reverse_unordered_selects = ON")
        self._harden()

    def _harden(self) -> None:
        for limit, value in LIMITS.items():
            self.connection.limit(limit, value)
        self.connection.limit(apsw.SQLITE_LIMIT_ATTACHED, 2)
        self.connection.set_progress_handler(self._tick, TICK)
        self.connection.preupdate_hook(self._record)
        self.connection.authorizer = authorize

    def _tick(self) -> bool:
        # SQLite counts the steps of a cached statement over all its runs, so one tick says nothing: only many within a call do.
        self.ticks_left -= 1
        return self.ticks_left < 0

    def _record(self, update: Any) -> None:
        if update.database_name == "main":
            self.log.append(Change(update.op.lower(), update.table_name, update.old, update.new))

    def begin(self) -> None:
        """Open the episode's savepoint."""
        self.log.clear()
        self.ticks_left = OTHER_TICKS
        self.execute("SAVEPOINT episode", can_cache=False)

    def end(self) -> None:
        """Undo the episode; a slot that was filled by a fork gets the world back."""
        self.execute("ROLLBACK TO episode", can_cache=False)
        self.execute("RELEASE episode", can_cache=False)
        if self.dirty:
            copy_database(self.connection, "main", self._template)
            self.dirty = False
        self.log.clear()

    def adopt(self, other: "Slot") -> None:
        """Become a copy of `other` in mid-episode: rows, and the log that carries its base. Call before `begin`."""
        # A backup refuses a source in mid-transaction, and a deserialized database loses uncommitted rows when it is
        # serialized in turn: so serialize the native source, and copy by backup out of a go-between.
        load(self.connection, other.connection.serialize("main"))
        self.dirty = True


class Pool:
    """Slots over one world. `take` and `give` are atomic; a slot serves one session at a time."""

    def __init__(self, world: apsw.Connection, *, vfs: str | None = None, reverse: bool = False, keep: int = 64) -> None:
        self._world = world
        self._vfs, self._reverse, self._keep = vfs, reverse, keep
        self._free: deque[Slot] = deque()
        self._filling = threading.Lock()

    def take(self) -> Slot:
        """Return a free slot, or a new one."""
        try:
            return self._free.pop()
        except IndexError:
            # One connection may be the source of one backup at a time.
            with self._filling:
                return Slot(self._world, vfs=self._vfs, reverse=self._reverse)

    def restart(self, slot: Slot) -> None:
        """Begin the episode of `slot` anew in the world as it was, after SQLite gave the whole transaction up."""
        if slot.dirty:
            with self._filling:
                copy_database(slot.connection, "main", self._world)
            slot.dirty = False
        slot.begin()

    def give(self, slot: Slot) -> None:
        """Take a slot back, its episode undone."""
        with self._filling if slot.dirty else nullcontext():
            slot.end()
        if len(self._free) < self._keep:
            self._free.append(slot)
        else:
            slot.connection.close()
