"""An animal shelter in three tables: a small environment written by hand, for tests of what is built on environments."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from envgen.bundle.write import Content, write_bundle
from envgen.core.types import Answer, Evidence, Expectation, Goal, Gold, GoldCall, Manifest, Start, Task
from envgen.database.prompt import policy_text
from envgen.database.schema import ddl
from envgen.database.spec import EnvironmentSpec

NOW = "2026-03-02 09:00:00"
ANIMAL = {"type": "integer", "x-column": "animals.id"}
SPEC: dict[str, Any] = {
    "name": "shelter",
    "title": "Animal shelter",
    "domain": "animal shelter",
    "now": NOW,
    "role": "You work at the desk of an animal shelter.",
    "tables": [
        {
            "name": "animals",
            "description": "Who lives here.",
            "columns": [
                {"name": "id", "type": "INTEGER", "primary_key": True},
                {"name": "name"},
                {"name": "kind", "values": ["cat", "dog"]},
                {"name": "status", "values": ["here", "adopted"]},
            ],
        },
        {
            "name": "adoptions",
            "columns": [
                {"name": "id", "type": "INTEGER", "primary_key": True, "policy": "generated"},
                {"name": "animal_id", "type": "INTEGER", "references": "animals.id"},
                {"name": "person"},
                {"name": "adopted_at", "format": "date-time", "policy": "clock"},
            ],
        },
    ],
    "tools": [
        {
            "name": "list_animals",
            "description": "List the animals that are here.",
            "parameters": {"type": "object", "properties": {"kind": {"type": "string", "enum": ["cat", "dog"]}}},
            "steps": [
                {
                    "return": {
                        "many": "SELECT id, name, kind FROM animals WHERE status = 'here' AND kind = ifnull(:kind, kind) ORDER BY id",
                        "max": 50,
                    }
                }
            ],
        },
        {
            "name": "adopt",
            "description": "Give an animal to a person.",
            "parameters": {
                "type": "object",
                "properties": {"animal_id": ANIMAL, "person": {"type": "string", "maxLength": 60, "x-domain": {"text": "names"}}},
                "required": ["animal_id", "person"],
            },
            "steps": [
                {"require": "SELECT 1 FROM animals WHERE id = :animal_id", "else": ["not_found", "No animal {animal_id}."]},
                {
                    "forbid": "SELECT name FROM animals WHERE id = :animal_id AND status <> 'here'",
                    "else": ["adopted", "{name} has a home already."],
                },
                {"new_id": {"adoption_id": "adoptions.id"}},
                {"run": "INSERT INTO adoptions(id, animal_id, person, adopted_at) VALUES (:adoption_id, :animal_id, :person, :now)"},
                {"run": "UPDATE animals SET status = 'adopted' WHERE id = :animal_id"},
                {"return": {"one": "SELECT id, animal_id, person FROM adoptions WHERE id = :adoption_id"}},
            ],
        },
    ],
    "rules": [
        {
            "id": "one_home",
            "kind": "guard",
            "policy": "An animal has one home.",
            "sql": "SELECT animal_id FROM main.adoptions GROUP BY animal_id HAVING count(*) > 1",
        }
    ],
}
ROWS = [(1, "Tom", "cat", "here"), (2, "Rex", "dog", "here"), (3, "Mia", "cat", "here"), (4, "Bo", "dog", "adopted")]


def spec() -> EnvironmentSpec:
    """The shelter's specification."""
    return EnvironmentSpec.model_validate(SPEC)


def world() -> bytes:
    """The shelter's start state: four animals, one of them adopted."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        return _fill(connection)


def _fill(connection: sqlite3.Connection) -> bytes:
    for statement in ddl(spec()):
        connection.execute(statement)
    connection.executemany("INSERT INTO animals VALUES (?, ?, ?, ?)", ROWS)
    connection.execute("INSERT INTO adoptions VALUES (1, 4, 'Ada', '2026-01-01 10:00:00')")
    if connection.execute("SELECT 1 FROM sqlite_schema WHERE name = '_ids'").fetchone():
        connection.execute("INSERT OR REPLACE INTO _ids SELECT 'adoptions.id', 2")
    return connection.serialize()


def tasks() -> list[Task]:
    """A request to adopt, and a question."""
    start = Start(now=NOW)
    adopt = Task(id="t-adopt", split="train", template="adopt", kinds=("do",), instruction="Eve would like to adopt Mia.", start=start)
    count = Task(id="t-count", split="test", template="count", kinds=("aggregate",), instruction="How many cats are here?", start=start)
    return [adopt, count]


def gold() -> list[Gold]:
    """The reference solutions of `tasks`."""
    expect = Expectation.model_validate(
        {
            "insert": [
                {"table": "adoptions", "row": {"id": {"$id": "a"}, "animal_id": 3, "person": "Eve", "adopted_at": {"$clock": True}}}
            ],
            "update": [{"table": "animals", "key": {"id": 3}, "set": {"status": "adopted"}}],
        }
    )
    find = GoldCall(tool="list_animals", arguments={"kind": "cat"})
    origin = {"animal_id": {"from": "result", "step": 0, "path": "1.id"}, "person": {"from": "instruction", "text": "Eve"}}
    adopt = GoldCall(tool="adopt", arguments={"animal_id": 3, "person": "Eve"}, write=True, origin=origin)
    return [
        Gold(task="t-adopt", goals=(Goal(kind="do", template="adopt", tool="adopt"),), calls=(find, adopt), expect=expect),
        Gold(
            task="t-count",
            goals=(Goal(kind="aggregate", template="count"),),
            calls=(find,),
            expect=Expectation(),
            answer=Answer(type="integer", value=2),
        ),
    ]


def write(path: Path) -> Path:
    """Write the shelter as a bundle folder and return its path."""
    content = Content(
        manifest=Manifest(name="shelter", family="database", title="Animal shelter", provenance={"seed": 0}),
        environment=spec().model_dump(mode="json", by_alias=True, exclude_defaults=True),
        world=world(),
        policy=policy_text(spec()),
        tasks=tasks(),
        gold=gold(),
        evidence=[Evidence(subject="t-adopt", gate="T1", status="pass")],
    )
    write_bundle(path, content)
    return path
