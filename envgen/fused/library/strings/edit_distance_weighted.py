"""The least cost of turning one text into another."""

import random
from collections.abc import Mapping
from typing import Any

from envgen.fused.problem import Problem, Values
from envgen.fused.types import Int, Str

MOST, MOST_COST = 80, 10**12
LETTERS = "abcdefgh"


def sample(rng: random.Random, level: int, bound: Mapping[str, Any]) -> Values | None:
    """Costs of the same order, a substitution below two gaps, so that both kinds of step are used."""
    gap = bound.get("gap")
    if gap is None:
        swap = bound.get("swap", rng.randint(20, 99 + 100 * min(level, 10**6)))
        gap = rng.randint(swap // 2 + 1, max(swap + swap // 4, swap // 2 + 2))
    swap = bound.get("swap", rng.randint(max(gap // 2, 1), max(2 * gap - 1, 1)))
    given = bound.get("first") or bound.get("second") or ""
    pool = given if len(given) > 3 else "".join(sorted(set(given + LETTERS[: min(4 + level, 8)])))
    size = min(7 + level, 50)
    texts = {name: bound.get(name, "".join([rng.choice(pool) for _ in range(size + rng.randrange(4))])) for name in ("first", "second")}
    return {**texts, "gap": min(gap, MOST_COST), "swap": min(swap, MOST_COST)}


def solve(values: Mapping[str, Any]) -> int:
    """Row by row over the prefixes of the second text."""
    first, second, gap, swap = (values[name] for name in ("first", "second", "gap", "swap"))
    row = [gap * size for size in range(len(second) + 1)]
    for letter in first:
        corner, left = row[0], row[0] + gap
        here = [left]
        for j, other in enumerate(second, 1):
            above = row[j]
            best = corner if letter == other else corner + swap
            if above + gap < best:
                best = above + gap
            if left + gap < best:
                best = left + gap
            here.append(best)
            corner, left = above, best
        row = here
    return int(row[-1])


PROBLEM = Problem(
    name="edit_distance_weighted",
    topic="strings",
    ports={"first": Str("", 1, MOST), "second": Str("", 1, MOST), "gap": Int(1, MOST_COST), "swap": Int(1, MOST_COST)},
    out=Int(0, 2 * MOST * MOST_COST),
    sample=sample,
    solve=solve,
    wordings=(
        "the least total cost of turning {first} into {second} one character at a time, where putting in or taking out a character "
        "costs {gap} and changing a character into a different one costs {swap}",
        "the weighted edit distance between {first} and {second} for insertions and deletions of weight {gap} each and "
        "substitutions of weight {swap}, characters that match being free",
        "the price of the cheapest alignment of the two rows {first} and {second}: columns pair equal characters for nothing, pair "
        "unequal ones for {swap}, or leave a character of either row without a partner for {gap}; order is kept and every "
        "character is in one column",
        "the length of the shortest path from the top left to the bottom right corner of a grid whose rows belong to the "
        "characters of {first} and whose columns belong to those of {second}, if a step right or down has length {gap} and a "
        "diagonal step across a cell has length 0 if its row and its column show the same character and {swap} if not",
        "the smallest sum, over all scripts that edit {first} until it reads {second}, of {gap} for each character typed or erased "
        "plus {swap} for each one overtyped, with upper and lower case counting as different",
    ),
)
