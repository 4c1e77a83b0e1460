"""The records of an episode as `verify.py` reads them, one JSON object a line."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from envgen.core.outcome import CallRecord
from envgen.core.types import JsonObject, Message
from envgen.verify.changes import Infos, RowTuple, TableInfo
from envgen.verify.rules import UNCHECKED


def episode_records(
    calls: Sequence[CallRecord],
    infos: Infos,
    *,
    answer: Any = None,
    outcome: str = "done",
    reason: str | None = None,
    messages: Iterable[Message] = (),
) -> Iterator[JsonObject]:
    """Yield the records of an episode that ended in `submit(answer, outcome, reason)`, the submission last.

    Arguments that fit no schema are left out (null): they may hold what JSON or UTF-8 cannot carry.
    """
    for message in messages:
        yield {"message": {"role": message.role, "content": message.content}}
    for call in calls:
        yield {
            "step": call.step,
            "tool": "" if call.code == "unknown_tool" else call.tool,
            "arguments": None if call.code in UNCHECKED else call.arguments,
            "ok": call.ok,
            "code": call.code,
            "result": call.result,
            "now": call.now,
            "writes": [
                {"op": w.op, "table": w.table, "old": _named(infos[w.table], w.old), "new": _named(infos[w.table], w.new)}
                for w in call.writes
                if w.table in infos
            ],
        }
    yield {"submit": {"answer": answer, "outcome": outcome, "reason": reason}}


def _named(info: TableInfo, row: RowTuple | None) -> JsonObject | None:
    return None if row is None else dict(zip(info.columns, row, strict=True))
