"""From the specification's tables to DDL, by way of SQLAlchemy."""

import sqlite3

import apsw
import pytest
import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.schema import CreateTable
from toy import spec

from envgen.database.schema import ddl, id_targets, metadata, repr_sql
from envgen.database.spec import EnvironmentSpec

TABLES = [
    {
        "name": "order",
        "columns": [
            {"name": "id", "type": "INTEGER", "primary_key": True, "policy": "generated"},
            {"name": "placed_at", "format": "date-time"},
            {"name": "due_on", "format": "date", "not_null": False},
            {"name": "status", "values": ["it's open", "closed"], "default": "it's open"},
            {"name": "urgent", "type": "INTEGER", "format": "flag", "default": 0},
            {"name": "slot", "check": "slot <> '09:00'", "default": "10:00"},
        ],
        "indexes": [["status", "due_on"]],
    },
    {
        "name": "lines",
        "columns": [
            {"name": "order_id", "type": "INTEGER", "references": "order.id", "on_delete": "CASCADE"},
            {"name": "line", "type": "INTEGER"},
            {"name": "code", "unique": True},
        ],
        "primary_key": ["order_id", "line"],
        "unique": [["order_id", "code"]],
        "checks": ["line > 0"],
        "without_rowid": True,
    },
]


@pytest.fixture
def tables() -> EnvironmentSpec:
    return EnvironmentSpec.model_validate({**spec().model_dump(by_alias=True), "tables": TABLES, "tools": [], "rules": []})


@pytest.mark.parametrize("connect", [sqlite3.connect, apsw.Connection], ids=["sqlite3", "apsw"])
def test_both_engines_build_the_schema_and_enforce_it(tables: EnvironmentSpec, connect) -> None:  # type: ignore[no-untyped-def]
    connection = connect(":memory:")
    connection.execute("PRAGMA foreign_keys = ON")
    for statement in ddl(tables):
        connection.execute(statement)
    insert = 'INSERT INTO "order" (id, placed_at, due_on, urgent) VALUES (?, ?, ?, ?)'
    connection.execute(insert, (1, "2026-01-01 10:00:00", None, 0))
    connection.execute("INSERT INTO lines VALUES (1, 1, 'a')")
    bad = [
        (insert, (2, "2026-01-01T10:00:00", None, 0)),
        (insert, (2, "now", None, 0)),
        (insert, (2, "2026-01-01 10:00:00", "2026-1-1", 0)),
        (insert, (2, "2026-01-01 10:00:00", None, 2)),
        (insert, (2, "2026-01-01 10:00:00", None, "x")),
        ("INSERT INTO lines VALUES (?, ?, ?)", (9, 1, "b")),
        ("INSERT INTO lines VALUES (?, ?, ?)", (1, 0, "b")),
        ("INSERT INTO lines VALUES (?, ?, ?)", (1, 2, "a")),
    ]
    for sql, values in bad:
        with pytest.raises((sqlite3.Error, apsw.Error)):
            connection.execute(sql, values)
    connection.execute('DELETE FROM "order"')
    assert connection.execute("SELECT count(*) FROM lines").fetchone() == (0,)


def test_the_same_tables_make_postgresql(tables: EnvironmentSpec) -> None:
    text = str(CreateTable(metadata(tables).tables["lines"]).compile(dialect=postgresql.dialect()))
    assert 'REFERENCES "order" (id) ON DELETE CASCADE' in text
    assert "STRICT" not in text


def test_the_id_table_comes_with_the_first_new_id(tables: EnvironmentSpec) -> None:
    assert not any("_ids" in statement for statement in ddl(tables))
    assert any("_ids" in statement for statement in ddl(spec()))
    assert id_targets(spec()) == ["adoptions.id"]


def test_a_users_own_ddl_stays_as_it_is(tables: EnvironmentSpec) -> None:
    own = tables.model_copy(update={"ddl": ("CREATE TABLE a (b)",)})
    assert ddl(own) == ["CREATE TABLE a (b)"]


def test_metadata_knows_keys_and_references(tables: EnvironmentSpec) -> None:
    lines = metadata(tables).tables["lines"]
    assert [column.name for column in lines.primary_key] == ["order_id", "line"]
    assert isinstance(lines.c.line.type, sa.Integer)
    assert repr_sql("it's") == "'it''s'"
