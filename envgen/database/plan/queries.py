"""Questions: the answer is computed from what reading tools show, and again by SQL over the world; the two must agree."""

import random
from collections.abc import Sequence
from typing import Any

from envgen.core.conditions import matching
from envgen.core.errors import PlanError
from envgen.core.types import JsonObject
from envgen.database.draw import column_values
from envgen.database.language import Query
from envgen.database.phrases import money, plain
from envgen.database.plan.draft import Book, Draft, Origin, Value
from envgen.database.plan.goals import Request, Slots, Wish
from envgen.database.plan.mention import Reference, at_path, is_money, refer
from envgen.database.snapshot import quote

MAX_PAGES = 12


def draw_query(book: Book, draft: Draft, dice: random.Random, query: Query, party: Any) -> Wish:
    """Return a wish for `query`: a row of the person's (or of anybody) to ask about, and values for its slots."""
    extra: JsonObject = {"query": query.key}
    if query.kind == "lookup":
        extra["row"] = _draw_row(book, draft, dice, query, party)
        owner = book.owners.get(query.table)
        if query.table == book.language.party:
            party = extra["row"]
        elif owner:
            party = draft.row(query.table, extra["row"])[owner]
        else:
            party = None
    else:
        party = None
        if query.kind == "aggregate":
            _several_pages(draft, query)
    for name, source in query.slots.items():
        values = column_values(draft.session.connection.execute, source) if isinstance(source, str) else list(source)
        if not values:
            raise PlanError("no_slot_value", query.key)
        extra[name] = dice.choice(values)
    return Wish(query.kind, f"{query.kind}:{query.key}", "", {}, dice.choice(query.ask), "question", party, extra=extra)


def _several_pages(draft: Draft, query: Query) -> None:
    """PlanError("one_page") when the list that an aggregate reads fits on one page, its fixed arguments aside."""
    if query.list is None:
        raise PlanError("no_list", query.key)
    fixed = {name: value for name, value in query.list.get("args", {}).items() if not str(value).startswith("{") and value != "today"}
    result = draft.session.probe(query.list["tool"], fixed)
    size = draft.book.parameters(query.list["tool"])["properties"].get("limit", {}).get("default")
    if result.error is not None or size is None or len(at_path(result.value, query.list.get("rows", ""))) < size:
        raise PlanError("one_page", query.key)


def _draw_row(book: Book, draft: Draft, dice: random.Random, query: Query, party: Any) -> Any:
    info = book.environment.infos[query.table]
    key = quote(info.columns[info.key[0]])
    owner = book.owners.get(query.table)
    where, binds = "", []
    if party is not None and query.table == book.language.party:
        return party
    if party is not None and owner:
        where, binds = f" WHERE {quote(owner)} = ?", [party]
    keys = [row[0] for row in draft.session.connection.execute(f"SELECT {key} FROM main.{quote(query.table)}{where} ORDER BY 1", binds)]
    if not keys:
        raise PlanError("no_row_to_ask_about", query.key)
    return dice.choice(keys)


def resolve_query(draft: Draft, wish: Wish) -> Request:
    """Read what an agent would read, compute the answer, and compare it with SQL."""
    query = _query(draft, wish)
    party = refer(draft, draft.book.language.party, wish.party) if wish.party is not None else None
    slots: Slots = {name: _slot_value(draft, source, wish.extra[name]) for name, source in query.slots.items()}
    if query.kind == "lookup":
        row = party if party is not None and query.table == draft.book.language.party else refer(draft, query.table, wish.extra["row"])
        slots["row"] = row
        answer, origin = _look_up(draft, query, row)
    else:
        answer, origin = _aggregate(draft, query, wish)
    truth = true_answer(draft, wish)
    if truth != answer:
        raise PlanError("answers_differ", f"{query.key}: tools say {answer!r}, SQL says {truth!r}")
    if answer is None or answer == "":
        raise PlanError("empty_answer", query.key)
    return Request(wish, slots, party, answer=answer, answer_type=query.answer, answer_origin=origin)


def true_answer(draft: Draft, wish: Wish) -> Any:
    """Return what the question's SQL finds in the present rows; None when it finds nothing."""
    query = _query(draft, wish)
    binds = {name: wish.extra[name] for name in query.slots} | {"id": wish.extra.get("row"), "now": draft.start.now}
    row = draft.session.connection.execute(query.sql, binds).fetchone()
    return row[0] if row else None


def answers(draft: Draft, wishes: Sequence[Wish]) -> list[Any]:
    """Return the true answers at present to the questions among `wishes`."""
    return [true_answer(draft, wish) for wish in wishes if "query" in wish.extra]


def _query(draft: Draft, wish: Wish) -> Query:
    return next(query for query in draft.book.language.queries if query.key == wish.extra["query"])


def _slot_value(draft: Draft, source: str | tuple[str, ...], value: Any) -> Value:
    text = plain(value) if isinstance(value, str) else str(value)
    if isinstance(source, str) and isinstance(value, int) and is_money("", {"x-column": source}, draft):
        text = money(value, draft.book.spec.currency)
    text = draft.book.language.plurals.get(text, text)
    return Value(value, text, {"from": "instruction", "text": text})


def _look_up(draft: Draft, query: Query, row: Reference) -> tuple[Any, Origin]:
    if query.read is None:
        parent = row.path.rsplit(".", 1)[0]
        path = f"{parent}.{query.column}"
        return at_path(draft.results[row.step], path), {"from": "result", "step": row.step, "path": path}
    record = draft.row(query.table, row.key)
    arguments: JsonObject = {}
    origin: dict[str, Origin] = {}
    for name, source in query.read["args"].items():
        value = record.get(source, row.key) if not source.startswith("=") else source[1:].strip("'")
        arguments[name] = value
        origin[name] = row.origin if value == row.key else draft.find_value(value, [name, source, "id"])
    step = draft.read(query.read["tool"], arguments, origin)
    draft.depth = max(draft.depth, 2)
    return at_path(draft.results[step], query.read["path"]), {"from": "result", "step": step, "path": query.read["path"]}


def _aggregate(draft: Draft, query: Query, wish: Wish) -> tuple[Any, Origin]:
    """Read every page of the list, then count, add or compare as declared."""
    if query.list is None:
        raise PlanError("no_list", query.key)
    where = {name: _filled(value, wish.extra) for name, value in query.where.items()}
    fixed = {name: _filled(value, wish.extra) for name, value in query.list.get("args", {}).items()}
    fixed = {name: draft.start.now[:10] if value == "today" else value for name, value in fixed.items()}
    path = query.list.get("rows", "")
    clocks = {name for name, value in query.list.get("args", {}).items() if value == "today"}
    steps, rows = _pages(draft, query.list["tool"], fixed, path, clocks)
    if query.kind == "aggregate" and len(steps) < 2:
        raise PlanError("one_page", query.key)
    found = matching(rows, where, draft.start.now)
    draft.distractors += len(rows) - len(found)
    if query.op == "count":
        answer: Any = len(found)
        low = 2
    else:
        values = [row[query.column or ""] for row in found if row.get(query.column or "") is not None]
        if len(values) < 2:
            raise PlanError("too_few_to_add", query.key)
        answer = sum(values) if query.op == "sum" else max(values) if query.op == "max" else min(values)
        low = 1
    if isinstance(answer, int) and answer < low:
        raise PlanError("trivial_answer", query.key)
    return answer, {"from": "operation", "op": query.op, "steps": steps, "rows": path, "where": where, "column": query.column}


def _filled(value: Any, extra: JsonObject) -> Any:
    if isinstance(value, str) and value.startswith("{") and value.endswith("}"):
        return extra[value[1:-1]]
    return value


def _pages(draft: Draft, tool: str, fixed: JsonObject, path: str, clocks: set[str]) -> tuple[list[int], list[JsonObject]]:
    properties = draft.book.parameters(tool)["properties"]
    size = fixed.get("limit", properties.get("limit", {}).get("default"))
    origin: dict[str, Origin] = {name: {"from": "clock" if name in clocks else "schema"} for name in (*fixed, "offset")}
    steps: list[int] = []
    rows: list[JsonObject] = []
    for page in range(MAX_PAGES):
        arguments = {**fixed, **({"offset": page * size} if page else {})}
        step = draft.read(tool, arguments, {name: origin[name] for name in arguments})
        found = at_path(draft.results[step], path)
        steps.append(step)
        rows.extend(found)
        if size is None or len(found) < size:
            return steps, rows
    raise PlanError("too_many_pages", tool)
