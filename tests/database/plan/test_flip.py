"""Twin worlds: a patch that other people's calls could have left, after which a guard decides the other way."""

import random

import pytest
from toy import spec, world

from envgen.core.errors import PlanError
from envgen.core.outcome import Change
from envgen.core.types import Start, Task
from envgen.database.engine import native
from envgen.database.language import Alternative, Language, Noun
from envgen.database.plan.draft import Book
from envgen.database.plan.flip import flip, row_patches
from envgen.database.plan.goals import Wish
from envgen.database.runtime import DatabaseEnvironment


@pytest.fixture
def book() -> Book:
    environment = DatabaseEnvironment(spec(), native(world()))
    language = Language(
        nouns={"animals": Noun(one="animal", many="animals")},
        party="animals",
        finders=(),
        refers=(),
        acts=(),
        frames=(),
        pools={"names": ("Ada", "Bob")},
    )
    return Book(environment, language)


def wish(code: str = "adopted") -> Wish:
    alternative = Alternative(tool="adopt", code=code, holds=("nobody has it",))
    return Wish("conditional", "conditional:adopt", "adopt", {"animal_id": 3, "person": "Eve"}, "", "ask", alternative=alternative)


def test_after_the_patch_the_guard_refuses_with_its_code(book: Book) -> None:
    patch = flip(book, wish(), random.Random(1))
    start = Start(now=book.spec.now, patch=patch)
    with book.environment.start(Task(id="twin", split="", template="", kinds=("do",), instruction="", start=start)) as session:
        error = session.call("adopt", {"animal_id": 3, "person": "Eve"}).error
        assert error is not None
        assert error.code == "adopted"
        assert session.changes().insert == {}


def test_the_patch_takes_the_id_counters_along(book: Book) -> None:
    patch = flip(book, wish(), random.Random(1))
    assert {row.table for row in patch} == {"animals", "adoptions", "_ids"}
    start = Start(now=book.spec.now, patch=patch)
    with book.environment.start(Task(id="twin", split="", template="", kinds=("do",), instruction="", start=start)) as session:
        session.connection.execute("UPDATE animals SET status = 'here' WHERE id = 1")
        result = session.call("adopt", {"animal_id": 1, "person": "Eve"})
        taken = {row[0] for row in session.connection.execute("SELECT id FROM before.adoptions")}
        assert result.ok
        assert result.value["id"] not in taken


def test_no_twin_when_the_guard_cannot_be_moved(book: Book) -> None:
    with pytest.raises(PlanError, match="flipped_otherwise"):
        flip(book, wish("asleep"), random.Random(1))


def test_patches_hold_keys_and_changed_columns(book: Book) -> None:
    row = (1, "Tom", "cat", "here")
    log = [
        Change("update", "animals", row, (1, "Tom", "cat", "adopted")),
        Change("update", "animals", row, row),
        Change("delete", "animals", row, None),
        Change("update", "_ids", ("adoptions.id", 2), ("adoptions.id", 3)),
    ]
    assert [(patch.op, patch.table, patch.key, patch.row) for patch in row_patches(book, log)] == [
        ("update", "animals", {"id": 1}, {"status": "adopted"}),
        ("delete", "animals", {"id": 1}, {}),
        ("update", "_ids", {"tbl": "adoptions.id"}, {"next": 3}),
    ]
