"""The longest subsequence that climbs by at least a gap, the least one of them."""

import random
from collections.abc import Mapping
from typing import Any

from envgen.fused.problem import Problem, Values
from envgen.fused.types import Int, List

MOST, MOST_GAP = 80, 10**15


def sample(rng: random.Random, level: int, bound: Mapping[str, Any]) -> Values | None:
    """Gaps of up to a third of the spread of the items: with shorter ones another gap would often choose the same items."""
    items = bound.get("items")
    if items is None:
        high = 6 * bound["gap"] + 60 if "gap" in bound else 200
        items = [rng.randint(1, high) for _ in range(min(12 + level + rng.randrange(4), MOST))]
    most = min(max((max(items) - min(items)) // 3, 1), MOST_GAP)
    return {"items": items, "gap": bound.get("gap", rng.randint(1, most))}


def solve(values: Mapping[str, Any]) -> list[int]:
    """Chain lengths from the right, then the least item at each step that still leads to a longest chain."""
    items, gap = values["items"], values["gap"]
    ahead = _ahead(items, gap)
    wanted, place, chosen = max(ahead), -1, list[int]()
    while wanted:
        fits = [(items[i], i) for i in range(place + 1, len(items)) if ahead[i] == wanted and (not chosen or items[i] >= chosen[-1] + gap)]
        # Of equal items the earliest leaves the most choice.
        item, place = min(fits)
        chosen.append(item)
        wanted -= 1
    return chosen


def _ahead(items: list[int], gap: int) -> list[int]:
    """For each place, the length of the longest chain that starts there."""
    ahead = [1] * len(items)
    for i in range(len(items) - 2, -1, -1):
        least = items[i] + gap
        ahead[i] = 1 + max([ahead[j] for j in range(i + 1, len(items)) if items[j] >= least], default=0)
    return ahead


PROBLEM = Problem(
    name="lis_lexmin",
    topic="lists",
    ports={"items": List(Int(), 1, MOST), "gap": Int(1, MOST_GAP)},
    out=List(Int(), 1, MOST, unique=True, ordered=True),
    sample=sample,
    solve=solve,
    unique="canonical",
    wordings=(
        "the longest subsequence of {items} in which each number exceeds the one before it by {gap} or more (a subsequence keeps "
        "the order and may skip), and of several equally long ones the lexicographically least, compared number by number",
        "the first, in dictionary order by numerical value, among all maximum-length lists that come from deleting entries of "
        "{items} so that the difference of every remaining entry to the one on its left is at least {gap}",
        "a climber's record: walking once from left to right along the heights {items}, she may write each height down or pass it "
        "by, writes only what lies at least {gap} above the last height written, and ends with as many heights as anyone can; "
        "where more than one such record exists, the one with the smaller height at the first place where they differ",
        "that chain a_1, a_2, ..., a_m picked from {items} at increasing positions with a_(i+1) - a_i >= {gap} for 1 <= i < m "
        "which has the greatest m and, for this m, the smallest a_1, then the smallest a_2, and so on",
        "the values along the longest path, ties going to the lexicographically smallest list of values, in the graph whose nodes "
        "are the positions of {items} and whose arrows lead from each position to every later one that holds a number larger by "
        "{gap} at the least; a path may be a single node",
    ),
)
