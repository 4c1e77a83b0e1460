"""Candidates for tasks: number `index` of a seed is always the same, whatever was kept before it and however many work at once."""

import random
from dataclasses import dataclass
from typing import Any

from envgen.core.digest import rng, short_id
from envgen.core.errors import PlanError
from envgen.core.types import Answer, Difficulty, Expectation, Goal, Gold, JsonObject, RowPatch, Start, Task
from envgen.database.language import Language, Situation
from envgen.database.plan.draft import Book, Draft
from envgen.database.plan.flip import flip
from envgen.database.plan.goals import Request, Wish, Wisher, first_that_works
from envgen.database.plan.queries import answers, draw_query, resolve_query
from envgen.database.plan.resolve import check_refusals, resolve
from envgen.database.plan.wording import Told, tell
from envgen.database.runtime import DatabaseEnvironment
from envgen.verify.state import derive

ATTEMPTS = 60
GOAL_TRIES = 8
HARDEST = ("refuse", "conditional", "choose", "lookup", "aggregate", "quiz", "do")
# How often each combination of goals is drawn: one goal 35 %, two 45 %, three 20 %. A question or a refusal stands mostly
# beside two acts, so that at least half of all tasks need two writes. Combinations of one kind stand together, since the
# sequence that draws them is even over intervals: any thirty candidates have each kind about as often as they should.
SHAPES: tuple[tuple[float, str], ...] = (
    (0.05, "do"),
    (0.26, "do do"),
    (0.05, "do do do"),
    (0.03, "choose"),
    (0.11, "do choose"),
    (0.04, "do do choose"),
    (0.03, "conditional"),
    (0.03, "do conditional"),
    (0.02, "do do conditional"),
    (0.06, "refuse"),
    (0.03, "do refuse"),
    (0.04, "do do refuse"),
    (0.04, "lookup"),
    (0.02, "do lookup"),
    (0.05, "do do lookup"),
    (0.075, "aggregate"),
    (0.065, "quiz"),
)


@dataclass(frozen=True)
class Candidate:
    """A planned task with its gold. Twins come as two candidates that name each other."""

    task: Task
    gold: Gold


@dataclass(frozen=True)
class Options:
    """What is asked of the planner. kinds: goals allowed (None: all). difficulty: a level, or None for any."""

    kinds: tuple[str, ...] | None = None
    difficulty: str | None = None


class Planner:
    """Plans tasks in one environment. Thread-safe only by having one planner per thread."""

    def __init__(self, environment: DatabaseEnvironment, language: Language, seed: int, options: Options | None = None) -> None:
        self.book = Book(environment, language)
        self.seed, self.options = seed, options or Options()
        self.reasons: dict[str, int] = {}

    def candidate(self, index: int) -> list[Candidate]:
        """Return candidate `index`: one task, or two twins. PlanError names the last reason when no attempt works out."""
        last = PlanError("no_shape")
        for attempt in range(ATTEMPTS):
            # A shape that does not work out in this world gives way to another one, but keeps a fair number of tries.
            dice = rng(self.seed, "task", index, attempt)
            shape = self._shape(index, attempt // 12)
            try:
                found = self._attempt(shape, dice)
                if self.options.difficulty and any(
                    item.task.difficulty.level != self.options.difficulty for item in found if item.task.difficulty
                ):
                    raise PlanError("other_difficulty")
                return found
            except PlanError as problem:
                self.reasons[problem.code] = self.reasons.get(problem.code, 0) + 1
                last = problem
        raise last

    def _shape(self, index: int, turn: int) -> tuple[str, ...]:
        """The shape of candidate `index`: a golden-ratio sequence, so that any run of candidates has every shape in proportion."""
        kinds = self.options.kinds
        shapes = [(weight, tuple(text.split())) for weight, text in SHAPES]
        allowed = [(weight, shape) for weight, shape in shapes if kinds is None or set(shape) <= set(kinds)]
        # Kinds that stand in no shape by themselves are asked for alone.
        allowed = allowed or [(1.0, (kind,)) for kind in kinds or ()]
        place = (rng(self.seed, "shapes").random() + (index + 1) * (5**0.5 - 1) / 2 + turn * 0.37) % 1.0
        place *= sum(weight for weight, _ in allowed)
        for weight, shape in allowed:
            place -= weight
            if place < 0:
                return shape
        return allowed[-1][1]

    def _attempt(self, shape: tuple[str, ...], dice: random.Random) -> list[Candidate]:
        wishes, situation = self._wishes(shape, dice)
        word_seed = dice.getrandbits(48)
        first = self._work_out(wishes, situation, (), word_seed)
        conditional = next((wish for wish in wishes if wish.alternative is not None), None)
        if conditional is None:
            return [first]
        second = self._work_out(wishes, situation, flip(self.book, conditional, dice), word_seed)
        if first.task.instruction != second.task.instruction:
            raise PlanError("twins_differ")
        if first.gold.expect == second.gold.expect and first.gold.outcome == second.gold.outcome:
            raise PlanError("twins_alike")
        return [
            Candidate(first.task.model_copy(update={"twin": second.task.id}), first.gold),
            Candidate(second.task.model_copy(update={"twin": first.task.id}), second.gold),
        ]

    def _wishes(self, shape: tuple[str, ...], dice: random.Random) -> tuple[list[Wish], Situation | None]:
        draft = Draft.begin(self.book)
        try:
            return _Composer(self.book, draft, dice).compose(shape)
        finally:
            draft.close()

    def _work_out(self, wishes: list[Wish], situation: Situation | None, patch: tuple[RowPatch, ...], word_seed: int) -> Candidate:
        draft = Draft.begin(self.book, patch)
        try:
            requests = []
            asked = answers(draft, wishes)
            for index, wish in enumerate(wishes):
                draft.goal = index
                requests.append(resolve_query(draft, wish) if "query" in wish.extra else resolve(draft, wish))
            _apart(draft)
            check_refusals(draft, requests)
            if not asked == answers(draft, wishes) == [request.answer for request in requests if request.answer is not None]:
                # Asked for an old phone number and given a new one: the answer would hang on what an agent does first.
                raise PlanError("answer_by_order")
            told = tell(self.book, draft, requests, situation, random.Random(word_seed))
            if draft.session.broken():
                raise PlanError("rule_broken", ", ".join(draft.session.broken()))
            return _candidate(self.book, draft, requests, told)
        finally:
            draft.close()


class _Composer:
    """Finds goals for a shape that one person may have at once and that do not touch the same things."""

    def __init__(self, book: Book, draft: Draft, dice: random.Random) -> None:
        self.book, self.draft, self.dice = book, draft, dice
        self.wisher = Wisher(book, draft, dice)

    def compose(self, shape: tuple[str, ...]) -> tuple[list[Wish], Situation | None]:
        tools, situation = self._tools(shape)
        wishes: list[Wish] = []
        # The goals that few people can have come first: they settle whose text it is.
        for kind in sorted(shape, key=HARDEST.index):
            wishes.append(self._next(kind, wishes, tools))
            wish = wishes[-1]
            if wish.kind in ("do", "choose") and not self.draft.session.call(wish.tool, wish.arguments).ok:
                raise PlanError("in_the_way", wish.tool)
        order = list(wishes)
        if situation is None:
            self.dice.shuffle(order)
        return order, situation

    def _next(self, kind: str, wishes: list[Wish], tools: list[str]) -> Wish:
        """The next goal of the person that the goals so far concern; several are tried before the whole text is given up."""
        party = wishes[0].party if wishes else None
        if wishes and party is None:
            raise PlanError("no_person_in_common")
        tool = tools.pop(0) if tools and kind == "do" else None
        last = PlanError("no_wish")
        for _ in range(1 if tool or not wishes else GOAL_TRIES):
            try:
                wish = self._wish(kind, party, tool)
                if wishes and wish.party != party:
                    raise PlanError("two_persons")
                self._existing(wish)
                _disjoint(self.book, wishes, wish)
                return wish
            except PlanError as problem:
                last = problem
        raise last

    def _existing(self, wish: Wish) -> None:
        """A thing that another goal of the task has yet to make cannot be named before it is there."""
        for name, child in self.book.parameters(wish.tool)["properties"].items() if wish.tool else ():
            table, _, column = child.get("x-column", "").partition(".")
            if name in wish.arguments and table in self.book.environment.infos:
                sql = f'SELECT 1 FROM before."{table}" WHERE "{column}" = ?'
                if self.draft.session.connection.execute(sql, (wish.arguments[name],)).fetchone() is None and self._is_key(table, column):
                    raise PlanError("made_in_mid_task", name)

    def _is_key(self, table: str, column: str) -> bool:
        info = self.book.environment.infos[table]
        return [info.columns[index] for index in info.key] == [column]

    def _tools(self, shape: tuple[str, ...]) -> tuple[list[str], Situation | None]:
        """The acts of a situation with as many goals as the shape has `do`s, or acts that fall to the shape one by one."""
        count = shape.count("do")
        if len(shape) > 1 and count == len(shape) and self.dice.random() < 0.75:
            fitting = [
                item for item in self.book.language.situations if len(item.goals) >= count and set(item.goals) <= set(self.book.acts)
            ]
            if fitting:
                situation = self.dice.choice(fitting)
                tools = self.dice.sample(situation.goals, count) if len(situation.goals) > count else list(situation.goals)
                return tools, situation
        return [], None

    def _wish(self, kind: str, party: Any, tool: str | None) -> Wish:
        language, dice = self.book.language, self.dice
        if kind == "do":
            return self.wisher.do(self.book.acts[tool] if tool else self._act(party), party)
        if kind == "choose":
            choices = [item for item in language.choices if item.goal in self.book.acts]
            return first_that_works(choices, dice, lambda choice: self._choose(choice, party))
        if kind == "refuse":
            return self.wisher.refuse_rule(party) if dice.random() < 0.7 else self.wisher.refuse_guard(party)
        if kind == "conditional":
            return self._conditional(party)
        queries = [query for query in language.queries if query.kind == kind]
        return first_that_works(queries, dice, lambda query: draw_query(self.book, self.draft, dice, query, party))

    def _act(self, party: Any) -> Any:
        acts = [act for act in self.book.language.acts if party is None or act.party is not None]
        if not acts:
            raise PlanError("no_act")
        return self.dice.choices(acts, [act.weight for act in acts])[0]

    def _choose(self, choice: Any, party: Any) -> Wish:
        if party is None and "owner" in choice.args.values():
            people = self.wisher.execute(f'SELECT * FROM main."{self.book.language.party}" ORDER BY 1').fetchall()
            party = self.dice.choice(people)[self.book.environment.infos[self.book.language.party].key[0]]
        return self.wisher.choose(choice, party)

    def _conditional(self, party: Any) -> Wish:
        usable = [item for item in self.book.language.alternatives if item.tool in self.book.acts and item.holds]
        if not usable:
            raise PlanError("no_alternative")
        alternative = self.dice.choice(usable)
        wish = self.wisher.do(self.book.acts[alternative.tool], party, kind="conditional", style="ask")
        wish.alternative = alternative
        wish.template = f"conditional:{wish.template.split(':', 1)[1]}:{alternative.code}"
        if alternative.then is not None:
            wish.extra["draws"] = self._draws(alternative.then, alternative.args)
        return wish

    def _draws(self, tool: str, args: dict[str, str]) -> JsonObject:
        properties = self.book.parameters(tool)["properties"]
        drawer = self.wisher.drawer()
        return {
            name: drawer.value(properties[name], self.draft.start.now, {}, self.book.parameters(tool))
            for name, source in args.items()
            if source == "draw"
        }


def _disjoint(book: Book, wishes: list[Wish], wish: Wish) -> None:
    """Two goals must not touch the same thing, nor ask for the same act twice in one text."""

    def things(item: Wish) -> set[tuple[str, Any]]:
        if not item.tool:
            return {(item.extra.get("query", ""), item.extra.get("row"))}
        columns = {name: child.get("x-column", "") for name, child in book.parameters(item.tool)["properties"].items()}
        own = book.acts[item.tool].party
        return {(columns[name], value) for name, value in item.arguments.items() if columns[name] and name != own}

    for other in wishes:
        if other.template == wish.template or (other.tool and other.tool == wish.tool):
            raise PlanError("same_act")
        if things(other) & things(wish):
            raise PlanError("same_thing")


def _apart(draft: Draft) -> None:
    """Two goals must not write the same value: nobody has an account reinstated and put on hold in one text."""
    written: dict[tuple[str, Any, int], int] = {}
    for call, record in zip(draft.calls, draft.session.calls, strict=True):
        for change in record.writes:
            info = draft.book.environment.infos.get(change.table)
            if info is None or change.old is None or change.new is None:
                continue
            for index, (old, new) in enumerate(zip(change.old, change.new, strict=True)):
                cell = (change.table, info.key_of(change.new), index)
                if old != new and written.setdefault(cell, call.goal) != call.goal:
                    raise PlanError("same_value", f"{change.table}.{info.columns[index]}")


def _candidate(book: Book, draft: Draft, requests: list[Request], told: Told) -> Candidate:
    folded = told.text.casefold()
    changes = draft.session.changes()
    expect = derive(changes, book.environment.infos, quoted=lambda value: str(value).casefold() in folded, now=draft.start.now)
    refused = [request for request in requests if request.refused]
    answers = [request for request in requests if request.answer is not None]
    if len(answers) > 1 or len(refused) > 1:
        raise PlanError("two_answers")
    if expect.empty() and not answers and not refused:
        raise PlanError("nothing_to_do")
    gold_body: JsonObject = {
        "goals": tuple(_goal(request.wish) for request in requests),
        "calls": tuple(draft.calls),
        "mentions": tuple(draft.mentions),
        "expect": expect,
        "answer": Answer(type=answers[0].answer_type, value=answers[0].answer) if answers else None,
        "answer_origin": answers[0].answer_origin if answers else {},
        "outcome": "done" if not refused else "refused" if len(refused) == len(requests) else "partial",
        "reason": refused[0].refused if refused else None,
        "rules": _rules_in_play(book, draft, refused),
    }
    kinds = tuple(request.wish.kind for request in requests)
    template = "+".join(sorted(request.wish.template for request in requests))
    task_id = id_of(told.text, draft.start, expect, gold_body["reason"], draft.book.spec.name)
    task = Task(
        id=task_id, split="train", template=template, kinds=kinds, instruction=told.text, start=draft.start,
        difficulty=_difficulty(book, draft, requests, expect, len(gold_body["rules"])),
    )  # fmt: skip
    return Candidate(task, Gold(task=task_id, **gold_body))


def id_of(instruction: str, start: Start, expect: Expectation, reason: str | None, name: str) -> str:
    """Return the id of a task in the environment `name`: a hash of what it asks, where it starts and what has to come out."""
    return short_id("t", [instruction, start.model_dump(), expect.model_dump(), reason, name])


def _goal(wish: Wish) -> Goal:
    return Goal(kind=wish.kind, template=wish.template, tool=wish.tool or None, rule=wish.rule, code=wish.code)


def _rules_in_play(book: Book, draft: Draft, refused: list[Request]) -> tuple[str, ...]:
    called = {call.tool for call in draft.calls}
    rules = {rule.id for tool in called for rule in book.rules.get(tool, ()) if rule.fix}
    rules |= {request.wish.rule for request in refused if request.wish.rule}
    return tuple(sorted(rules))


def _difficulty(book: Book, draft: Draft, requests: list[Request], expect: Expectation, rules: int) -> Difficulty:
    writes = sum(call.write for call in draft.calls)
    points = (
        len(draft.calls)
        + 2 * (len(requests) - 1)
        + rules
        + sum(request.wish.kind in ("conditional", "refuse", "choose") for request in requests)
    )
    return Difficulty(
        calls=len(draft.calls), writes=writes, lookup_depth=draft.depth, distractors=draft.distractors,
        tools=len({call.tool for call in draft.calls}), rules=rules,
        level="easy" if points <= 4 else "medium" if points <= 8 else "hard",
    )  # fmt: skip
