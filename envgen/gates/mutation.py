"""Mutants: episodes and submissions that are nearly the gold's, and must not score.

Operators: wrong entity, amounts and dates off by one, another choice, another text, a call dropped or made twice, another
branch (another write tool on the same row), the right state with a wrong answer or ending, a rule broken in the right state.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from envgen.core.clock import is_date, is_date_time, shift
from envgen.core.digest import rng
from envgen.database.draw import column_values
from envgen.gates import paths
from envgen.gates.play import Step, Submission, TaskContext, with_argument
from envgen.gates.variations import column_schema, other_routes, row_arguments


@dataclass(frozen=True, slots=True)
class Mutant:
    """One nearly right episode. `judge` names the more specific gate that reports it when it is accepted."""

    operator: str
    what: str
    steps: tuple[Step, ...]
    submission: Submission
    judge: str = ""


def wrong_answers(context: TaskContext) -> list[Submission]:
    """Return submissions with the right ending and a wrong answer; none when no answer is expected."""
    answer, gold = context.gold.answer, context.gold
    if answer is None:
        return []
    values = [None, *_other_values(answer.type, answer.value)]
    return [Submission(value, gold.outcome, gold.reason) for value in values]


def _other_values(kind: str, value: Any) -> list[Any]:
    if kind == "integer":
        near = [value + 1, value - 1, value * 10, -value - 1, value + 100, value * 2 + 1, value // 2 - 3, str(value + 2), value - 10]
        return [*dict.fromkeys(other for other in near if other != value)]
    if kind == "boolean":
        return [not value, str(value), int(value)]
    if kind == "date":
        return [shift(value, days=days) for days in (1, -1, 7, -7, 30)]
    if kind == "texts":
        return [[*value, "another"], list(value)[1:], [*list(value)[1:], "other"]] if value else [["another"]]
    return [f"{value} ", f"{value}x", value[:-1], "", "none", value[::-1] + "-"][1:]


def wrong_endings(context: TaskContext) -> list[Submission]:
    """Return submissions with the right answer and another outcome or reason."""
    value, gold = context.submission.answer, context.gold
    endings = [Submission(value, outcome, gold.reason) for outcome in ("done", "partial", "refused") if outcome != gold.outcome]
    if gold.outcome != "done":
        reasons = [None, *sorted(context.environment.reasons - {gold.reason or ""})[:4]]
        endings += [Submission(value, gold.outcome, reason) for reason in reasons]
    return endings


def mutants(context: TaskContext) -> Iterator[Mutant]:
    """Yield the mutants of a task, cheapest operators first; the same for every run."""
    yield from _submissions(context)
    for index in context.writes():
        yield from _arguments(context, index)
        yield from _calls(context, index)
    yield from _entities(context)
    if not context.writes():
        yield from _wrong_states(context)


def _submissions(context: TaskContext) -> Iterator[Mutant]:
    for given in wrong_answers(context):
        yield Mutant("wrong answer", f"answer {given.answer!r}", context.steps, given)
    for given in wrong_endings(context):
        yield Mutant("wrong ending", f"{given.outcome}, reason {given.reason}", context.steps, given)


def _arguments(context: TaskContext, index: int) -> Iterator[Mutant]:
    """Amounts, dates, choices and texts of one write, changed one at a time."""
    step = context.steps[index]
    properties = context.parameters(step.tool).get("properties", {})
    for path, value in paths.leaves(step.arguments):
        child = column_schema(properties, path)
        if "x-column" in child:
            continue
        for operator, other in _near(child, value):
            yield _mutant(context, index, operator, path, other)


def _near(child: dict[str, Any], value: Any) -> Iterator[tuple[str, Any]]:
    if "enum" in child:
        yield from (("another choice", other) for other in child["enum"] if other != value)
    elif isinstance(value, bool):
        yield "another choice", not value
    elif isinstance(value, int):
        yield from (("off by one", value + step) for step in (1, -1, 100, -100, value))
    elif isinstance(value, str) and (is_date(value) or is_date_time(value)):
        yield from (("off by a day", shift(value, days=days)) for days in (1, -1, 7, -7))
    elif isinstance(value, str):
        yield from (("another text", other) for other in (f"{value} (approx.)", value[: max(1, len(value) // 2)], "as before", ""))


def _mutant(context: TaskContext, index: int, operator: str, path: str, value: Any, judge: str = "") -> Mutant:
    changed = with_argument(context.steps[index], path, value)
    steps = (*context.steps[:index], changed, *context.steps[index + 1 :])
    return Mutant(operator, f"call {index} ({changed.tool}) with {path}={value!r}", steps, context.submission, judge)


def _calls(context: TaskContext, index: int) -> Iterator[Mutant]:
    step, steps = context.steps[index], context.steps
    yield Mutant("dropped call", f"without call {index}", (*steps[:index], *steps[index + 1 :]), context.submission, "T3")
    again = Step(step.tool, step.arguments, None, step.origin)
    yield Mutant("doubled call", f"call {index} twice", (*steps[: index + 1], again, *steps[index + 1 :]), context.submission)
    for other in other_routes(context, step):
        branch = (*steps[:index], other, *steps[index + 1 :])
        yield Mutant("other branch", f"{other.tool} instead of call {index}", branch, context.submission)
    with context.play(steps[:index]) as run:
        drawer = context.drawer(run.session.connection, "branch", index, narrow=_same_rows(context, step))
        drawn = [(tool, drawer.arguments(context.parameters(tool), context.task.start.now)) for tool in context.write_tools * 2]
    for tool, arguments in drawn:
        if arguments is not None and (tool != step.tool or arguments != step.arguments):
            branch = (*steps[:index], Step(tool, arguments, index), *steps[index + 1 :])
            yield Mutant("other branch", f"{tool}({arguments}) instead of call {index}", branch, context.submission)


def _same_rows(context: TaskContext, step: Step) -> dict[str, list[Any]]:
    """The rows that a call names, so that another tool can be called on them."""
    properties = context.parameters(step.tool).get("properties", {})
    named = {name: child["x-column"] for name, child in properties.items() if "x-column" in child}
    return {column: [step.arguments[name]] for name, column in named.items() if name in step.arguments}


def _entities(context: TaskContext) -> Iterator[Mutant]:
    """Other rows in place of the gold's: one argument at a time (T5's own finding), and every mention of a row at once."""
    with context.play(()) as run:
        for index, path, column in list(row_arguments(context)):
            own = paths.get(context.steps[index].arguments, path)
            others = [value for value in column_values(run.session.connection.execute, column) if value != own]
            rng(0, "gates", context.task.id, "T10", index, path).shuffle(others)
            yield from (_mutant(context, index, "wrong entity", path, other, "T5") for other in others[:25])


def _wrong_states(context: TaskContext) -> Iterator[Mutant]:
    """The right submission after a write that nobody asked for (T4's own finding)."""
    with context.play(context.steps) as run:
        drawer = context.drawer(run.session.connection, "wrong state")
        drawn = [(tool, drawer.arguments(context.parameters(tool), context.task.start.now)) for tool in context.write_tools * 6]
    for tool, arguments in drawn:
        if arguments is not None:
            steps = (*context.steps, Step(tool, arguments))
            yield Mutant("wrong state", f"{tool}({arguments}) besides", steps, context.submission, "T4")
