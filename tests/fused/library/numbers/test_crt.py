"""Congruences against a sieve that steps until they hold."""

from collections.abc import Mapping
from math import lcm
from typing import Any

import pytest
from library_checks import check

from envgen.fused.library.numbers.crt import PROBLEM
from envgen.fused.seeds import dice


def independent(values: Mapping[str, Any]) -> int:
    found, step = values["start"], 1
    for remainder, modulus in zip(values["remainders"], values["moduli"], strict=True):
        while (found - remainder) % modulus:
            found += step
        step = lcm(step, modulus)
    return int(found)


def test_crt() -> None:
    check(PROBLEM, independent)


def test_by_hand() -> None:
    assert PROBLEM.solve({"remainders": [2, 3, 2], "moduli": [3, 5, 7], "start": 0}) == 23
    assert PROBLEM.solve({"remainders": [2, 3, 2], "moduli": [3, 5, 7], "start": 23}) == 23
    assert PROBLEM.solve({"remainders": [2, 3, 2], "moduli": [3, 5, 7], "start": 24}) == 128
    assert PROBLEM.solve({"remainders": [-1], "moduli": [10], "start": 100}) == 109


def test_moduli_that_share_a_factor() -> None:
    assert PROBLEM.solve({"remainders": [2, 4], "moduli": [4, 6], "start": 0}) == 10
    with pytest.raises(ValueError, match="contradict"):
        PROBLEM.solve({"remainders": [1, 4], "moduli": [4, 6], "start": 0})
    assert PROBLEM.sample(dice(1), 1, {"moduli": [4, 6, 10]}) is not None
    assert PROBLEM.sample(dice(1), 1, {"moduli": [4, 6], "remainders": [1, 4]}) is None
