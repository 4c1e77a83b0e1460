"""How the instruction names rows and values, and the look-ups by which an agent gets from the words to the keys."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from envgen.core.errors import PlanError
from envgen.core.numbers import integer_of
from envgen.core.types import JsonObject, Mention
from envgen.database.fill import gender
from envgen.database.phrases import day_name, hour_name, money, number, plain
from envgen.database.plan.draft import Draft, Origin, Value

SLOT = re.compile(r"\{([^{}]+)\}")


@dataclass
class Reference:
    """A row as the instruction names it. `values` are the shown texts of `attempt`'s slots; `owner` is the owning row."""

    table: str
    key: Any
    attempt: str
    level: int
    values: dict[str, str]
    fields: JsonObject
    step: int
    path: str
    owner: "Reference | None" = None
    pronoun: str = "it"
    texts: list[str] = field(default_factory=list)

    @property
    def origin(self) -> Origin:
        """Where an agent reads the key."""
        return {"from": "result", "step": self.step, "path": self.path}


def shown(value: Any, form: str, draft: Draft) -> str:
    """Return `value` in the format of a slot: day, date, hour, money, quote or plain words."""
    if value is None:
        raise PlanError("null_in_mention")
    if form == "day":
        return day_name(value, draft.start.now, preposition=True)
    if form == "date":
        return day_name(value, draft.start.now)
    if form == "hour":
        return hour_name(value)
    if form == "money":
        return money(value, draft.book.spec.currency)
    if form == "quote":
        return f'"{value}"'
    return plain(value) if isinstance(value, str) else str(value)


def refer(draft: Draft, table: str, key: Any) -> Reference:
    """Return the shortest unique way to name a row, making the look-ups that find it. PlanError when there is none."""
    book = draft.book
    finder, attempts = book.finders.get(table), book.refers.get(table)
    if finder is None or attempts is None:
        raise PlanError("no_finder", table)
    row = draft.row(table, key)
    owner = None
    if finder.owner:
        target, _ = book.environment.infos[table].references[finder.owner]
        owner = refer(draft, target, row[finder.owner])
    needed = {source[6:] for source in finder.args.values() if source.startswith("field:")}
    arguments, origin = _finder_arguments(finder.args, row, owner, draft.start.now)
    # The look-up may be one that the plan does not need in the end; it is tried on the side first.
    result = draft.session.probe(finder.tool, arguments)
    if result.error is not None:
        raise PlanError("finder_refused", f"{finder.tool}: {result.error.code}")
    rows = _at(result.value, finder.rows)
    key_column = next(iter(finder.key.values()))
    index = next((number for number, item in enumerate(rows) if item[key_column] == key), None)
    if index is None:
        raise PlanError("not_shown", f"{finder.tool} does not show {table} {key}")
    views = [(rows, index), *_at_start(draft, finder.tool, arguments, finder.rows, key_column, key)]
    level, slots = _unique_attempt(draft, attempts.attempts, views, needed)
    step = draft.read(finder.tool, arguments, origin)
    path = ".".join(part for part in (finder.rows, str(index), key_column) if part)
    fields = {name: value for slot in slots for name, value in [_field(slot, rows[index])]}
    values = {slot: shown(rows[index][slot.split("|")[0]], slot.partition("|")[2], draft) for slot in slots}
    reference = Reference(table, key, attempts.attempts[level], level, values, fields, step, path, owner, attempts.pronoun)
    draft.distractors += len(rows) - 1
    draft.depth = max(draft.depth, _depth(reference))
    mention = Mention(
        text=attempts.attempts[level], table=table, key={next(iter(finder.key)): key}, step=step, rows=finder.rows, fields=fields
    )
    if mention not in draft.mentions:
        draft.mentions.append(mention)
    return reference


def _finder_arguments(args: dict[str, str], row: dict[str, Any], owner: Reference | None, now: str) -> tuple[JsonObject, dict[str, Origin]]:
    values: JsonObject = {}
    origin: dict[str, Origin] = {}
    for name, source in args.items():
        kind, _, rest = source.partition(":")
        if kind == "owner" and owner is not None:
            values[name], origin[name] = owner.key, owner.origin
        elif kind == "field":
            values[name] = row[rest]
            origin[name] = {"from": "instruction", "text": str(row[rest])}
        elif kind == "value":
            values[name] = rest if (number := integer_of(rest)) is None else number
            origin[name] = {"from": "schema"}
        elif kind == "today":
            values[name], origin[name] = now[:10], {"from": "clock"}
        elif kind != "none":
            raise PlanError("finder_argument", source)
    return values, origin


def _at_start(draft: Draft, tool: str, arguments: JsonObject, path: str, column: str, key: Any) -> list[tuple[list[JsonObject], int]]:
    """What the same look-up shows before any goal is met, if the row is there by then: who reads the request sees that first."""
    if not any(call.write for call in draft.calls):
        return []
    result = draft.at_start.probe(tool, arguments)
    rows = _at(result.value, path) if result.error is None else []
    index = next((number for number, item in enumerate(rows) if item[column] == key), None)
    return [] if index is None else [(rows, index)]


def _unique_attempt(
    draft: Draft, attempts: tuple[str, ...], views: Sequence[tuple[list[JsonObject], int]], needed: set[str]
) -> tuple[int, list[str]]:
    """Return the first attempt whose words fit one row only in every view, and the same row's words in all, and its slots."""
    rows, index = views[0]
    for level, attempt in enumerate(attempts):
        slots = [slot for slot in SLOT.findall(attempt) if slot.split(".")[0] != "owner"]
        columns = {slot.split("|")[0] for slot in slots}
        if not slots or not columns <= set(rows[index]) or not needed <= columns:
            continue
        if any(rows[index][column] is None for column in columns):
            continue
        own = _words(draft, rows[index], slots)
        if all([_words(draft, item, slots) for item in seen].count(own) == 1 for seen, _ in views) and all(
            _words(draft, seen[place], slots) == own for seen, place in views
        ):
            return level, slots
    raise PlanError("ambiguous", attempts[-1])


def _words(draft: Draft, row: JsonObject, slots: list[str]) -> tuple[str, ...]:
    values = [(row[slot.split("|")[0]], slot.partition("|")[2]) for slot in slots]
    return tuple("" if value is None else shown(value, form, draft).casefold() for value, form in values)


def _field(slot: str, row: JsonObject) -> tuple[str, Any]:
    """The field of a `Mention` that a slot stands for: a day or an hour is part of a moment."""
    column, _, form = slot.partition("|")
    value = row[column]
    if form in ("day", "date"):
        return f"{column}|day", value[:10]
    if form == "hour":
        return f"{column}|hour", value[11:16]
    return column, value


def _depth(reference: Reference) -> int:
    return 1 + (_depth(reference.owner) if reference.owner else 0)


def _at(value: Any, path: str) -> Any:
    for part in path.split("."):
        if part:
            value = value[int(part)] if isinstance(value, list) else value[part]
    return value


def at_path(value: Any, path: str) -> Any:
    """Return the part of a result at a dotted path; PlanError when it is not there."""
    try:
        return _at(value, path)
    except (KeyError, IndexError, TypeError, ValueError):
        raise PlanError("no_path", path) from None


def say(draft: Draft, name: str, child: JsonObject, value: Any) -> Value:
    """Return the words for an argument that names no row, and their origin."""
    if child.get("format") == "date":
        text = day_name(value, draft.start.now)
        return Value(value, text, {"from": "operation", "op": "date", "text": text})
    if child.get("format") == "date-time":
        text = f"{day_name(value, draft.start.now)} {hour_name(value)}"
        return Value(value, text, {"from": "operation", "op": "date-time", "text": text})
    if isinstance(value, str):
        text = plain(value) if "enum" in child else value
        return Value(value, text, {"from": "instruction", "text": text})
    if is_money(name, child, draft):
        text = money(value, draft.book.spec.currency)
        return Value(value, text, {"from": "operation", "op": "money", "text": text})
    if isinstance(value, int):
        text = number(value)
        return Value(value, text, {"from": "operation", "op": "number", "text": text})
    raise PlanError("no_words", name)


def is_money(name: str, child: JsonObject, draft: Draft) -> bool:
    """True when an integer parameter is an amount of cents."""
    source = child.get("x-column") or child.get("x-domain", {}).get("column", "")
    if source:
        table, _, column = source.partition(".")
        return draft.book.spec.table(table).column(column).format == "money"
    return name.endswith("_cents") or "cents" in child.get("description", "").lower()


def person_of(reference: Reference) -> tuple[str, str | None]:
    """Return (full name, gender or None) of a reference to a person."""
    name = reference.values.get("name") or next(iter(reference.values.values()))
    return name, gender(name)
