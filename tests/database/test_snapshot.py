"""Snapshots are rows in key order: what they hold decides the digest, not how it got there."""

from toy import spec, world

from envgen.database.engine import native
from envgen.database.snapshot import DatabaseSnapshot, ordered_rows, quote, table_names
from envgen.database.tables import table_infos

INFOS = table_infos(spec())


def taken(*statements: str) -> DatabaseSnapshot:
    connection = native(world())
    for statement in statements:
        connection.execute(statement)
    return DatabaseSnapshot(ordered_rows(connection, INFOS.values()), INFOS)


def test_writing_and_writing_back_gives_the_same_digest() -> None:
    there_and_back = taken("UPDATE animals SET name = 'X' WHERE id = 1", "UPDATE animals SET name = 'Tom' WHERE id = 1")
    assert there_and_back.digest == taken().digest
    again = taken("DELETE FROM animals WHERE id = 2", "INSERT INTO animals VALUES (2, 'Rex', 'dog', 'here')")
    assert again.digest == taken().digest


def test_a_difference_says_what_changed() -> None:
    changes = taken().diff(taken("UPDATE animals SET status = 'adopted' WHERE id = 1", "DELETE FROM adoptions"))
    assert changes["insert"] == {}
    assert changes["update"] == [("animals", {"id": 1}, {"status": ("here", "adopted")})]
    assert [table for table, _, _ in changes["delete"]] == ["adoptions"]
    assert taken().digest != taken("DELETE FROM adoptions").digest


def test_the_id_counters_are_no_part_of_it() -> None:
    assert taken("UPDATE _ids SET next = 99").digest == taken().digest
    assert table_names(native(world())) == ["_ids", "adoptions", "animals"]


def test_names_are_quoted() -> None:
    assert quote('a"b') == '"a""b"'
