"""Simultaneous congruences: the first number from a start on that fits them all."""

import random
from collections.abc import Mapping
from math import gcd, isqrt, prod
from typing import Any

from envgen.fused.problem import Problem, Values
from envgen.fused.types import Int, List

MOST_PAIRS, MOST_DRAWN, MOST_START = 10, 8, 10**18
PRIMES = [2, 3, *(p for p in range(5, 100, 2) if all(p % q for q in (3, 5, 7)) or p in (5, 7))]


def sample(rng: random.Random, level: int, bound: Mapping[str, Any]) -> Values | None:
    """Moduli are powers of different primes, so any remainders fit; the start lies many periods in, so that it matters."""
    moduli = bound.get("moduli") or _moduli(rng, level, bound)
    period = prod(moduli)
    start = bound.get("start", rng.randrange(min(20 * period, MOST_START)))
    secret = rng.randrange(period)
    values: Values = {"remainders": bound.get("remainders", [secret % m for m in moduli]), "moduli": moduli, "start": start}
    try:
        solve(values)
    except ValueError:
        return None
    return values


def _moduli(rng: random.Random, level: int, bound: Mapping[str, Any]) -> list[int]:
    """A start that is given asks for a short period: else the next one would mostly be reached from it as well."""
    count, limit = min(2 + (level + 1) // 2, MOST_DRAWN), min(20 * (level + 2), 100)
    if "start" in bound:
        count, limit = 2, min(limit, max(7, isqrt(bound["start"]) // 2))
    count = len(bound.get("remainders", range(count)))
    primes = [p for p in PRIMES if p <= limit]
    chosen = rng.sample(primes if len(primes) >= count else PRIMES[: count + 2], count)
    return [_power(rng, prime, limit) for prime in chosen]


def _power(rng: random.Random, prime: int, limit: int) -> int:
    powers = [prime]
    while powers[-1] * prime <= limit:
        powers.append(powers[-1] * prime)
    return rng.choice(powers[len(powers) // 2 :])


def solve(values: Mapping[str, Any]) -> int:
    """Merge the congruences one by one, then move to the first solution that is not below the start."""
    found, step = 0, 1
    for remainder, modulus in zip(values["remainders"], values["moduli"], strict=True):
        shared = gcd(step, modulus)
        if (remainder - found) % shared:
            raise ValueError("the congruences contradict each other")
        part = modulus // shared
        found += step * ((remainder - found) // shared * pow(step // shared, -1, part) % part)
        step *= part
    start = int(values["start"])
    return start + (found - start) % step


PROBLEM = Problem(
    name="crt",
    topic="numbers",
    ports={
        "remainders": List(Int(), 1, MOST_PAIRS),
        "moduli": List(Int(2, 1000), 1, MOST_PAIRS),
        "start": Int(0, MOST_START),
    },
    out=Int(0, 10**31),
    sample=sample,
    solve=solve,
    wordings=(
        "the least integer x that is at least {start} and is congruent to each number of {remainders} modulo the number at the "
        "same place of {moduli}",
        "the first member, not below {start}, of the arithmetic progression in which all congruences hold at once, where the i-th "
        "congruence fixes the class modulo the i-th entry of {moduli} as that of the i-th entry of {remainders}",
        "the smallest whole number y >= {start} such that, for every position i, the i-th modulus divides y minus r_i, with moduli "
        "{moduli} and r_1, r_2, ... being {remainders}",
        "with wheels of {moduli} teeth that stand at 0 when a counter reads 0 and move on by one tooth per count, the lowest "
        "counter reading from {start} inclusive upwards at which every wheel stands where {remainders} says, taken modulo its "
        "number of teeth",
        "the moment, in seconds and not before second {start} (that second itself is allowed), at which lamps with the periods "
        "{moduli} all flash together for the first time, if the lamp at each place of the list flashes at exactly those seconds "
        "that differ by a multiple of its period from the entry at its place in {remainders}",
    ),
)
