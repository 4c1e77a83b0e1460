"""The longest increasing subsequence through a given number, the least one of them."""

import random
from collections.abc import Mapping
from typing import Any

from envgen.fused.problem import Problem, Values
from envgen.fused.types import Int, List

MOST, HUGE_PIVOT = 80, 10**17


def sample(rng: random.Random, level: int, bound: Mapping[str, Any]) -> Values | None:
    """The pivot lies near the middle of the items, so that both halves have items that fit."""
    items = bound.get("items")
    if items is None:
        centre = bound.get("pivot", 100 + 50 * min(level, 10**6))
        width = 80 + 20 * min(level, 50)
        items = [centre + rng.randint(-width, width) for _ in range(min(12 + level + rng.randrange(4), MOST - 1))]
    middle = sorted(items)[len(items) // 2] + rng.randint(-9, 9)
    return {"items": items, "pivot": bound.get("pivot", max(-HUGE_PIVOT, min(middle, HUGE_PIVOT)))}


def solve(values: Mapping[str, Any]) -> list[int]:
    """Chain lengths from the right, then the least item at each step that still leads to a longest chain."""
    items, pivot = values["items"], values["pivot"]
    half = len(items) // 2
    # What cannot stand in a chain with the pivot is left out; then every longest chain holds it.
    row = [item for item in items[:half] if item < pivot] + [pivot] + [item for item in items[half:] if item > pivot]
    ahead = _ahead(row)
    wanted, place, chosen = max(ahead), -1, list[int]()
    while wanted:
        fits = [(row[i], i) for i in range(place + 1, len(row)) if ahead[i] == wanted and (not chosen or row[i] > chosen[-1])]
        # Of equal items the earliest leaves the most choice.
        item, place = min(fits)
        chosen.append(item)
        wanted -= 1
    return chosen


def _ahead(row: list[int]) -> list[int]:
    """For each place, the length of the longest chain that starts there."""
    ahead = [1] * len(row)
    for i in range(len(row) - 2, -1, -1):
        ahead[i] = 1 + max([ahead[j] for j in range(i + 1, len(row)) if row[j] > row[i]], default=0)
    return ahead


PROBLEM = Problem(
    name="lis_lexmin",
    topic="lists",
    ports={"items": List(Int(), 1, MOST - 1), "pivot": Int(-HUGE_PIVOT, HUGE_PIVOT)},
    out=List(Int(), 1, MOST, unique=True, ordered=True),
    sample=sample,
    solve=solve,
    unique="canonical",
    wordings=(
        "the longest strictly increasing subsequence that contains the new entry, once {pivot} has been inserted into {items} "
        "directly before index floor(n / 2), counted from 0, with n the length before that; of several equally long ones the "
        "lexicographically least, compared number by number",
        "the first, in dictionary order by numerical value, among all maximum-length lists of the form L + [{pivot}] + R whose "
        "numbers grow from each to the next, where L is had by deleting entries of the first half of {items} (the shorter half if "
        "the count is odd) and R by deleting entries of the second half",
        "a climber's record: walking once from left to right along the heights {items}, she may write each height down or pass it "
        "by, writes only what lies above the last height written, has to write the height {pivot} of a hut that stands behind the "
        "first floor(count / 2) of them, and ends with as many heights as anyone can; where more than one such record exists, the "
        "one with the smaller height at the first place where they differ",
        "that chain a_1 < a_2 < ... < a_m picked at increasing positions from {items} with one more element {pivot} in it, which "
        "must be picked and has exactly half of the others, rounded down, to its left; the chain has the greatest possible m and, "
        "for this m, the smallest a_1, then the smallest a_2, and so on",
        "the values along the longest path through the node H, ties going to the lexicographically smallest list of values, in the "
        "graph whose nodes are the positions of {items} and H, which has the value {pivot} and comes between position number "
        "floor(n / 2) of the n positions (numbers from 1) and the next, and whose arrows lead from each node to every later one "
        "with a greater value; a path may be H alone",
    ),
)
