"""Every static promise: a specification that breaks it is told so, and a sound one is not."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from toy import SPEC, spec

from envgen.database.analysis import analyse, analyse_tools, schema_connection
from envgen.database.spec import EnvironmentSpec


def problems(change: Callable[[dict[str, Any]], Any]) -> str:
    data = json.loads(json.dumps(SPEC))
    change(data)
    return "\n".join(str(problem) for problem in analyse(EnvironmentSpec.model_validate(data)))


def extra(steps: list[dict[str, Any]], properties: dict[str, Any] | None = None, name: str = "extra") -> Callable[[dict[str, Any]], None]:
    parameters = {"type": "object", "properties": properties or {}}
    tool = {"name": name, "description": "Extra.", "parameters": parameters, "steps": steps}
    return lambda data: data["tools"].append(tool)


def returning(sql: str, properties: dict[str, Any] | None = None) -> Callable[[dict[str, Any]], None]:
    return extra([{"return": {"many": sql}}], properties)


DAY = {"type": "string", "format": "date", "x-domain": {"days_from_now": [0, 9]}}
TEXT = {"type": "string", "x-domain": {"text": "names"}}


def test_the_shelter_lists_its_animals_but_not_its_adoptions() -> None:
    assert [str(problem) for problem in analyse(spec())] == ["table adoptions: no read tool shows it"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (extra([{"return": {"value": "SELECT 1"}}], name="close"), "reserved"),
        (extra([{"return": {"value": "SELECT 1"}}], name="adopt"), "used twice"),
        (extra([{"return": {"value": "SELECT 1"}}], name="Größe"), "lower-case ASCII"),
        (extra([{"require": "SELECT 1", "else": ["a", "b"]}]), "no return step"),
        (
            extra([{"require": "UPDATE animals SET name = '' RETURNING 1", "else": ["a", "b"]}, {"return": {"value": "SELECT 1"}}]),
            "only run steps",
        ),
        (extra([{"run": "SELECT 1"}, {"return": {"value": "SELECT 1"}}]), "run takes INSERT, UPDATE or DELETE"),
        (extra([{"run": "INSERT OR REPLACE INTO animals VALUES (1,'a','cat','here')"}, {"return": {"value": "SELECT 1"}}]), "REPLACE"),
        (extra([{"run": "UPDATE OR ROLLBACK animals SET name = 'a' WHERE id = 1"}, {"return": {"value": "SELECT 1"}}]), "ROLLBACK"),
        (returning("SELECT id, random() AS r FROM animals ORDER BY id"), "function random"),
        (returning("SELECT id FROM before.animals ORDER BY id"), "schema before"),
        (returning("SELECT id FROM animals WHERE name = :who ORDER BY id"), ":who is bound by nothing"),
        (returning("SELECT id FROM animals"), "no ORDER BY"),
        (returning("SELECT id FROM animals ORDER BY name"), "does not end in a unique key"),
        (returning("SELECT a.id FROM animals a JOIN adoptions b ON b.animal_id = a.id ORDER BY b.id"), "does not end in a unique key"),
        (extra([{"bind": {"row": "SELECT id AS x FROM animals ORDER BY name LIMIT 1"}}, {"return": {"value": "SELECT :x"}}]), "unique key"),
        (returning("SELECT id FROM animals WHERE name = :who ORDER BY id", {"who": {"x-domain": {"text": "names"}}}), "needs a type"),
        (returning("SELECT id FROM animals WHERE date('now') > name ORDER BY id"), "first argument"),
        (returning("SELECT id FROM animals WHERE date() > name ORDER BY id"), "wall clock"),
        (returning("SELECT id FROM animals WHERE CURRENT_TIMESTAMP > name ORDER BY id"), "wall clock"),
        (returning("SELECT id FROM animals WHERE date(:day) > name ORDER BY id", {"day": TEXT}), 'needs "format"'),
        (returning("SELECT id FROM animals WHERE datetime(:now, 'localtime') > name ORDER BY id"), "localtime"),
        (
            returning("SELECT id FROM animals ORDER BY id LIMIT :limit", {"limit": {"type": "integer", "x-domain": {"int": [1, 9]}}}),
            "minimum",
        ),
        (returning("SELECT id FROM animals WHERE id = :id ORDER BY id", {"id": {"type": "integer"}}), "nothing says what to draw"),
        (
            returning("SELECT id FROM animals WHERE id = :id ORDER BY id", {"id": {"type": "integer", "x-column": "animals.no"}}),
            "does not exist",
        ),
        (lambda data: data["tables"][0]["columns"].append({"name": "weight", "type": "REAL"}), "INTEGER or TEXT only"),
        (lambda data: data["tables"][0].update(strict=False), "STRICT"),
        (lambda data: data["tables"].append({"name": "keyless", "columns": [{"name": "a"}]}), "no primary key"),
        (lambda data: data["rules"][0].update(sql="SELECT id FROM animals"), "not qualified"),
        (lambda data: data["rules"][0].update(sql="SELECT weight FROM main.animals"), "no such column"),
        (lambda data: data["rules"][0].update(tool="fly"), "tool fly does not exist"),
        (lambda data: data["tools"].pop(0), "no read tool shows it"),
    ],
)
def test_a_broken_promise_is_named(change: Callable[[dict[str, Any]], Any], said: str) -> None:
    assert said in problems(change)


@pytest.mark.parametrize(
    "change",
    [
        returning("SELECT id FROM animals WHERE date(:day, '+1 day') > name AND date(name) < :now ORDER BY name, id", {"day": DAY}),
        returning("SELECT kind, count(*) AS n FROM animals GROUP BY kind ORDER BY kind"),
        returning("SELECT a.id, upper(b.person) AS who FROM animals a LEFT JOIN adoptions b ON b.animal_id = a.id ORDER BY a.name, a.id"),
        extra([{"return": {"value": "SELECT count(*) FROM animals"}}]),
        extra([{"bind": {"row": "SELECT max(id) AS x FROM animals"}}, {"return": {"value": "SELECT :x"}}]),
    ],
)
def test_what_is_sound_is_not_complained_about(change: Callable[[dict[str, Any]], Any]) -> None:
    assert problems(change) == "table adoptions: no read tool shows it"


def test_writes_are_known_exactly() -> None:
    tools = analyse_tools(spec(), schema_connection(spec()))
    assert tools["list_animals"].read_only
    assert ("update", "animals", "status") in tools["adopt"].writes
    assert any(op == "insert" and table == "adoptions" for op, table, _ in tools["adopt"].writes)
    assert ("animals", "name") in tools["list_animals"].shows


def test_a_schema_that_reads_the_clock_is_refused() -> None:
    ddl = ["CREATE TABLE animals (id INTEGER PRIMARY KEY NOT NULL, name TEXT, kind TEXT, status TEXT, at TEXT DEFAULT CURRENT_TIMESTAMP)"]
    ddl.append("CREATE TABLE adoptions (id INTEGER PRIMARY KEY NOT NULL, animal_id INTEGER, person TEXT, adopted_at TEXT)")
    assert "CURRENT_TIMESTAMP is not allowed" in problems(lambda data: data.update(ddl=ddl))
