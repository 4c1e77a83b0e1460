"""Linear equations over two elements: the least number whose masked parities are given."""

import random
from collections.abc import Mapping
from typing import Any

from envgen.fused.problem import Problem, Values
from envgen.fused.types import Int, List

LEAST, MOST, WIDEST = 6, 100, 59


def sample(rng: random.Random, level: int, bound: Mapping[str, Any]) -> Values | None:
    """8 + level equations in one or two more unknown bits; with given bits as many masks, with given masks as many bits."""
    amount = len(bound.get("masks", bound.get("bits", []))) or min(8 + level, 40)
    width = min(amount + 1 + rng.randrange(2), WIDEST)
    masks = [rng.randrange(1, 1 << width) for _ in range(amount)]
    return {"masks": bound.get("masks", masks), "bits": bound.get("bits", [rng.randrange(2) for _ in range(amount)])}


def solve(values: Mapping[str, Any]) -> int:
    """Gauss-Jordan elimination on integers.

    Pivots are lowest bits, so that the unknowns left free, which become 0, are as high as can be: that gives the least solution.
    """
    rows: list[tuple[int, int]] = []
    for mask, bit in zip(values["masks"], values["bits"], strict=False):
        for other, other_bit in rows:
            if mask & other & -other:
                mask, bit = mask ^ other, bit ^ other_bit
        # An equation that has come down to 0 = 0 says nothing new; one that has come down to 0 = 1 contradicts, and is dropped.
        if mask:
            low = mask & -mask
            rows = [(row ^ mask, value ^ bit) if row & low else (row, value) for row, value in rows]
            rows.append((mask, bit))
    return sum(mask & -mask for mask, bit in rows if bit)


PROBLEM = Problem(
    name="xor_system",
    topic="logic",
    ports={"masks": List(Int(0, 2**WIDEST - 1), LEAST, MOST), "bits": List(Int(0, 1), LEAST, MOST)},
    out=Int(0, 2**WIDEST - 1, "code"),
    sample=sample,
    solve=solve,
    unique="canonical",
    wordings=(
        "the least non-negative integer x such that, for i = 1, 2, ..., the number of 1s in the binary form of (x AND m_i) is odd if "
        "b_i is 1 and even if b_i is 0, m_1, m_2, ... being {masks} and b_1, b_2, ... being {bits}, where a condition that no x can "
        "meet together with the conditions kept before it is dropped, and where one list is longer its surplus is ignored",
        "the smallest number from 0 up whose parities under the bit masks {masks} (a parity is the exclusive or of those binary digits "
        "of the number that the mask selects by digits 1 of its own) are, in this order, {bits}; masks and parities are paired off "
        "until either list ends, and a pair is passed over when it is at odds with the pairs accepted so far, taken from left to right",
        "the value sum of x_j * 2^j of that solution of a system of linear equations over GF(2) for which this value is lowest: "
        "equation k says that the x_j whose j is the place of a 1 in the binary expansion of entry k of {masks} (the units digit being "
        "place 0) add up to entry k of {bits} modulo 2, there are as many equations as the shorter list has entries, and every equation"
        " that would make the ones retained among its predecessors inconsistent is left out",
        "the total weight, as small as possible, of a set of coins with different weights 1, 2, 4, 8, ... after a clerk has been told "
        "for the sums {masks}, one after the other, each paid with different coins, whether the set shares an odd number of coins with "
        "it (a 1 in {bits}) or an even number, perhaps none (a 0); the clerk believes every statement that is possible given those "
        "believed before, disbelieves the others, and hears no more once sums or statements run out",
        "a secret key, namely the lowest of all keys (0 is one too) that agree with what leaked: to the questions {masks} the replies "
        "{bits} were heard, in step and only for as long as both last; a true reply to question q is 1 exactly when key and q, in "
        "binary, have an odd number of positions at which both have a 1, and a reply is held to be false, and disregarded, when no key "
        "fits it and all earlier replies held to be true",
    ),
)
