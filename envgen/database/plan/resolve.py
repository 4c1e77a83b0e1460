"""Working a wish out in a world: its look-ups, the calls that rules ask for, the act itself, and the words' slots."""

from collections.abc import Sequence
from typing import Any

from envgen.core.conditions import matching
from envgen.core.errors import PlanError
from envgen.core.types import JsonObject, Mention
from envgen.database.plan.draft import Draft, Origin, Value
from envgen.database.plan.goals import Request, Slots, Wish, frame_slots, list_arguments, optimum, origins
from envgen.database.plan.mention import Reference, at_path, refer, say


def resolve(draft: Draft, wish: Wish) -> Request:
    """Carry `wish` out on `draft` and return the request for wording. PlanError when it does not work out there."""
    party = refer(draft, draft.book.language.party, wish.party) if wish.party is not None else None
    if wish.alternative is not None:
        return _conditional(draft, wish, party)
    slots = _slots(draft, wish, wish.tool, wish.arguments, party)
    request = Request(wish, slots, party)
    if wish.kind == "refuse":
        _show_facts(draft, wish, slots)
        request.refused = request.declined = wish.code
        return request
    _carry_out(draft, wish.tool, wish.arguments, slots)
    return request


def _slots(draft: Draft, wish: Wish, tool: str, arguments: JsonObject, party: Reference | None) -> Slots:
    slots: Slots = {}
    act = draft.book.acts.get(tool)
    for name, value in arguments.items():
        child = draft.book.parameters(tool)["properties"][name]
        if wish.choice is not None and name == wish.choice.param:
            slots[name] = _chosen(draft, wish, party)
        elif party is not None and act is not None and act.party == name:
            slots[name] = party
        elif _is_key(draft, child):
            slots[name] = refer(draft, child["x-column"].split(".")[0], value)
        else:
            slots[name] = say(draft, name, child, value)
    return slots


def _is_key(draft: Draft, child: JsonObject) -> bool:
    table, _, column = child.get("x-column", "").partition(".")
    info = draft.book.environment.infos.get(table)
    return info is not None and [info.columns[index] for index in info.key] == [column]


def _chosen(draft: Draft, wish: Wish, party: Reference | None) -> Value:
    """The slot of a superlative: the list is read, and its strict optimum must be the row that the wish names."""
    choice = wish.choice
    assert choice is not None
    arguments = list_arguments(draft, choice, party.key if party else None)
    sources: dict[str, Origin] = {
        name: party.origin
        if party is not None and choice.args.get(name) == "owner"
        else {"from": "clock" if choice.args.get(name) == "today" else "schema"}
        for name in arguments
    }
    step = draft.read(choice.tool, arguments, sources)
    rows = at_path(draft.results[step], choice.rows)
    best = optimum(rows, choice, draft.start.now, limit=arguments.get("limit"))
    if best[choice.key_column] != wish.arguments[choice.param]:
        raise PlanError("optimum_moved", choice.key)
    path = ".".join(part for part in (choice.rows, str(rows.index(best)), choice.key_column) if part)
    table = draft.book.parameters(wish.tool)["properties"][choice.param]["x-column"].split(".")[0]
    mention = Mention(
        text=wish.extra["phrase"], table=table, key={choice.key_column: best[choice.key_column]}, step=step, rows=choice.rows,
        fields=choice.where, order=choice.order,
    )  # fmt: skip
    draft.mentions.append(mention)
    draft.distractors += len(matching(rows, choice.where, draft.start.now)) - 1
    draft.depth = max(draft.depth, 2)
    return Value(best[choice.key_column], wish.extra["phrase"], {"from": "result", "step": step, "path": path})


def _carry_out(draft: Draft, tool: str, arguments: JsonObject, slots: Slots) -> int:
    if draft.breached(tool, arguments):
        raise PlanError("breach", tool)
    sources = origins(slots)
    fixes = [rule.fix for rule in draft.book.rules.get(tool, ()) if rule.fix]
    for fix in fixes:
        if fix.when == "before":
            draft.do_fix(fix, arguments, sources)
    step = draft.write(tool, arguments, {name: sources[name] for name in arguments})
    for fix in fixes:
        if fix.when == "after":
            draft.do_fix(fix, arguments, sources)
    return step


def _show_facts(draft: Draft, wish: Wish, slots: Slots) -> None:
    """Read what decides: the facts of the rule that forbids the wish. A guard says so itself when it is tried."""
    if refusal(draft, wish) != wish.code:
        raise PlanError("not_refused", f"{wish.tool}: {wish.code}")
    rule = next((rule for rule in draft.book.rules.get(wish.tool, ()) if rule.id == wish.rule), None)
    for fact in rule.facts if rule else ():
        draft.do_fix(fact, wish.arguments, origins(slots))


def refusal(draft: Draft, wish: Wish) -> str | None:
    """Return the one reason for which the wish's act is refused at present: a guard's code or a rule's id. None when it may be
    done. PlanError("two_reasons") when there is more than one, so that an honest agent could name either."""
    result = draft.session.probe(wish.tool, wish.arguments)
    reasons = [rule.id for rule in draft.breached(wish.tool, wish.arguments)]
    reasons += [result.error.code] if result.error is not None else []
    if len(reasons) > 1:
        raise PlanError("two_reasons", f"{wish.tool}: {', '.join(reasons)}")
    return reasons[0] if reasons else None


def check_refusals(draft: Draft, requests: Sequence[Request]) -> None:
    """PlanError when something else that the text asks for makes possible what was refused, or changes the reason: then the
    outcome would hang on the order in which an agent does things."""
    for request in requests:
        now = refusal(draft, request.wish) if request.declined else None
        # An alternative that was carried out may itself be the next reason why the first act cannot be done.
        if request.declined and (now is None or (request.refused and now != request.refused)):
            raise PlanError("refusal_by_order", f"{request.wish.tool}: {request.declined}")


def _conditional(draft: Draft, wish: Wish, party: Reference | None) -> Request:
    """If the guard lets the act pass it is done, else the alternative is (or nothing, with the code as the reason)."""
    alternative = wish.alternative
    assert alternative is not None
    slots = _slots(draft, wish, wish.tool, wish.arguments, party)
    other = _alternative_slots(draft, wish, slots)
    request = Request(wish, {**other, **slots}, party)
    reason = refusal(draft, wish)
    if reason is None:
        _carry_out(draft, wish.tool, wish.arguments, slots)
    elif reason == alternative.code:
        request.declined = reason
        if alternative.then is None:
            request.refused = reason
        else:
            _carry_out(draft, alternative.then, {name: _value(slot) for name, slot in other.items()}, other)
    else:
        raise PlanError("other_refusal", wish.tool)
    return request


def _alternative_slots(draft: Draft, wish: Wish, slots: Slots) -> Slots:
    alternative = wish.alternative
    assert alternative is not None
    if alternative.then is None:
        return {}
    properties = draft.book.parameters(alternative.then)["properties"]
    other: Slots = {}
    for name, source in alternative.args.items():
        if source == "draw":
            other[name] = say(draft, name, properties[name], wish.extra["draws"][name])
        elif source.startswith("="):
            other[name] = Value(source[1:].strip("'"), "", {"from": "schema"})
        else:
            other[name] = slots[source]
    return other


def _value(slot: Reference | Value) -> Any:
    return slot.key if isinstance(slot, Reference) else slot.value


def said(request: Request) -> list[str]:
    """Names of the slots that the request's frame shows."""
    return frame_slots(request.wish.frame)
