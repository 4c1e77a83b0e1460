"""The least solution, bit after bit from the top: 0 wherever the equations still have a solution."""

from collections.abc import Mapping
from typing import Any

from library_checks import check

from envgen.fused.library.logic.xor_system import PROBLEM


def solvable(equations: list[tuple[frozenset[int], int]]) -> bool:
    """True when the equations over sets of unknowns have a solution: one unknown after the other is put out of the others."""
    while equations:
        (names, value), *rest = equations
        if not names and value:
            return False
        pivot = min(names, default=-1)
        equations = [(other ^ names, bit ^ value) if pivot in other else (other, bit) for other, bit in rest]
    return True


def independent(values: Mapping[str, Any]) -> int:
    left: list[tuple[frozenset[int], int]] = []
    for mask, bit in list(zip(values["masks"], values["bits"], strict=False)):
        equation = (frozenset(place for place in range(mask.bit_length()) if mask >> place & 1), bit)
        left += [equation] if solvable([*left, equation]) else []
    total = 0
    for place in reversed(range(max(mask.bit_length() for mask in values["masks"]))):
        zero = [(names - {place}, bit) for names, bit in left]
        if not solvable(zero):
            zero, total = [(names - {place}, bit ^ (place in names)) for names, bit in left], total + 2**place
        left = zero
    return total


def test_xor_system() -> None:
    check(PROBLEM, independent)


def test_by_hand() -> None:
    # Every bit by itself, and one equation twice.
    assert PROBLEM.solve({"masks": [1, 2, 4, 8, 16, 16], "bits": [1, 0, 1, 0, 1, 1]}) == 21
    # Only the exclusive or of two bits is known: the lower one is set.
    assert PROBLEM.solve({"masks": [3, 0, 0, 0, 0, 0], "bits": [1, 0, 0, 0, 0, 0]}) == 1


def test_every_number_is_tried() -> None:
    masks, bits = [0b1011001, 0b0110110, 0b1111111, 0b0010101, 0b1100010, 0b0001111], [1, 0, 1, 1, 0, 1]
    least = next(x for x in range(128) if all(bin(x & mask).count("1") % 2 == bit for mask, bit in zip(masks, bits, strict=True)))
    assert PROBLEM.solve({"masks": masks, "bits": bits}) == least


def test_contradictions_and_surplus() -> None:
    # The second equation contradicts the first; the sixth follows from the third and the fifth but for its bit.
    assert PROBLEM.solve({"masks": [1, 1, 2, 4, 8, 10], "bits": [1, 0, 0, 1, 1, 0]}) == 13
    assert PROBLEM.solve({"masks": [1, 2, 4, 8, 16, 32], "bits": [0, 0, 0, 0, 0, 1, 1]}) == 32
    assert PROBLEM.solve({"masks": [1, 2, 4, 8, 16, 32, 64], "bits": [0, 1, 0, 0, 0, 0]}) == 2
