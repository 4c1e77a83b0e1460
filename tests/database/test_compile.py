"""Each kind of step, by what it does to a call."""

import json
from typing import Any

import pytest
from toy import SPEC, tasks, world

from envgen.core.errors import SpecError
from envgen.core.outcome import ToolResult
from envgen.database.compile import fill, render
from envgen.database.engine import native
from envgen.database.runtime import DatabaseEnvironment
from envgen.database.spec import EnvironmentSpec

NONE: dict[str, Any] = {"type": "object", "properties": {}}
ID = {"type": "integer", "x-column": "animals.id"}


def call(steps: list[dict[str, Any]], arguments: dict[str, Any] | None = None, properties: dict[str, Any] | None = None) -> ToolResult:
    data = json.loads(json.dumps(SPEC))
    parameters = {"type": "object", "properties": properties or {}}
    data["tools"].append({"name": "probe_tool", "description": "Try.", "parameters": parameters, "steps": steps})
    environment = DatabaseEnvironment(EnvironmentSpec.model_validate(data), native(world()), tasks=tasks())
    with environment.start(environment.tasks()[0]) as session:
        return session.call("probe_tool", arguments or {})


def code(result: ToolResult) -> str:
    return result.error.code if result.error else "ok"


def test_require_refuses_without_a_row() -> None:
    step = {"require": "SELECT 1 FROM animals WHERE id = 99", "else": ["not_found", "Nothing."]}
    assert code(call([step, {"return": {"value": "SELECT 1"}}])) == "not_found"


def test_forbid_refuses_with_a_row_whose_columns_fill_the_text() -> None:
    step = {"forbid": "SELECT name, kind FROM animals WHERE id = :id", "else": ["taken", "{name} is a {kind}, {unknown}."]}
    result = call([step, {"return": {"value": "SELECT 1"}}], {"id": 1}, {"id": ID})
    assert result.error is not None
    assert result.error.message == "Tom is a cat, {unknown}."


def test_bind_names_a_row_and_gives_nulls_without_one() -> None:
    step = {"bind": {"row": "SELECT name AS n, kind AS k FROM animals WHERE id = :id"}}
    back = {"return": {"one": "SELECT :n AS n, :k AS k"}}
    assert call([step, back], {"id": 2}, {"id": ID}).value == {"n": "Rex", "k": "dog"}
    assert call([step, back], {"id": 99}, {"id": ID}).value == {"n": None, "k": None}


def test_an_absent_optional_parameter_is_null_and_given_lists_what_was_passed() -> None:
    steps = [{"return": {"one": "SELECT :a AS a, :b AS b, :_given AS given"}}]
    properties = {
        "a": {"type": ["integer", "null"], "x-domain": {"int": [1, 2]}},
        "b": {"type": "integer", "default": 4, "x-domain": {"int": [1, 9]}},
    }
    assert call(steps, {}, properties).value == {"a": None, "b": 4, "given": "[]"}
    assert call(steps, {"a": None}, properties).value == {"a": None, "b": 4, "given": '["a"]'}


@pytest.mark.parametrize(("rows", "expected"), [(1, "conflict"), (2, "ok"), ([0, 5], "ok"), ([3, 4], "conflict"), ("n", "ok")])
def test_run_undoes_the_call_when_another_number_of_rows_changed(rows: Any, expected: str) -> None:
    steps = [
        {"bind": {"row": "SELECT count(*) AS n FROM animals WHERE kind = 'cat'"}},
        {"run": "UPDATE animals SET status = 'adopted' WHERE kind = 'cat'", "rows": rows},
        {"return": {"value": "SELECT 1"}},
    ]
    assert code(call(steps)) == expected


def test_a_constraint_is_a_refusal_without_sql() -> None:
    result = call([{"run": "INSERT INTO animals VALUES (1, 'X', 'cat', 'here')"}, {"return": {"value": "SELECT 1"}}])
    assert code(result) == "constraint"
    assert "UNIQUE" not in result.content


def test_new_ids_count_on_and_take_their_format() -> None:
    data = json.loads(json.dumps(SPEC))
    data["tables"].append({"name": "tags", "columns": [{"name": "code", "primary_key": True, "policy": "generated", "x_id": "TG-{:04d}"}]})
    steps = [{"new_id": {"code": "tags.code"}}, {"run": "INSERT INTO tags VALUES (:code)"}, {"return": {"value": "SELECT :code"}}]
    data["tools"].append({"name": "tag", "description": "Tag.", "parameters": NONE, "steps": steps})
    connection = native(world())
    connection.execute("CREATE TABLE tags (code TEXT NOT NULL PRIMARY KEY) STRICT")
    connection.execute("INSERT INTO _ids VALUES ('tags.code', 7)")
    environment = DatabaseEnvironment(EnvironmentSpec.model_validate(data), connection, tasks=tasks())
    with environment.start(environment.tasks()[0]) as session:
        assert [session.call("tag", {}).value for _ in range(2)] == ["TG-0007", "TG-0008"]
        session.connection.execute("DELETE FROM tags")
        assert session.call("tag", {}).value == "TG-0009"
    with environment.start(environment.tasks()[0]) as session:
        assert session.call("tag", {}).value == "TG-0007"


def test_return_shapes() -> None:
    shape = {
        "object": {
            "first": {"one": "SELECT id, name FROM animals WHERE id = 1"},
            "cats": {"many": "SELECT name FROM animals WHERE kind = 'cat' ORDER BY id", "max": 1},
            "count": {"value": "SELECT count(*) FROM animals"},
        }
    }
    assert call([{"return": shape}]).value == {"first": {"id": 1, "name": "Tom"}, "cats": [{"name": "Tom"}], "count": 4}


def test_arrays_arrive_as_json() -> None:
    properties = {"ids": {"type": "array", "items": ID}}
    steps = [{"return": {"value": "SELECT group_concat(value, '-') FROM json_each(:ids)"}}]
    assert call(steps, {"ids": [3, 1]}, properties).value == "3-1"
    assert code(call(steps, {"ids": list(range(51))}, properties)) == "invalid_arguments"


def test_a_result_over_64_kib_is_refused() -> None:
    wide = "SELECT a.name || printf('%.*c', 2000, 'x') AS x FROM animals a, animals b, animals c ORDER BY a.id, b.id, c.id"
    assert code(call([{"return": {"many": wide}}])) == "result_too_large"


@pytest.mark.parametrize("sql", ["SELECT nothing FROM animals", "SELECT 1; SELECT 2", "SELEC 1"])
def test_a_step_that_does_not_compile_is_named(sql: str) -> None:
    with pytest.raises(SpecError, match="tool probe_tool, step 1"):
        call([{"return": {"value": sql}}])


def test_a_template_is_no_format_string() -> None:
    assert fill("{x:>50000000} {a.b} {a} {b}", {"a": "y" * 200, "x": 1}) == "{x:>50000000} {a.b} " + "y" * 79 + "… {b}"


def test_render_keeps_other_scripts() -> None:
    assert render({"name": "Zoë"}) == '{"name":"Zoë"}'


@pytest.mark.parametrize(
    "sql", ["ATTACH ':memory:' AS x", "PRAGMA user_version", "SELECT load_extension('x')", "SELECT random()", "DROP TABLE animals"]
)  # fmt: skip
def test_a_slot_refuses_what_is_not_reading_or_writing_rows(sql: str) -> None:
    with pytest.raises(SpecError):
        call([{"return": {"value": sql}}])
