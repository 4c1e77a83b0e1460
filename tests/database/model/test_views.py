"""What read tools show, and the finders that follow: on a built world, the call that a finder says shows the row that it is to find."""

from typing import Any

import pytest
from small_author import TOOLS, small_parts, with_tool

from envgen.core.types import JsonObject
from envgen.database.analysis import analyse_tools, schema_connection
from envgen.database.language import Finder
from envgen.database.model.views import View, column_at, finders_of, key_parameters, party_path, references, views_of
from envgen.database.runtime import DatabaseEnvironment
from envgen.database.spec import EnvironmentSpec
from envgen.gates.replay import neutral_task
from envgen.synthesis.trial import Findings, build

PARTS = small_parts()
SPEC = PARTS.spec()


def views(spec: EnvironmentSpec) -> list[View]:
    return views_of(spec, analyse_tools(spec, schema_connection(spec)))


def finders(tools: list[JsonObject]) -> dict[str, Finder]:
    spec = small_parts(tools=tools, texts=False).spec()
    return finders_of(spec, views(spec), "customers")


def look(name: str, sql: str, parameters: list[JsonObject], part: str = "") -> JsonObject:
    steps = [{"returns": [{"name": part, "shape": "many", "sql": f"{sql} LIMIT :limit OFFSET :offset"}]}]
    return {"name": name, "about": "Looks.", "parameters": parameters, "paged": True, "steps": steps}


@pytest.fixture(scope="module")
def environment() -> DatabaseEnvironment:
    found = build(small_parts(), 0, Findings())
    assert found is not None
    return found


def passed(finder: Finder, row: JsonObject) -> JsonObject:
    """The arguments of a finder's call for a row, as planners read them."""
    made: JsonObject = {}
    for name, source in finder.args.items():
        kind, _, rest = source.partition(":")
        made[name] = {"owner": lambda: row[str(finder.owner)], "field": lambda rest=rest: row[rest], "value": lambda rest=rest: int(rest)}[
            kind
        ]()
    return made


@pytest.mark.parametrize("table", ["customers", "bikes", "repairs"])
def test_a_finders_call_shows_the_row_that_it_is_to_find(environment: DatabaseEnvironment, table: str) -> None:
    finder = finders_of(environment.spec, views(environment.spec), "customers")[table]
    names = [column.name for column in environment.spec.table(table).columns]
    rows = [dict(zip(names, row, strict=True)) for row in environment.world.execute(f"SELECT {', '.join(names)} FROM {table}")]
    assert len(rows) > 5
    with environment.start(neutral_task(environment.spec)) as session:
        for row in rows:
            result = session.call(finder.tool, passed(finder, row))
            assert result.ok
            value: Any = result.value[finder.rows] if finder.rows else result.value
            assert row["id"] in [shown[finder.key["id"]] for shown in value]


def test_views_are_of_read_tools_and_say_where_columns_stand() -> None:
    found = {view.tool: view for view in views(SPEC)}
    assert list(found) == ["find_customers", "list_bikes", "list_repairs", "get_repair"]
    bikes = found["list_bikes"]
    assert (bikes.table, bikes.path, bikes.many, bikes.key) == ("bikes", "", True, "id")
    assert bikes.shows["customers.name"] == "owner"
    assert "owner" in bikes.names
    assert not found["get_repair"].many


def test_a_view_without_a_key_or_a_table_is_none() -> None:
    nameless = look("look", "SELECT model FROM bikes ORDER BY id", [])
    nested = look("peek", "SELECT id FROM (SELECT id FROM bikes) ORDER BY id", [])
    assert {view.tool for view in views(small_parts(tools=[*TOOLS, nameless, nested], texts=False).spec())}.isdisjoint({"look", "peek"})


def test_a_part_of_a_result_is_found_by_its_name_and_key() -> None:
    tool = look("look", "SELECT id AS bike, model FROM bikes ORDER BY id", [], "bikes")
    assert finders([tool])["bikes"] == Finder(table="bikes", tool="look", args={"limit": "value:50"}, rows="bikes", key={"id": "bike"})


def test_rows_are_found_by_the_person_before_anything_else() -> None:
    plain = look("look", "SELECT id, model FROM bikes ORDER BY id", [])
    by_model = look("peek", "SELECT id, model FROM bikes WHERE model = :model ORDER BY id", [{"name": "model", "takes": "bikes.model"}])
    assert finders([plain])["bikes"].tool == "look"
    assert finders([plain, by_model])["bikes"].args == {"model": "field:model", "limit": "value:50"}
    assert finders([plain, by_model, *TOOLS])["bikes"].owner == "customer_id"


def test_what_an_instruction_cannot_say_makes_no_finder() -> None:
    due = look("look", "SELECT id, due_on FROM repairs WHERE due_on = :day ORDER BY id", [{"name": "day", "takes": "repairs.due_on"}])
    assert "repairs" not in finders([due])
    hidden = look("peek", "SELECT id FROM bikes WHERE model = :model ORDER BY id", [{"name": "model", "takes": "bikes.model"}])
    assert "bikes" not in finders([hidden])


def test_the_person_concerned_is_named_or_reached_by_references() -> None:
    bikes = {"name": "bike_id", "takes": "bikes.id"}
    person = {"name": "who", "takes": "customers.id"}

    def path(*parameters: JsonObject) -> str | None:
        tool = next(t for t in small_parts(tools=with_tool("look", parameters=list(parameters), steps=ONE)).tools if t.name == "look")
        return party_path(SPEC, tool, "customers")

    assert path(bikes) == "bike_id>bikes.customer_id"
    assert path(bikes, person) == "who"
    assert path(bikes, {**person, "required": False}) == "bike_id>bikes.customer_id"
    assert path({**bikes, "required": False}) is None
    assert path({"name": "model", "takes": "bikes.model"}) is None
    assert path({"name": "repair_id", "takes": "repairs.id"}) == "repair_id>repairs.customer_id"


ONE = [{"returns": [{"name": "", "shape": "value", "sql": "SELECT 1 AS one"}]}]


def test_references_and_keys_are_read_off_the_columns() -> None:
    assert references(SPEC, "repairs") == {"bike_id": "bikes", "customer_id": "customers"}
    assert key_parameters(SPEC, SPEC.tool("book_repair")) == {"bike_id": "bikes"}
    assert key_parameters(SPEC, SPEC.tool("list_repairs")) == {"customer_id": "customers"}
    column = column_at(SPEC, "repairs.due_on")
    assert column is not None
    assert column.format == "date"
    assert [column_at(SPEC, name) for name in ("repairs", "repairs.size", "tyres.id", "")] == [None] * 4
