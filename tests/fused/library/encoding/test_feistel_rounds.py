"""The network as a recursion over the keys, and undone."""

from collections.abc import Mapping
from typing import Any

from library_checks import check

from envgen.fused.library.encoding.feistel_rounds import PROBLEM


def term(values: Mapping[str, Any], number: int) -> int:
    """Term of the sequence of halves, residues found by subtraction of multiples."""
    terms = [values["n"] // values["modulus"], values["n"] - values["n"] // values["modulus"] * values["modulus"]]
    for key in values["keys"]:
        total = terms[-2] + terms[-1] ** 2 + key
        terms.append(total - total // values["modulus"] * values["modulus"])
    return terms[number]


def independent(values: Mapping[str, Any]) -> int:
    return term(values, -2) * values["modulus"] + term(values, -1)


def test_feistel_rounds() -> None:
    check(PROBLEM, independent)


def test_by_hand() -> None:
    # 205 = (2, 5) in base 100; key 7: (5, 2 + 25 + 7 = 34); key -40: (34, 5 + 1156 - 40 = 1121 -> 21).
    assert PROBLEM.solve({"n": 205, "keys": [7, -40], "modulus": 100}) == 3421
    assert PROBLEM.solve({"n": 0, "keys": [0], "modulus": 97}) == 0


def test_it_can_be_undone() -> None:
    modulus, keys, block = 1009, [17, 400, 3, 988], 555_123
    left, right = divmod(PROBLEM.solve({"n": block, "keys": keys, "modulus": modulus}), modulus)
    for key in reversed(keys):
        left, right = (right - left * left - key) % modulus, left
    assert left * modulus + right == block
