"""Exact arithmetic on a text, by a parser of its own: nothing is ever handed to Python's eval."""

import re

_TOKEN = re.compile(r"\s*(?:(\d{1,300})|(\*\*|//|[-+*%()]))")
LONGEST, MOST_BITS = 500, 20_000


class Malformed(ValueError):
    """The text is no expression, or its value is too large; the text is for the agent."""


def evaluate(text: object) -> int:
    """Return the value of an expression of integers with + - * // % ** and brackets. Malformed says what is wrong."""
    if not isinstance(text, str) or len(text) > LONGEST:
        raise Malformed(f"An expression is a text of at most {LONGEST} characters.")
    parser = _Parser(_tokens(text))
    value = parser.sum()
    if parser.here() != "":
        raise Malformed(f"Unexpected {parser.here()!r}.")
    return value


def _tokens(text: str) -> list[str]:
    found, place = [], 0
    while place < len(text.rstrip()):
        match = _TOKEN.match(text, place)
        if match is None:
            raise Malformed(f"Unexpected {text[place : place + 10].strip()[:10]!r}.")
        found.append(match[1] or match[2])
        place = match.end()
    return found


class _Parser:
    """Recursive descent; the usual precedence, ** binds to the right and stronger than a sign before it."""

    def __init__(self, tokens: list[str]) -> None:
        self.tokens, self.place, self.depth = tokens, 0, 0

    def here(self) -> str:
        return self.tokens[self.place] if self.place < len(self.tokens) else ""

    def take(self) -> str:
        self.place += 1
        return self.tokens[self.place - 1] if self.place <= len(self.tokens) else ""

    def sum(self) -> int:
        value = self.product()
        while self.here() in ("+", "-"):
            value = _bounded(value + self.product() if self.take() == "+" else value - self.product())
        return value

    def product(self) -> int:
        value = self.signed()
        while self.here() in ("*", "//", "%"):
            operator, other = self.take(), self.signed()
            if operator != "*" and other == 0:
                raise Malformed("Division by zero.")
            value = _bounded(value * other if operator == "*" else value // other if operator == "//" else value % other)
        return value

    def signed(self) -> int:
        if self.here() in ("+", "-"):
            return self.signed() if self.take() == "+" else -self.signed()
        return self.power()

    def power(self) -> int:
        base = self.atom()
        if self.here() != "**":
            return base
        self.take()
        exponent = self.signed()
        if exponent < 0 or max(abs(base).bit_length(), 1) * exponent > MOST_BITS:
            raise Malformed("The exponent is negative or the power too large.")
        return int(base**exponent)

    def atom(self) -> int:
        token = self.take()
        if token.isdigit():
            return int(token)
        if token != "(":
            raise Malformed(f"A number is missing before {token!r}." if token else "The expression ends too early.")
        self.depth += 1
        if self.depth > 60:
            raise Malformed("Too many brackets.")
        value = self.sum()
        if self.take() != ")":
            raise Malformed("A bracket is not closed.")
        self.depth -= 1
        return value


def _bounded(value: int) -> int:
    if value.bit_length() > MOST_BITS:
        raise Malformed("The value is too large.")
    return value
