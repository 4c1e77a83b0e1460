"""The tool graph as text: which tools show the values that another tool's parameters take."""

from collections.abc import Collection, Iterator, Mapping

from envgen.core.types import JsonObject
from envgen.database.spec import EnvironmentSpec

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
    reading = {name for name, analysis in analyses.items() if analysis.read_only}
    shown = {name: analysis.shows for name, analysis in analyses.items()}
    for tool in spec.tools:
        for parameter, column in columns(tool.parameters):
            others = {name: shows for name, shows in shown.items() if name != tool.name}
            yield f"  {tool.name}.{parameter} ({column}) <- {', '.join(providers(spec, others, reading, column)) or 'no tool shows it'}"


def columns(parameters: JsonObject) -> Iterator[tuple[str, str]]:
    """Yield (parameter, "table.column") for each parameter, and each field of a list of objects, that takes a column's value."""
    for name, schema in parameters.get("properties", {}).items():
        if "x-column" in schema:
            yield name, schema["x-column"]
        item = schema.get("items", {})
        if "x-column" in item:
            yield f"{name}[]", item["x-column"]
        yield from ((f"{name}[].{field}", column) for field, column in columns(item))


def providers(spec: EnvironmentSpec, shown: Shown, reading: Collection[str], column: str) -> list[str]:
    """Return the tools that give a value of `column`: look-ups that show it, else writes that do, else what shows a reference to it."""
    itself = {tuple(column.split(".", 1))}
    references = {(table.name, item.name) for table in spec.tables for item in table.columns if item.references == column}
    for wanted in (itself, references):
        found = [tool.name for tool in spec.tools if tool.name in shown and shown[tool.name] & wanted]
        best = [name for name in found if name in reading] or found
        if best:
            return best
    return []
