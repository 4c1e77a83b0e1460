"""Twelve fake compositions, each refused by the gate that names it. Their problems are put into the library for the test alone."""

import random
from collections.abc import Callable, Mapping
from typing import Any

from envgen.fused.problem import Problem, Values
from envgen.fused.program import Program, Step
from envgen.fused.types import Int, List, Type

WORDS = tuple(f"wording {number} of {{x}}" for number in range(5))


NUMBER = Int()


def toy(name: str, solve: Callable[[int], Any], *, low: int = 0, high: int = 10**6) -> Problem:
    """A problem of one port x."""

    def sample(rng: random.Random, level: int, bound: Mapping[str, Any]) -> Values | None:
        value = bound.get("x", rng.randint(low, high))
        return {"x": value} if isinstance(value, int) and low <= value <= high else None

    return Problem(name, "toys", {"x": NUMBER}, NUMBER, sample, lambda values: solve(values["x"]), WORDS)


def pair(name: str, solve: Callable[[int, int], Any]) -> Problem:
    """A problem of two ports x and y."""

    def sample(rng: random.Random, level: int, bound: Mapping[str, Any]) -> Values | None:
        return {port: bound.get(port, rng.randint(0, 10**6)) for port in ("x", "y")}

    words = tuple(f"wording {number} of {{x}} and {{y}}" for number in range(5))
    return Problem(name, "toys", {"x": Int(), "y": Int()}, Int(), sample, lambda values: solve(values["x"], values["y"]), words)


def picker() -> Problem:
    """The item of a list that x points at: the answer stands in the text."""

    def sample(rng: random.Random, level: int, bound: Mapping[str, Any]) -> Values | None:
        return {"x": bound.get("x", rng.randint(0, 10**6)), "items": [rng.randint(10**5, 10**6) for _ in range(8)]}

    words = tuple(f"wording {number} of {{x}} and {{items}}" for number in range(5))
    ports: dict[str, Type] = {"x": NUMBER, "items": List(NUMBER)}
    return Problem("picker", "toys", ports, NUMBER, sample, lambda values: values["items"][values["x"] % 8], words)


PROBLEMS = {
    each.name: each
    for each in (
        toy("scramble", lambda x: (x * 7919 + 104_729) % 1_000_003),
        toy("mix", lambda x: (x * x + 17 * x) % 999_983),
        toy("same", lambda x: x),
        toy("zero", lambda x: 0),
        toy("third", lambda x: x % 3),
        toy("nearly_constant", lambda x: 41 if x % 4 else x),
        toy("negate", lambda x: -x, low=-(10**7), high=10**7),
        toy("narrow", lambda x: x + 1, high=1000),
        toy("half", lambda x: x if x % 2 else 0),
        pair("left", lambda x, y: (x * 31 + 7) % 1_000_003),
        pair("both", lambda x, y: (x * 31 + y * 17) % 1_000_003),
        picker(),
    )
}


def step(label: str, name: str, feeds: Mapping[str, str] | None = None) -> Step:
    """A problem step; `feeds` names the step behind each bound port."""
    binds = {port: source(origin) for port, origin in (feeds or {}).items()}
    return {"id": label, "kind": "problem", "problem": name, "version": 1, "level": 0, "binds": binds}


def source(label: str) -> Step:
    return {"step": label, "adapter": "", "args": {}}


def chain(*names: str) -> Program:
    """Each problem feeds the x of the next."""
    labels = [chr(65 + number) for number in range(len(names))]
    before = [None, *labels]
    return Program(
        tuple(step(label, name, {"x": last} if last else None) for label, name, last in zip(labels, names, before, strict=False))
    )


def over(kind: str, of: list[Any], **more: Any) -> Step:
    """An operator as the last step."""
    return {"id": "Z", "kind": kind, "of": of, **more}


A, B, C = step("A", "scramble"), step("B", "mix"), step("C", "scramble")
IGNORED = over("aggregate", [source("A"), source("B")], weights=[5, 0], modulus=10_007)
FAKES: dict[str, tuple[str, Program]] = {
    "an idle step: the rest does not depend on it": ("G3", Program((A, step("B", "left", {"y": "A"})))),
    "a constant": ("G2", chain("scramble", "zero")),
    "an answer among three": ("G2", chain("scramble", "third")),
    "a guessable inner answer": ("G6", Program((step("A", "third"), step("B", "both", {"x": "A"})))),
    "an inner answer that is mostly the same": ("G6", Program((step("A", "nearly_constant"), step("B", "both", {"x": "A"})))),
    "cancelling inverses": ("G7", chain("scramble", "negate", "negate")),
    "an identity in the middle": ("G4", chain("scramble", "same", "mix")),
    "an identity at the end": ("G5", chain("scramble", "same")),
    "values that seldom fit": ("G1", chain("scramble", "narrow")),
    "a step that hands on half of what it is given": ("G4", Program((A, step("B", "half", {"x": "A"}), step("C", "both", {"x": "B"})))),
    "an operand that the sum ignores": ("G3", Program((A, B, IGNORED))),
    "three things to sort": ("G8", Program((A, B, C, over("sort", ["A", "B", "C"])))),
    "an answer that stands in the text": ("G7", Program((A, step("B", "picker", {"x": "A"})))),
    "a step that nothing uses": ("G8", Program((A, B))),
}
