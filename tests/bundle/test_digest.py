import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envgen.bundle.digest import manifest_digest, row_counts, text_digest, world_digest
from envgen.core.errors import BundleError
from envgen.core.types import Manifest

Worlds = Callable[..., bytes]


def put(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


def test_file_layout_does_not_matter_but_content_does(tmp_path: Path, world: Worlds) -> None:
    one = put(tmp_path / "one.sqlite", world())
    other = put(tmp_path / "other.sqlite", world())
    with sqlite3.connect(other) as connection:
        connection.execute("DELETE FROM people WHERE id = 0")
        connection.execute("INSERT INTO people VALUES (0, 'Ada 0')")
        connection.execute("CREATE TABLE scratch (x)")
        connection.execute("DROP TABLE scratch")
    connection.close()
    assert one.read_bytes() != other.read_bytes()
    assert world_digest(one) == world_digest(other)
    assert world_digest(put(tmp_path / "third.sqlite", world(name="Eve"))) != world_digest(one)


def test_schema_is_part_of_the_digest(tmp_path: Path, world: Worlds) -> None:
    path = put(tmp_path / "w.sqlite", world())
    before = world_digest(path)
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE INDEX by_name ON people (name)")
    connection.close()
    assert world_digest(path) != before


def test_looking_leaves_no_side_files(tmp_path: Path, world: Worlds) -> None:
    path = put(tmp_path / "w.sqlite", world())
    before = path.read_bytes()
    assert row_counts(path) == {"notes": 1, "people": 3}
    world_digest(path)
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["w.sqlite"]


def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    with pytest.raises(BundleError, match="damaged"):
        world_digest(put(tmp_path / "w.sqlite", b"not a database at all" * 100))


@given(st.text())
def test_line_ends_do_not_change_a_texts_digest(text: str) -> None:
    plain = text.replace("\r", "")
    assert text_digest(plain) == text_digest(plain.replace("\n", "\r\n"))


def test_seconds_are_outside_the_digest_and_provenance_is_inside() -> None:
    plain = Manifest(name="a", family="database")
    assert manifest_digest(plain) == manifest_digest(plain.model_copy(update={"cost": {"seconds": 9}, "digest": "x"}))
    assert manifest_digest(plain) != manifest_digest(plain.model_copy(update={"provenance": {"seed": 1}}))
    assert manifest_digest(plain) != manifest_digest(plain.model_copy(update={"parts": {"policy.md": "1"}}))
