"""Congruences against a sieve that steps until they hold."""

from collections.abc import Mapping
from math import lcm
from typing import Any

import pytest
from library_checks import check

from envgen.fused.library.numbers.crt import PROBLEM
from envgen.fused.seeds import dice


def independent(values: Mapping[str, Any]) -> int:
    found, step, remainders = 0, 1, values["remainders"]
    for place, modulus in enumerate(values["moduli"]):
        while (found - remainders[place % len(remainders)]) % modulus:
            found += step
        step = lcm(step, modulus)
    for _ in range(min(values["nth"] - 1, 100)):
        found += step
    return int(found + max(values["nth"] - 101, 0) * step)


def test_crt() -> None:
    check(PROBLEM, independent)


def test_every_number_in_turn() -> None:
    fits = [number for number in range(2000) if number % 6 == 5 and number % 4 == 3]
    assert [PROBLEM.solve({"remainders": [-1], "moduli": [6, 4], "nth": nth}) for nth in range(1, len(fits) + 1)] == fits


def test_by_hand() -> None:
    assert PROBLEM.solve({"remainders": [2, 3, 2], "moduli": [3, 5, 7], "nth": 1}) == 23
    assert PROBLEM.solve({"remainders": [2, 3, 2], "moduli": [3, 5, 7], "nth": 2}) == 128
    assert PROBLEM.solve({"remainders": [2, 3], "moduli": [3, 5, 7], "nth": 2}) == 128
    assert PROBLEM.solve({"remainders": [2, 3, 2, 9], "moduli": [3, 5, 7], "nth": 1}) == 23
    assert PROBLEM.solve({"remainders": [0], "moduli": [10], "nth": 1}) == 0


def test_moduli_that_share_a_factor() -> None:
    assert PROBLEM.solve({"remainders": [2, 4], "moduli": [4, 6], "nth": 1}) == 10
    with pytest.raises(ValueError, match="contradict"):
        PROBLEM.solve({"remainders": [1, 4], "moduli": [4, 6], "nth": 1})
    assert PROBLEM.sample(dice(1), 1, {"moduli": [4, 6, 10]}) is not None
    assert PROBLEM.sample(dice(1), 1, {"moduli": [4, 6], "remainders": [1, 4]}) is None
