"""Questions and superlatives of the stage `words`: the words are the model's, what is correct is derived from schema and tools."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from envgen.core.numbers import integer_of
from envgen.core.types import JsonObject
from envgen.database.language import Choice, Query
from envgen.database.model.speech import Speech, text_problem
from envgen.database.model.views import View, column_at, key_parameters, references
from envgen.database.model.wire import Condition, Question, WireChoice
from envgen.database.schema import repr_sql
from envgen.database.spec import Column, EnvironmentSpec

AnswerType = Literal["integer", "text", "date"]


class Unusable(ValueError):
    """A question or choice that the tools cannot show; the text is for its author."""


@dataclass
class _Filter:
    """Conditions as the list call's arguments, as a filter of its rows, and as SQL."""

    args: JsonObject = field(default_factory=dict)
    where: JsonObject = field(default_factory=dict)
    slots: dict[str, str | tuple[str, ...]] = field(default_factory=dict)
    sql: list[str] = field(default_factory=list)


def add_questions(speech: Speech, spec: EnvironmentSpec, views: Sequence[View], questions: Sequence[Question], party: str) -> None:
    """Take the questions whose answers the read tools can show."""
    for question in questions:
        try:
            speech.queries += _queries(speech, spec, views, question, party)
        except Unusable as problem:
            speech.problems.append(f"question {question.key}: {problem}")


def _queries(speech: Speech, spec: EnvironmentSpec, views: Sequence[View], question: Question, party: str) -> list[Query]:
    if column_at(spec, f"{question.table}.id") is None:
        raise Unusable(f"there is no table {question.table}")
    if question.kind == "lookup":
        return [_lookup(speech, spec, views, question, party)]
    return _counted(spec, views, question)


def _asked(texts: Sequence[str], allowed: set[str], person: bool, needed: set[str]) -> tuple[str, ...]:
    problems = {text: text_problem(text, allowed, person=person) for text in texts}
    good = [text for text, problem in problems.items() if not problem and all("{" + name + "}" in text for name in needed)]
    if not good:
        why = next(filter(None, problems.values()), f"a text must say {', '.join('{' + name + '}' for name in sorted(needed))}")
        raise Unusable(f"no usable text: {why}")
    return tuple(good)


def _lookup(speech: Speech, spec: EnvironmentSpec, views: Sequence[View], question: Question, party: str) -> Query:
    column = column_at(spec, f"{question.table}.{question.column}")
    if column is None or not speech.nameable(question.table):
        raise Unusable(f"there is no column {question.table}.{question.column}, or no text names a row of {question.table}")
    if column.primary_key or column.references or column.format in ("date-time", "flag"):
        raise Unusable("nobody asks for ids, moments or flags: ask for a text, a state, a number or a day")
    person = question.table == party
    ask = _asked(question.ask, {"row"} - ({"row"} if person else set()), True, set() if person else {"row"})
    if person and not all("{party" in text for text in ask):
        raise Unusable("a text must say {party}")
    finder = speech.finders[question.table]
    view = next(view for view in views if view.tool == finder.tool and view.path == finder.rows)
    name = f"{question.table}.{question.column}"
    fields: JsonObject = {"column": view.shows[name]} if name in view.shows else {"column": question.column, **_record(spec, views, name)}
    return Query(
        key=question.key, kind="lookup", ask=ask, table=question.table, answer=_type(column),
        sql=f"SELECT {question.column} FROM {question.table} WHERE id = :id", **fields,
    )  # fmt: skip


def _record(spec: EnvironmentSpec, views: Sequence[View], name: str) -> JsonObject:
    """The read tool that shows one row by its key, the column in question among the rest."""
    table = name.split(".")[0]
    for view in views:
        tool = spec.tool(view.tool)
        keys = [key for key, target in key_parameters(spec, tool).items() if target == table]
        if not view.many and view.table == table and name in view.shows and tool.parameters["required"] == keys[:1]:
            return {"read": {"tool": view.tool, "args": {keys[0]: "id"}, "path": ".".join(filter(None, (view.path, view.shows[name])))}}
    raise Unusable(f"no read tool shows {name}")


def _type(column: Column) -> AnswerType:
    if column.type == "INTEGER":
        return "integer"
    return "date" if column.format == "date" else "text"


def _counted(spec: EnvironmentSpec, views: Sequence[View], question: Question) -> list[Query]:
    column = None if question.kind == "count" else column_at(spec, f"{question.table}.{question.column}")
    if question.kind != "count" and (column is None or column.type != "INTEGER" or column.primary_key or column.references):
        raise Unusable(f"{question.kind} needs a column of numbers")
    last = Unusable(f"no read tool lists {question.table}")
    for view in views:
        if view.table != question.table or not view.many or spec.tool(view.tool).parameters["required"]:
            continue
        try:
            return _over(spec, view, question)
        except Unusable as problem:
            last = problem
    raise last


def _over(spec: EnvironmentSpec, view: View, question: Question) -> list[Query]:
    """The question over one list, as an aggregate for lists of several pages and as a quiz for any."""
    chosen = _filter(spec, view, question.where)
    slots = set(chosen.slots)
    ask = _asked(question.ask, slots, False, slots)
    shown = None
    if question.kind != "count":
        shown = view.shows.get(f"{question.table}.{question.column}")
        if shown is None:
            raise Unusable(f"{view.tool} does not show {question.column}")
    measure = "count(*)" if question.kind == "count" else f"{question.kind}({question.column})"
    sql = f"SELECT {measure} FROM {question.table}" + (f" WHERE {' AND '.join(chosen.sql)}" if chosen.sql else "")
    fields: JsonObject = {
        "ask": ask, "table": question.table, "column": shown, "where": chosen.where, "op": question.kind, "slots": chosen.slots, "sql": sql,
        "list": {"tool": view.tool, "args": chosen.args, "rows": view.path},
    }  # fmt: skip
    paged = "offset" in spec.tool(view.tool).parameters["properties"]
    kinds = ("aggregate", "quiz") if paged else ("quiz",)
    return [Query(key=question.key if kind == "aggregate" else f"{question.key}_now", kind=kind, **fields) for kind in kinds]


def _filter(spec: EnvironmentSpec, view: View, conditions: Sequence[Condition], *, slots: bool = True) -> _Filter:
    chosen = _Filter()
    for condition in conditions:
        name, column, sql = _column(spec, view, condition.column)
        value = _value(condition.value, column)
        slot = value[1:-1] if isinstance(value, str) and value.startswith("{") and value.endswith("}") else ""
        if slot:
            if not slots or not column.values or condition.test != "=":
                raise Unusable("a {slot} stands for a state that is asked for by name")
            chosen.slots[slot] = column.values
        parameter = _parameter(spec, view, name, column, condition)
        shown = view.shows.get(name)
        if parameter is not None:
            chosen.args[parameter] = value
        elif shown is not None:
            chosen.where[shown] = value if condition.test == "=" else {condition.test: value}
        else:
            raise Unusable(f"{view.tool} neither shows {column.name} nor selects by it")
        chosen.sql.append(f"{sql} {condition.test} {f':{slot}' if slot else _literal(value)}")
    return chosen


def _column(spec: EnvironmentSpec, view: View, name: str) -> tuple[str, Column, str]:
    """Return ("table.column", the column, SQL for it): of the view's own table, or shown by it from a table that its rows refer to."""
    own = column_at(spec, f"{view.table}.{name}")
    if own is not None:
        return f"{view.table}.{name}", own, name
    for whole, shown in view.shows.items():
        table, _, other = whole.partition(".")
        keys = [key for key, target in references(spec, view.table).items() if target == table]
        column = column_at(spec, whole)
        if shown == name and column is not None and len(keys) == 1:
            return whole, column, f"(SELECT {other} FROM {table} WHERE id = {view.table}.{keys[0]})"
    raise Unusable(f"{view.table} has no column {name}, and {view.tool} shows none of that name")


def _value(value: Any, column: Column) -> Any:
    number = integer_of(value) if isinstance(value, str) and column.type == "INTEGER" else None
    if number is not None:
        return number
    if value is None:
        raise Unusable("compare with a value")
    if isinstance(value, str) and column.values and value not in column.values and not value.startswith("{"):
        raise Unusable(f"{value!r} is no state of {column.name}: {', '.join(column.values)}")
    return value


def _literal(value: Any) -> str:
    return ":now" if value == "now" else str(value) if isinstance(value, int) else repr_sql(value)


def _parameter(spec: EnvironmentSpec, view: View, name: str, column: Column, condition: Condition) -> str | None:
    """The list's own parameter that selects by this column."""
    if condition.test != "=" or not column.values:
        return None
    properties = spec.tool(view.tool).parameters["properties"]
    return next((key for key, child in properties.items() if child.get("x-of") == name), None)


def add_choices(speech: Speech, spec: EnvironmentSpec, views: Sequence[View], choices: Sequence[WireChoice]) -> None:
    """Take the superlatives over the list by which the row for a parameter is found."""
    for choice in choices:
        try:
            speech.choices.append(_choice(speech, spec, views, choice))
        except Unusable as problem:
            speech.problems.append(f"choice {choice.key}: {problem}")


def _choice(speech: Speech, spec: EnvironmentSpec, views: Sequence[View], choice: WireChoice) -> Choice:
    act = speech.acts.get(choice.tool)
    table = key_parameters(spec, spec.tool(choice.tool)).get(choice.param) if act else None
    finder = speech.finders.get(table or "")
    if act is None or table is None or finder is None:
        raise Unusable(f"{choice.tool} is no goal, or {choice.param} names no row that can be found")
    view = next(view for view in views if view.tool == finder.tool and view.path == finder.rows)
    chosen = _filter(spec, view, choice.where, slots=False)
    name, column, _ = _column(spec, view, choice.by)
    by = view.shows.get(name)
    if by is None or column.values or (column.type != "INTEGER" and column.format not in ("date", "date-time")):
        raise Unusable(f"{view.tool} does not show a number or a time {choice.by}")
    phrases = _asked(choice.phrases, set(), act.party is not None, set())
    args = {name: source for name, source in finder.args.items() if not source.startswith("field:")}
    args |= {name: f"value:{value}" for name, value in chosen.args.items()}
    return Choice(
        key=choice.key, goal=choice.tool, param=choice.param, phrase=phrases, tool=view.tool, args=args, rows=view.path,
        key_column=view.key, where=chosen.where, order={"by": by, "direction": choice.best},
    )  # fmt: skip
