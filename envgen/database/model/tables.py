"""The reply of the stage `schema`: checked, and turned into tables."""

import re
from collections.abc import Iterator, Sequence
from contextlib import closing

import apsw
import networkx as nx
import sqlglot
from sqlglot import exp

from envgen.core.errors import SpecError
from envgen.core.types import JsonObject
from envgen.database.analysis import schema_connection
from envgen.database.compile import IDS_TABLE
from envgen.database.engine import FUNCTIONS, memory
from envgen.database.model.wire import Brief, WireColumn, WireSchema, WireTable
from envgen.database.spec import Column, EnvironmentSpec, Table
from envgen.database.sql import clock_problem, inspect_statement, parse

MOST_TABLES, MOST_COLUMNS, LEAST_TABLES = 40, 40, 3
_NAME = re.compile(r"[a-z][a-z0-9_]{0,62}", re.ASCII)
_KINDS: dict[str, JsonObject] = {
    "id": {"type": "INTEGER", "primary_key": True, "policy": "generated"},
    "ref": {"type": "INTEGER"},
    "text": {"policy": "text"},
    "date": {"format": "date"},
    "moment": {"format": "date-time"},
    "money": {"type": "INTEGER", "format": "money"},
    "count": {"type": "INTEGER"},
    "minutes": {"type": "INTEGER", "format": "minutes"},
    "flag": {"type": "INTEGER", "format": "flag"},
}


def tables_of(schema: WireSchema) -> tuple[Table, ...]:
    """Return the tables of a checked reply."""
    return tuple(
        Table(
            name=table.name, role=table.name, description=table.about, columns=tuple(_column(column) for column in table.columns),
            unique=tuple(tuple(group) for group in table.unique if len(group) > 1), checks=tuple(table.checks),
            indexes=tuple((column.name,) for column in table.columns if column.kind == "ref"),
        )
        for table in schema.tables
    )  # fmt: skip


def kinds_of(schema: WireSchema) -> dict[str, str]:
    """Return "table.column" -> the kind that the reply gives the column."""
    return {f"{table.name}.{column.name}": column.kind for table in schema.tables for column in table.columns}


def _column(column: WireColumn) -> Column:
    fields = dict(_KINDS.get(column.kind, {}))
    if column.kind == "ref":
        fields["references"] = f"{column.references}.id"
    if column.kind == "state":
        fields["values"] = tuple(column.values or ())
    if column.kind == "money":
        fields["check"] = f'"{column.name}" >= 0'
    return Column(name=column.name, not_null=not column.nullable, unique=column.unique, description=column.about, **fields)


def schema_problems(schema: WireSchema, brief: Brief) -> list[str]:
    """Return what is wrong with the reply, in words for its author, the most basic first; nothing when it can be used."""
    if not LEAST_TABLES <= len(schema.tables) <= MOST_TABLES:
        return [f"{len(schema.tables)} tables: write {LEAST_TABLES} to {MOST_TABLES}"]
    problems = [text for table in schema.tables for text in _table_problems(table)]
    problems += _repeated("table", [table.name for table in schema.tables])
    if problems:
        return problems
    problems = [*_reference_problems(schema), *_people_problems(schema, brief), *_entity_problems(schema, brief)]
    return problems or _build_problems(schema)


def _repeated(what: str, names: Sequence[str]) -> list[str]:
    return [f"{what} {name} is there twice" for name in dict.fromkeys(names) if names.count(name) > 1]


def _table_problems(table: WireTable) -> Iterator[str]:
    where = f"table {table.name}"
    if not usable_name(table.name) or table.name == IDS_TABLE or table.name.startswith("sqlite_"):
        yield f"{where}: the name must be lower-case letters, digits and underscores, and no SQL keyword"
        return
    if len(table.columns) > MOST_COLUMNS:
        yield f"{where}: {len(table.columns)} columns, at most {MOST_COLUMNS}"
    yield from (f"{where}: {text}" for text in _repeated("column", [column.name for column in table.columns]))
    if [column.name for column in table.columns if column.kind == "id"] != ["id"]:
        yield f'{where}: needs exactly one column of kind "id", and its name is "id"'
    for column in table.columns:
        yield from (f"{where}, column {column.name}: {text}" for text in _column_problems(column))
    known = {column.name for column in table.columns}
    yield from (f"{where}: unique names {name}, which is no column" for group in table.unique for name in group if name not in known)


def _column_problems(column: WireColumn) -> Iterator[str]:
    if not usable_name(column.name):
        yield "the name must be lower-case letters, digits and underscores, and no SQL keyword"
    if column.kind == "state" and len(set(column.values or ())) < 2:
        yield 'kind "state" needs at least two values'
    if column.values and any(not _NAME.fullmatch(value) for value in column.values):
        yield "values are lower-case words joined by underscores"
    if column.kind == "ref" and not column.references:
        yield 'kind "ref" needs the table that it references'
    if column.kind == "id" and column.nullable:
        yield "an id is never NULL"


def usable_name(name: str) -> bool:
    """True for a name that SQL takes without quotes."""
    if not _NAME.fullmatch(name):
        return False
    try:
        memory().execute(f"CREATE TABLE x ({name} INTEGER, y AS ({name} + 1))").execute(f"SELECT {name} FROM x AS {name}")
    except apsw.Error:
        return False
    return True


def _reference_problems(schema: WireSchema) -> Iterator[str]:
    names = {table.name for table in schema.tables}
    links: nx.DiGraph[str] = nx.DiGraph()
    for table in schema.tables:
        for column in table.columns:
            where = f"table {table.name}, column {column.name}"
            if column.kind == "ref" and column.references not in names:
                yield f"{where}: references {column.references!r}, which is no table"
            elif column.kind == "ref" and column.references == table.name and not column.nullable:
                yield f"{where}: a row that must refer to its own table can never be the first: make it nullable"
            elif column.kind == "ref" and column.references != table.name:
                links.add_edge(table.name, str(column.references))
            elif column.kind != "ref" and column.name.endswith("_id") and _plural(column.name[:-3], names):
                yield f'{where}: looks like a reference to {_plural(column.name[:-3], names)}: give it kind "ref"'
    cycle = next(iter(nx.simple_cycles(links)), None)
    if cycle:
        yield f"tables {' -> '.join([*cycle, cycle[0]])} refer to each other in a circle: no row could be the first"


def _plural(stem: str, names: set[str]) -> str:
    return next((name for name in (stem, f"{stem}s", f"{stem}es", f"{stem[:-1]}ies") if stem and name in names), "")


def _people_problems(schema: WireSchema, brief: Brief) -> Iterator[str]:
    people = next((table for table in schema.tables if table.name == brief.people_table), None)
    if people is None:
        yield f"table {brief.people_table} is missing: requests concern its rows"
        return
    if not any(column.name == "name" and column.kind == "person" and not column.nullable for column in people.columns):
        yield f'table {people.name}: needs a column "name" of kind "person", never NULL'
    if not any(column.references == people.name for table in schema.tables for column in table.columns):
        yield f"no table refers to {people.name}: what people have must point to them"


def _entity_problems(schema: WireSchema, brief: Brief) -> Iterator[str]:
    tables = {table.name: table for table in schema.tables}
    for entity in brief.entities:
        if entity.table not in tables:
            yield f"table {entity.table} is missing: the business keeps {entity.many}"
        elif len(entity.states) > 1 and not any(column.kind == "state" for column in tables[entity.table].columns):
            yield f'table {entity.table}: needs a column of kind "state" for {", ".join(entity.states)}'


def _build_problems(schema: WireSchema) -> list[str]:
    """The schema is built for real: without its checks, on which these are tried one by one, then with them."""
    tables = tables_of(schema)
    spec = EnvironmentSpec(name="trial", title="trial", domain="trial", now="2026-01-01 00:00:00", tables=tables, tools=())
    bare = spec.model_copy(update={"tables": tuple(table.model_copy(update={"checks": ()}) for table in tables)})
    try:
        with closing(schema_connection(bare)) as connection:
            checks = [(table.name, check) for table in tables for check in table.checks]
            found = [
                f"table {name}, check {check[:80]!r}: {text}" for name, check in checks for text in check_problems(connection, name, check)
            ]
        if not found:
            schema_connection(spec).close()
    except SpecError as problem:
        return [f"{problem.where}: {problem.problem}"]
    return found


def check_problems(connection: apsw.Connection, table: str, check: str) -> Iterator[str]:
    """Yield why `check` is no condition on one row of `table`: it becomes a part of the table's definition as it is written."""
    if any(mark in check for mark in (";", "--", "/*")) or not _is_condition(check):
        yield "it is not one condition on the columns of a row"
        return
    try:
        statement = inspect_statement(connection, f"SELECT ({check}) FROM {table}")
    except (apsw.Error, ValueError) as problem:
        yield str(problem)
        return
    yield from (f"function {name} is not on the allow-list" for name in sorted(statement.functions - FUNCTIONS))
    clock = clock_problem(f"SELECT ({check}) FROM {table}", set())
    if clock:
        yield clock


def _is_condition(check: str) -> bool:
    try:
        tree = parse(f"SELECT ({check})")
    except sqlglot.errors.SqlglotError:
        return False
    alone = [name for name, part in tree.args.items() if part] == ["expressions"] and len(tree.expressions) == 1
    return alone and isinstance(tree.expressions[0], exp.Paren) and sum(1 for _ in tree.find_all(exp.Query)) == 1
