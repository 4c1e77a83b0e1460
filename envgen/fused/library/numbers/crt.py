"""Simultaneous congruences: the n-th number that fits them all."""

import random
from collections.abc import Mapping
from itertools import cycle
from math import gcd, prod
from typing import Any

from envgen.fused.problem import Problem, Values
from envgen.fused.types import Int, List

MOST_PAIRS, MOST_DRAWN, MOST_NTH = 10, 8, 10**18
PRIMES = [2, 3, *(p for p in range(5, 100, 2) if all(p % q for q in (3, 5, 7)) or p in (5, 7))]


def sample(rng: random.Random, level: int, bound: Mapping[str, Any]) -> Values | None:
    """Moduli are powers of different primes, so any remainders fit."""
    moduli = bound["moduli"] if "moduli" in bound else _moduli(rng, level, len(bound.get("remainders", ())))
    secret = rng.randrange(prod(moduli))
    nth = bound.get("nth", rng.randint(1, 10 ** min(2 + level, 12)))
    values: Values = {"remainders": bound.get("remainders", [secret % m for m in moduli]), "moduli": moduli, "nth": nth}
    try:
        solve(values)
    except ValueError:
        return None
    return values


def _moduli(rng: random.Random, level: int, given: int) -> list[int]:
    """At least as many as there are remainders given, so that each is used, up to MOST_DRAWN."""
    limit = min(20 * (level + 2), 100)
    count = min(max(2 + (level + 1) // 2, given), MOST_DRAWN)
    primes = [p for p in PRIMES if p <= limit]
    chosen = rng.sample(primes if len(primes) >= count else PRIMES[: count + 2], count)
    return [_power(rng, prime, limit) for prime in chosen]


def _power(rng: random.Random, prime: int, limit: int) -> int:
    powers = [prime]
    while powers[-1] * prime <= limit:
        powers.append(powers[-1] * prime)
    return rng.choice(powers[len(powers) // 2 :])


def solve(values: Mapping[str, Any]) -> int:
    """Merge the congruences one by one; remainders are read in a circle."""
    found, step = 0, 1
    for remainder, modulus in zip(cycle(values["remainders"]), values["moduli"], strict=False):
        shared = gcd(step, modulus)
        if (remainder - found) % shared:
            raise ValueError("the congruences contradict each other")
        part = modulus // shared
        found += step * ((remainder - found) // shared * pow(step // shared, -1, part) % part)
        step *= part
    return int(found % step + (values["nth"] - 1) * step)


PROBLEM = Problem(
    name="crt",
    topic="numbers",
    ports={
        "remainders": List(Int(), 1, 60),
        "moduli": List(Int(2, 1000), 1, MOST_PAIRS),
        "nth": Int(1, MOST_NTH),
    },
    out=Int(0, 10**49),
    sample=sample,
    solve=solve,
    wordings=(
        "number {nth}, counted from 1, in the ascending list of all integers x >= 0 that are congruent to r_i modulo the i-th "
        "entry of {moduli} for every i, where r_1, r_2, ... runs through {remainders}, again from its start whenever it has run out",
        "the {nth}-th smallest (1-based) non-negative member of the arithmetic progression in which all congruences hold at once, "
        "one for each entry m of {moduli}, which fixes the class modulo m as that of the entry at the same place of {remainders}, "
        "read as a ring if it is too short and cut off if it is too long",
        "y + ({nth} - 1) * L, with y the least whole number from 0 on for which each m_k out of {moduli} (k = 0, 1, ...) divides "
        "the difference of y and a_(k mod n), where a_0 to a_(n-1) are {remainders}, and L the least common multiple of all m_k",
        "what a counter that starts at 0 and counts up by ones shows when, for time number {nth} (a fitting start included), all "
        "of its wheels fit, if the wheels have {moduli} teeth, each one shows the count modulo its number of teeth, and a wheel "
        "fits when it shows its own entry of {remainders} modulo the same number; wheels take these entries in order, beginning "
        "anew behind the last",
        "the second, not before second 0, at which lamps with the periods {moduli} all flash together for the {nth}-th time, if "
        "each lamp in turn is dealt the next number of {remainders}, from the first one on and in a circle, and flashes at exactly "
        "those seconds that differ from it by a multiple of the lamp's period",
    ),
)
