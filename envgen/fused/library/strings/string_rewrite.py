"""Leftmost rewriting for a number of steps."""

import random
from collections.abc import Mapping
from typing import Any

from envgen.fused.problem import Problem, Values
from envgen.fused.types import Int, List, Str, Tuple

MOST, MOST_STEPS, MOST_RULES, MOST_GROWTH, TRIES = 160, 60, 6, 4, 20
LETTERS = "abcd"


def sample(rng: random.Random, level: int, bound: Mapping[str, Any]) -> Values | None:
    """The first of a few drawn systems that still moves at its last step and at the one after; else the last drawn one."""
    values: Values = {}
    for _ in range(TRIES):
        values = _drawn(rng, level, bound)
        states = _states(values["rules"], values["text"], values["steps"] + 1)
        if len(states) > values["steps"] + 1 and states[-1] not in states[-4:-1] and states[-2] != values["text"]:
            break
    return values


def _drawn(rng: random.Random, level: int, bound: Mapping[str, Any]) -> Values:
    text = bound.get("text", "")
    seen = "".join(sorted(set(text))) or "".join(sorted({c for rule in bound.get("rules", ()) for c in rule[0]}))
    letters = (seen + LETTERS)[: max(3, min(len(seen), 5))]
    text = text or "".join([rng.choice(letters) for _ in range(min(6 + level, 30) + rng.randrange(3))])
    return {
        "rules": bound.get("rules") or _rules(rng, level, text, letters),
        "text": text,
        "steps": bound.get("steps", rng.randint(3, min(8 + 2 * level, MOST_STEPS))),
    }


def _rules(rng: random.Random, level: int, text: str, letters: str) -> list[list[str]]:
    """Left sides that occur in the text or may come up, each once; right sides about as long, which do not merely grow in place."""
    count, rules = min(3 + level // 2, MOST_RULES), dict[str, str]()
    for number in range(count + 3):
        start = rng.randrange(max(len(text) - 1, 1))
        left = text[start : start + 2] if number < 2 else "".join([rng.choice(letters) for _ in range(2)])
        right = "".join([rng.choice(letters) for _ in range(rng.choice((1, 2, 2, 3, 3)))])
        if len(rules) < count and not right.startswith(left):
            rules.setdefault(left, right)
    return [[left, right] for left, right in rules.items()] or [[text[0], letters[-1] + letters[0]]]


def _states(rules: list[list[str]], text: str, steps: int) -> list[str]:
    """The text before the first step and after each one that a rule still applies to."""
    states = [text]
    for _ in range(steps):
        places = [(place, number) for number, (left, _) in enumerate(rules) if (place := text.find(left)) >= 0]
        if not places:
            break
        place, number = min(places)
        left, right = rules[number]
        text = text[:place] + right + text[place + len(left) :]
        states.append(text)
    return states


def solve(values: Mapping[str, Any]) -> str:
    """Step by step."""
    return _states(values["rules"], values["text"], values["steps"])[-1]


PROBLEM = Problem(
    name="string_rewrite",
    topic="strings",
    ports={
        "rules": List(Tuple((Str("", 1, 4), Str("", 0, MOST_GROWTH)), ("from", "to")), 1, MOST_RULES),
        "text": Str("", 1, MOST),
        "steps": Int(1, MOST_STEPS),
    },
    out=Str("", 0, 400),
    sample=sample,
    solve=solve,
    wordings=(
        "the text that {steps} rewriting steps make of {text} with the rules {rules}, where [u, v] means that u may be replaced by "
        "v: each step replaces the one occurrence of a left side u that begins furthest to the left, the rule listed first winning "
        "if several begin there, and once no left side occurs the text stays as it is",
        "the state of a Markov-like machine after {steps} ticks, its tape being {text} at first; in a tick it looks from the left "
        "for the first position at which the first part of one of the pairs {rules} begins, takes the earliest listed pair of "
        "those that match at this position, and puts the second part in place of the matched piece; a tick without any match "
        "changes nothing",
        "s_{steps}, where s_0 = {text} and s_(i+1) comes from s_i by finding the smallest index at which some a with [a, b] in "
        "{rules} is a substring, choosing the first such [a, b] of the list, and exchanging a at that index for b, or equals s_i "
        "if there is no such index",
        "what is on the blackboard after pupils have come forward {steps} times, if it reads {text} to begin with and each pupil "
        "changes only the leftmost place where an entry of the table {rules} (rows: old piece, new piece) can be used, preferring "
        "the upper row when two old pieces start at the same letter, and goes back without writing when no row can be used",
        "the result of running `for _ in range({steps})` over the word {text} with a body that performs a single leftmost "
        "substitution according to the ordered list {rules} of [pattern, replacement] pairs; position counts before list order, "
        "patterns are plain text, and a body that finds no pattern leaves the word alone",
    ),
)
