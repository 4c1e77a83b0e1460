"""What read tools show of which table, and from it how an agent finds a row: derived from the tools, not asked for."""

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlglot import exp

from envgen.core.types import JsonObject
from envgen.database.analysis import ToolAnalysis
from envgen.database.language import Finder
from envgen.database.spec import Column, EnvironmentSpec, Return, Tool
from envgen.database.sql import Statement, parse


@dataclass(frozen=True)
class View:
    """One part of a read tool's result that shows rows of `table` with their key.

    path: where the rows (or the row) stand in the result. shows: "table.column" -> the name in the result.
    """

    tool: str
    table: str
    path: str
    many: bool
    key: str
    shows: Mapping[str, str]
    names: frozenset[str]


def views_of(spec: EnvironmentSpec, analyses: Mapping[str, ToolAnalysis]) -> list[View]:
    """Return the views of every read tool, in the order of the tools."""
    return [view for tool in spec.tools if analyses[tool.name].read_only for view in _views(tool, analyses[tool.name].statements)]


def _views(tool: Tool, statements: Sequence[Statement]) -> list[View]:
    known = {statement.sql: statement for statement in statements}
    returned = next((step for step in reversed(tool.steps) if isinstance(step, Return)), None)
    found = []
    for name, part in (returned.result.object or {"": returned.result}).items() if returned else ():
        sql = part.many or part.one
        view = _view(tool.name, name, part.many is not None, known[sql]) if sql and sql in known else None
        found += [view] if view else []
    return found


def _view(tool: str, path: str, many: bool, statement: Statement) -> View | None:
    tree = parse(statement.sql)
    clause = (tree.args.get("from_") or tree.args.get("from")) if isinstance(tree, exp.Select) else None
    if clause is None or not isinstance(clause.this, exp.Table):
        return None
    table = clause.this.name
    shows: dict[str, str] = {}
    for out in statement.outputs:
        if out.table and out.column:
            shows.setdefault(f"{out.table}.{out.column}", out.name)
    key = shows.get(f"{table}.id")
    names = frozenset(out.name for out in statement.outputs)
    return View(tool, table, path, many, key, shows, names) if key else None


def references(spec: EnvironmentSpec, table: str) -> dict[str, str]:
    """Return column -> table for the references of `table`."""
    return {column.name: (column.references or "").split(".")[0] for column in spec.table(table).columns if column.references}


def finders_of(spec: EnvironmentSpec, views: Sequence[View], party: str) -> dict[str, Finder]:
    """Return table -> the finder by which rows are found: by owner where rows belong to somebody, else by name, else in the whole list."""
    found: dict[str, Finder] = {}
    for table in spec.tables:
        ranked = [item for view in views if view.many and view.table == table.name for item in _finders(spec, view, party)]
        if ranked:
            found[table.name] = max(ranked, key=lambda item: item[0])[1]
    return found


def _finders(spec: EnvironmentSpec, view: View, party: str) -> list[tuple[int, Finder]]:
    tool = spec.tool(view.tool)
    required = set(tool.parameters["required"])
    owners = {f"{target}.id": column for column, target in references(spec, view.table).items()}
    args: dict[str, str] = {}
    owner, points = None, 0
    for name, child in tool.parameters["properties"].items():
        column = child.get("x-column", "")
        if name == "limit":
            args[name] = f"value:{child['maximum']}"
        elif owner is None and column in owners and (name in required or column == f"{party}.id"):
            args[name], owner = "owner", owners[column]
            points += 4 if column == f"{party}.id" else 2
        elif (
            _is_search(child, view) and not any(source.startswith("field:") for source in args.values()) and (name in required or not owner)
        ):
            args[name] = f"field:{column.split('.')[1]}"
            points += 3 if view.table == party else 1
        elif name in required:
            return []
    if view.table == party and owner:
        return []
    return [(points, Finder(table=view.table, tool=view.tool, args=args, owner=owner, rows=view.path, key={"id": view.key}))]


def _is_search(child: JsonObject, view: View) -> bool:
    """True for a parameter that takes a text of the table, shown under its own name."""
    table, _, column = child.get("x-column", "").partition(".")
    return child.get("type") == "string" and "format" not in child and table == view.table and view.shows.get(f"{table}.{column}") == column


def party_path(spec: EnvironmentSpec, tool: Tool, party: str) -> str | None:
    """Return where the person concerned comes from: a parameter, or the shortest chain of references from one; None when there is none."""
    start = [(name, child["x-column"].split(".")[0]) for name, child in tool.parameters["properties"].items() if _is_key(spec, child)]
    waiting: deque[tuple[str, str]] = deque(start)
    seen = {table for _, table in start}
    required = set(tool.parameters["required"])
    direct: str | None = next((name for name, table in start if table == party and name in required), None)
    if direct is not None:
        return direct
    while waiting:
        path, table = waiting.popleft()
        if path.split(">")[0] not in required:
            continue
        for column, target in references(spec, table).items():
            if target == party:
                return f"{path}>{table}.{column}"
            if target not in seen:
                seen.add(target)
                waiting.append((f"{path}>{table}.{column}", target))
    return None


def _is_key(spec: EnvironmentSpec, child: JsonObject) -> bool:
    table, _, column = child.get("x-column", "").partition(".")
    return column == "id" and any(item.name == table for item in spec.tables)


def key_parameters(spec: EnvironmentSpec, tool: Tool) -> dict[str, str]:
    """Return parameter -> table for the parameters that name a row."""
    return {name: child["x-column"].split(".")[0] for name, child in tool.parameters["properties"].items() if _is_key(spec, child)}


def column_at(spec: EnvironmentSpec, name: str) -> Column | None:
    """Return the column "table.column", or None."""
    table, _, column = name.partition(".")
    return next((item for found in spec.tables if found.name == table for item in found.columns if item.name == column), None)
