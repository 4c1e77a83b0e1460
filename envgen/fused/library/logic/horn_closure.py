"""What follows from facts by rules: the least model of Horn clauses over numbered atoms."""

import random
from collections.abc import Mapping, Sequence
from typing import Any

from envgen.fused.problem import Problem, Values
from envgen.fused.types import Int, List, Tuple

MOST = 10**18
RULE = Tuple((List(Int(-MOST, MOST), 1, 6), Int(-MOST, MOST)), names=("conditions", "conclusion"))
Rule = list[Any]


def sample(rng: random.Random, level: int, bound: Mapping[str, Any]) -> Values | None:
    """7 + 2 * level rules, about two in three of which apply; facts from elsewhere are atoms as they stand."""
    pool = _atoms(rng, 4 * (min(level, 40) + 10))
    facts = bound.get("facts")
    if facts is None and "rules" in bound:
        named = list(dict.fromkeys(atom for body, _ in bound["rules"] for atom in body))
        facts = rng.sample(named, min(len(named), 3))
    elif facts is None:
        facts = [pool.pop() for _ in range(3 + min(level // 2, 12))]
    rules = bound["rules"] if "rules" in bound else _rules(rng, min(7 + 2 * level, 80), facts, pool)
    return {"rules": rules, "facts": facts}


def _atoms(rng: random.Random, amount: int) -> list[int]:
    return rng.sample(range(1, max(99, 2 * amount) + 1), amount)


def _rules(rng: random.Random, amount: int, facts: Sequence[int], pool: Sequence[int]) -> list[Rule]:
    """Rules that apply one after the other, among others each of which waits for an atom that nothing gives."""
    known = list(dict.fromkeys(facts))
    fresh = [atom for atom in pool if atom not in facts]
    rules: list[Rule] = []
    for number in range(amount):
        body = rng.sample(known[-8:], min(len(known), rng.randint(1, 3)))
        head = fresh.pop()
        if number == 0 or rng.randrange(3):
            known.append(head)
            rules.append([body, head])
        else:
            body[rng.randrange(len(body))] = fresh.pop()
            rules.append([body, head])
    rng.shuffle(rules)
    return rules


def solve(values: Mapping[str, Any]) -> list[int]:
    """Count for each rule the conditions that are still open; a rule with none left gives its conclusion."""
    waiting: dict[int, list[int]] = {}
    still = []
    for number, (body, _) in enumerate(values["rules"]):
        conditions = dict.fromkeys(body)
        still.append(len(conditions))
        for atom in conditions:
            waiting.setdefault(atom, []).append(number)
    known = dict.fromkeys(values["facts"])
    agenda = list(known)
    while agenda:
        for number in waiting.get(agenda.pop(), ()):
            still[number] -= 1
            head = values["rules"][number][1]
            if not still[number] and head not in known:
                known[head] = None
                agenda.append(head)
    return sorted(known)


PROBLEM = Problem(
    name="horn_closure",
    topic="logic",
    ports={"rules": List(RULE, 1, 120, tag="horn"), "facts": List(Int(-MOST, MOST), 1, 200)},
    out=List(Int(-MOST, MOST), 1, 320, unique=True, ordered=True),
    sample=sample,
    solve=solve,
    wordings=(
        "the ascending list, without repeats, of all atoms that follow from the facts {facts} by the rules {rules}, the facts "
        "themselves included; atoms are integers, and a rule [conditions, conclusion] gives its conclusion once all of its conditions "
        "hold",
        "the smallest set of integers, in increasing order, that has every member of {facts} in it and that, for each pair [P, q] in "
        "{rules} with all of P in the set, has q in it too",
        "everything known in the end, each number once and from the least to the greatest, to somebody who knows {facts} at first and "
        "again and again learns the last entry of an item of {rules} as soon as every number in the item's first entry is known, until "
        "nothing new can be learnt",
        "the members, sorted upwards and each listed once, of the least model of the definite Horn clauses {rules} (each is written as "
        "[body, head], with the meaning that the head is true if all atoms of the body are true) together with the unit clauses for the"
        " numbers {facts}",
        "what a workshop that has parts of the kinds {facts} can have, given unlimited supplies of each kind it has and the recipes "
        "{rules}, whose first element lists the kinds needed (all of them) and whose second is the kind made: all kinds bought or made,"
        " directly or through other recipes, by number in rising order, none of them twice",
    ),
)
