"""Drawn arguments fit their schema and come from the rows."""

import json
import random
from typing import Any

import jsonschema_rs
from hypothesis import given
from hypothesis import strategies as st
from toy import SPEC, spec, world

from envgen.database.boundary import boundary_values
from envgen.database.draw import Drawer, column_values, with_samples
from envgen.database.engine import native
from envgen.database.spec import EnvironmentSpec

PARAMETERS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "animal_id": {"type": "integer", "x-column": "animals.id"},
        "kind": {"type": "string", "enum": ["cat", "dog"]},
        "on": {"type": "string", "format": "date", "x-domain": {"days_from_now": [0, 9]}},
        "at": {"type": "string", "format": "date-time", "x-domain": {"days_from_now": [0, 9]}},
        "count": {"type": "integer", "minimum": 2, "maximum": 8, "x-domain": {"int": [2, 8], "step": 3}},
        "ids": {"type": "array", "minItems": 1, "items": {"type": "integer", "x-column": "animals.id"}},
        "note": {"type": "string", "x-domain": {"text": "notes", "samples": ["from the schema"]}},
    },
    "required": ["animal_id", "kind", "on", "at", "count", "ids", "note"],
    "additionalProperties": False,
}


@given(st.integers(0, 10_000))
def test_drawn_arguments_fit_the_schema(seed: int) -> None:
    drawer = Drawer(native(world()).execute, random.Random(seed))
    arguments = drawer.arguments(PARAMETERS, spec().now)
    assert arguments is not None
    assert jsonschema_rs.is_valid(PARAMETERS, arguments)
    assert arguments["animal_id"] in (1, 2, 3, 4)
    assert "2026-03-02" <= arguments["on"] <= "2026-03-11"
    assert arguments["count"] in (2, 5, 8)
    assert arguments["note"] == "from the schema"


def test_optional_parameters_come_at_the_rate_asked_for() -> None:
    optional = {**PARAMETERS, "required": []}
    drawer = Drawer(native(world()).execute, random.Random(1))
    assert drawer.arguments(optional, spec().now, optional=0.0) == {}
    assert set(drawer.arguments(optional, spec().now, optional=1.0) or {}) == set(PARAMETERS["properties"])


def test_an_empty_column_gives_no_arguments() -> None:
    connection = native(world())
    connection.execute("DELETE FROM adoptions")
    connection.execute("DELETE FROM animals")
    assert Drawer(connection.execute, random.Random(1)).arguments(PARAMETERS, spec().now) is None


def test_narrowed_columns_and_fixed_values_win() -> None:
    drawer = Drawer(native(world()).execute, random.Random(1), narrow={"animals.id": [3]}, pools={"notes": ("mine",)})
    arguments = drawer.arguments(PARAMETERS, spec().now, {"kind": "dog"}) or {}
    assert (arguments["animal_id"], arguments["ids"][0], arguments["kind"], arguments["note"]) == (3, 3, "dog", "mine")


def test_a_frozen_drawer_reads_each_column_once() -> None:
    connection = native(world())
    frozen = Drawer(connection.execute, random.Random(1), frozen=True)
    child = PARAMETERS["properties"]["animal_id"]
    frozen.value(child, spec().now, {}, PARAMETERS)
    connection.execute("DELETE FROM adoptions")
    connection.execute("DELETE FROM animals WHERE id > 1")
    assert {frozen.value(child, spec().now, {}, PARAMETERS) for _ in range(40)} == {1, 2, 3, 4}
    assert column_values(connection.execute, "animals.id") == [1]


def test_samples_are_written_beside_the_pool_they_come_from() -> None:
    filled = with_samples(spec(), {"names": ("Ada", "Bob")})
    assert filled.tool("adopt").parameters["properties"]["person"]["x-domain"] == {"text": "names", "samples": ["Ada", "Bob"]}


def test_boundaries_are_what_guards_compare_with() -> None:
    data = json.loads(json.dumps(SPEC))
    guard = {"forbid": "SELECT 1 FROM adoptions WHERE person = :person AND :animal_id > 2", "else": ["twice", "No."]}
    data["tools"][1]["steps"].insert(0, guard)
    values = boundary_values(EnvironmentSpec.model_validate(data).tool("adopt"), native(world()).execute)
    assert "Ada" in values["person"]
    assert {1, 2, 3} <= set(values["animal_id"])
