"""Superlatives and conditions over what a list shows of other tables. The scripted blood bank was written for the tests."""

import json
from typing import Any

import pytest
from scripted_author import FOLDER

from envgen.database.analysis import analyse_tools, schema_connection
from envgen.database.model.assemble import Parts
from envgen.database.model.questions import Unusable, _column, _counted
from envgen.database.model.tables import kinds_of, tables_of
from envgen.database.model.tools import tool_of
from envgen.database.model.views import View, views_of
from envgen.database.model.wire import Brief, Question, WireActs, WireSchema, WireTool, WireWords
from envgen.database.spec import EnvironmentSpec

NAMES = ("find_donors", "find_sessions", "list_appointments", "book_appointment", "cancel_appointment")


def reply(name: str) -> Any:
    return json.loads((FOLDER / "blood_bank" / f"{name}.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def parts() -> Parts:
    schema = WireSchema.model_validate(reply("schema"))
    parts = Parts(name="blood", brief=Brief.model_validate(reply("brief")), tables=tables_of(schema), kinds=kinds_of(schema))
    wires = [wire for wire in reply("tools")["tools"] if wire["name"] in NAMES]
    parts.tools += [tool_of(WireTool.model_validate(wire), parts.tables) for wire in wires]
    parts.words, parts.acts = WireWords.model_validate(reply("words")), WireActs.model_validate(reply("acts"))
    return parts


def appointments(parts: Parts) -> tuple[EnvironmentSpec, View]:
    spec = parts.spec()
    views = views_of(spec, analyse_tools(spec, schema_connection(spec)))
    return spec, next(view for view in views if view.tool == "list_appointments")


def test_a_choice_may_order_by_what_the_list_shows_of_another_table(parts: Parts) -> None:
    spec = parts.spec()
    speech = parts.speech(spec, analyse_tools(spec, schema_connection(spec)))
    choice = next(choice for choice in speech.choices if choice.key == "next_appointment")
    assert choice.order == {"by": "starts_at", "direction": "min"}
    assert choice.where == {"starts_at": {">": "now"}}
    assert choice.args["status"] == "value:booked"


def test_a_column_of_another_table_is_read_through_the_reference(parts: Parts) -> None:
    spec, view = appointments(parts)
    assert _column(spec, view, "status")[::2] == ("appointments.status", "status")
    assert _column(spec, view, "kind")[::2] == ("sessions.kind", "(SELECT kind FROM sessions WHERE id = appointments.session_id)")
    with pytest.raises(Unusable, match="has no column chairs"):
        _column(spec, view, "chairs")


def test_a_count_over_another_tables_column_agrees_with_sql(parts: Parts) -> None:
    spec, _ = appointments(parts)
    views = views_of(spec, analyse_tools(spec, schema_connection(spec)))
    where: Any = [{"column": "kind", "value": "plasma"}]
    question = Question(key="plasma", kind="count", table="appointments", where=where, ask=["How many appointments are for plasma?"])
    for query in _counted(spec, views, question):
        assert query.where == {"kind": "plasma"}
        schema_connection(spec).execute(query.sql)
