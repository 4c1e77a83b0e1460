"""What comes out of a heap that is filled and emptied by turns."""

import random
from collections.abc import Mapping
from heapq import heappop, heappush
from typing import Any

from envgen.fused.problem import Problem, Values
from envgen.fused.types import HUGE, Int, List

MOST, MOST_POPS, MOST_STEP = 100, 9, 10**15


def sample(rng: random.Random, level: int, bound: Mapping[str, Any]) -> Values | None:
    """One pop for each push or so, a few of them in a row; a step of the order of the items sends many items around more than once."""
    size = min(12 + 2 * level + rng.randrange(4), 100)
    step = bound.get("step")
    high = 99 + 50 * min(level, 10**6) if step is None else max(50, 4 * step)
    items = bound.get("items") or [rng.randint(1, high) for _ in range(size)]
    if step is None:
        spread = max(items) - min(items)
        step = min(rng.randint(max(1, spread // 8), max(20, spread // 2)), MOST_STEP)
    pops = bound.get("pops") or [rng.choice((0, 0, 1, 1, 2, 3)) for _ in range(len(items))]
    return {"items": items, "pops": pops, "step": step}


def solve(values: Mapping[str, Any]) -> list[int]:
    """A binary heap. The first pop after a push is final; of further ones in a row each second one goes back, raised by the step."""
    heap, popped = list[int](), list[int]()
    pops, step = values["pops"], values["step"]
    for number, item in enumerate(values["items"]):
        heappush(heap, item)
        for turn in range(pops[number % len(pops)]):
            if not heap:
                break
            least = heappop(heap)
            popped.append(least)
            if turn % 2:
                heappush(heap, least + step)
    return popped


PROBLEM = Problem(
    name="heap_trace",
    topic="trees",
    ports={"items": List(Int(), 1, MOST), "pops": List(Int(0, MOST_POPS), 1, MOST), "step": Int(0, MOST_STEP)},
    out=List(Int(-HUGE, 2 * HUGE), 0, MOST * MOST_POPS),
    sample=sample,
    solve=solve,
    wordings=(
        "the list, in order, of all numbers popped from a min-heap, at first empty, when for i = 0, 1, 2, ... entry i of {items} is pushed "
        "and then entry i mod L of {pops} (L entries) pops follow, fewer if the heap runs empty; the second, fourth, sixth, ... of the "
        "pops after one push each put the number just popped, plus {step}, straight back",
        "a hospital's record of calls: patients with the urgencies {items} (a smaller number is called earlier) arrive one by one, and "
        "after each arrival the next number of {pops}, which starts anew when it ends, says how often the most urgent waiting patient "
        "is called and his urgency written down, calls ending early if nobody waits; of such a series of calls the 1st, 3rd, ... patient "
        "is treated for good, the 2nd, 4th, ... returns at once with an urgency that is greater by {step}",
        "the concatenation of the outputs of the rounds r = 0, 1, ..., n - 1 on a multiset M that begins empty, n being the size of "
        "{items}: round r adds the r-th of these (from 0) to M and then, for j = 0, 1, ..., p - 1 and as long as M is not empty, moves "
        "the minimum m of M to its output and, if j is odd, adds m + {step} to M; p is the element of {pops} at position r modulo "
        "its length",
        "what a priority queue that always serves the least key hands out, first to last, over a day on which the keys {items} come in "
        "and each of them is followed by a burst of services whose sizes are read from {pops} over and over; within a burst every "
        "other service, not the first, re-enters its key increased by {step} before the next service, and a burst is cut short by an "
        "empty queue; keys still queued at the end of the day are not handed out",
        "the sequence of cards laid down by a player who draws the cards {items} from the top of a pile and, upon each draw, lays down as "
        "many cards as the counter shows, always the lowest in hand, stopping when the hand is empty: the counter shows {pops} in turn "
        "and begins again after the last; whenever the cards laid down since the latest draw have become an even number, the player "
        "also takes a new card into the hand that is worth {step} more than the one just laid down",
    ),
)
