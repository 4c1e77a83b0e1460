"""Episode records: one JSON object each, whatever the agent passed."""

import json

from envgen.core.outcome import CallRecord, Change
from envgen.core.types import Message
from envgen.verify.changes import TableInfo
from envgen.verify.records import episode_records

NOW = "2026-03-02 09:00:00"
INFOS = {"claim": TableInfo("claim", ("id", "status"), (0,), ("generated", "exact"))}


def test_calls_messages_and_the_submission_last() -> None:
    writes = (Change("update", "claim", (1, "open"), (1, "paid")), Change("update", "_ids", ("claim.id", 1), ("claim.id", 2)))
    calls = [CallRecord(0, "pay", {"claim_id": 1}, True, "", {"status": "paid"}, NOW, writes)]
    found = list(episode_records(calls, INFOS, answer=3, outcome="partial", reason="r", messages=[Message(role="user", content="Pay.")]))
    assert found[0] == {"message": {"role": "user", "content": "Pay."}}
    assert found[1]["writes"] == [
        {"op": "update", "table": "claim", "old": {"id": 1, "status": "open"}, "new": {"id": 1, "status": "paid"}}
    ]
    assert found[2] == {"submit": {"answer": 3, "outcome": "partial", "reason": "r"}}


def test_what_fits_no_schema_is_left_out() -> None:
    deep: list[object] = []
    for _ in range(3_000):
        deep = [deep]
    calls = [
        CallRecord(0, "\ud800" * 9, {"x": float("nan")}, False, "unknown_tool", None, NOW),
        CallRecord(1, "pay", deep, False, "invalid_arguments", None, NOW),
    ]
    text = "".join(json.dumps(record, allow_nan=False) for record in episode_records(calls, INFOS))
    assert "NaN" not in text and len(text) < 1_000
    assert [record["arguments"] for record in episode_records(calls, INFOS) if "tool" in record] == [None, None]
