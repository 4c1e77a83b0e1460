"""Modular exponentiation."""

import random
from collections.abc import Mapping
from typing import Any

from envgen.fused.problem import Problem, Values
from envgen.fused.types import Int

MOST = 10**9
# Small moduli would make answers that are easily guessed.
LEAST_MODULUS = 97


def sample(rng: random.Random, level: int, bound: Mapping[str, Any]) -> Values | None:
    """Bases and exponents of level + 2 digits; the modulus is odd, so that not every other power is 0."""
    size = min(10 ** (level + 2), MOST)
    values: Values = {
        "base": bound.get("base", rng.randint(2, size)),
        "exponent": bound.get("exponent", rng.randint(3, size)),
        "modulus": bound.get("modulus", rng.randrange(LEAST_MODULUS, LEAST_MODULUS + 10 * size, 2)),
    }
    return values if values["modulus"] >= LEAST_MODULUS and values["exponent"] >= 0 else None


def solve(values: Mapping[str, Any]) -> int:
    """Python's own three-argument power."""
    base, exponent, modulus = (int(values[name]) for name in ("base", "exponent", "modulus"))
    return pow(base, exponent, modulus)


PROBLEM = Problem(
    name="mod_pow",
    topic="numbers",
    ports={"base": Int(0, 10**18), "exponent": Int(0, 10**18), "modulus": Int(LEAST_MODULUS, 10**12)},
    out=Int(0, 10**12),
    sample=sample,
    solve=solve,
    wordings=(
        "the remainder when {base} raised to the power {exponent} is divided by {modulus}",
        "{base}^{exponent} mod {modulus}, as the least non-negative residue",
        "what is left over after multiplying {exponent} copies of {base} together and taking away multiples of {modulus} until the rest "
        "lies in 0 to {modulus} - 1",
        "the residue class modulo {modulus} of the {exponent}-th power of {base}, named by its smallest member that is not negative",
        "the final value of a register that starts at 1 and is {exponent} times multiplied by {base}, reduced modulo {modulus} each time",
    ),
)
