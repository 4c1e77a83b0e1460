"""The standalone verifier: it agrees with `envgen.verify` on random episodes, and its command line fails closed."""

import importlib.util
import json
import random
import sqlite3
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from envgen.core.data import data_path
from envgen.core.outcome import Change
from envgen.core.types import Answer, Expectation, Goal, Gold
from envgen.verify.answer import answer_matches
from envgen.verify.changes import TableInfo, compose
from envgen.verify.expectation import derive
from envgen.verify.state import match

NOW = "2026-03-02 09:00:00"
SCHEMA = """
CREATE TABLE booking(id INTEGER PRIMARY KEY NOT NULL, guest INTEGER NOT NULL, note TEXT, made_at TEXT,
  hidden INTEGER, parent_id INTEGER) STRICT;
CREATE TABLE line(booking_id INTEGER NOT NULL REFERENCES booking(id) ON DELETE CASCADE, seq INTEGER NOT NULL, sku TEXT,
  PRIMARY KEY(booking_id, seq)) STRICT, WITHOUT ROWID;
INSERT INTO booking VALUES(1,1,'a','2026-01-01 10:00:00',0,NULL),(2,2,'b','2026-01-01 10:00:00',0,1);
INSERT INTO line VALUES(1,1,'x'),(1,2,'y'),(2,1,'x');
"""
ENVIRONMENT = {
    "tables": [
        {
            "name": "booking",
            "columns": [
                {"name": "id", "primary_key": True, "policy": "generated"},
                {"name": "guest"},
                {"name": "note", "policy": "text"},
                {"name": "made_at", "policy": "clock"},
                {"name": "hidden", "policy": "internal"},
                {"name": "parent_id", "references": "booking.id"},
            ],
        },
        {
            "name": "line",
            "primary_key": ["booking_id", "seq"],
            "columns": [{"name": "booking_id", "references": "booking.id"}, {"name": "seq", "policy": "generated"}, {"name": "sku"}],
        },
    ],
    "rules": [
        {"id": "no_x", "kind": "agent", "sql": "SELECT 1 FROM trace.calls c WHERE c.tool = 'x' AND c.ok"},
        {"id": "guarded", "kind": "guard", "sql": "SELECT 1"},
    ],
}
INFOS = {
    "booking": TableInfo(
        "booking", ("id", "guest", "note", "made_at", "hidden", "parent_id"), (0,),
        ("generated", "exact", "text", "clock", "internal", "exact"), {"parent_id": ("booking", "id")},
    ),
    "line": TableInfo(
        "line", ("booking_id", "seq", "sku"), (0, 1), ("exact", "generated", "exact"), {"booking_id": ("booking", "id")}
    ),
}  # fmt: skip


def load_verifier() -> ModuleType:
    spec = importlib.util.spec_from_file_location("verify_program", data_path("verifiers/state_diff.py"))
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


VERIFIER = load_verifier()


def act(connection: apsw.Connection, draw: random.Random, free: list[int]) -> None:
    """One random step of an episode; ids come from `free`, so that two runs name alike rows differently."""
    ids = [row[0] for row in connection.execute("SELECT id FROM booking ORDER BY guest, note, id")]
    kind, guest, note = draw.choice("nnnlludp"), draw.randint(1, 2), draw.choice(["hi", "ho"])
    target = draw.choice(ids) if ids else None
    if kind == "n":
        connection.execute("INSERT INTO booking VALUES(?,?,?,?,?,?)", (free.pop(), guest, note, NOW, guest, target))
    elif kind == "l" and target:
        connection.execute("INSERT OR IGNORE INTO line VALUES(?,?,?)", (target, draw.randint(1, 4), draw.choice("xy")))
    elif kind == "u" and target:
        connection.execute("UPDATE booking SET note = ?, hidden = 9 WHERE id = ?", (note, target))
    elif kind == "p" and target:
        connection.execute("UPDATE booking SET parent_id = ? WHERE id = ?", (ids[0], target))
    elif kind == "d" and target:
        connection.execute("DELETE FROM booking WHERE id = ?", (target,))


def play(seed: int, steps: int, base: int, twist: int) -> tuple[apsw.Connection, list[Change]]:
    connection, log = apsw.Connection(":memory:"), []
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute(SCHEMA)
    connection.preupdate_hook(lambda u: log.append(Change(u.op.lower(), u.table_name, u.old, u.new)))
    free, draw = [base - i if base > 50 else base + i for i in range(40)], random.Random(seed)
    for _ in range(steps):
        act(connection, draw, free)
    if twist:
        act(connection, random.Random(twist), free)
    return connection, log


def bundle(gold: Gold) -> Any:
    world = sqlite3.connect(":memory:")
    world.executescript(SCHEMA)
    data = gold.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    return VERIFIER.Bundle(ENVIRONMENT, [{"id": "t", "start": {"now": NOW}}], [data], world)


def gold_of(expect: Expectation, **fields: Any) -> Gold:
    return Gold(task="t", goals=(Goal(kind="do", template="x"),), calls=(), expect=expect, **fields)


def stdlib(connection: apsw.Connection) -> sqlite3.Connection:
    copy = sqlite3.connect(":memory:")
    copy.deserialize(connection.serialize("main"))
    return copy


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.integers(0, 10**6), st.integers(1, 7), st.integers(0, 12))
def test_it_agrees_with_the_verifier_in_the_process(seed: int, steps: int, twist: int) -> None:
    _, log = play(seed, steps, 10, 0)
    expect = derive(compose(log, INFOS), INFOS, quoted=lambda value: value == "hi", now=NOW)
    connection, other = play(seed, steps, 90, twist)
    passed = match(expect, compose(other, INFOS), INFOS).passed
    verdict = VERIFIER.verify(bundle(gold_of(expect)), "t", stdlib(connection), [{"submit": {"outcome": "done"}}])
    state = next(check for check in verdict["checks"] if check["name"] == "state")
    assert state["passed"] == passed, (state, expect)


values = st.one_of(
    st.none(), st.booleans(), st.integers(-3, 3), st.floats(allow_nan=True), st.text("Aé e\u03015-0", max_size=4),
    st.sampled_from(["2026-02-28", "2026-02-30", " 5 ", "5.0", "true", 5.0]), st.lists(st.sampled_from(["a", "A", "b", 1]), max_size=3),
)  # fmt: skip


@settings(max_examples=400, deadline=None, derandomize=True)
@given(st.sampled_from(["integer", "text", "date", "boolean", "texts", None]), values, values)
def test_answers_agree(kind: Any, right: Any, given_value: Any) -> None:
    expected = None if kind is None else {"type": kind, "value": right}
    record = None if kind is None else Answer(type=kind, value=right)
    for value in (given_value, right):
        assert VERIFIER.same_answer(expected, value) == answer_matches(record, value)


def test_rules_and_the_start_patch_count() -> None:
    expect = Expectation()
    held = bundle(gold_of(expect, outcome="refused", reason="no_x"))
    held.tasks["t"]["start"]["patch"] = [
        {"op": "update", "table": "booking", "key": {"id": 1}, "row": {"note": "patched"}},
        {"op": "delete", "table": "booking", "key": {"id": 2}},
        {"op": "insert", "table": "line", "row": {"booking_id": 1, "seq": 9, "sku": "z"}},
    ]
    connection, _ = play(1, 0, 10, 0)
    submit = {"submit": {"outcome": "refused", "reason": "no_x"}}
    assert not VERIFIER.verify(held, "t", stdlib(connection), [submit])["solved"]
    connection.execute("UPDATE booking SET note = 'patched' WHERE id = 1; DELETE FROM booking WHERE id = 2")
    connection.execute("INSERT INTO line VALUES(1, 9, 'z')")
    assert VERIFIER.verify(held, "t", stdlib(connection), [submit])["solved"]
    call = {"step": 0, "tool": "x", "arguments": {}, "ok": True, "code": "", "result": 1, "now": NOW, "writes": []}
    verdict = VERIFIER.verify(held, "t", stdlib(connection), [call, submit])
    assert [check["name"] for check in verdict["checks"] if not check["passed"]] == ["rule:no_x"]
    assert not VERIFIER.verify(held, "t", stdlib(connection), [])["solved"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    world = sqlite3.connect(tmp_path / "world.sqlite")
    world.executescript(SCHEMA)
    world.close()
    gold = gold_of(Expectation(), answer=Answer(type="integer", value=2)).model_dump(mode="json", by_alias=True)
    (tmp_path / "environment.json").write_text(json.dumps(ENVIRONMENT))
    (tmp_path / "tasks.jsonl").write_text(json.dumps({"id": "t", "start": {"now": NOW}}) + "\n")
    (tmp_path / "gold.jsonl").write_text(json.dumps(gold) + "\n")
    (tmp_path / "verify.py").write_text(data_path("verifiers/state_diff.py").read_text())
    (tmp_path / "calls.jsonl").write_text(json.dumps({"submit": {"answer": 2, "outcome": "done"}}) + "\n")
    return tmp_path


def run(folder: Path, *extra: str) -> int:
    arguments = {"--task": "t", "--world": str(folder / "world.sqlite"), "--calls": str(folder / "calls.jsonl"), "--bundle": str(folder)}
    return int(VERIFIER.main([part for pair in arguments.items() for part in pair] + list(extra)))


def test_the_spawned_program_needs_nothing_but_python(folder: Path) -> None:
    command = [sys.executable, "-I", "-S", str(folder / "verify.py"), "--task", "t", "--json"]
    command += ["--world", str(folder / "world.sqlite"), "--calls", str(folder / "calls.jsonl")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["reward"] == 1.0


def test_exit_statuses(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(folder) == 0
    (folder / "calls.jsonl").write_text(json.dumps({"submit": {"answer": 3, "outcome": "done"}}))
    assert run(folder) == 1
    assert "FAIL  answer" in capsys.readouterr().out
    with pytest.raises(SystemExit) as stopped:
        run(folder, "--task", "other")
    assert stopped.value.code == 2


@pytest.mark.parametrize("damage", ["world.sqlite", "calls.jsonl", "gold.jsonl", "environment.json"])
@pytest.mark.parametrize("how", ["missing", "garbage"])
def test_a_missing_or_damaged_file_is_invalid_not_zero(folder: Path, damage: str, how: str, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / damage).unlink()
    if how == "garbage":
        (folder / damage).write_text('{"torn": ')
    assert run(folder, "--json") == 3
    assert json.loads(capsys.readouterr().out)["reward"] is None


def test_an_old_sqlite_is_invalid(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(VERIFIER.sqlite3, "sqlite_version_info", (3, 37, 2))
    assert run(folder) == 3


@pytest.mark.parametrize(
    "record", ["5", '{"tool": "x"}', '{"step": 0, "tool": "x", "ok": [1], "arguments": {}}', '{"submit": 3}', '{"message": {}}']
)
def test_records_of_another_shape_are_invalid_not_zero(folder: Path, record: str) -> None:
    (folder / "calls.jsonl").write_text(record + "\n")
    assert run(folder) == 3


def test_a_task_without_gold_is_invalid(folder: Path) -> None:
    (folder / "gold.jsonl").write_text("")
    assert run(folder) == 3
