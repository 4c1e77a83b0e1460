"""The replies of the stage `examples`: situations in rows, written by somebody who sees the rules and not the SQL.

Each table has sample rows, number 1, 2, 3 … with the ids 900001, 900002, 900003 …; an example says which of their values differ, and what
it does not say is as in the sample row. The rows that those refer to, and those that the arguments name, are there too.
"""

from collections.abc import Iterator, Mapping, Sequence
from graphlib import TopologicalSorter
from typing import Any

from sqlglot import exp

from envgen.core.clock import is_date, is_date_time
from envgen.core.numbers import integer_of
from envgen.core.types import JsonObject
from envgen.database.grammar_examples import share_setups
from envgen.database.model.takes import moment_of
from envgen.database.model.tools import Malformed
from envgen.database.model.wire import SampleRow, Scalar, Value, WireExample
from envgen.database.schema import repr_sql
from envgen.database.spec import Column, EnvironmentSpec, Example, Forbid, Require, Run, Step, Table, Tool, step_sql
from envgen.database.sql import parse

FIRST = 900_000
MOST_ROWS = 60
_NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
Rows = dict[tuple[str, int], dict[str, Any]]
Kinds = Mapping[str, str]


class Samples:
    """The sample rows of one schema. kinds: "table.column" -> the kind in the schema reply."""

    def __init__(self, spec: EnvironmentSpec, kinds: Kinds) -> None:
        self.spec, self.kinds = spec, kinds
        self.tables = {table.name: table for table in spec.tables}
        links = {table.name: {_target(c) for c in table.columns if c.references} - {table.name} for table in spec.tables}
        self.order = list(TopologicalSorter(links).static_order())

    def row(self, table: Table, number: int) -> dict[str, Any]:
        """Return sample row `number` of a table."""
        return {column.name: self._value(table, column, number) for column in table.columns}

    def _value(self, table: Table, column: Column, number: int) -> Any:
        if column.primary_key:
            return FIRST + number
        if not column.not_null:
            return None
        if column.references:
            return FIRST + (number if column.unique else 1)
        if column.values:
            return column.values[0]
        if column.type == "INTEGER":
            plain = {"money": 1000, "minutes": 30, "flag": 0}.get(column.format, 1)
            return plain + number - 1 if column.unique else plain
        if column.format in ("date", "date-time"):
            return moment_of(f"now-{number + 1 if column.unique else 2} days", self.spec.now, day=column.format == "date")
        return _sample_text(self.kinds.get(f"{table.name}.{column.name}", ""), column.name, number)

    def setup(self, rows: Sequence[SampleRow], arguments: JsonObject, tool: Tool) -> tuple[str, ...]:
        """Return the statements that leave an example's rows alone in the tables, those they refer to included.

        Malformed names an unknown table or column.
        """
        wanted: Rows = {}
        for entry in rows:
            self._add(wanted, entry.table, entry.row, entry.set)
        for name, child in tool.parameters["properties"].items():
            table, _, column = child.get("x-column", "").partition(".")
            value = arguments.get(name)
            if column == "id" and isinstance(value, int) and FIRST < value < FIRST + 100:
                self._add(wanted, table, value - FIRST, ())
        if len(wanted) > MOST_ROWS:
            raise Malformed(f"{len(wanted)} rows; an example has at most {MOST_ROWS}")
        order = sorted(wanted, key=lambda item: (self.order.index(item[0]), item[1]))
        # Nothing else is in the tables: what a guard counts, and names that are taken, must not hang on the rows of some world.
        cleared = (f"DELETE FROM {name}" for name in reversed(self.order))
        return (*cleared, *(_insert(table, wanted[table, number]) for table, number in order))

    def _add(self, wanted: Rows, name: str, number: int, changes: Sequence[Value]) -> None:
        table = self.tables.get(name)
        if table is None:
            raise Malformed(f"there is no table {name}")
        if not 0 < number < 100:
            raise Malformed(f"row {number} of {name}: rows are numbered 1 to 99")
        row = wanted.setdefault((name, number), self.row(table, number))
        row |= {change.name: self._changed(table, change) for change in changes}
        for column in table.columns:
            value = row[column.name]
            other, key = _target(column), (value - FIRST if isinstance(value, int) else 0)
            if column.references and 0 < key < 100 and (other, key) not in wanted:
                self._add(wanted, other, key, ())

    def _changed(self, table: Table, change: Value) -> Any:
        try:
            column = table.column(change.name)
        except KeyError:
            raise Malformed(f"table {table.name} has no column {change.name}") from None
        return typed(change.value, "integer" if column.type == "INTEGER" else "string", column.format, self.spec.now)


def _target(column: Column) -> str:
    return (column.references or "").split(".")[0]


def _sample_text(kind: str, name: str, number: int) -> str:
    word = _NUMBERS[number - 1] if number <= len(_NUMBERS) else str(number)
    made = {"person": f"Sample {word.title()}", "email": f"sample.{word}@mail.example", "phone": f"555 90000{number}"}
    return made.get(kind, f"sample {name.replace('_', ' ')} {word}")


def _insert(table: str, row: dict[str, Any]) -> str:
    values = ", ".join("NULL" if value is None else str(value) if isinstance(value, int) else repr_sql(value) for value in row.values())
    return f"INSERT INTO {table} ({', '.join(row)}) VALUES ({values})"


def typed(value: Scalar, kind: str, form: str, now: str) -> Any:
    """Return a reply's scalar as the type that a column or parameter has; moments in words become moments."""
    if isinstance(value, str) and kind == "integer":
        number = integer_of(value)
        return value if number is None else number
    if isinstance(value, str) and form in ("date", "date-time"):
        moment = moment_of(value, now, day=form == "date")
        # A day where a moment is meant, and the reverse, are slips that leave no doubt.
        if form == "date" and is_date_time(moment):
            return moment[:10]
        return f"{moment} 00:00:00" if form == "date-time" and is_date(moment) else moment
    return str(value) if isinstance(value, int) and kind == "string" else value


def example_of(wire: WireExample, tool: Tool, samples: Samples) -> Example:
    """Return the example; Malformed says what is wrong with it. Nothing is executed.

    A code that the tool does not have stays: a rule of the business may ask for a refusal that the tool's author forgot.
    """
    now, properties = samples.spec.now, tool.parameters["properties"]
    unknown = [item.name for item in wire.arguments if item.name not in properties]
    if unknown:
        raise Malformed(f"{tool.name} has no parameter {unknown[0]}")
    arguments = {
        item.name: typed(item.value, str(properties[item.name].get("type", "")), properties[item.name].get("format", ""), now)
        for item in wire.arguments
        if item.value is not None
    }
    expect: JsonObject = {"error": wire.error} if wire.error else {item.name: _expected(item, samples) for item in wire.result}
    return Example(given=" ".join(wire.given.split()), args=arguments, expect=expect, setup=samples.setup(wire.rows, arguments, tool))


def _expected(item: Value, samples: Samples) -> Any:
    name = item.name.rsplit(".", 1)[-1]
    column = next((c for table in samples.spec.tables for c in table.columns if c.name == name), None)
    if column is None or not isinstance(item.value, str):
        return item.value
    return typed(item.value, "integer" if column.type == "INTEGER" else "string", column.format, samples.spec.now)


def codes(tool: Tool) -> list[str]:
    """Return the codes with which a tool's own steps refuse."""
    return list(dict.fromkeys(step.otherwise[0] for step in tool.steps if isinstance(step, (Require, Forbid))))


def wants_examples(tool: Tool) -> bool:
    """True for a tool of which examples are asked for: it writes, or refuses for more than a missing row."""
    return any(isinstance(step, Run) for step in tool.steps) or bool(set(codes(tool)) - {"not_found"})


def missing_examples(tool: Tool, examples: Sequence[Example]) -> list[str]:
    """Return what no example shows yet: a success, or a refusal by each code but `not_found`, which any unknown id shows."""
    shown = {example.expect.get("error") for example in examples}
    missing = [] if None in shown or not wants_examples(tool) else ["a call that succeeds"]
    return missing + [f"a refusal with {code}" for code in codes(tool) if code != "not_found" and code not in shown]


def threshold_mutants(tool: Tool) -> Iterator[tuple[str, Tool]]:
    """Yield (where, the tool with one inequality moved by its limit): examples on both sides of the limit tell them apart."""
    for index, step in enumerate(tool.steps):
        for sql in step_sql(step):
            count = len(list(parse(sql).find_all(exp.LT, exp.LTE, exp.GT, exp.GTE)))
            for number in range(count):
                moved = _moved(sql, number)
                where = step.otherwise[0] if isinstance(step, (Require, Forbid)) else f"step {index + 1}"
                yield where, _with_step(tool, index, sql, moved)


_OTHER: dict[type[exp.Expr], type[exp.Binary]] = {exp.LT: exp.LTE, exp.LTE: exp.LT, exp.GT: exp.GTE, exp.GTE: exp.GT}


def _moved(sql: str, number: int) -> str:
    tree = parse(sql).copy()
    node = list(tree.find_all(exp.LT, exp.LTE, exp.GT, exp.GTE))[number]
    node.replace(_OTHER[type(node)](this=node.this.copy(), expression=node.expression.copy()))
    return tree.sql(dialect="sqlite")


def _with_step(tool: Tool, index: int, old: str, new: str) -> Tool:
    steps: list[Step] = list(tool.steps)
    data = steps[index].model_dump(mode="json", by_alias=True, exclude_defaults=True)
    steps[index] = type(steps[index]).model_validate(_replaced(data, old, new))
    return tool.model_copy(update={"steps": tuple(steps)})


def _replaced(value: Any, old: str, new: str) -> Any:
    if isinstance(value, dict):
        return {key: _replaced(item, old, new) for key, item in value.items()}
    if isinstance(value, list):
        return [_replaced(item, old, new) for item in value]
    return new if value == old else value


def with_examples(spec: EnvironmentSpec, examples: Mapping[str, Sequence[Example]]) -> EnvironmentSpec:
    """Return `spec` with the examples of its tools, setups that several share written once."""
    tools, samples = share_setups([tool.model_copy(update={"examples": tuple(examples.get(tool.name, ()))}) for tool in spec.tools])
    return spec.model_copy(update={"tools": tuple(tools), "samples": samples})
