"""A tool reply becomes a tool with the parameters that its words say, or is refused in words for its author."""

from typing import Any

import hypothesis
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_author import TOOLS, small_parts

from envgen.core.types import JsonObject
from envgen.database.model.tools import MOST_PAGE, MOST_PARAMETERS, MOST_STEPS, Malformed, sql_text, tool_of
from envgen.database.model.wire import WireTool
from envgen.database.spec import NewId, Require, Return, Run, Tool, step_sql

TABLES = small_parts().tables
RETURNS = {"returns": [{"name": "", "shape": "value", "sql": "SELECT 1 AS one;"}]}


def tool(**fields: Any) -> Tool:
    wire = {"name": "look", "about": "Looks.", "parameters": [], "steps": [RETURNS], **fields}
    return tool_of(WireTool.model_validate(wire), TABLES)


def parameter(takes: str, **fields: Any) -> JsonObject:
    found: JsonObject = tool(parameters=[{"name": "p", "takes": takes, **fields}]).parameters["properties"]["p"]
    return found


@pytest.mark.parametrize(
    ("takes", "said"),
    [
        ("bikes.id", {"type": "integer", "minimum": 1, "x-column": "bikes.id"}),
        ("repairs.bike_id", {"type": "integer", "minimum": 1, "x-column": "bikes.id"}),
        ("repairs.status", {"type": "string", "enum": ["booked", "done", "cancelled"], "x-of": "repairs.status"}),
        ("one of a|b", {"type": "string", "enum": ["a", "b"]}),
        ("flag", {"type": "integer", "enum": [0, 1]}),
    ],
)
def test_what_a_parameter_takes(takes: str, said: JsonObject) -> None:
    assert parameter(takes) == said


def test_texts_of_a_column_are_bounded_and_dates_keep_their_form() -> None:
    assert parameter("customers.name")["x-column"] == "customers.name"
    assert parameter("customers.name")["maxLength"] > 0
    assert parameter("repairs.due_on")["format"] == "date"


@pytest.mark.parametrize(
    ("about", "made"), [("", "In cents."), ("The price.", "The price. In cents."), ("The price in cents", "The price in cents")]
)
def test_money_says_its_unit(about: str, made: str) -> None:
    assert parameter("money 1..9", about=about)["description"] == made


def test_what_has_a_default_need_not_be_given() -> None:
    made = tool(parameters=[{"name": "a", "takes": "integer 0..5", "default": "3"}, {"name": "b", "takes": "flag"}])
    assert made.parameters["required"] == ["b"]
    assert made.parameters["properties"]["a"]["default"] == 3
    assert made.parameters["additionalProperties"] is False


def test_pages_are_the_same_in_every_tool() -> None:
    made = tool(paged=True, parameters=[{"name": "limit", "takes": "integer 1..9000"}, {"name": "q", "takes": "flag"}])
    assert made.parameters["properties"]["limit"]["maximum"] == MOST_PAGE
    assert made.parameters["required"] == ["q"]
    assert list(made.parameters["properties"]) == ["q", "limit", "offset"]


def test_steps_are_read_as_they_are_meant() -> None:
    made = tool(
        steps=[
            {"require": "SELECT 1\n  FROM bikes;", "code": "not_found", "message": " There is\nno bike. "},
            {"new_id": ":bike_id", "table": "bikes.id"},
            {"run": "DELETE FROM bikes", "rows": " 0 .. 2 "},
            {"run": "DELETE FROM bikes", "rows": ":many"},
            RETURNS,
        ]
    )
    require, number, one, other, returned = made.steps
    assert isinstance(require, Require)
    assert (require.require, require.otherwise) == ("SELECT 1 FROM bikes", ("not_found", "There is no bike."))
    assert isinstance(number, NewId)
    assert number.new_id == {"bike_id": "bikes.id"}
    assert isinstance(one, Run)
    assert isinstance(other, Run)
    assert (one.rows, other.rows) == ((0, 2), "many")
    assert isinstance(returned, Return)
    assert returned.result.value == "SELECT 1 AS one"


def test_named_parts_make_an_object() -> None:
    parts = [{"name": "one", "shape": "one", "sql": "SELECT 1 AS a"}, {"name": "all", "shape": "many", "sql": "SELECT 2 AS a"}]
    returned = tool(steps=[{"returns": parts}]).steps[0]
    assert isinstance(returned, Return)
    assert returned.result.object is not None
    assert list(returned.result.object) == ["one", "all"]
    with pytest.raises(Malformed, match="names of their own"):
        tool(steps=[{"returns": [*parts, parts[0]]}])
    with pytest.raises(Malformed, match="names of their own"):
        tool(steps=[{"returns": []}])


@pytest.mark.parametrize(
    ("steps", "parameters"),
    [([], []), ([RETURNS] * (MOST_STEPS + 1), []), ([RETURNS], [{"name": f"p{n}", "takes": "flag"} for n in range(MOST_PARAMETERS + 1)])],
)
def test_steps_and_parameters_are_counted(steps: list[JsonObject], parameters: list[JsonObject]) -> None:
    with pytest.raises(Malformed, match="a tool has 1 to"):
        tool(steps=steps, parameters=parameters)


def test_an_unknown_column_and_a_column_only_way_are_refused() -> None:
    for takes in ("bikes.size", "tyres.id", "parts models 0", "always red", "empty"):
        with pytest.raises(Malformed, match="parameter p"):
            parameter(takes)


def test_the_workshop_keeps_its_sql() -> None:
    for wire in TOOLS:
        made = tool_of(WireTool.model_validate(wire), TABLES)
        written = str(wire["steps"])
        assert all(sql in written for step in made.steps for sql in step_sql(step))


@given(st.text(alphabet="ab \n\t;'-"))
@hypothesis.example("a ; ;")
def test_sql_on_one_line_keeps_literals_and_is_stable(sql: str) -> None:
    made = sql_text(sql)
    assert sql_text(made) == made
    assert not made.endswith(";")
    if "'" in made:
        assert made in sql
    elif "--" not in made:
        assert "\n" not in made
