"""Expressions whose operators have an order of precedence of their own, modulo a number."""

import random
import re
from collections.abc import Mapping
from typing import Any

from envgen.fused.problem import Problem, Values
from envgen.fused.types import Int, Str

OPERATORS = "+-*@"
LEAST_MODULUS, MOST_MODULUS, MOST = 97, 10**9, 10**18
TOKEN = re.compile(r"\s*([ab]|\d+|[-+*@()])", re.ASCII)


def sample(rng: random.Random, level: int, bound: Mapping[str, Any]) -> Values | None:
    """Expressions of 5 + level operators, three of four operands being numbers, and of 3-digit moduli at first."""
    size = 10 ** (3 + min(level // 2, 6))
    order = bound.get("order", "".join(rng.sample(OPERATORS, 4)))
    expression = bound["expression"] if "expression" in bound else _expression(rng, min(5 + level, 60))
    values: Values = {
        "expression": expression,
        "order": order,
        "a": bound.get("a", rng.randrange(2, size)),
        "b": bound.get("b", rng.randrange(2, size)),
        "modulus": bound.get("modulus", rng.randrange(max(size // 10, LEAST_MODULUS), size)),
    }
    try:
        # One that was drawn here is well formed; one from elsewhere is tried.
        if "expression" in bound or "order" in bound:
            solve(values)
    except ValueError:
        return None
    return values


def _expression(rng: random.Random, operators: int) -> str:
    """Operands and operators in turn, every operator once before any comes again, and a few brackets around two or three operands."""
    operands = [rng.choice(("a", "b")) if rng.randrange(4) == 0 else str(rng.randint(2, 19)) for _ in range(operators + 1)]
    places = rng.sample(range(operators + 1), 2)
    operands[places[0]], operands[places[1]] = "a", "b"
    signs: list[str] = []
    while len(signs) < operators:
        signs += rng.sample(OPERATORS, 4)
    place = rng.randrange(2)
    while place + 1 <= operators:
        last = min(place + rng.randint(1, 2), operators)
        if rng.randrange(2) and last - place < operators:
            operands[place], operands[last] = "(" + operands[place], operands[last] + ")"
        place = last + 1
    return " ".join(part for pair in zip(operands, [*signs[:operators], ""], strict=True) for part in pair if part)


def solve(values: Mapping[str, Any]) -> int:
    """Operator precedence with two stacks, everything reduced on the way. Raises ValueError for what is no expression or no order."""
    order, modulus = str(values["order"]), int(values["modulus"])
    if sorted(order) != sorted(OPERATORS):
        raise ValueError("the order names each operator once")
    names = {"a": int(values["a"]) % modulus, "b": int(values["b"]) % modulus}
    done: list[int] = []
    waiting: list[str] = []
    operand = True
    for token in [*_tokens(values["expression"]), ")"]:
        if token in "()":
            operand = _bracket(token, operand, waiting, done, modulus)
        elif (token in OPERATORS) == operand:
            raise ValueError(f"{token!r} is out of place")
        elif operand:
            done.append(names[token] if token in names else int(token) % modulus)
            operand = False
        else:
            while waiting and waiting[-1] != "(" and order.index(waiting[-1]) <= order.index(token):
                _apply(waiting.pop(), done, modulus)
            waiting.append(token)
            operand = True
    if waiting != [")"]:
        raise ValueError("brackets do not match")
    return done[0]


def _tokens(text: str) -> list[str]:
    tokens, place = [], 0
    text = text.strip()
    while place < len(text):
        found = TOKEN.match(text, place)
        if found is None:
            raise ValueError(f"nothing can be read at character {place}")
        tokens.append(found[1])
        place = found.end()
    return tokens


def _bracket(token: str, operand: bool, waiting: list[str], done: list[int], modulus: int) -> bool:
    """Open a bracket, or do what waits inside of it; the last ")" of all, which opens none, stays as the end mark."""
    if (token == "(") != operand:
        raise ValueError("a bracket is out of place")
    if token == "(":
        waiting.append("(")
        return True
    while waiting and waiting[-1] in OPERATORS:
        _apply(waiting.pop(), done, modulus)
    if not waiting:
        waiting.append(")")
    elif waiting.pop() == ")":
        raise ValueError("brackets do not match")
    return False


def _apply(sign: str, done: list[int], modulus: int) -> None:
    right = done.pop()
    left = done[-1]
    done[-1] = {"+": left + right, "-": left - right, "*": left * right, "@": left * left + right}[sign] % modulus


PROBLEM = Problem(
    name="expr_eval",
    topic="logic",
    ports={
        "expression": Str("ab0123456789+-*@() ", 1, 400),
        "order": Str(OPERATORS, 4, 4),
        "a": Int(-MOST, MOST),
        "b": Int(-MOST, MOST),
        "modulus": Int(LEAST_MODULUS, MOST_MODULUS),
    },
    out=Int(0, MOST_MODULUS - 1),
    sample=sample,
    solve=solve,
    wordings=(
        "the least non-negative residue modulo {modulus} of {expression} for a = {a} and b = {b}, where p @ q means p*p + q, brackets "
        "come first, and the operators bind in the unusual order {order}, the one listed first binding most tightly, equal ones being "
        "grouped from the left",
        "what is left over, from 0 to {modulus} - 1, when multiples of {modulus} are taken off the integer that {expression} stands for"
        " once a and b have been replaced by {a} and {b}; of two neighbouring operators outside brackets the one that stands earlier in"
        " {order} is carried out first, a repeated one from left to right, and @ adds its right operand to the square of its left one",
        "the remainder, never negative, that division by {modulus} leaves of a term in a language with four left-associative operators "
        "ranked, strongest first, as {order}: the term is {expression}, its variables a and b hold {a} and {b}, parentheses group, +, -"
        " and * are the usual operations, and x @ y is x squared plus y",
        "the value, in arithmetic modulo {modulus} with the representatives from 0 up, that a reader finds for {expression} who first "
        "does everything inside parentheses by these same rules and then replaces, for each sign of {order} in turn and from the left "
        "to the right, every 'u sign v' by its result, taking u^2 + v for u @ v, sum, difference and product for the other signs, {a} "
        "for a and {b} for b",
        "f({a}, {b}) mod {modulus}, in the range 0, 1, ..., for the function f(a, b) given by the formula {expression}, in which s @ t "
        "abbreviates s times s plus t and whose missing brackets are to be supplied by a table of precedence that runs from tightest to"
        " loosest as {order} (so * need not come before + or -), chains of one sign being bracketed as ((u sign v) sign w)",
    ),
)
