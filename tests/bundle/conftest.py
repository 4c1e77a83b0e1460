import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from envgen.bundle.write import Content, write_bundle
from envgen.core.types import Evidence, Expectation, Goal, Gold, GoldCall, Manifest, Start, Task


def make_world(rows: int = 3, *, name: str = "Ada") -> bytes:
    with closing(sqlite3.connect(":memory:")) as world:
        return fill(world, rows, name)


def fill(world: sqlite3.Connection, rows: int, name: str) -> bytes:
    world.execute("CREATE TABLE people (id INTEGER PRIMARY KEY NOT NULL, name TEXT NOT NULL) STRICT")
    world.execute(
        "CREATE TABLE notes (person INTEGER NOT NULL REFERENCES people(id), body BLOB, PRIMARY KEY (person)) STRICT, WITHOUT ROWID"
    )
    world.executemany("INSERT INTO people VALUES (?, ?)", [(number, f"{name} {number}") for number in range(rows)])
    world.execute("INSERT INTO notes VALUES (1, x'00ff')")
    world.commit()
    return world.serialize()


def make_content(**changes: object) -> Content:
    task = Task(
        id="t-1",
        split="train",
        template="a",
        kinds=("do",),
        instruction="Rename Ada 1.\u2028Please.",
        start=Start(now="2026-01-02 10:00:00"),
    )
    gold = Gold(
        task="t-1", goals=(Goal(kind="do", template="a"),), calls=(GoldCall(tool="rename", arguments={"id": 1}),), expect=Expectation()
    )
    values: dict[str, object] = {
        "manifest": Manifest(name="people", family="database", title="People", provenance={"seed": 7}),
        "environment": {"name": "people", "tables": [1, 2], "tools": [1], "rules": []},
        "world": make_world(),
        "policy": "Be kind.\n",
        "tasks": [task],
        "gold": [gold],
        "evidence": [Evidence(subject="t-1", gate="T1", status="pass")],
        "ledger": {"seconds": 1.5},
        "verifier": "print('verified')\n",
    }
    return Content(**(values | changes))  # type: ignore[arg-type]


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    write_bundle(tmp_path / "people", make_content())
    return tmp_path / "people"


@pytest.fixture
def content() -> Callable[..., Content]:
    return make_content


@pytest.fixture
def world() -> Callable[..., bytes]:
    return make_world
