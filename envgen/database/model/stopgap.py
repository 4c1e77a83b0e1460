"""What is missing for reading and can be written without judgement: a list for a table, a search for people, states nothing reaches."""

from collections.abc import Iterator

from sqlglot import exp

from envgen.database.analysis import analyse, analyse_tools, schema_connection
from envgen.database.graph import unreachable
from envgen.database.model.assemble import Parts
from envgen.database.model.tools import tool_of
from envgen.database.model.views import finders_of, views_of
from envgen.database.model.wire import Part, ReturnStep, WireParameter, WireTool
from envgen.database.spec import EnvironmentSpec, Run, Table, Tool, step_sql
from envgen.database.sql import parse


def close_gaps(parts: Parts) -> list[str]:
    """Add plain read tools where nothing shows a table, a column that a tool takes, or the people; return what was done, in words."""
    notes = []
    for name in dict.fromkeys(_unshown(parts)):
        tool = list_tool(parts.spec().table(name), {tool.name for tool in parts.tools})
        parts.tools.append(tool_of(tool, parts.tables))
        notes.append(f"nothing showed what {name} holds: {tool.name} was added")
    spec = parts.spec()
    party = parts.brief.people_table
    finder = finders_of(spec, views_of(spec, analyse_tools(spec, schema_connection(spec))), party).get(party)
    if finder is None or not any(source.startswith("field:") for source in finder.args.values()):
        tool = search_tool(spec.table(party), {tool.name for tool in parts.tools})
        parts.tools.append(tool_of(tool, parts.tables))
        notes.append(f"nothing found {party} by name: {tool.name} was added")
    return notes + list(_narrow_states(parts))


def _unshown(parts: Parts) -> Iterator[str]:
    """The tables whose rows or columns no read tool shows, though they should be seen."""
    spec = parts.spec()
    for problem in analyse(spec):
        if problem.problem.startswith("no read tool shows"):
            yield problem.where.removeprefix("table ") if problem.where.startswith("table ") else problem.problem.split()[-1].split(".")[0]
    analyses = analyse_tools(spec, schema_connection(spec))
    for taken in unreachable(spec, analyses):
        tool, _, parameter = taken.partition(".")
        column = spec.tool(tool).parameters["properties"].get(parameter, {}).get("x-column")
        if column:
            yield column.split(".")[0]


def list_tool(table: Table, taken: set[str]) -> WireTool:
    """Return a tool that lists a table, page by page."""
    columns = ", ".join(column.name for column in table.columns)
    sql = f"SELECT {columns} FROM {table.name} ORDER BY id LIMIT :limit OFFSET :offset"
    return WireTool(
        name=_free(f"list_{table.name}", taken), about=f"List {table.name.replace('_', ' ')}, oldest first.", parameters=[], paged=True,
        steps=[ReturnStep(returns=[Part(name="", shape="many", sql=sql)])],
    )  # fmt: skip


def search_tool(table: Table, taken: set[str]) -> WireTool:
    """Return a tool that finds people by a part of the name."""
    columns = ", ".join(column.name for column in table.columns)
    sql = f"SELECT {columns} FROM {table.name} WHERE instr(lower(name), lower(:query)) > 0 ORDER BY name, id LIMIT :limit OFFSET :offset"
    return WireTool(
        name=_free(f"find_{table.name}", taken), about=f"Find {table.name.replace('_', ' ')} by a part of the name.",
        parameters=[WireParameter(name="query", takes=f"{table.name}.name", about="A part of the name.")], paged=True,
        steps=[ReturnStep(returns=[Part(name="", shape="many", sql=sql)])],
    )  # fmt: skip


def _free(name: str, taken: set[str]) -> str:
    return next(found for found in (name, f"{name}_all", *(f"{name}_{number}" for number in range(2, 99))) if found not in taken)


def unreached_states(spec: EnvironmentSpec) -> dict[tuple[str, str], list[str]]:
    """Return (table, column) -> the states that no write sets, the first of each column aside, since rows begin there."""
    found = {}
    for table in spec.tables:
        for column in table.columns:
            written = {value for tool in spec.tools for value in _written(tool, table.name, column.name)}
            wanting = [value for value in (column.values or ())[1:] if value not in written]
            if wanting:
                found[table.name, column.name] = wanting
    return found


def _written(tool: Tool, table: str, column: str) -> Iterator[str]:
    """The texts that a tool may write into a table: literals of its writes, and the choices of parameters that may be this column's."""
    for step in tool.steps:
        if isinstance(step, Run):
            tree = parse(step.run)
            target = tree.find(exp.Table)
            if target is not None and target.name == table:
                yield from (literal.this for literal in tree.find_all(exp.Literal) if literal.is_string)
                used = {node.name for node in tree.find_all(exp.Placeholder)}
                for name, child in tool.parameters["properties"].items():
                    if name in used and child.get("x-of", f"{table}.{column}") == f"{table}.{column}":
                        yield from (value for value in child.get("enum", ()) if isinstance(value, str))


def _narrow_states(parts: Parts) -> Iterator[str]:
    """Take out states that no write sets and no SQL or parameter speaks of, so that no row is ever in one."""
    statements = [sql for tool in parts.tools for step in tool.steps for sql in step_sql(step)] + [rule.sql for rule in parts.rules]
    spoken = {literal.this for sql in statements for literal in parse(sql).find_all(exp.Literal)}
    children = [child for tool in parts.tools for child in tool.parameters["properties"].values()]
    spoken |= {value for child in children for value in child.get("enum", ())}
    unreached = unreached_states(parts.spec())
    tables = []
    for table in parts.tables:
        columns = []
        for column in table.columns:
            idle = [value for value in unreached.get((table.name, column.name), ()) if value not in spoken]
            if idle and len(column.values or ()) - len(idle) > 1:
                column = column.model_copy(update={"values": tuple(value for value in column.values or () if value not in idle)})
                yield f"{table.name}.{column.name}: states {', '.join(idle)} were taken out, since nothing reaches or asks for them"
            columns.append(column)
        tables.append(table.model_copy(update={"columns": tuple(columns)}))
    parts.tables = tuple(tables)
