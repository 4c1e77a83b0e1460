"""The tool graph as text: which tools show the values that another tool's parameters take."""

from collections.abc import Iterator, Mapping

from envgen.core.types import JsonObject
from envgen.database.spec import EnvironmentSpec

MOST = 4
Shown = Mapping[str, frozenset[tuple[str, str]]]


def graph_lines(spec: EnvironmentSpec) -> Iterator[str]:
    """Yield a line per parameter that takes a column's value: the tools that show that column, or nothing when none does.

    Reading what a tool shows needs the `synth` extra; without it one line says so.
    """
    try:
        from envgen.database.analysis import analyse_tools, schema_connection
    except ImportError:
        yield "  needs the synth extra: pip install 'envgen-rl[synth]'"
        return
    analyses = analyse_tools(spec, schema_connection(spec))
    shown = {name: analysis.shows for name, analysis in analyses.items()}
    writing = {name for name, analysis in analyses.items() if not analysis.read_only}
    for tool in spec.tools:
        for parameter, column in columns(tool.parameters):
            sources = providers(spec, shown, column, tool.name)
            # A look-up finds a value; a write that repeats it in its result is of less help, so it comes last.
            sources.sort(key=lambda name: name in writing)
            more = f" and {len(sources) - MOST} more" if len(sources) > MOST else ""
            yield f"  {tool.name}.{parameter} ({column}) <- {', '.join(sources[:MOST]) or 'no tool shows it'}{more}"


def columns(parameters: JsonObject) -> Iterator[tuple[str, str]]:
    """Yield (parameter, "table.column") for each parameter, and each field of a list of objects, that takes a column's value."""
    for name, schema in parameters.get("properties", {}).items():
        if "x-column" in schema:
            yield name, schema["x-column"]
        item = schema.get("items", {})
        if "x-column" in item:
            yield f"{name}[]", item["x-column"]
        yield from ((f"{name}[].{field}", column) for field, column in columns(item))


def providers(spec: EnvironmentSpec, shown: Shown, column: str, consumer: str) -> list[str]:
    """Return the other tools that show `column`, or a column that refers to it."""
    same = {tuple(column.split(".", 1))}
    for table in spec.tables:
        same |= {(table.name, item.name) for item in table.columns if item.references == column}
    return [tool.name for tool in spec.tools if tool.name != consumer and shown[tool.name] & same]
