"""Counts against splitting on one digit after the other, from the highest of the limit down."""

from collections.abc import Mapping
from typing import Any

import pytest
from library_checks import check

from envgen.fused.library.logic.model_count import PROBLEM

Clauses = list[list[int]]


def assigned(clauses: Clauses, literal: int) -> Clauses:
    """What is left to satisfy when a literal is true."""
    return [[other for other in clause if other != -literal] for clause in clauses if literal not in clause]


def count(clauses: Clauses, digit: int, limit: int | None) -> int:
    """Numbers of `digit` digits that satisfy the clauses and do not exceed `limit`, if there is one."""
    if [] in clauses:
        return 0
    if digit == 0:
        return 1
    if limit is None and not any(abs(literal) == digit for clause in clauses for literal in clause):
        return 2 * count(clauses, digit - 1, None)
    if limit is None:
        return count(assigned(clauses, -digit), digit - 1, None) + count(assigned(clauses, digit), digit - 1, None)
    top = 2 ** (digit - 1)
    if limit < top:
        return count(assigned(clauses, -digit), digit - 1, limit)
    return count(assigned(clauses, -digit), digit - 1, None) + count(assigned(clauses, digit), digit - 1, limit - top)


def independent(values: Mapping[str, Any]) -> int:
    return count(values["clauses"], max(len(bin(values["limit"])) - 2, 16), values["limit"])


def test_model_count() -> None:
    check(PROBLEM, independent)


def test_by_hand() -> None:
    # Up to 63 with the units digit 1 or the next one 0: three quarters of 64. Up to 64 the 64 itself joins.
    assert PROBLEM.solve({"clauses": [[1, -2]], "limit": 63}) == 48
    assert PROBLEM.solve({"clauses": [[1, -2]], "limit": 64}) == 49
    assert PROBLEM.solve({"clauses": [[3, -3]], "limit": 99}) == 100
    assert PROBLEM.solve({"clauses": [[3], [-3]], "limit": 99}) == 0
    # A digit that no number up to the limit has.
    assert PROBLEM.solve({"clauses": [[9]], "limit": 99}) == 0
    assert PROBLEM.solve({"clauses": [[1]], "limit": 10**12}) == 5 * 10**11


def test_no_literal() -> None:
    with pytest.raises(ValueError, match="no literal"):
        PROBLEM.solve({"clauses": [[1, 0]], "limit": 60})
