"""A schema reply is refused in words, or its tables can be built; its names, references and checks are what SQL takes them for."""

from contextlib import closing

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_author import BRIEF, SCHEMA
from wire_schemas import NOW, brief_of, schemas

from envgen.core.types import JsonObject
from envgen.database.analysis import schema_connection
from envgen.database.engine import memory
from envgen.database.model.tables import check_problems, kinds_of, schema_problems, tables_of, usable_name
from envgen.database.model.wire import Brief, WireSchema
from envgen.database.spec import EnvironmentSpec


def spec_of(schema: WireSchema) -> EnvironmentSpec:
    return EnvironmentSpec(name="trial", title="trial", domain="trial", now=NOW, tables=tables_of(schema), tools=())


def problems(tables: list[JsonObject], **brief: object) -> list[str]:
    return schema_problems(WireSchema.model_validate({"tables": tables}), Brief.model_validate(BRIEF | brief))


def with_columns(place: int, *columns: JsonObject, **fields: object) -> list[JsonObject]:
    tables: list[JsonObject] = [dict(table) for table in SCHEMA["tables"]]
    tables[place] |= {"columns": [*tables[place]["columns"], *columns], **fields}
    return tables


@settings(max_examples=40, deadline=None)
@given(schemas())
def test_an_accepted_schema_is_built_as_it_was_written(schema: WireSchema) -> None:
    assert schema_problems(schema, brief_of(schema)) == []
    with closing(schema_connection(spec_of(schema))) as connection:
        for table in schema.tables:
            built = {row[1]: (row[2], bool(row[3])) for row in connection.execute(f"PRAGMA table_info({table.name})")}
            assert list(built) == [column.name for column in table.columns]
            assert all(built[column.name][1] is not column.nullable for column in table.columns)
            links = {(row[3], row[2], row[4]) for row in connection.execute(f"PRAGMA foreign_key_list({table.name})")}
            assert links == {(column.name, column.references, "id") for column in table.columns if column.kind == "ref"}


@settings(max_examples=40, deadline=None)
@given(schemas())
def test_kinds_are_known_of_every_column(schema: WireSchema) -> None:
    columns = {f"{table.name}.{column.name}" for table in tables_of(schema) for column in table.columns}
    assert set(kinds_of(schema)) == columns


@given(
    st.from_regex(r"[a-z_]{1,8}", fullmatch=True) | st.sampled_from(["order", "group", "rowid", "desc", "values", "key", "then", "index"])
)
def test_a_usable_name_needs_no_quotes_anywhere(name: str) -> None:
    if usable_name(name):
        with closing(memory()) as connection:
            connection.execute(f"CREATE TABLE {name} (id INTEGER PRIMARY KEY, {name} TEXT CHECK ({name} <> 'x'))")
            connection.execute(f"INSERT INTO {name} ({name}) VALUES ('y')")
            connection.execute(f"UPDATE {name} SET {name} = {name} || 'z' WHERE {name} = 'y'")
            assert list(connection.execute(f"SELECT {name}.{name} AS {name} FROM {name} ORDER BY {name}")) == [("yz",)]


@pytest.mark.parametrize("name", ["order", "group", "select", "values", "_ids", "Bikes", "1st", "", "a" * 64, "bikes\n", "\u00e9t\u00e9"])
def test_names_that_need_quotes_are_not_usable(name: str) -> None:
    assert not usable_name(name)


@pytest.mark.parametrize("count", [2, 41])
def test_tables_are_counted(count: int) -> None:
    tables = [{"name": f"t{number}", "columns": [{"name": "id", "kind": "id"}]} for number in range(count)]
    assert problems(tables) == [f"{count} tables: write 3 to 40"]


@pytest.mark.parametrize(
    ("tables", "said"),
    [
        (with_columns(1, {"name": "colour", "kind": "text"}), ["table bikes: column colour is there twice"]),
        (
            with_columns(1, {"name": "second_id", "kind": "id"}),
            ['table bikes: needs exactly one column of kind "id", and its name is "id"'],
        ),
        ([*SCHEMA["tables"], SCHEMA["tables"][2]], ["table repairs is there twice"]),
        (with_columns(1, {"name": "size", "kind": "state", "values": ["big", "big"]}), ["two values"]),
        (with_columns(1, {"name": "size", "kind": "ref"}), ["needs the table that it references"]),
        (with_columns(1, {"name": "size", "kind": "ref", "references": "sizes"}), ["references 'sizes', which is no table"]),
        (with_columns(0, {"name": "repair_id", "kind": "ref", "references": "repairs"}), ["refer to each other in a circle"]),
        (with_columns(0, name="people"), ["'customers', which is no table", "'customers', which is no table", "customers is missing"]),
        (with_columns(0, columns=[{"name": "id", "kind": "id"}]), ['needs a column "name" of kind "person"']),
    ],
)
def test_what_is_wrong_is_said(tables: list[JsonObject], said: list[str]) -> None:
    found = problems(tables)
    assert all(any(text in problem for problem in found) for text in said), found


def test_an_entity_with_a_life_cycle_wants_a_state() -> None:
    entity = {"table": "bikes", "one": "bike", "many": "bikes", "about": "", "states": ["new", "old"]}
    assert problems(SCHEMA["tables"], entities=[entity]) == ['table bikes: needs a column of kind "state" for new, old']
    assert problems(SCHEMA["tables"], entities=[{**entity, "states": []}, {**entity, "table": "tyres"}])[0].startswith(
        "table tyres is missing"
    )


@pytest.mark.parametrize("check", ["price_cents >= 0", "status <> 'done' OR due_on IS NOT NULL", "length(work) BETWEEN 1 AND 80"])
def test_conditions_on_a_row_are_checks(check: str) -> None:
    with closing(schema_connection(spec_of(WireSchema.model_validate(SCHEMA)))) as connection:
        assert list(check_problems(connection, "repairs", check)) == []
    assert problems(with_columns(2, checks=[check])) == []


@pytest.mark.parametrize(("check", "said"), [("price >= 0", "price"), ("price_cents >=", "not one condition"), ("1 AS x", "syntax error")])
def test_other_checks_are_told(check: str, said: str) -> None:
    found = problems(with_columns(2, checks=[check]))
    assert len(found) == 1
    assert said in found[0]


def test_columns_of_a_group_and_of_money_are_kept() -> None:
    tables = tables_of(WireSchema.model_validate({"tables": with_columns(1, unique=[["customer_id", "model"], ["colour"]])}))
    assert tables[1].unique == (("customer_id", "model"),)
    assert tables[2].column("price_cents").check == '"price_cents" >= 0'
    assert tables[1].indexes == (("customer_id",),)
