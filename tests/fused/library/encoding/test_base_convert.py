"""Numerals against digits found from the highest power down."""

from collections.abc import Mapping
from typing import Any

from library_checks import check

from envgen.fused.library.encoding.base_convert import PROBLEM


def independent(values: Mapping[str, Any]) -> str:
    rest, base, power = values["n"], values["base"], 1
    while power * base <= rest:
        power *= base
    text = ""
    while power:
        count = 0
        while rest >= power:
            rest, count = rest - power, count + 1
        text += chr(ord("0") + count) if count < 10 else chr(ord("a") + count - 10)
        power //= base
    return text


def test_base_convert() -> None:
    check(PROBLEM, independent)


def test_by_hand() -> None:
    assert PROBLEM.solve({"n": 0, "base": 7}) == "0"
    assert PROBLEM.solve({"n": 255, "base": 16}) == "ff"
    assert PROBLEM.solve({"n": 35, "base": 36}) == "z"
    assert PROBLEM.solve({"n": 36, "base": 36}) == "10"
    assert len(PROBLEM.solve({"n": 10**18, "base": 2})) == 60
