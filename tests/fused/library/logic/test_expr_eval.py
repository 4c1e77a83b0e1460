"""Expressions against splitting them at their weakest operator, in exact integers."""

from collections.abc import Mapping
from typing import Any

import pytest
from library_checks import check

from envgen.fused.library.logic.expr_eval import PROBLEM


def value(text: str, order: str, names: Mapping[str, int]) -> int:
    """The rightmost of the weakest operators outside of brackets is done last."""
    text = text.strip()
    for sign in reversed(order):
        depth = 0
        for place in reversed(range(len(text))):
            depth += {")": 1, "(": -1}.get(text[place], 0)
            if depth == 0 and text[place] == sign:
                left, right = value(text[:place], order, names), value(text[place + 1 :], order, names)
                return {"+": left + right, "-": left - right, "*": left * right, "@": left**2 + right}[sign]
    return value(text[1:-1], order, names) if text[0] == "(" else names[text] if text in names else int(text)


def independent(values: Mapping[str, Any]) -> int:
    return value(values["expression"], values["order"], {"a": values["a"], "b": values["b"]}) % int(values["modulus"])


def test_expr_eval() -> None:
    check(PROBLEM, independent)


def run(expression: str, order: str = "@*+-", a: int = 5, b: int = 7) -> int:
    return int(PROBLEM.solve({"expression": expression, "order": order, "a": a, "b": b, "modulus": 1000}))


def test_by_hand() -> None:
    assert run("a + b * 2") == 19
    assert run("a + b * 2", "+-*@") == 24
    assert run("9 - 3 - 2") == 4
    assert run("9 - 3 + 2", "+-*@") == 4
    assert run("2 @ 3 @ 4") == 53
    assert run("2 @ (3 @ 4)") == 17
    assert run("2 * 3 @ 1", "*@+-") == 37
    assert run("a - b") == 998
    assert run("a", a=-1) == 999


@pytest.mark.parametrize("expression", ["", " ", "a +", "+ a", "(a", "a)", "a b", "()", "a + (b", "a) + (b", "2 (3)", "a * * b"])
def test_what_is_no_expression(expression: str) -> None:
    with pytest.raises(ValueError):
        run(expression)


def test_what_is_no_order() -> None:
    with pytest.raises(ValueError, match="each operator once"):
        run("a", "++-*")
