"""The register against lists of bits, lowest first."""

from collections.abc import Mapping
from typing import Any

from library_checks import check

from envgen.fused.library.encoding.lfsr_stream import PROBLEM

WIDTH = 48


def independent(values: Mapping[str, Any]) -> list[int]:
    register = [int(values["seed"] // 2**place % 2) for place in range(WIDTH)]
    taps = [int(values["taps"] // 2**place % 2) for place in range(WIDTH)]
    out: list[int] = []
    while len(out) < values["n"]:
        out.append(register.pop(0))
        register.append(0)
        if out[-1]:
            register = [int(bit != tap) for bit, tap in zip(register, taps, strict=True)]
    return out


def test_lfsr_stream() -> None:
    check(PROBLEM, independent)


def test_by_hand() -> None:
    # 1 -> 12 -> 6 -> 3 -> 13 -> 10 -> 5 -> 14 -> 7: a maximal register of four bits.
    assert PROBLEM.solve({"taps": 12, "seed": 1, "n": 9}) == [1, 0, 0, 1, 1, 0, 1, 0, 1]
    # A seed wider than the mask is shifted out.
    assert PROBLEM.solve({"taps": 1, "seed": 2**9, "n": 11}) == [0] * 9 + [1, 1]
