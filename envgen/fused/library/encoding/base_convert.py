"""Numerals in bases 2 to 36."""

import random
from collections.abc import Mapping
from typing import Any

from envgen.fused.problem import Problem, Values
from envgen.fused.types import Int, Str

DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
# Base ten would show the number as it stands in the question; a bound base ten is taken all the same.
BASES = tuple(base for base in range(2, 37) if base != 10)


def sample(rng: random.Random, level: int, bound: Mapping[str, Any]) -> Values | None:
    """Numbers of level + 3 decimal digits, up to 18."""
    size = 10 ** (min(level, 15) + 3)
    return {"n": bound.get("n", rng.randrange(size // 10, size)), "base": bound.get("base", rng.choice(BASES))}


def solve(values: Mapping[str, Any]) -> str:
    """Repeated division; at least one digit."""
    rest, base = int(values["n"]), int(values["base"])
    digits: list[str] = []
    while rest or not digits:
        rest, digit = divmod(rest, base)
        digits.append(DIGITS[digit])
    return "".join(reversed(digits))


PROBLEM = Problem(
    name="base_convert",
    topic="encoding",
    ports={"n": Int(0, 10**18), "base": Int(2, 36)},
    out=Str(DIGITS, 1, 60),
    sample=sample,
    solve=solve,
    wordings=(
        "the numeral of {n} in base {base}, most significant digit first and without leading zeros, where the lower-case letters a to z"
        " are the digits ten to thirty-five and the number zero is 0",
        "{n} written to the radix {base}, with a for 10, b for 11 and so on up to z for 35, unpadded (a single 0 stands for nothing at "
        "all)",
        "what the remainders spell, the last one first, when {n} is divided by {base}, the whole quotient again by the same divisor, "
        "and so on until the quotient is 0 (one division at least), each remainder above 9 being shown as a lower-case letter, a = 10 "
        "to z = 35",
        "the shortest text of one or more characters, all among the first {base} of 0123456789abcdefghijklmnopqrstuvwxyz, whose value "
        "by place is {n} when a character counts as much as its position in that row, from 0",
        "the display of a counter that has gone up {n} times from 0 and whose wheels carry {base} symbols each (0 to 9, then a, b, c "
        "... in lower case), wheels that have never moved not being shown, save that a counter which has not moved at all shows one 0",
    ),
)
