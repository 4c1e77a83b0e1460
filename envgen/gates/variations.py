"""Variations of a gold: other orders, other routes, and the arguments that name rows. Shared by several gates."""

import itertools
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from envgen.gates import paths
from envgen.gates.play import Step, TaskContext

MAX_ORDERS = 24


def row_arguments(context: TaskContext) -> Iterator[tuple[int, str, str]]:
    """Yield (gold call, argument path, "table.column") for each argument of a write that names a row."""
    for index in context.writes():
        step = context.steps[index]
        properties = context.parameters(step.tool).get("properties", {})
        for path, _ in paths.leaves(step.arguments):
            child = column_schema(properties, path)
            if "x-column" in child:
                yield index, path, child["x-column"]


def column_schema(properties: dict[str, Any], path: str) -> dict[str, Any]:
    """Return the schema of the argument at `path`, through arrays and objects; {} when the schema has none."""
    head, *rest = paths.parts(path)
    child: dict[str, Any] = properties.get(head, {})
    for part in rest:
        child = child.get("items", {}) if part.isdigit() else child.get("properties", {}).get(part, {})
    return child


def is_write(context: TaskContext, step: Step) -> bool:
    """True when the step's tool writes."""
    return context.environment.compiled[step.tool].writes


def orders(context: TaskContext) -> Iterator[tuple[str, list[Step]]]:
    """The gold's writes in other orders, in the places of the writes; reads stay where they are."""
    places = [index for index, step in enumerate(context.steps) if is_write(context, step)]
    for order in itertools.islice(itertools.permutations(places), 1, MAX_ORDERS):
        moved = dict(zip(places, order, strict=True))
        steps = [context.steps[moved.get(index, index)] for index in range(len(context.steps))]
        yield f"writes in the order {', '.join(map(str, order))}", steps


def other_routes(context: TaskContext, step: Step) -> Iterator[Step]:
    """Other write tools whose required arguments this call's arguments fill, by the column or domain they stand for."""
    properties = context.parameters(step.tool).get("properties", {})
    given = {properties[name].get("x-column", name): value for name, value in step.arguments.items() if name in properties}
    for tool in context.write_tools:
        parameters = context.parameters(tool)
        wanted = {name: child.get("x-column", name) for name, child in parameters.get("properties", {}).items()}
        if tool != step.tool and all(wanted[name] in given for name in parameters.get("required", ())):
            arguments = {name: given[source] for name, source in wanted.items() if source in given}
            origin = {name: step.origin[n] for name, source in wanted.items() for n, v in _sources(properties, step) if v == source}
            yield replace(step, tool=tool, arguments=arguments, origin=origin)


def _sources(properties: dict[str, Any], step: Step) -> list[tuple[str, str]]:
    return [(name, properties[name].get("x-column", name)) for name in step.origin if name in properties]
