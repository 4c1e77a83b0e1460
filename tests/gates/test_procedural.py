"""The exploration: results against their shape, calls that must be refused, and a fault found and reduced."""

from typing import Any

import pytest
from desk_tasks import make_environment
from planting import desk

from envgen.database.spec import ReturnShape
from envgen.gates.procedural import explore, misfit
from envgen.gates.replay import neutral_task
from envgen.gates.strategies import fitting, misfits

ROW = {"one": "SELECT 1 AS a"}


MANY, VALUE, OBJECT = {"many": "SELECT 1", "max": 2}, {"value": "SELECT 1"}, {"object": {"x": ROW}}


@pytest.mark.parametrize(
    ("value", "shape", "fits"),
    [
        ({"a": 1}, ROW, True), ({}, ROW, False), ([], ROW, False), (5, VALUE, True), (None, VALUE, True), ([], VALUE, False),
        ([{"a": 1}], MANY, True), ([{}, {}, {}], MANY, False), ([1], MANY, False), ([{}] * 201, {"many": "SELECT 1", "max": 900}, False),
        ({"x": {"a": 1}}, OBJECT, True), ({"y": {"a": 1}}, OBJECT, False), ({"x": []}, OBJECT, False),
    ],
)  # fmt: skip
def test_results_fit_their_shape(value: Any, shape: dict[str, Any], fits: bool) -> None:
    assert (misfit(value, ReturnShape.model_validate(shape)) == "") is fits


def test_a_sound_world_keeps_its_promises() -> None:
    assert explore(make_environment(tasks=[]), episodes=4) == ""


def test_a_broken_promise_is_found_and_reduced() -> None:
    def change(data: dict[str, Any]) -> None:
        step = next(item for item in data["tools"] if item["name"] == "deny_claim")["steps"]
        step[3]["return"]["one"] += " AND c.status = 'open'"

    problem = explore(desk(change, tasks=[]), episodes=8)
    assert "a `one` returned no row" in problem
    assert "(after" not in problem


def test_every_misfit_is_refused_and_every_fitting_value_is_taken() -> None:
    environment = make_environment(tasks=[])
    with environment.start(neutral_task(environment.spec)) as session:
        for name, tool in environment.compiled.items():
            schema = tool.arguments.schema
            arguments = {key: fitting(child, environment)[0] for key, child in schema["properties"].items()}
            for wrong in misfits(schema, arguments):
                result = session.probe(name, wrong)
                assert result.error is not None and result.error.code == "invalid_arguments", (name, wrong)
            for key, child in schema["properties"].items():
                for value in fitting(child, environment):
                    result = session.probe(name, {**arguments, key: value})
                    assert result.error is None or result.error.code != "invalid_arguments", (name, key, value)
