"""Values at which a guard turns: what its SQL compares a parameter with. Used to find a witness for each guard."""

import apsw
from sqlglot import exp

from envgen.core.types import JsonObject
from envgen.database.draw import Execute
from envgen.database.snapshot import quote
from envgen.database.spec import Forbid, Require, Tool
from envgen.database.sql import parse

MOST = 40
_COMPARISONS = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE)
_ODD_TEXTS = ("x", "no such thing", "a @ b", "@", "x" * 60)


def boundary_values(tool: Tool, execute: Execute) -> dict[str, list[object]]:
    """Return {parameter: values} for the parameters of `tool` that its guards compare with columns, constants or by a function.

    Integers come with their neighbours; texts also come in shapes that checks of form refuse. Rows are read by `execute`.
    """
    properties = tool.parameters.get("properties", {})
    found: dict[str, list[object]] = {}
    for step in tool.steps:
        if not isinstance(step, (Require, Forbid)):
            continue
        tree = parse(step.require if isinstance(step, Require) else step.forbid)
        for comparison in tree.find_all(*_COMPARISONS):
            for name in {node.name for node in comparison.find_all(exp.Placeholder)} & set(properties):
                values = _compared(comparison, tree, execute, properties[name])
                found.setdefault(name, []).extend(value for value in values if value not in found.get(name, ()))
    for name, child in properties.items():
        if child.get("type") == "string" and not {"enum", "x-column", "format"} & set(child):
            found.setdefault(name, []).extend(_ODD_TEXTS)
    return {name: [value for value in values if fits(value, properties[name])][:MOST] for name, values in sorted(found.items())}


def _compared(comparison: exp.Expr, tree: exp.Expr, execute: Execute, child: JsonObject) -> list[object]:
    values: list[object] = []
    for column in comparison.find_all(exp.Column):
        values += _column_values(column, tree, execute)
    for literal in comparison.find_all(exp.Literal):
        values.append(int(literal.this) if not literal.is_string and str(literal.this).isdigit() else literal.this)
    return [near for value in values for near in ((value, value - 1, value + 1) if isinstance(value, int) else (value,))]


def _column_values(column: exp.Column, tree: exp.Expr, execute: Execute) -> list[object]:
    tables = {table.alias_or_name: table.name for table in tree.find_all(exp.Table)}
    names = [tables[column.table]] if column.table in tables else list(tables.values())
    for name in names:
        sql = f"SELECT DISTINCT {quote(column.name)} FROM main.{quote(name)} WHERE {quote(column.name)} IS NOT NULL ORDER BY 1 LIMIT {MOST}"
        try:
            return [row[0] for row in execute(sql)]
        except apsw.SQLError:  # no column of this table: another one may have it
            continue
    return []


def fits(value: object, child: JsonObject) -> bool:
    """True when `value` has the type, and lies within the bounds, that the parameter schema `child` asks for."""
    kinds = child.get("type", ())
    kinds = (kinds,) if isinstance(kinds, str) else kinds
    if isinstance(value, int):
        return "integer" in kinds and child.get("minimum", value) <= value <= child.get("maximum", value)
    if not isinstance(value, str) or "string" not in kinds:
        return False
    return child.get("minLength", 0) <= len(value) <= child.get("maxLength", 2_000) and value in child.get("enum", [value])
