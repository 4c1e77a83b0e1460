"""What a statement touches, whether its order is fixed, whether it may read the wall clock."""

import apsw
import pytest
from toy import spec, world

from envgen.database.engine import native
from envgen.database.spec import Table
from envgen.database.sql import binds, clock_problem, inspect_statement, unordered


@pytest.fixture(scope="module")
def connection() -> apsw.Connection:
    return native(world())


TABLES: dict[str, Table] = {table.name: table for table in spec().tables}


def test_reads_writes_functions_and_outputs(connection: apsw.Connection) -> None:
    read = inspect_statement(
        connection, "SELECT a.id AS animal, upper(b.person) AS who FROM animals a JOIN adoptions b ON b.animal_id = a.id"
    )
    assert {("animals", "id"), ("adoptions", "person"), ("adoptions", "animal_id")} <= read.reads
    assert (read.writes, read.read_only, read.functions) == (frozenset(), True, frozenset({"upper"}))
    assert [(out.name, out.table, out.column) for out in read.outputs] == [("animal", "animals", "id"), ("who", None, None)]
    write = inspect_statement(connection, "UPDATE animals SET status = 'here' WHERE id = 1")
    assert ("update", "animals", "status") in write.writes
    assert not write.read_only


def test_cascades_are_reported() -> None:
    connection = apsw.Connection(":memory:")
    connection.execute(
        "PRAGMA foreign_keys = ON; CREATE TABLE a (id INTEGER PRIMARY KEY); CREATE TABLE b (a REFERENCES a (id) ON DELETE CASCADE)"
    )
    assert {table for _, table, _ in inspect_statement(connection, "DELETE FROM a WHERE id = 1").writes} == {"a", "b"}


def test_binds_are_named() -> None:
    assert binds("SELECT :a, ':b', :_given WHERE x = :a AND date(:now) > y") == {"a", "_given", "now"}


@pytest.mark.parametrize(
    ("sql", "fixed"),
    [
        ("SELECT id FROM animals ORDER BY id", True),
        ("SELECT id FROM animals ORDER BY name, id DESC", True),
        ("SELECT id FROM animals ORDER BY name", False),
        ("SELECT id FROM animals", False),
        ("SELECT a.id FROM animals a JOIN adoptions b ON b.animal_id = a.id ORDER BY a.id", True),
        ("SELECT a.id FROM animals a JOIN adoptions b ON b.animal_id = a.id ORDER BY b.id", False),
        ("SELECT kind, count(*) FROM animals GROUP BY kind ORDER BY kind", True),
        ("SELECT kind, count(*) FROM animals GROUP BY kind ORDER BY count(*)", False),
        ("SELECT count(*) FROM animals", True),
        ("SELECT id, (SELECT person FROM adoptions b WHERE b.animal_id = a.id LIMIT 1) FROM animals a ORDER BY a.id", False),
        ("SELECT id, (SELECT person FROM adoptions b WHERE b.animal_id = a.id ORDER BY b.id LIMIT 1) FROM animals a ORDER BY a.id", True),
        ("SELECT value FROM json_each(:ids) ORDER BY key", True),
        ("SELECT id, name FROM animals UNION ALL SELECT id, person FROM adoptions", False),
        ("SELECT id, name FROM animals UNION ALL SELECT id, person FROM adoptions ORDER BY name", False),
        ("SELECT id, name FROM animals UNION ALL SELECT id, person FROM adoptions ORDER BY name, id", True),
        ("SELECT id FROM animals ORDER BY CASE :sort WHEN 'name' THEN name END, id", True),
    ],
)
def test_the_order_of_many_rows(sql: str, fixed: bool) -> None:
    assert (unordered(sql, TABLES, many=True) == "") is fixed


def test_one_row_needs_an_order_only_with_a_limit() -> None:
    assert unordered("SELECT id FROM animals", TABLES, many=False) == ""
    assert unordered("SELECT id FROM animals ORDER BY name LIMIT 1", TABLES, many=False)


@pytest.mark.parametrize(
    ("sql", "clean"),
    [
        ("SELECT date(:now, '+1 day')", True),
        ("SELECT date(:day)", True),
        ("SELECT date(:other)", False),
        ("SELECT date(name) FROM animals", True),
        ("SELECT 1 WHERE date(:now) > :day AND datetime(:day, '-3 days') < :now", True),
        ("SELECT strftime('%Y', adopted_at) FROM adoptions", True),
        ("SELECT strftime('%Y', 'now')", False),
        ("SELECT date(max(adopted_at)) FROM adoptions", True),
        ("SELECT date('now')", False),
        ("SELECT date()", False),
        ("SELECT CURRENT_DATE", False),
        ("SELECT datetime(:now, 'localtime')", False),
        ("SELECT datetime(:now, 'utc')", False),
        ("SELECT unixepoch()", False),
        ("SELECT julianday('now')", False),
        ("SELECT date(coalesce(:day, :now))", True),
        ("SELECT date(coalesce(:other, :now))", False),
        ("SELECT date(coalesce(:day, 'now'))", False),
        ("SELECT date(CASE WHEN :other = 1 THEN :day ELSE :now END)", True),
        ("SELECT date(CASE WHEN :day > :now THEN :other ELSE :now END)", False),
        ("SELECT date(max(adopted_at, :now)) FROM adoptions", True),
        ("SELECT date(value) FROM json_each(:list)", False),
        ("SELECT date(:now, :other)", False),
        ("SELECT date(:now, '+' || :other || ' days')", True),
    ],
)
def test_the_wall_clock_is_out_of_reach(sql: str, clean: bool) -> None:
    assert (clock_problem(sql, {"day"}) == "") is clean
