"""Slots and pools: what resets, what is refused, what a log records."""

import apsw
import pytest
from toy import world

from envgen.core.outcome import Change
from envgen.database.engine import CALL_TICKS, Pool, Slot, memory, native, open_world


@pytest.fixture
def slot() -> Slot:
    return Slot(native(world()))


def test_an_episode_is_undone(slot: Slot) -> None:
    slot.begin()
    slot.execute("DELETE FROM adoptions")
    slot.execute("UPDATE animals SET name = 'X'")
    assert len(slot.log) == 5
    slot.end()
    assert slot.log == []
    assert slot.execute("SELECT count(*) FROM adoptions").fetchall() == [(1,)]
    assert slot.execute("SELECT count(*) FROM animals WHERE name = 'X'").fetchall() == [(0,)]


def test_the_log_holds_rows_before_and_after(slot: Slot) -> None:
    slot.begin()
    slot.execute("UPDATE animals SET status = 'adopted' WHERE id = 1")
    slot.execute("INSERT INTO adoptions VALUES (7, 1, 'Eve', '2026-01-01 10:00:00')")
    slot.execute("DELETE FROM adoptions WHERE id = 7")
    row = (7, 1, "Eve", "2026-01-01 10:00:00")
    assert slot.log == [
        Change("update", "animals", (1, "Tom", "cat", "here"), (1, "Tom", "cat", "adopted")),
        Change("insert", "adoptions", None, row),
        Change("delete", "adoptions", row, None),
    ]


def test_the_start_state_is_not_logged(slot: Slot) -> None:
    slot.begin()
    slot.execute("DELETE FROM before.adoptions")
    assert slot.log == []


def test_a_copy_of_a_copy_in_mid_episode_has_every_row() -> None:
    template = native(world())
    first, second, third = Slot(template), Slot(template), Slot(template)
    first.begin()
    first.execute("UPDATE animals SET name = 'One' WHERE id = 1")
    second.adopt(first)
    second.begin()
    second.execute("UPDATE animals SET name = 'Two' WHERE id = 2")
    third.adopt(second)
    assert third.execute("SELECT name FROM animals ORDER BY id LIMIT 2").fetchall() == [("One",), ("Two",)]
    second.end()
    assert second.execute("SELECT name FROM animals ORDER BY id LIMIT 2").fetchall() == [("Tom",), ("Rex",)]


@pytest.mark.parametrize(
    "sql",
    [
        "ATTACH ':memory:' AS x",
        "PRAGMA foreign_keys = OFF",
        "PRAGMA writable_schema = ON",
        "CREATE TABLE x (a)",
        "DROP TABLE animals",
        "DELETE FROM sqlite_master",
        "SELECT random()",
        "SELECT load_extension('x')",
        "SELECT writefile('x', 'y')",
        "CREATE TEMP TRIGGER t AFTER INSERT ON animals BEGIN SELECT 1; END",
    ],
)
def test_what_tools_may_not_do(slot: Slot, sql: str) -> None:
    with pytest.raises(apsw.Error):
        slot.execute(sql)


@pytest.mark.parametrize(
    "sql",
    [
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n",
        "SELECT count(*) FROM animals" + "".join(f", animals a{n}" for n in range(10)),
        "SELECT length(printf('%.*c', 100000000, 'x'))",
        "SELECT name FROM animals WHERE name LIKE printf('%.*c', 200, '%')",
    ],
)
def test_what_would_run_or_grow_for_ever_is_stopped(slot: Slot, sql: str) -> None:
    slot.ticks_left = CALL_TICKS
    with pytest.raises(apsw.Error):
        slot.execute(sql).fetchall()


def test_much_work_in_many_small_calls_is_not_stopped(slot: Slot) -> None:
    sql = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000) SELECT count(*) FROM n"
    for _ in range(60):
        slot.ticks_left = CALL_TICKS
        assert slot.execute(sql).fetchall() == [(5000,)]


def test_a_pool_gives_back_what_it_got_and_keeps_a_bounded_number() -> None:
    pool = Pool(native(world()), keep=2)
    slots = [pool.take() for _ in range(4)]
    assert len({id(slot) for slot in slots}) == 4
    for slot in slots:
        slot.begin()
        pool.give(slot)
    assert {id(pool.take()) for _ in range(2)} <= {id(slot) for slot in slots}
    assert id(pool.take()) not in {id(slot) for slot in slots[:2]}


def test_a_world_file_is_read_and_left_alone(tmp_path) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "world.sqlite"
    path.write_bytes(world())
    before = path.read_bytes()
    connection = open_world(str(path))
    connection.execute("DELETE FROM adoptions")
    assert path.read_bytes() == before


def test_memory_is_native() -> None:
    connection = memory()
    connection.execute("CREATE TABLE a (b); INSERT INTO a VALUES (1)")
    connection.execute("SAVEPOINT s")
    connection.execute("INSERT INTO a VALUES (2)")
    assert native(connection.serialize("main")).execute("SELECT count(*) FROM a").fetchall() == [(2,)]
