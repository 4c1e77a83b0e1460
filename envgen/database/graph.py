"""The tool graph: which tool gives another the values that it takes, and which tools touch the same written state.

Nodes are tools. A `strong` edge goes from a tool whose result shows a column to one with a parameter that takes it
(`parameters`); a `weak` edge joins two tools of which the second reads a table that the first writes (`tables`).
"""

from collections.abc import Iterator, Mapping

import networkx as nx

from envgen.core.types import JsonObject
from envgen.database.analysis import ToolAnalysis, analyse_tools, schema_connection
from envgen.database.spec import EnvironmentSpec

Column = tuple[str, str]


def tool_graph(spec: EnvironmentSpec, analyses: Mapping[str, ToolAnalysis] | None = None) -> "nx.MultiDiGraph[str]":
    """Return the graph of `spec`. SpecError when a tool does not compile. analyses: what is known already."""
    known = analyses or analyse_tools(spec, schema_connection(spec))
    graph: nx.MultiDiGraph[str] = nx.MultiDiGraph()
    for tool in spec.tools:
        graph.add_node(tool.name, read_only=known[tool.name].read_only)
    for tool in spec.tools:
        for parameter, column in columns(tool.parameters):
            for provider in providers(spec, known, tool.name, column):
                graph.add_edge(provider, tool.name, kind="strong", parameter=parameter, column=column)
        for other, tables in _state_before(spec, known, tool.name):
            graph.add_edge(other, tool.name, kind="weak", tables=tables)
    return graph


def columns(parameters: JsonObject) -> Iterator[tuple[str, str]]:
    """Yield (parameter, "table.column") for each parameter, and each field of a list of objects, that takes a column's value."""
    for name, schema in parameters.get("properties", {}).items():
        if "x-column" in schema:
            yield name, schema["x-column"]
        item = schema.get("items", {})
        if "x-column" in item:
            yield f"{name}[]", item["x-column"]
        yield from ((f"{name}[].{field}", column) for field, column in columns(item))


def providers(spec: EnvironmentSpec, analyses: Mapping[str, ToolAnalysis], taker: str, column: str) -> list[str]:
    """Return the tools that give `taker` a value of `column`: look-ups that show it, else writes, else what shows a reference to it."""
    itself = {_pair(column)}
    references = {(table.name, item.name) for table in spec.tables for item in table.columns if item.references == column}
    for wanted in (itself, references):
        found = [tool.name for tool in spec.tools if tool.name != taker and analyses[tool.name].shows & wanted]
        best = [name for name in found if analyses[name].read_only] or found
        if best:
            return best
    return []


def unreachable(spec: EnvironmentSpec, analyses: Mapping[str, ToolAnalysis]) -> list[str]:
    """Return "tool.parameter" for each required parameter whose value no chain of look-ups from nothing leads to.

    A look-up can be made when each of its own required columns can be had; its result then gives the columns that it shows.
    """
    references = {(table.name, item.name): _pair(item.references) for table in spec.tables for item in table.columns if item.references}
    had: set[Column] = set()
    waiting = [tool for tool in spec.tools if analyses[tool.name].read_only]
    while True:
        ready = [tool for tool in waiting if all(_pair(column) in had for _, column in _required(tool.parameters))]
        if not ready:
            break
        for tool in ready:
            shows = analyses[tool.name].shows
            # Who sees a reference sees the key that it holds.
            had |= shows | {references[pair] for pair in shows if pair in references}
        waiting = [tool for tool in waiting if tool not in ready]
    return [f"{tool.name}.{name}" for tool in spec.tools for name, column in _required(tool.parameters) if _pair(column) not in had]


def _required(parameters: JsonObject) -> list[tuple[str, str]]:
    """Required parameters that take a key; what is typed in from the request's own words is no key (`like` a text column)."""
    required = set(parameters.get("required", ()))
    properties = parameters.get("properties", {})
    return [(name, column) for name, column in columns(parameters) if name in required and properties[name].get("type") == "integer"]


def _pair(column: str) -> Column:
    table, _, name = column.partition(".")
    return table, name


def _state_before(spec: EnvironmentSpec, analyses: Mapping[str, ToolAnalysis], name: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    reads = {table for table, _ in analyses[name].reads}
    for other in spec.tools:
        shared = {table for _, table, _ in analyses[other.name].writes if not table.startswith("_")} & reads
        if other.name != name and shared:
            yield other.name, tuple(sorted(shared))
