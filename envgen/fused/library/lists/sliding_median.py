"""The medians of all windows."""

import random
from bisect import bisect_left, insort
from collections.abc import Mapping
from typing import Any

from envgen.fused.problem import Problem, Values
from envgen.fused.types import Int, List

MOST, MOST_WINDOW = 120, 100


def sample(rng: random.Random, level: int, bound: Mapping[str, Any]) -> Values | None:
    """Windows of three to seven items at level 0 over a list that holds some five to nine of them."""
    if "items" in bound:
        most = min(len(bound["items"]) - 1, 7 + level, MOST_WINDOW)
        window = bound.get("window", rng.randint(min(3, most), most) if most >= 2 else 2)
    else:
        window = bound.get("window", rng.randint(3, min(7 + level, 40)))
    size = window + 4 + rng.randrange(4) + min(level, 12)
    items = bound.get("items") or [rng.randint(1, 99 + 50 * min(level, 10**6)) for _ in range(size)]
    return {"items": items, "window": window} if window <= len(items) else None


def solve(values: Mapping[str, Any]) -> list[int]:
    """One sorted window that takes in one item and lets one go at each step."""
    items, window = values["items"], values["window"]
    if window > len(items):
        raise ValueError("the window is longer than the list")
    held, middle = sorted(items[:window]), (window - 1) // 2
    medians = [held[middle]]
    for leaving, coming in zip(items, items[window:], strict=False):
        del held[bisect_left(held, leaving)]
        insort(held, coming)
        medians.append(held[middle])
    return medians


PROBLEM = Problem(
    name="sliding_median",
    topic="lists",
    ports={"items": List(Int(), 2, MOST), "window": Int(2, MOST_WINDOW)},
    out=List(Int(), 1, MOST - 1),
    sample=sample,
    solve=solve,
    wordings=(
        "the list of the medians of every {window} consecutive numbers of {items}, from left to right, where the median of an even "
        "count is the lower of the two middle numbers",
        "for each stretch of length {window} that lies fully inside {items}, taken in order of where it starts, its entry at index "
        "floor(({window} - 1) / 2), counted from 0, after sorting the stretch in ascending order",
        "the readings of a running median filter with a window of {window} places that moves one place at a time over {items}, "
        "without any padding at either end and with the smaller middle value whenever there are two",
        "the sequence b_0, b_1, ... with b_i the ceil({window} / 2)-th smallest of the terms a_i up to a_(i + {window} - 1), "
        "repeated terms counted separately, for all i from 0 for which these terms exist, a = {items}",
        "what a clerk notes who has the last {window} of the prices {items} in view, starts as soon as that many have come in, and "
        "after each price writes down the one such that as many of the others in view rank below it as above it, or one more above "
        "than below if that is not possible, equal prices being ranked in any way",
    ),
)
