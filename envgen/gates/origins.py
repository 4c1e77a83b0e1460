"""Where a value comes from, checked by computing it again (gate T11).

Origins that gold may give:
    {"from": "result", "step": i, "path": p}        an earlier call's result shows it at p
    {"from": "instruction", "text": t}              the instruction says t, and t is the value
    {"from": "operation", "op": "money" | "number" | "date" | "date-time", "text": t}   the instruction says t, which means the value
    {"from": "operation", "op": "count" | "sum" | "max" | "min", "steps": [...], "rows": p, "where": {...}, "column": c}
    {"from": "clock"}      today, or now        {"from": "policy"}    the policy says it
    {"from": "schema"}     a setting that the tool's own schema offers: an enum value, a default, a limit, a page
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from envgen.core.conditions import matching
from envgen.core.types import JsonObject
from envgen.database.phrases import day_name, hour_name, money, number, plain
from envgen.gates import paths


class Sources:
    """What an agent has to go on at one moment: the instruction, the policy, the clock and the results so far."""

    def __init__(self, instruction: str, policy: str, now: str, currency: str, results: Sequence[Any]) -> None:
        self.said = instruction.casefold()
        self.policy, self.now, self.currency, self.results = policy.casefold(), now, currency, results

    def problem(self, value: Any, origin: JsonObject | None, schema: JsonObject, *, before: int) -> str:
        """Return why `value` does not come from `origin`, or "". Only results of steps below `before` count."""
        if not origin:
            return "has no origin"
        check = getattr(self, f"_{origin.get('from')}", None)
        if check is None:
            return f"comes from {origin.get('from')!r}, which is no origin"
        return str(check(value, origin, schema, before))

    def _result(self, value: Any, origin: JsonObject, schema: JsonObject, before: int) -> str:
        rows = self._shown(origin.get("step"), before)
        if rows is None:
            return f"comes from call {origin.get('step')}, which has shown nothing by then"
        try:
            found = paths.get(rows, origin.get("path", ""))
        except KeyError:
            return f"call {origin['step']} shows nothing at {origin.get('path')!r}"
        return "" if _same(found, value) else f"call {origin['step']} shows {found!r} at {origin.get('path')!r}"

    def _shown(self, step: Any, before: int) -> Any:
        return self.results[step] if isinstance(step, int) and 0 <= step < min(before, len(self.results)) else None

    def _instruction(self, value: Any, origin: JsonObject, schema: JsonObject, before: int) -> str:
        text = str(origin.get("text", ""))
        if not self._says(text):
            return f"the instruction does not say {text!r}"
        if isinstance(value, int) and not isinstance(value, bool):
            means = _meanings("money", value, self.now, self.currency) | _meanings("number", value, self.now, self.currency)
            return "" if text.casefold() in means else f"{text!r} does not say {value!r}"
        # Enumerated values are said in words: `past_due` is "past due", and a category may go by another name, but not by
        # that of another choice.
        choices = schema.get("enum", ())
        offered = value in choices and not any(_words(other) == _words(text) for other in choices if other != value)
        return "" if offered or _words(value) == _words(text) else f"{text!r} does not say {value!r}"

    def _says(self, text: str) -> bool:
        return bool(text.strip()) and text.casefold() in self.said

    def _operation(self, value: Any, origin: JsonObject, schema: JsonObject, before: int) -> str:
        if "text" not in origin:
            return self._computed(value, origin, before)
        text, op = str(origin["text"]), origin.get("op")
        if not self._says(text):
            return f"the instruction does not say {text!r}"
        means = _meanings(str(op), value, self.now, self.currency)
        return "" if text.casefold() in means else f"{text!r} does not mean {value!r}"

    def _computed(self, value: Any, origin: JsonObject, before: int) -> str:
        rows: list[Mapping[str, Any]] = []
        for step in origin.get("steps", ()):
            shown = self._shown(step, before)
            try:
                rows += paths.get(shown, origin.get("rows", ""))
            except (KeyError, TypeError):
                return f"call {step} shows no rows at {origin.get('rows', '')!r}"
        found = matching(rows, origin.get("where", {}), self.now)
        result = _aggregate(str(origin.get("op")), found, origin.get("column"))
        return "" if _same(result, value) else f"{origin.get('op')} over calls {origin.get('steps')} gives {result!r}"

    def _clock(self, value: Any, origin: JsonObject, schema: JsonObject, before: int) -> str:
        return "" if value in (self.now, self.now[:10]) else f"the clock says {self.now}"

    def _policy(self, value: Any, origin: JsonObject, schema: JsonObject, before: int) -> str:
        # A rule that asks for a note leaves its wording to the agent; any other value must stand in the policy.
        free = schema.get("type") == "string" and not {"x-column", "enum"} & set(schema)
        return "" if free or plain(str(value)).casefold() in self.policy else f"the policy does not say {value!r}"

    def _schema(self, value: Any, origin: JsonObject, schema: JsonObject, before: int) -> str:
        if value in schema.get("enum", ()) or value in (schema.get("default"), schema.get("minimum"), schema.get("maximum")):
            return ""
        paging = "x-column" not in schema and isinstance(value, int) and schema.get("type") == "integer"
        return "" if paging and schema.get("minimum", 0) <= value else f"the schema does not offer {value!r}"


def _words(value: Any) -> str:
    return plain(str(value)).casefold().strip()


def _same(one: Any, other: Any) -> bool:
    return bool(one == other) and isinstance(one, bool) == isinstance(other, bool)


def _meanings(op: str, value: Any, now: str, currency: str) -> set[str]:
    """Return the ways in which `value` may be said, case-folded."""
    if op == "money" and isinstance(value, int):
        return {money(value, currency).casefold(), f"{value / 100:.2f}", f"{currency}{value / 100:.2f}".casefold()}
    if op == "number" and isinstance(value, int):
        return {number(value), str(value)}
    if op == "date" and isinstance(value, str):
        return {day_name(value, now).casefold(), day_name(value, now, preposition=True).casefold(), value}
    if op == "date-time" and isinstance(value, str):
        days = (day_name(value, now), day_name(value, now, preposition=True))
        return {f"{day} {hour_name(value)}".casefold() for day in days} | {value}
    return set()


def _aggregate(op: str, rows: Sequence[Mapping[str, Any]], column: str | None) -> Any:
    if op == "count":
        return len(rows)
    values = [row[column] for row in rows if column and row.get(column) is not None]
    if op == "sum":
        return sum(values)
    return {"max": max, "min": min}[op](values) if values and op in ("max", "min") else None


def says_number(text: str, value: int | str) -> bool:
    """True when `value`, in digits or as written, stands in `text` as a number of its own."""
    return re.search(rf"(?<![\w.,]){re.escape(str(value))}(?![\w]|[.,]\d)", text) is not None
