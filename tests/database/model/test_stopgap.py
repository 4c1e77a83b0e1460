"""Plain read tools that are added where something cannot be read are sound for any accepted table; states nothing reaches go."""

import copy
from typing import Any

import pytest
from hypothesis import given, settings
from small_author import SCHEMA, TOOLS, small_parts, with_tool
from wire_schemas import NOW, schemas

from envgen.core.types import JsonObject
from envgen.database.analysis import analyse, analyse_tools, schema_connection
from envgen.database.model.stopgap import close_gaps, list_tool, search_tool, unreached_states
from envgen.database.model.tables import tables_of
from envgen.database.model.tools import tool_of
from envgen.database.model.views import finders_of, views_of
from envgen.database.model.wire import WireSchema
from envgen.database.spec import EnvironmentSpec


def without(*names: str) -> list[JsonObject]:
    return [tool for tool in TOOLS if tool["name"] not in names]


@settings(max_examples=30, deadline=None)
@given(schemas())
def test_added_tools_are_sound_and_show_every_column(schema: WireSchema) -> None:
    tables = tables_of(schema)
    taken: set[str] = set()
    wires = [list_tool(table, taken) for table in tables] + [search_tool(tables[0], taken)]
    spec = EnvironmentSpec(
        name="trial", title="trial", domain="trial", now=NOW, tables=tables, tools=tuple(tool_of(wire, tables) for wire in wires)
    )
    assert [problem for problem in analyse(spec) if problem.where.startswith("tool ") or "no read tool shows" in problem.problem] == []
    views = views_of(spec, analyse_tools(spec, schema_connection(spec)))
    shown = {name for view in views for name in view.shows}
    assert shown == {f"{table.name}.{column.name}" for table in tables for column in table.columns}
    finders = finders_of(spec, views, tables[0].name)
    assert set(finders) == {table.name for table in tables}
    assert finders[tables[0].name].args["query"] == "field:name"


def test_a_workshop_without_gaps_is_left_alone() -> None:
    parts = small_parts()
    before = copy.deepcopy(parts)
    assert close_gaps(parts) == []
    assert (parts.tools, parts.tables) == (before.tools, before.tables)


def test_what_nothing_shows_is_listed_and_people_are_found_by_name() -> None:
    parts = small_parts(tools=without("find_customers", "list_bikes"))
    notes = close_gaps(parts)
    added = [tool.name for tool in parts.tools if tool.name not in {tool["name"] for tool in TOOLS}]
    assert "nothing found customers by name: find_customers was added" in notes
    assert "list_customers" in added
    assert "list_bikes" in [tool.name for tool in parts.tools]
    spec = parts.spec()
    assert [problem for problem in analyse(spec) if "no read tool shows" in problem.problem] == []
    assert set(finders_of(spec, views_of(spec, analyse_tools(spec, schema_connection(spec))), "customers")) == {
        "customers",
        "bikes",
        "repairs",
    }


@pytest.mark.parametrize(
    ("taken", "made"),
    [(set(), "list_bikes"), ({"list_bikes"}, "list_bikes_all"), ({"list_bikes", "list_bikes_all", "list_bikes_2"}, "list_bikes_3")],
)
def test_an_added_tool_takes_a_free_name(taken: set[str], made: str) -> None:
    assert list_tool(small_parts().spec().table("bikes"), taken).name == made


def with_states(*more: str) -> JsonObject:
    schema: JsonObject = copy.deepcopy(SCHEMA)
    schema["tables"][2]["columns"][6]["values"] += more
    return schema


def states(**fields: Any) -> tuple[tuple[str, ...] | None, list[str]]:
    parts = small_parts(schema=with_states("lost"), **fields)
    notes = close_gaps(parts)
    return parts.spec().table("repairs").column("status").values, notes


def test_a_state_that_nothing_reaches_or_speaks_of_is_taken_out() -> None:
    tools = without("list_repairs")  # its parameter takes any state
    values, notes = states(tools=tools)
    assert values == ("booked", "done", "cancelled")
    assert "repairs.status: states lost were taken out, since nothing reaches or asks for them" in notes


def test_a_state_that_is_spoken_of_stays() -> None:
    assert states()[0] == ("booked", "done", "cancelled", "lost")
    returned = [{"returns": [{"name": "", "shape": "value", "sql": "SELECT count(*) AS n FROM repairs WHERE status = 'lost'"}]}]
    tools = [tool for tool in with_tool("count_lost", steps=returned) if tool["name"] != "list_repairs"]
    assert states(tools=tools)[0] == ("booked", "done", "cancelled", "lost")


def test_states_are_reached_by_writes_and_by_what_parameters_may_be() -> None:
    def unreached(tools: list[JsonObject]) -> dict[tuple[str, str], list[str]]:
        return unreached_states(small_parts(tools=tools, schema=with_states("lost")).spec())

    assert unreached(TOOLS) == {("repairs", "status"): ["lost"]}
    assert unreached(without("finish_repair")) == {("repairs", "status"): ["done", "lost"]}
    setter = with_tool(
        "set_status",
        parameters=[{"name": "repair_id", "takes": "repairs.id"}, {"name": "status", "takes": "repairs.status"}],
        steps=[{"run": "UPDATE repairs SET status = :status WHERE id = :repair_id"}, *TOOLS[3]["steps"][1:]],
    )
    assert unreached(setter) == {}
