"""Elementary cellular automata on a circle of cells."""

import random
from collections.abc import Mapping
from typing import Any

from envgen.fused.problem import Problem, Values
from envgen.fused.types import Int, List

# Rules under which most rows neither die out nor stand still soon; a bound rule may be any.
LIVELY = (30, 45, 54, 60, 62, 73, 75, 86, 89, 90, 101, 102, 105, 106, 110, 120, 122, 124, 126, 129, 131, 135, 137, 145, 147, 149, 150, 151,
          153, 154, 161, 165, 166, 169, 180, 182, 183, 193, 195, 225)  # fmt: skip


def sample(rng: random.Random, level: int, bound: Mapping[str, Any]) -> Values | None:
    """Odd circles from 9 cells on, and 3 + level generations at least."""
    width = min(9 + 2 * level, 99)
    bits = bound.get("bits", [rng.randrange(2) for _ in range(width)])
    return {
        "rule": bound.get("rule", rng.choice(LIVELY)),
        "bits": bits,
        "k": bound.get("k", rng.randint(min(3 + level, 60), min(6 + 2 * level, 120))),
    }


def solve(values: Mapping[str, Any]) -> list[int]:
    """Whole rows as integers, cell 0 highest: one mask for each neighbourhood of the rule."""
    bits, rule = values["bits"], int(values["rule"])
    width = len(bits)
    full, row = (1 << width) - 1, int("".join(map(str, bits)), 2)
    patterns = [number for number in range(8) if rule >> number & 1]
    for _ in range(values["k"]):
        left = row >> 1 | (row & 1) << (width - 1)
        right = (row << 1 & full) | row >> (width - 1)
        born = 0
        for pattern in patterns:
            born |= (left if pattern & 4 else ~left) & (row if pattern & 2 else ~row) & (right if pattern & 1 else ~right)
        row = born & full
    return [int(letter) for letter in f"{row:0{width}b}"]


PROBLEM = Problem(
    name="eca_run",
    topic="automata",
    ports={"rule": Int(0, 255), "bits": List(Int(0, 1), 5, 300), "k": Int(1, 2000)},
    out=List(Int(0, 1), 5, 300, tag="bits"),
    sample=sample,
    solve=solve,
    wordings=(
        "the row of cells after {k} steps of the elementary cellular automaton with Wolfram rule number {rule}, started from {bits}, on"
        " a circle (the first and the last cell are neighbours)",
        "what {bits} becomes when it is replaced {k} times by the list whose entry i is bit number 4*l + 2*c + r of the number {rule} "
        "(bit 0 being the lowest), where c is the old entry i, l the old entry before it and r the one after it, the ends being joined",
        "generation {k} of a ring of 0s and 1s that is {bits} as generation 0: a cell and its two neighbours, read from left to right "
        "as a binary number from 0 to 7, pick the place, counted from 0 at the least significant end, in the eight binary digits of "
        "{rule} where the cell's next state stands; all cells change at once",
        "the states, in the original order, of lamps that stand in a closed circle and show {bits} before the first of {k} beats; at "
        "every beat each lamp becomes floor({rule} / 2^v) mod 2, with v equal to four times its left neighbour plus twice itself plus "
        "its right neighbour just before the beat, and the lamp listed last is the left neighbour of the first",
        "the list of bits left in a cyclic register holding {bits} once {k} synchronous updates by the eight-entry table of {rule} are "
        "over; entry v of the table, v from 0 to 7, is the digit of that number worth 2^v, and a position looks up the three-digit "
        "binary number made of its predecessor, itself and its successor, indices taken around the end",
    ),
)
