"""What every base problem must be: checked one by one, so that writing one is a short job. Findings are in words for its author."""

import json
import random
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

from envgen.fused.problem import SLOT, Problem, Values, same
from envgen.fused.seeds import dice
from envgen.fused.types import Bool, Date, Enum, Int, List, Rational, Str, Tuple, Type, problem_of

LEVELS = (0, 1, 2)
DRAWS, ODD, WIDE_LEVELS = 120, 80, (5, 20, 60)
LEAST_WORDINGS, LEAST_DISTANCE = 5, 0.35
MOST_MODAL, LEAST_SENSITIVITY, LEAST_RATE, LEAST_BOUND = 0.25, 0.6, 200, 0.9
JUNK: tuple[Any, ...] = (None, True, "", "zzz", -1, 0, [], [[]], {}, "0", 1.5, "import os", [0, 1], "True or False", 10**30)
Independent = Callable[[Mapping[str, Any]], Any]


def draw(problem: Problem, level: int, number: int, bound: Mapping[str, Any] | None = None) -> Values | None:
    """Return draw `number` of a problem at a level, by dice of its own."""
    return problem.sample(dice("contract", problem.name, problem.version, level, number), level, bound or {})


def check_problem(problem: Problem, independent: Independent | None = None) -> list[str]:
    """Return what is wrong with a problem; nothing when it may join the library.

    independent: another solver, which must agree on every draw.
    """
    problems = [*_words(problem), *_shape(problem)]
    for level in LEVELS:
        problems += _level(problem, level, independent)
    problems += _harder(problem)
    problems += _ports(problem)
    problems += _anything(problem)
    problems += _speed(problem)
    return list(dict.fromkeys(problems))


def _shape(problem: Problem) -> Iterator[str]:
    if not re.fullmatch(r"[a-z][a-z0-9_]*", problem.name) or not problem.ports:
        yield "name: lower-case words joined by underscores; and at least one port"
    if problem.unique == "relation" and problem.check is None:
        yield "a relation needs a check"


def _words(problem: Problem) -> Iterator[str]:
    if len(problem.wordings) < LEAST_WORDINGS:
        yield f"{len(problem.wordings)} wordings, at least {LEAST_WORDINGS} are needed"
    for text in problem.wordings:
        slots = set(SLOT.findall(text))
        if slots != set(problem.ports):
            yield f"wording {text[:60]!r}: its slots are {', '.join(sorted(slots))}, the ports are {', '.join(sorted(problem.ports))}"
        if re.search(r"\?|^(find|compute|give|determine|calculate|return|let|consider)\b|\banswer\b", text, re.IGNORECASE):
            yield f"wording {text[:60]!r}: a noun phrase, which neither asks nor says how to answer"
    for one, other in combinations(problem.wordings, 2):
        if distance(one, other) < LEAST_DISTANCE:
            yield f"wordings {one[:40]!r} and {other[:40]!r} differ too little"


def distance(one: str, other: str) -> float:
    """Return the edit distance of two texts in tokens, slots masked, as a share of the longer one."""
    first, second = (re.findall(r"\w+|[^\w\s]", SLOT.sub("_", text).lower()) for text in (one, other))
    row = list(range(len(second) + 1))
    for place, token in enumerate(first, 1):
        before, row[0] = row[0], place
        for column, candidate in enumerate(second, 1):
            before, row[column] = row[column], min(row[column] + 1, row[column - 1] + 1, before + (token != candidate))
    return row[-1] / max(len(first), len(second), 1)


def _level(problem: Problem, level: int, independent: Independent | None) -> Iterator[str]:
    answers = []
    for number in range(DRAWS):
        values = draw(problem, level, number)
        if values is None:
            continue
        yield from _drawn(problem, level, number, values)
        answer = problem.solve(values)
        answers.append(answer)
        yield from _answer(problem, level, values, answer)
        if independent is not None and problem.check is None and not same(independent(values), answer):
            yield f"level {level}: the independent solver gives {independent(values)!r}, solve {answer!r} for {_brief(values)}"
        if independent is not None and problem.check is not None and not problem.check(values, independent(values)):
            yield f"level {level}: the check refuses the independent answer for {_brief(values)}"
    if len(answers) < 0.95 * DRAWS:
        yield f"level {level}: only {len(answers)} of {DRAWS} draws give an instance"
    modal = Counter(map(json.dumps, answers)).most_common(1)[0][1] if answers else 0
    if modal > MOST_MODAL * max(len(answers), 1):
        yield f"level {level}: one answer makes {modal} of {len(answers)}"


def _drawn(problem: Problem, level: int, number: int, values: Values) -> Iterator[str]:
    if set(values) != set(problem.ports):
        yield f"level {level}: sample gives {', '.join(sorted(values))}, the ports are {', '.join(sorted(problem.ports))}"
        return
    for name, kind in problem.ports.items():
        wrong = problem_of(kind, values[name])
        if wrong:
            yield f"level {level}, port {name}: {wrong}"
    if json.loads(json.dumps(values)) != values:
        yield f"level {level}: the values do not survive JSON"
    if draw(problem, level, number) != values:
        yield f"level {level}: the same dice give something else the second time"


def _answer(problem: Problem, level: int, values: Values, answer: Any) -> Iterator[str]:
    wrong = problem_of(problem.out, answer)
    if wrong:
        yield f"level {level}: the answer {str(answer)[:60]} is no value of `out`: {wrong}"
    before = json.dumps(values)
    if not same(problem.solve(values), answer) or not problem.accepts(values, answer):
        yield f"level {level}: gold is not accepted"
    if json.dumps(values) != before:
        yield f"level {level}: solve changes its input"
    for junk in (*JUNK, *_near(answer)):
        try:
            if not same(junk, answer) and problem.check is None and problem.accepts(values, junk):
                yield f"level {level}: {junk!r} is accepted for {answer!r}"
            if problem.check is not None:
                problem.check(values, junk)
        except Exception as error:
            yield f"level {level}: {junk!r} makes the check raise {type(error).__name__}"


def _near(answer: Any) -> list[Any]:
    """Answers that are nearly right."""
    if type(answer) is int:
        return [answer + 1, answer - 1, str(answer), float(answer) if abs(answer) < 2**53 else None, [answer]]
    if isinstance(answer, str):
        return [answer + "x", answer[:-1], answer.upper() + " "]
    if isinstance(answer, list):
        return [answer[::-1] if answer[::-1] != answer else None, answer[:-1], [*answer, 0]]
    return []


def _harder(problem: Problem) -> Iterator[str]:
    for level in WIDE_LEVELS:
        values = draw(problem, level, 0) or draw(problem, level, 1)
        if values is None:
            yield f"level {level}: no instance"
            continue
        started = time.process_time()
        problem.solve(values)
        if time.process_time() - started > 0.5:
            yield f"level {level}: solving takes more than half a second"
        if len(json.dumps(values)) > 20_000:
            yield f"level {level}: the values take more than 20,000 characters"


def _ports(problem: Problem) -> Iterator[str]:
    """Each port can be bound, and the answer depends on it."""
    for name, kind in problem.ports.items():
        bound = changed = tried = 0
        for number in range(DRAWS // 2):
            values, other = draw(problem, 1, number), draw(problem, 1, number + DRAWS)
            if values is None or other is None:
                continue
            again = draw(problem, 1, number, {name: other[name]})
            tried += 1
            if again is None:
                continue
            bound += 1
            if not same(again[name], other[name]):
                yield f"port {name}: a bound value is not kept"
                return
            changed += _depends(problem, values, name, other[name])
        if bound < LEAST_BOUND * tried:
            yield f"port {name}: of {tried} bound values only {bound} give an instance"
        elif changed < LEAST_SENSITIVITY * bound and _free(kind):
            yield f"port {name}: the answer changes with it in {changed} of {bound} cases"


def any_value(kind: Type, rng: random.Random) -> Any:
    """Return some value of a type, short and extreme ones often: what a step that nobody thought of may hand on."""
    if isinstance(kind, Int):
        low, high = max(kind.low, -(10**6)), min(kind.high, 10**6)
        return rng.choice((kind.low, kind.high, low, high, rng.randint(low, high), rng.randint(low, min(high, low + 20))))
    if isinstance(kind, Str):
        letters = kind.alphabet or "abcXYZ 019"
        return "".join(rng.choice(letters) for _ in range(rng.choice((kind.least, min(kind.most, kind.least + rng.randint(0, 12))))))
    if isinstance(kind, Enum):
        return rng.choice(kind.values)
    if isinstance(kind, Tuple):
        return [any_value(item, rng) for item in kind.items]
    if isinstance(kind, List):
        size = rng.choice((kind.least, min(kind.most, kind.least + 1), min(kind.most, kind.least + rng.randint(0, 8))))
        items = [any_value(kind.item, rng) for _ in range(size)]
        return sorted(items) if kind.ordered else items
    return {Bool: True, Rational: "3/7", Date: "2026-02-28"}[type(kind)]


def _anything(problem: Problem) -> Iterator[str]:
    """Whatever a port is given that fits its type, sample gives an instance or None, and solve an answer."""
    for name, kind in problem.ports.items():
        for number in range(ODD):
            rng = dice("contract", "any", problem.name, name, number)
            value = any_value(kind, rng)
            if problem_of(kind, value):
                continue
            try:
                values = problem.sample(rng, 1, {name: value})
                if values is not None:
                    yield from _drawn_odd(problem, name, value, values)
            except Exception as error:
                yield f"port {name}: {type(error).__name__} for the bound value {_brief({name: value})}: {error}"
                break


def _drawn_odd(problem: Problem, name: str, value: Any, values: Values) -> Iterator[str]:
    wrong = problem_of(problem.out, problem.solve(values))
    if wrong:
        yield f"port {name}: for the bound value {_brief({name: value})} the answer is no value of `out`: {wrong}"


def _depends(problem: Problem, values: Values, name: str, value: Any) -> bool:
    """True when another value for one port gives another answer, or no instance at all (which says nothing against it)."""
    if same(values[name], value):
        return True
    try:
        return not same(problem.solve({**values, name: value}), problem.solve(values))
    except (ValueError, IndexError, KeyError, ZeroDivisionError):
        return True


def _free(kind: Type) -> bool:
    return isinstance(kind, (Int, List, Str, Tuple))


def _speed(problem: Problem) -> Iterator[str]:
    for level in LEVELS:
        started, made = time.process_time(), 0
        while made < 40 or (time.process_time() - started < 0.02 and made < 400):
            values = draw(problem, level, made)
            made += 1
            if values is not None:
                problem.solve(values)
        spent = time.process_time() - started
        if spent > 0 and made / spent < LEAST_RATE:
            yield f"level {level}: {made / spent:.0f} instances per CPU-second, at least {LEAST_RATE} are needed"


def _brief(values: Mapping[str, Any]) -> str:
    text = json.dumps(values)
    return text if len(text) < 200 else text[:197] + "..."


def report(problem: Problem, problems: Sequence[str]) -> str:
    """Return what a check found, for the command line."""
    if not problems:
        return f"{problem.topic}/{problem.name}: fit for the library"
    return "\n".join([f"{problem.topic}/{problem.name}: {len(problems)} problems", *(f"  {text}" for text in problems)])
