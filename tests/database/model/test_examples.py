"""Examples stand on rows that their tables take, say moments as moments, and tell both sides of a limit apart."""

from contextlib import closing

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_author import EXAMPLES, NOW, small_parts
from wire_schemas import schemas

from envgen.core.types import JsonObject
from envgen.database.analysis import schema_connection
from envgen.database.model.examples import Samples, codes, example_of, missing_examples, threshold_mutants, typed, wants_examples
from envgen.database.model.tables import kinds_of, tables_of
from envgen.database.model.tools import Malformed
from envgen.database.model.wire import SampleRow, WireExample, WireSchema
from envgen.database.spec import EnvironmentSpec, Example, Forbid, Tool, step_sql
from envgen.database.sql import parse

PARTS = small_parts()
SPEC = PARTS.spec()
SAMPLES = Samples(SPEC, PARTS.kinds)
IDLE = Tool.model_validate({"name": "idle", "description": "Does nothing.", "parameters": {"properties": {}}, "steps": []})


def example(number: int, **changes: object) -> Example:
    wire = EXAMPLES[number] | changes
    return example_of(WireExample.model_validate(wire), SPEC.tool(wire["tool"]), SAMPLES)


@settings(max_examples=40, deadline=None)
@given(schemas(), st.integers(1, 30), st.integers(2, 30))
def test_sample_rows_satisfy_their_tables(schema: WireSchema, first: int, second: int) -> None:
    spec = EnvironmentSpec(name="trial", title="trial", domain="trial", now=NOW, tables=tables_of(schema), tools=())
    rows = [SampleRow(table=table.name, row=number) for table in spec.tables for number in sorted({first, second})]
    with closing(schema_connection(spec)) as connection:
        connection.execute("PRAGMA foreign_keys = ON")
        for statement in Samples(spec, kinds_of(schema)).setup(rows, {}, IDLE):
            connection.execute(statement)
        for row in rows:
            assert list(connection.execute(f"SELECT 1 FROM {row.table} WHERE id = ?", (900_000 + row.row,)))


def test_an_example_brings_the_rows_that_its_rows_and_arguments_name() -> None:
    inserts = [sql for sql in example(5).setup if sql.startswith("INSERT")]
    assert [sql.split()[2] for sql in inserts] == ["customers", "bikes", "repairs"]
    booking = [sql for sql in example(1).setup if sql.startswith("INSERT")]
    assert [sql.split()[2] for sql in booking] == ["customers", "bikes"]
    assert "'cancelled'" in inserts[2]


def test_references_that_are_set_bring_their_rows() -> None:
    rows = [{"table": "repairs", "row": 1, "set": [{"name": "bike_id", "value": 900_007}]}]
    assert any(sql.startswith("INSERT INTO bikes") and "900007" in sql for sql in example(0, rows=rows).setup)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"arguments": [{"name": "colour", "value": "red"}]}, "has no parameter colour"),
        ({"rows": [{"table": "tyres"}]}, "no table tyres"),
        ({"rows": [{"table": "bikes", "row": 0}]}, "numbered 1 to 99"),
        ({"rows": [{"table": "bikes", "set": [{"name": "size", "value": 1}]}]}, "no column size"),
    ],
)
def test_what_no_example_can_say(changes: JsonObject, said: str) -> None:
    with pytest.raises(Malformed, match=said):
        example(0, **changes)


@pytest.mark.parametrize(
    ("value", "kind", "form", "made"),
    [
        ("7", "integer", "plain", 7),
        ("seven", "integer", "plain", "seven"),
        (7, "string", "plain", "7"),
        ("today-1 day", "string", "date", "2026-05-11"),
        ("now+1 hour", "string", "date-time", "2026-05-12 10:00:00"),
        ("2026-05-12", "string", "date-time", "2026-05-12 00:00:00"),
        ("2026-05-12 11:00:00", "string", "date", "2026-05-12"),
        ("now+1 hour", "string", "plain", "now+1 hour"),
        (None, "string", "date", None),
    ],
)
def test_values_become_what_their_place_holds(value: str | int | None, kind: str, form: str, made: object) -> None:
    assert typed(value, kind, form, NOW) == made


def test_results_are_typed_by_their_columns_and_errors_stand_alone() -> None:
    result = [{"name": "repair.due_on", "value": "today"}, {"name": "price_cents", "value": "9000"}, {"name": "note", "value": "now"}]
    assert example(0, result=result).expect == {"repair.due_on": "2026-05-12", "price_cents": 9000, "note": "now"}
    assert example(0, result=result, error="gone").expect == {"error": "gone"}


def test_examples_are_asked_for_where_tools_write_or_refuse() -> None:
    assert [tool.name for tool in SPEC.tools if wants_examples(tool)] == ["book_repair", "finish_repair", "cancel_repair"]
    cancel = SPEC.tool("cancel_repair")
    assert codes(cancel) == ["not_found", "not_booked", "too_late"]
    assert missing_examples(cancel, []) == ["a call that succeeds", "a refusal with not_booked", "a refusal with too_late"]
    assert missing_examples(cancel, [example(6), example(8)]) == ["a refusal with too_late"]
    assert missing_examples(SPEC.tool("list_bikes"), []) == []


def test_moved_limits_are_named_by_their_code_and_differ_by_their_limit() -> None:
    (where, moved), *more = threshold_mutants(SPEC.tool("cancel_repair"))
    assert (where, more) == ("too_late", [])
    assert "due_on < DATE(:now)" in next(sql for step in moved.steps for sql in step_sql(step) if "due_on <" in sql)


OPERATORS = st.sampled_from(["<", "<=", ">", ">=", "=", "<>"])
SIDES = st.sampled_from(["price_cents", "due_on", "length(work)", "90", "date(:now)", "(SELECT count(*) FROM bikes WHERE id > 3)"])


@given(st.lists(st.tuples(SIDES, OPERATORS, SIDES), min_size=1, max_size=4))
def test_every_inequality_of_a_guard_is_moved_once_and_stays_sql(conditions: list[tuple[str, str, str]]) -> None:
    sql = "SELECT 1 FROM repairs WHERE " + " AND ".join(" ".join(condition) for condition in conditions)
    guard = {"forbid": sql, "else": ("late", "Too late.")}
    tool = IDLE.model_copy(update={"steps": Tool.model_validate(IDLE.model_dump() | {"steps": [guard]}).steps})
    moved = [step.forbid for _, other in threshold_mutants(tool) for step in other.steps if isinstance(step, Forbid)]
    limits = sum(operator in ("<", "<=", ">", ">=") for _, operator, _ in conditions)
    nested = sum("id > 3" in side for left, _, right in conditions for side in (left, right))
    assert len({parse(text).sql() for text in moved} - {parse(sql).sql()}) == len(moved) == limits + nested
