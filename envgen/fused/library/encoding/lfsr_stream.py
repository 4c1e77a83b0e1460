"""The bit stream of a linear feedback shift register in Galois form."""

import random
from collections.abc import Mapping
from typing import Any

from envgen.fused.problem import Problem, Values
from envgen.fused.types import Int, List

WIDEST = 40


def sample(rng: random.Random, level: int, bound: Mapping[str, Any]) -> Values | None:
    """Registers of 8 + level bits and streams half as long again; the taps' top bit is set, so that no bit is lost for good."""
    width = min(8 + level, WIDEST)
    top = 1 << (width - 1)
    return {
        "taps": bound.get("taps", top + rng.randrange(top)),
        "seed": bound.get("seed", rng.randrange(1, 2 * top)),
        "n": bound.get("n", rng.randint(width + 4, width + 4 + width // 2)),
    }


def solve(values: Mapping[str, Any]) -> list[int]:
    """Shift, and feed back where the bit that fell out is 1."""
    taps, state = int(values["taps"]), int(values["seed"])
    out = []
    for _ in range(values["n"]):
        bit = state & 1
        state = (state >> 1) ^ (taps if bit else 0)
        out.append(bit)
    return out


PROBLEM = Problem(
    name="lfsr_stream",
    topic="encoding",
    ports={"taps": Int(1, 10**12), "seed": Int(1, 10**12), "n": Int(8, 300)},
    out=List(Int(0, 1), 8, 300, tag="bits"),
    sample=sample,
    solve=solve,
    wordings=(
        "the first {n} output bits, in order, of a Galois shift register that starts as {seed}: each step puts out the lowest bit, "
        "shifts the register right by one place, and, if the bit put out was 1, XORs the register with the mask {taps}",
        "the list of s mod 2 for the first {n} terms of the sequence with s = {seed} at first and each later term equal to floor(s/2), "
        "or to floor(s/2) XOR {taps} when s is odd",
        "the key stream of length {n} made by a machine that holds one number, at first {seed}, and again and again notes 0 for an even"
        " number and 1 for an odd one, then halves it, rounding down, and after an odd number flips those binary digits of the half "
        "that are set in {taps}",
        "the parities, 0 or 1, seen during {n} rounds, each before its change, of a register with feedback mask {taps} and initial "
        "content {seed}, where a round drops the last binary digit and combines what remains with the mask by exclusive or exactly if "
        "the dropped digit is 1",
        "{n} bits, earliest first, that leave a right-shifting register at its low end; loaded with {seed}, it takes the feedback "
        "{taps} by bitwise exclusive or directly after every shift that pushes out a 1, and no feedback after the others",
    ),
)
