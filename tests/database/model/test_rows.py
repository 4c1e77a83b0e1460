"""Fillings and history: each filled table comes after those that it refers to, and every generator makes rows that the tables take."""

from contextlib import closing
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_author import CONTENT, SCHEMA, small_parts
from wire_schemas import NOW, schemas

from envgen.core.types import JsonObject
from envgen.database.analysis import analyse_tools, schema_connection
from envgen.database.fill import Filler
from envgen.database.language import Filling
from envgen.database.model.assemble import Parts, usable_pools
from envgen.database.model.rows import LEAST_ROWS, MOST_ROWS, Ground, history_of, made_by, pool_names, wanted_rows
from envgen.database.model.tables import kinds_of, tables_of
from envgen.database.model.wire import WireContent, WireSchema
from envgen.database.spec import EnvironmentSpec

TAKES = st.sampled_from([
    "text jobs", "text nothing", "parts pairs 0", "parts pairs 1", "parts pairs 5", "integer 1..9", "money 100..900 step 50", "flag",
    "date -9..9", "moment -9..9", "always v1", "mostly v0", "one of v0|v1", "one of red|green", "empty", "nonsense",
])  # fmt: skip
POOLS = [
    {"name": "jobs", "texts": [f"job {number}" for number in range(9)]},
    {"name": "pairs", "texts": ["red|7", "green|8", "blue|9"]},
]


@st.composite
def contents(draw: st.DrawFn, schema: WireSchema) -> WireContent:
    """Content that says something for every column, fitting or not."""
    tables = [
        {"table": table.name, "rows": 8, "columns": [{"column": column.name, "takes": draw(TAKES)} for column in table.columns[1:]]}
        for table in schema.tables
    ]
    return WireContent.model_validate({"pools": POOLS, "tables": tables})


def filled(schema: WireSchema, content: WireContent | None) -> tuple[EnvironmentSpec, tuple[Filling, ...], dict[str, tuple[str, ...]]]:
    spec = EnvironmentSpec(name="trial", title="trial", domain="trial", now=NOW, tables=tables_of(schema), tools=())
    pools = usable_pools(content)
    return spec, Ground(spec, {}, kinds_of(schema), content, pools).fillings(), pools


@settings(max_examples=50, deadline=None)
@given(st.data())
def test_fillings_refer_only_to_tables_filled_before_and_make_rows_that_their_tables_take(data: st.DataObject) -> None:
    schema = data.draw(schemas(unique=False))
    spec, fillings, pools = filled(schema, data.draw(st.none() | contents(schema)))
    assert sorted(filling.table for filling in fillings) == sorted(table.name for table in spec.tables)
    seen: set[str] = set()
    filler = Filler(0, NOW, pools)
    with closing(schema_connection(spec)) as connection:
        for filling in fillings:
            assert {text.rpartition("ref:")[2] for text in filling.columns.values() if "ref:" in text} <= seen
            seen.add(filling.table)
            for row in filler.fill(filling, "medium", 1):
                marks = ", ".join("?" * len(row))
                connection.execute(f"INSERT INTO {filling.table} ({', '.join(row)}) VALUES ({marks})", tuple(row.values()))


def columns(content: JsonObject | None, *, mixed: bool = False, **kwargs: Any) -> dict[str, dict[str, str]]:
    parts = small_parts(content=content, **kwargs)
    spec = parts.spec()
    analyses = analyse_tools(spec, schema_connection(spec))
    ground = Ground(spec, analyses, parts.kinds, parts.content, usable_pools(parts.content), frozenset(["repairs"] if mixed else []))
    return {filling.table: dict(filling.columns) for filling in ground.fillings(["repairs"])}


def test_columns_are_filled_as_the_reply_says_and_else_by_their_kind() -> None:
    found = columns(CONTENT)
    assert found["bikes"] == {"id": "serial", "customer_id": "ref:customers", "model": "pick:models", "colour": "pick:colours"}
    assert found["customers"] == {"name": "person", "id": "serial", "phone": "phone"}
    assert found["repairs"]["status"] == "const:booked"
    assert found["repairs"]["price_cents"] == "money:500,9000,50"
    assert found["repairs"]["due_on"] == "date:-200,-1"
    assert columns(None)["repairs"]["due_on"] == "date:-200,200"


def test_rows_begin_in_different_states_when_they_have_to() -> None:
    assert columns(CONTENT, mixed=True)["repairs"]["status"] == "pick:repairs.status"


def test_a_unique_column_takes_each_text_of_its_pool_once_and_bounds_the_rows() -> None:
    schema = {"tables": [*SCHEMA["tables"], {"name": "brands", "columns": [
        {"name": "id", "kind": "id"}, {"name": "label", "kind": "text", "unique": True},
    ]}]}  # fmt: skip
    content = CONTENT | {"tables": [{"table": "brands", "rows": 90, "columns": [{"column": "label", "takes": "text colours"}]}]}
    brands = next(filling for filling in proposal(small_parts(schema=schema, content=content)).fillings if filling.table == "brands")
    assert brands.columns["label"] == "unique:colours"
    assert set(brands.rows.values()) == {6}


def proposal(parts: Parts) -> Any:
    return parts.proposal().language


def test_tables_that_tools_add_to_get_their_rows_from_history() -> None:
    parts = small_parts()
    assert [filling.table for filling in proposal(parts).fillings] == ["customers", "bikes"]
    spec = parts.spec()
    analyses = analyse_tools(spec, schema_connection(spec))
    assert made_by(spec, analyses) == {"customers": [], "bikes": [], "repairs": ["book_repair"]}
    history = {entry.tool: entry.n for entry in history_of(spec, analyses, parts.content)}
    assert list(history) == ["book_repair", "finish_repair", "cancel_repair"]
    assert history["book_repair"] == {"small": 27, "medium": 60, "large": 150}
    assert 0 < history["finish_repair"]["medium"] < history["book_repair"]["medium"]


def test_what_a_filled_row_must_refer_to_is_filled_as_well() -> None:
    parts = small_parts()
    parts.fill_too = {"repairs"}
    assert [filling.table for filling in proposal(parts).fillings] == ["customers", "bikes", "repairs"]


@pytest.mark.parametrize(("rows", "made"), [(-5, LEAST_ROWS), (0, LEAST_ROWS), (50, 50), (10**9, MOST_ROWS)])
def test_wanted_rows_are_bounded(rows: int, made: int) -> None:
    assert wanted_rows(WireContent.model_validate({"pools": [], "tables": [{"table": "bikes", "rows": rows}]})) == {"bikes": made}
    assert wanted_rows(None) == {}


def test_the_pools_that_columns_draw_from_are_named() -> None:
    assert list(pool_names(WireContent.model_validate(CONTENT))) == [("bikes.model", "models"), ("bikes.colour", "colours")]
