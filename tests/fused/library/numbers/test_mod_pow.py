"""Modular exponentiation against square-and-multiply written out."""

from collections.abc import Mapping
from typing import Any

from library_checks import check

from envgen.fused.library.numbers.mod_pow import PROBLEM


def independent(values: Mapping[str, Any]) -> int:
    result, power = 1 % values["modulus"], values["base"] % values["modulus"]
    for bit in reversed(bin(values["exponent"])[2:]):
        result = result * power % values["modulus"] if bit == "1" else result
        power = power * power % values["modulus"]
    return result


def test_mod_pow() -> None:
    check(PROBLEM, independent)


def test_by_hand() -> None:
    assert PROBLEM.solve({"base": 2, "exponent": 10, "modulus": 1001}) == 23
    assert PROBLEM.solve({"base": 5, "exponent": 0, "modulus": 97}) == 1
