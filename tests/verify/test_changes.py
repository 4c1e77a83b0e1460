"""Change sets: the composed log equals the row difference, whatever statements ran."""

from typing import Any

import apsw
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from envgen.core.outcome import Change
from envgen.verify.changes import ChangeSet, TableInfo, compose, order_key, row_difference

SCHEMA = """
CREATE TABLE parent(id INTEGER PRIMARY KEY NOT NULL, name TEXT, secret INTEGER NOT NULL DEFAULT 0) STRICT;
CREATE TABLE child(id INTEGER PRIMARY KEY NOT NULL,
  parent_id INTEGER REFERENCES parent(id) ON DELETE CASCADE ON UPDATE CASCADE, note TEXT) STRICT;
CREATE TABLE tag(child_id INTEGER NOT NULL, seq INTEGER NOT NULL, word TEXT, owner INTEGER REFERENCES parent(id) ON DELETE SET NULL,
  PRIMARY KEY(child_id, seq)) STRICT, WITHOUT ROWID;
CREATE TABLE _ids(tbl TEXT PRIMARY KEY NOT NULL, next INTEGER NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO parent VALUES(1,'a',0),(2,NULL,0),(3,'c',0);
INSERT INTO child VALUES(1,1,'x'),(2,1,NULL),(3,2,'y'),(4,NULL,'z');
INSERT INTO tag VALUES(1,1,'p',1),(1,2,NULL,2),(2,1,'q',NULL);
INSERT INTO _ids VALUES('parent',4);
"""
INFOS = {
    "parent": TableInfo("parent", ("id", "name", "secret"), (0,), ("generated", "text", "internal")),
    "child": TableInfo("child", ("id", "parent_id", "note"), (0,), ("generated", "exact", "text"), {"parent_id": ("parent", "id")}),
    "tag": TableInfo("tag", ("child_id", "seq", "word", "owner"), (0, 1), ("exact", "generated", "exact", "exact")),
}
STATEMENTS = (
    "INSERT OR IGNORE INTO parent VALUES(:a, :t, :b)",
    "INSERT OR IGNORE INTO child VALUES(:a, :b, :t)",
    "INSERT OR IGNORE INTO tag VALUES(:a, :b, :t, :c)",
    "UPDATE OR IGNORE parent SET name = :t WHERE id >= :a",
    "UPDATE OR IGNORE parent SET secret = :b WHERE id = :a",
    "UPDATE OR IGNORE parent SET id = :b WHERE id = :a",
    "UPDATE OR IGNORE child SET parent_id = :b, note = :t WHERE id = :a",
    "UPDATE OR IGNORE child SET id = :b WHERE id = :a",
    "UPDATE OR IGNORE tag SET seq = seq + :b WHERE child_id = :a",
    "UPDATE OR IGNORE tag SET word = :t",
    "DELETE FROM parent WHERE id = :a",
    "DELETE FROM child WHERE id = :a",
    "DELETE FROM tag WHERE child_id = :a",
    "UPDATE _ids SET next = next + 1",
)
numbers = st.integers(1, 5)
calls = st.tuples(st.sampled_from(STATEMENTS), numbers, numbers, st.none() | numbers, st.sampled_from((None, "a", "x", "new")))


def world() -> tuple[apsw.Connection, list[Change]]:
    connection, log = apsw.Connection(":memory:"), []
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute(SCHEMA)
    connection.preupdate_hook(lambda u: log.append(Change(u.op.lower(), u.table_name, u.old, u.new)))
    return connection, log


def rows(connection: apsw.Connection) -> dict[str, list[tuple[Any, ...]]]:
    return {name: list(connection.execute(f"SELECT * FROM {name}")) for name in INFOS}


@settings(max_examples=120, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(calls, max_size=12))
@example([(STATEMENTS[10], 1, 1, None, None), (STATEMENTS[0], 1, 0, None, "a"), (STATEMENTS[5], 1, 5, None, None)])
def test_the_composed_log_equals_the_row_difference(statements: list[tuple[Any, ...]]) -> None:
    connection, log = world()
    before = rows(connection)
    for sql, a, b, c, t in statements:
        mark = len(log)
        try:
            connection.execute(sql, {"a": a, "b": b, "c": c, "t": t})
        except apsw.ConstraintError:
            del log[mark:]  # as the engine does: a statement that fails is undone, and so is its part of the log
    assert compose(log, INFOS) == row_difference(before, rows(connection), INFOS)


def run(*statements: str) -> ChangeSet:
    connection, log = world()
    for sql in statements:
        connection.execute(sql)
    return compose(log, INFOS)


def test_a_write_that_is_written_back_is_no_change() -> None:
    assert run("UPDATE child SET note = 'n' WHERE id = 1", "UPDATE child SET note = 'x' WHERE id = 1").empty()


def test_a_row_inserted_and_deleted_is_no_change() -> None:
    assert run("INSERT INTO child VALUES(9, 1, 'n')", "DELETE FROM child WHERE id = 9").empty()


def test_delete_and_insert_of_one_key_is_an_update() -> None:
    changes = run("DELETE FROM child WHERE id = 3", "INSERT INTO child VALUES(3, 2, 'other')")
    assert changes == ChangeSet(update=[("child", {"id": 3}, {"note": ("y", "other")})])


def test_an_update_of_a_key_is_a_delete_and_an_insert() -> None:
    changes = run("UPDATE child SET id = 8 WHERE id = 4")
    assert changes.insert == {"child": [{"id": 8, "parent_id": None, "note": "z"}]}
    assert changes.delete == [("child", {"id": 4}, {"id": 4, "parent_id": None, "note": "z"})]


def test_cascades_are_seen() -> None:
    changes = run("DELETE FROM parent WHERE id = 1")
    assert [(table, key) for table, key, _ in changes.delete] == [("child", {"id": 1}), ("child", {"id": 2}), ("parent", {"id": 1})]
    assert changes.update == [("tag", {"child_id": 1, "seq": 1}, {"owner": (1, None)})]


@pytest.mark.parametrize("sql", ["UPDATE parent SET secret = 7", "UPDATE _ids SET next = 99"])
def test_internal_columns_and_the_engines_table_are_left_out(sql: str) -> None:
    assert run(sql).empty()


def test_mixed_values_have_one_order() -> None:
    assert sorted([("b",), (2,), (None,), (b"x",), ("a",)], key=order_key) == [(None,), (2,), ("a",), ("b",), (b"x",)]
