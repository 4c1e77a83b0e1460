"""Rules: SQL over the start (`before`), the end (`main`) and the calls (`trace`) that must return no row."""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import apsw
from pydantic_core import to_json

from envgen.core.outcome import CallRecord
from envgen.core.types import Message
from envgen.verify.changes import Infos

TRACE = """
CREATE TABLE trace.calls(step INTEGER PRIMARY KEY, tool TEXT NOT NULL, arguments TEXT NOT NULL, ok INTEGER NOT NULL,
  code TEXT NOT NULL, result TEXT, now TEXT NOT NULL);
CREATE TABLE trace.writes(step INTEGER NOT NULL, tbl TEXT NOT NULL, op TEXT NOT NULL, key TEXT NOT NULL, col TEXT NOT NULL, old, new);
CREATE TABLE trace.messages(step INTEGER NOT NULL, role TEXT NOT NULL, content TEXT NOT NULL);
"""
# Arguments refused with these codes fit no schema and may be anything (NaN, lone surrogates, megabytes): rules see null.
UNCHECKED = ("unknown_tool", "invalid_arguments")
_TRIGGERED = re.compile(
    r"\s*SELECT\s+(?:DISTINCT\s+)?[\w.]+(?:\s*,\s*[\w.]+)*\s+FROM\s+trace\.calls\s+(?:AS\s+)?(\w+)\s+WHERE\s+"
    r"\1\.tool\s*=\s*'([^']*)'\s+AND\s+\1\.ok(?:\s*=\s*1)?\s*(?:$|(?=\bAND\b))",
    re.IGNORECASE,
)


def create_trace(connection: apsw.Connection) -> None:
    """Attach an empty in-memory schema `trace` (unless there is one) and make its three tables."""
    if "trace" not in {row[1] for row in connection.execute("PRAGMA database_list")}:
        connection.execute("ATTACH ':memory:' AS trace")
    connection.execute(TRACE)


class _Needs(NamedTuple):
    calls: bool
    results: bool
    writes: bool
    messages: bool
    triggers: tuple[str | None, ...]


@lru_cache(maxsize=256)
def _needs(sqls: tuple[str, ...]) -> _Needs:
    text = "\n".join(sqls).lower()
    reads = [bool(re.search(rf"\b{word}\b", text)) for word in (r"trace\.calls", "result", r"trace\.writes", r"trace\.messages")]
    return _Needs(reads[0], reads[1], reads[2], reads[3], tuple(trigger(sql) for sql in sqls))


def trigger(sql: str) -> str | None:
    """Return the tool without whose successful call the rule cannot return a row, when the SQL's form proves it.

    The form is `SELECT columns FROM trace.calls c WHERE c.tool = 'x' AND c.ok [AND ...]` with no OR, UNION or GROUP outside
    parentheses: a filter over one scan, so no such call means no row. Any other form gives None and is always evaluated.
    """
    found = _TRIGGERED.match(sql)
    if not found:
        return None
    rest, depth, top = re.sub(r"'[^']*'", "''", sql[found.end() :]), 0, []
    for part in re.split(r"([()])", rest):
        depth += {"(": 1, ")": -1}.get(part, 0)
        top.append(part if depth == 0 else " ")
    words = re.findall(r"[a-z]+", "".join(top).lower())
    return None if {"or", "union", "group", "having", "except"} & set(words) else found.group(2)


def broken_rules(
    connection: apsw.Connection,
    rules: Sequence[tuple[str, str]],
    calls: Sequence[CallRecord],
    infos: Infos,
    messages: Iterable[Message] = (),
) -> list[str]:
    """Return the ids of the rules that return a row, in the order of `rules`.

    The trace tables are filled only with what some rule reads, and emptied afterwards. A rule whose SQL provably needs a
    successful call of one tool (see `trigger`) is not evaluated when there was none.
    """
    needs = _needs(tuple(sql for _, sql in rules))
    called = {call.tool for call in calls if call.ok}
    due = [rule for rule, tool in zip(rules, needs.triggers, strict=True) if tool is None or tool in called]
    if not due:
        return []
    try:
        _fill(connection, needs, calls, infos, messages)
        return [rule for rule, sql in due if next(iter(connection.execute(sql)), None) is not None]
    finally:
        _clear(connection, needs)


def _fill(connection: apsw.Connection, needs: _Needs, calls: Sequence[CallRecord], infos: Infos, messages: Iterable[Message]) -> None:
    if needs.calls and calls:
        connection.executemany(
            "INSERT INTO trace.calls VALUES(?,?,?,?,?,?,?)",
            [_call_row(call, needs.results) for call in calls],
        )
    if needs.writes:
        connection.executemany("INSERT INTO trace.writes VALUES(?,?,?,?,?,?,?)", list(_writes(calls, infos)))
    if needs.messages:
        rows = [(step, message.role, message.content) for step, message in enumerate(messages)]
        connection.executemany("INSERT INTO trace.messages VALUES(?,?,?)", rows)


def _call_row(call: CallRecord, with_result: bool) -> tuple[Any, ...]:
    tool = "" if call.code == "unknown_tool" else call.tool
    arguments = "null" if call.code in UNCHECKED else _json(call.arguments)
    return call.step, tool, arguments, call.ok, call.code, _json(call.result) if with_result else None, call.now


def _clear(connection: apsw.Connection, needs: _Needs) -> None:
    for table, used in (("calls", needs.calls), ("writes", needs.writes), ("messages", needs.messages)):
        if used:
            connection.execute(f"DELETE FROM trace.{table}")


def _json(value: Any) -> str:
    return to_json(value).decode()


def _writes(calls: Sequence[CallRecord], infos: Infos) -> Iterable[tuple[Any, ...]]:
    """One row per column written: its value before and after, with the row's key as JSON."""
    for call in calls:
        for change in call.writes:
            info = infos.get(change.table)
            if info is None:
                continue
            key = _json(info.key_row(info.key_of(change.new if change.new is not None else change.old or ())))
            for index, column in info.visible:
                old = change.old[index] if change.old is not None else None
                new = change.new[index] if change.new is not None else None
                if old != new:
                    yield call.step, change.table, change.op, key, column, old, new
