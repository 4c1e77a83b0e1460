"""The tool graph as text: which tools show the values that another tool's parameters take."""

from collections.abc import Iterator

from envgen.database.spec import EnvironmentSpec


def graph_lines(spec: EnvironmentSpec) -> Iterator[str]:
    """Yield a line per parameter that takes a column's value: the tools that best give it, or that none does.

    Reading what a tool shows needs the `synth` extra; without it one line says so.
    """
    try:
        from envgen.database.analysis import analyse_tools, schema_connection
        from envgen.database.graph import columns, providers
    except ImportError:
        yield "  needs the synth extra: pip install 'envgen-rl[synth]'"
        return
    analyses = analyse_tools(spec, schema_connection(spec))
    for tool in spec.tools:
        for parameter, column in columns(tool.parameters):
            sources = ", ".join(providers(spec, analyses, tool.name, column))
            yield f"  {tool.name}.{parameter} ({column}) <- {sources or 'no tool shows it'}"
