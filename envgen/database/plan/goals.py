"""Acts as goals: arguments found by calling and rolling back, then carried out with look-ups and what the rules ask for."""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from envgen.core.conditions import holds, matching
from envgen.core.errors import PlanError
from envgen.core.numbers import integer_of
from envgen.core.types import JsonObject
from envgen.database.draw import Drawer
from envgen.database.language import Act, Alternative, Choice
from envgen.database.plan.draft import Book, Draft, Origin, Value
from envgen.database.plan.mention import SLOT, Reference, at_path
from envgen.database.snapshot import quote
from envgen.database.spec import Bind, Forbid, NewId, Require, Run

PROBES = 40
T = TypeVar("T")
R = TypeVar("R")
Slots = dict[str, Reference | Value]


@dataclass
class Wish:
    """What is asked for, before it is worked out in a world: an act with its arguments and the frame that says it."""

    kind: str
    template: str
    tool: str
    arguments: JsonObject
    frame: str
    style: str
    party: Any = None
    code: str | None = None
    rule: str | None = None
    choice: Choice | None = None
    alternative: Alternative | None = None
    extra: JsonObject = field(default_factory=dict)


@dataclass
class Request:
    """A wish worked out: the frame with its slots, ready for wording, and what it decides about the outcome.

    refused: why the request as a whole counts as refused. declined: why its act was not done, an alternative to it or not.
    """

    wish: Wish
    slots: Slots
    party: Reference | None
    refused: str | None = None
    declined: str | None = None
    answer: Any = None
    answer_type: str | None = None
    answer_origin: JsonObject = field(default_factory=dict)


def frame_slots(frame: str) -> list[str]:
    """Return the heads of a frame's slots: "party.obj" gives "party"."""
    return [slot.split(".")[0].split("|")[0] for slot in SLOT.findall(frame)]


class Wisher:
    """Draws wishes in the start world of one book. `dice` decide everything."""

    def __init__(self, book: Book, draft: Draft, dice: random.Random) -> None:
        self.book, self.draft, self.dice = book, draft, dice
        self.execute = draft.session.connection.execute

    def drawer(self, narrow: Mapping[str, Sequence[Any]] | None = None) -> Drawer:
        """Return a drawer over the draft's present rows."""
        return Drawer(self.execute, self.dice, pools=self.book.language.pools, narrow=narrow, frozen=True)

    def frame(self, tool: str, *, style: str | None = None) -> tuple[str, str, set[str]]:
        """Return (text, style, parameters it names) of a frame that says everything that must be passed."""
        parameters = self.book.parameters(tool)
        names, required = set(parameters["properties"]), set(parameters.get("required", ()))
        act = self.book.acts[tool]
        given = {act.party} if act.party and ">" not in act.party else set()
        choices: list[tuple[str, str, set[str]]] = []
        for frames in self.book.frames.get(tool, ()):
            for kind, texts in (("ask", frames.ask), ("need", frames.need)):
                for text in texts:
                    named = set(frame_slots(text)) & names
                    if required - given <= named and (style is None or kind == style):
                        choices.append((text, kind, named))
        if not choices:
            raise PlanError("no_frame", tool)
        return self.dice.choice(choices)

    def fits(self, tool: str, frame: str, arguments: JsonObject) -> bool:
        """True when the frame's condition on the arguments holds."""
        for frames in self.book.frames.get(tool, ()):
            for name, wanted in frames.fits.get(frame, {}).items():
                if not holds(arguments.get(name), wanted, self.draft.start.now):
                    return False
        return True

    def narrow(self, act: Act, party: Any) -> tuple[JsonObject, dict[str, Sequence[Any]]]:
        """Return (fixed arguments, narrowed columns) that keep `act` with one person."""
        if party is None or act.party is None:
            return {}, {}
        name, *steps = act.party.split(">")
        if not steps:
            return {name: party}, {}
        child = self.book.parameters(act.tool)["properties"][name]
        keys = [party]
        for step in reversed(steps):
            table, _, column = step.partition(".")
            marks = ", ".join("?" * len(keys))
            info = self.book.environment.infos[table]
            key = quote(info.columns[info.key[0]])
            sql = f"SELECT {key} FROM main.{quote(table)} WHERE {quote(column)} IN ({marks}) ORDER BY 1"
            keys = [row[0] for row in self.execute(sql, keys)]
            if not keys:
                raise PlanError("nothing_owned", act.tool)
        return {}, {child["x-column"]: keys}

    def draws(
        self, act: Act, frame: str, named: set[str], party: Any, *, fixed: JsonObject | None = None, probes: int = PROBES
    ) -> Iterator[JsonObject]:
        """Yield arguments that fit the frame: every required parameter and every one that it names; nothing else."""
        own, narrow = self.narrow(act, party)
        parameters = self.book.parameters(act.tool)
        wanted = {**parameters, "required": sorted(set(parameters.get("required", ())) | named)}
        drawer = self.drawer(narrow)
        for _ in range(probes):
            arguments = drawer.arguments(wanted, self.draft.start.now, {**own, **(fixed or {})}, optional=0.0)
            if arguments is not None and self.fits(act.tool, frame, arguments):
                yield arguments

    def do(self, act: Act, party: Any = None, *, kind: str = "do", style: str | None = None, fixed: JsonObject | None = None) -> Wish:
        """Return a wish whose call succeeds now and breaks no prohibition."""
        frame, style, named = self.frame(act.tool, style=style)
        for arguments in self.draws(act, frame, named, party, fixed=fixed):
            if self.draft.session.probe(act.tool, arguments).ok and not self.draft.breached(act.tool, arguments):
                who = self.draft.follow(act.party, arguments) if act.party else None
                return Wish(kind, f"{kind}:{self._key(act.tool)}", act.tool, arguments, frame, style, who)
        raise PlanError("no_arguments", act.tool)

    def refuse_rule(self, party: Any = None) -> Wish:
        """Return a wish that the tool would carry out but exactly one policy rule forbids."""
        tools = [tool for tool, rules in sorted(self.book.rules.items()) if tool in self.book.acts and any(rule.breach for rule in rules)]
        return first_that_works(tools, self.dice, lambda tool: self._breaching(self.book.acts[tool], party))

    def _breaching(self, act: Act, party: Any) -> Wish:
        frame, style, named = self.frame(act.tool)
        for arguments in self.draws(act, frame, named, party, probes=PROBES * 4):
            breached = self.draft.breached(act.tool, arguments)
            if len(breached) == 1 and self.draft.session.probe(act.tool, arguments).ok:
                who = self.draft.follow(act.party, arguments) if act.party else None
                rule = breached[0].id
                return Wish("refuse", f"refuse:{rule}", act.tool, arguments, frame, style, who, code=rule, rule=rule)
        raise PlanError("no_breach", act.tool)

    def refuse_guard(self, party: Any = None) -> Wish:
        """Return a wish that exactly one guard of the tool refuses, one that people meet in this business."""
        pairs = sorted({(item.tool, item.code) for item in self.book.language.alternatives if item.tool in self.book.acts})
        return first_that_works(pairs, self.dice, lambda pair: self._refused(self.book.acts[pair[0]], pair[1], party))

    def _refused(self, act: Act, code: str, party: Any) -> Wish:
        frame, style, named = self.frame(act.tool)
        for arguments in self.draws(act, frame, named, party, probes=PROBES * 2):
            if not self.draft.breached(act.tool, arguments) and self.refusals(act.tool, arguments) == [code]:
                who = self.draft.follow(act.party, arguments) if act.party else None
                return Wish("refuse", f"refuse:{self._key(act.tool)}:{code}", act.tool, arguments, frame, style, who, code=code)
        raise PlanError("no_refusal", f"{act.tool}: {code}")

    def refusals(self, tool: str, arguments: JsonObject) -> list[str]:
        """Return the codes of all guards of `tool` that would refuse, up to the first write: several rules may forbid at once."""
        compiled = self.book.environment.compiled[tool]
        binds = {**compiled.arguments(arguments), "now": self.draft.start.now, "actor": self.draft.start.actor, "_given": "[]"}
        codes: list[str] = []
        for step, action in zip(compiled.spec.steps, compiled.actions, strict=True):
            if isinstance(step, (Run, NewId)):
                break
            if (isinstance(step, Require) and self.execute(step.require, binds).fetchone() is None) or (
                isinstance(step, Forbid) and self.execute(step.forbid, binds).fetchone() is not None
            ):
                codes.append(step.otherwise[0])
            elif isinstance(step, Bind):
                action(self.execute, self.draft.session.slot, binds)
        return list(dict.fromkeys(codes))

    def choose(self, choice: Choice, party: Any) -> Wish:
        """Return a wish whose one argument is the strict optimum among the rows that a list shows."""
        act = self.book.acts.get(choice.goal)
        if act is None:
            raise PlanError("no_act", choice.goal)
        if "owner" in choice.args.values() and party is None:
            raise PlanError("choice_needs_person")
        arguments = list_arguments(self.draft, choice, party)
        rows = at_path(self.draft.session.probe(choice.tool, arguments).value, choice.rows)
        best = optimum(rows, choice, self.draft.start.now, limit=arguments.get("limit"))
        wish = self.do(act, party, kind="choose", style=self.dice.choice(("ask", "need")), fixed={choice.param: best[choice.key_column]})
        if choice.param not in frame_slots(wish.frame):
            raise PlanError("choice_not_said", choice.key)
        wish.choice, wish.template = choice, f"choose:{choice.key}"
        wish.extra["phrase"] = self.dice.choice(choice.phrase)
        return wish

    def _key(self, tool: str) -> str:
        return self.book.spec.tool(tool).key or tool


def first_that_works(items: Sequence[T], dice: random.Random, make: Callable[[T], R], tries: int = 5) -> R:
    """Return `make` of the first of some shuffled items for which it works. PlanError: the last one's, or "nothing_to_try"."""
    last = PlanError("nothing_to_try")
    for item in dice.sample(items, min(tries, len(items))):
        try:
            return make(item)
        except PlanError as problem:
            last = problem
    raise last


def list_arguments(draft: Draft, choice: Choice, party: Any) -> JsonObject:
    """Return the arguments of a choice's list call; a page as long as the tool allows."""
    values: JsonObject = {}
    for name, source in choice.args.items():
        kind, _, rest = source.partition(":")
        if kind == "owner":
            values[name] = party
        elif kind == "today":
            values[name] = draft.start.now[:10]
        elif kind == "value":
            values[name] = rest if (number := integer_of(rest)) is None else number
    limit = draft.book.parameters(choice.tool)["properties"].get("limit")
    if limit:
        values["limit"] = limit["maximum"]
    return values


def optimum(rows: Sequence[JsonObject], choice: Choice, now: str, limit: int | None) -> Mapping[str, Any]:
    """Return the strict optimum; PlanError when it ties, when fewer than two rows compete, or when the list may be cut."""
    found = [row for row in matching(rows, choice.where, now) if row.get(choice.order["by"]) is not None]
    if len(found) < 2 or (limit is not None and len(rows) >= limit):
        raise PlanError("too_few_to_choose", choice.key)
    ranked = sorted(found, key=lambda row: row[choice.order["by"]], reverse=choice.order["direction"] == "max")
    if ranked[0][choice.order["by"]] == ranked[1][choice.order["by"]]:
        raise PlanError("tied", choice.key)
    return ranked[0]


def origins(slots: Slots) -> dict[str, Origin]:
    """Return the origin of each slot's value."""
    return {name: slot.origin for name, slot in slots.items()}
