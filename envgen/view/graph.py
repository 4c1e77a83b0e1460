"""The tool graph as text: which tools show the values that another tool's parameters take."""

from collections.abc import Iterator

from envgen.database.spec import EnvironmentSpec


def graph_lines(spec: EnvironmentSpec) -> Iterator[str]:
    """Yield a line per parameter that takes a column's value: the tools that show that column, or nothing when none does.

    Reading what a tool shows needs the `synth` extra; without it one line says so.
    """
    try:
        from envgen.database.graph import columns, tool_graph
    except ImportError:
        yield "  needs the synth extra: pip install 'envgen-rl[synth]'"
        return
    graph = tool_graph(spec)
    for tool in spec.tools:
        for parameter, column in columns(tool.parameters):
            givers = [giver for giver, _, data in graph.in_edges(tool.name, data=True) if data.get("parameter") == parameter]
            yield f"  {tool.name}.{parameter} ({column}) <- {', '.join(givers) or 'no tool shows it'}"
