"""A toy Feistel network on the two digits of a number in a large base."""

import random
from collections.abc import Mapping
from typing import Any

from envgen.fused.problem import Problem, Values
from envgen.fused.types import Int, List

LEAST_MODULUS, MOST_MODULUS, MOST = 97, 10**9, 10**18


def sample(rng: random.Random, level: int, bound: Mapping[str, Any]) -> Values | None:
    """Moduli of 3 + level / 2 digits, 2 + level / 2 rounds; the block takes up both halves."""
    size = 10 ** (3 + min(level // 2, 5))
    modulus = bound.get("modulus", rng.randrange(max(size // 10, LEAST_MODULUS), size))
    keys = [rng.randrange(1, size) for _ in range(min(2 + level // 2, 24))]
    return {"n": bound.get("n", rng.randrange(modulus, min(modulus * modulus, MOST))), "keys": bound.get("keys", keys), "modulus": modulus}


def solve(values: Mapping[str, Any]) -> int:
    """Run the rounds; a left half above the modulus is reduced by the first of them."""
    modulus = int(values["modulus"])
    left, right = divmod(int(values["n"]), modulus)
    for key in values["keys"]:
        left, right = right, (left + right * right + key) % modulus
    return left * modulus + right


PROBLEM = Problem(
    name="feistel_rounds",
    topic="encoding",
    ports={"n": Int(0, MOST), "keys": List(Int(-MOST, MOST), 1, 64), "modulus": Int(LEAST_MODULUS, MOST_MODULUS)},
    out=Int(0, MOST, "code"),
    sample=sample,
    solve=solve,
    wordings=(
        "the block that a Feistel network makes of {n}: the block is split into L = floor(block / m) and R = block mod m with m = "
        "{modulus}, for each round key K in {keys}, in order, the pair (L, R) becomes (R, (L + R*R + K) mod m), and at last the block "
        "is L*m + R",
        "{modulus} times the last but one term plus the last term of a sequence that begins with the quotient (rounded down) and the "
        "remainder of {n} on division by that same factor, and that has one more term for each key K in {keys}, taken from left to "
        "right: (term before last + square of the last + K), reduced modulo the factor to a residue from 0 up",
        "p*{modulus} + q after the simultaneous assignment p, q := q, (p + q^2 + key) mod {modulus} has been carried out once for every"
        " key of the list {keys} in the order given, from the start p = {n} div {modulus} and q = {n} mod {modulus} (all remainders "
        "non-negative)",
        "the encryption of the number {n} under the key schedule {keys} by a cipher whose rounds swap two halves and add to the former "
        "left half, modulo {modulus}, the square of the right half and the round's key; the right half is the remainder of the number "
        "by the modulus, the left half the whole quotient, they are put together again the same way after the last round, which swaps "
        "like the others, and every remainder is at least 0",
        "what {n}, read as two digits (high = everything above the lowest digit) in base {modulus}, turns into when, key after key "
        "through {keys}, the low digit moves up to the high place and the new low digit is old high + old low squared + key, less as "
        "many multiples of the base as leave it between 0 and the base minus 1",
    ),
)
