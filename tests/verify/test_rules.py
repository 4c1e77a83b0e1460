"""Rules over start, end and trace."""

import apsw
import pytest

from envgen.core.outcome import CallRecord, Change
from envgen.core.types import Message
from envgen.verify.changes import TableInfo
from envgen.verify.rules import broken_rules, create_trace, trigger

NOW = "2026-03-02 09:00:00"
INFOS = {"claim": TableInfo("claim", ("id", "status", "hidden"), (0,), ("generated", "exact", "internal"))}
NOTE_FIRST = (
    "SELECT c.step FROM trace.calls c WHERE c.tool = 'pay' AND c.ok AND NOT EXISTS (SELECT 1 FROM trace.calls r WHERE r.tool = 'note' "
    "AND r.ok AND r.step < c.step AND r.arguments->>'$.claim_id' = c.arguments->>'$.claim_id')"
)


@pytest.fixture
def connection() -> apsw.Connection:
    found = apsw.Connection(":memory:")
    found.execute("ATTACH ':memory:' AS before")
    for schema in ("main", "before"):
        found.execute(f"CREATE TABLE {schema}.claim(id INTEGER PRIMARY KEY NOT NULL, status TEXT NOT NULL, hidden INTEGER)")
        found.execute(f"INSERT INTO {schema}.claim VALUES(1, 'open', 0)")
    create_trace(found)
    return found


def call(step: int, tool: str, claim: int = 1, ok: bool = True, writes: tuple[Change, ...] = ()) -> CallRecord:
    return CallRecord(step, tool, {"claim_id": claim}, ok, "" if ok else "refused", {"status": "open"}, NOW, writes)


@pytest.mark.parametrize(
    ("calls", "broken"),
    [
        ([], []),
        ([call(0, "note"), call(1, "pay")], []),
        ([call(0, "pay"), call(1, "note")], ["note_first"]),
        ([call(0, "note", claim=2), call(1, "pay")], ["note_first"]),
        ([call(0, "note", ok=False), call(1, "pay")], ["note_first"]),
        ([call(0, "pay", ok=False)], []),
    ],
)
def test_a_procedure_over_the_calls(connection: apsw.Connection, calls: list[CallRecord], broken: list[str]) -> None:
    assert broken_rules(connection, [("note_first", NOTE_FIRST)], calls, INFOS) == broken
    assert connection.execute("SELECT count(*) FROM trace.calls").get == 0


def test_rules_read_writes_results_messages_and_both_states(connection: apsw.Connection) -> None:
    connection.execute("UPDATE main.claim SET status = 'paid'")
    rules = [
        ("writes", "SELECT 1 FROM trace.writes w WHERE w.tbl = 'claim' AND w.col = 'status' AND w.old = 'open' AND w.key->>'$.id' = 1"),
        ("hidden", "SELECT 1 FROM trace.writes w WHERE w.col = 'hidden'"),
        ("result", "SELECT 1 FROM trace.calls c WHERE c.result->>'$.status' = 'open'"),
        ("messages", "SELECT 1 FROM trace.messages m WHERE m.role = 'user' AND m.content LIKE '%please%'"),
        ("states", "SELECT 1 FROM main.claim a JOIN before.claim b ON b.id = a.id WHERE a.status <> b.status"),
    ]
    calls = [call(0, "pay", writes=(Change("update", "claim", (1, "open", 0), (1, "paid", 1)),))]
    found = broken_rules(connection, rules, calls, INFOS, [Message(role="user", content="Pay it, please.")])
    assert found == ["writes", "result", "messages", "states"]


@pytest.mark.parametrize(
    ("sql", "tool"),
    [
        (NOTE_FIRST, "pay"),
        ("SELECT c.step FROM trace.calls AS c WHERE c.tool = 'pay' AND c.ok", "pay"),
        ("SELECT c.step FROM trace.calls c WHERE c.tool = 'pay' AND c.ok = 1 AND (c.now > '2' OR c.now < '1')", "pay"),
        ("SELECT c.step FROM trace.calls c WHERE c.tool = 'pay' AND c.ok = 0", None),
        ("SELECT c.step FROM trace.calls c WHERE c.tool = 'pay' AND c.ok OR 1", None),
        ("SELECT c.step FROM trace.calls c WHERE c.tool = 'pay' AND c.ok AND 1 UNION SELECT 1", None),
        ("SELECT count(*) FROM trace.calls c WHERE c.tool = 'pay' AND c.ok", None),
        ("SELECT c.step FROM trace.calls c WHERE c.tool = 'pay' AND c.okay", None),
        ("SELECT 1 FROM main.claim", None),
    ],
)
def test_only_a_provable_trigger_is_used(sql: str, tool: str | None) -> None:
    assert trigger(sql) == tool


def test_trace_is_emptied_after_a_rule_that_fails(connection: apsw.Connection) -> None:
    with pytest.raises(apsw.SQLError):
        broken_rules(connection, [("bad", "SELECT nothing FROM trace.calls")], [call(0, "pay")], INFOS)
    assert connection.execute("SELECT count(*) FROM trace.calls").get == 0
