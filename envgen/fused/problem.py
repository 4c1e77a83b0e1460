"""A base problem: named ports, a generator, a solver, and words. Each module of `envgen/fused/library` defines one as `PROBLEM`."""

import random
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from envgen.fused.types import Type

Values = dict[str, Any]
Sample = Callable[[random.Random, int, Mapping[str, Any]], "Values | None"]
Solve = Callable[[Mapping[str, Any]], Any]
Check = Callable[[Mapping[str, Any], Any], bool]
SLOT = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True)
class Problem:
    """One problem.

    name, topic: as the module and its folder are called. version: raised when the same seed would give something else.
    ports: name -> type of each input. out: type of the answer.
    sample: (rng, level, bound) -> a value for every port, those of `bound` taken as they are; None when no instance fits them. Level is
        an integer from 0 on without end; higher is harder. It draws from `rng` alone, and gives up after a counted number of tries.
    solve: (values) -> the answer. It raises ValueError when there is none; `sample` never gives such values.
    unique: `functional` (one answer by definition), `canonical` (several, the definition names one), `relation` (any that `check`
        accepts: only as the last step of a program).
    check: (values, answer) -> whether it is right, for relations; others compare with `solve`.
    wordings: at least five noun phrases with {port} slots, "the remainder of {a} after division by {m}", that differ in more than a
        word. They say everything that matters: index base, inclusive bounds, tie rule, the empty case. They never ask, and never say
        how to write the answer.
    inverse: the problem that undoes this one, which never follows it directly.
    """

    name: str
    topic: str
    ports: Mapping[str, Type]
    out: Type
    sample: Sample
    solve: Solve
    wordings: tuple[str, ...]
    unique: Literal["functional", "canonical", "relation"] = "functional"
    check: Check | None = None
    version: int = 1
    inverse: str = ""
    notes: str = field(default="", compare=False)

    def accepts(self, values: Mapping[str, Any], answer: Any) -> bool:
        """True when `answer` is right for `values`; types are compared as well, so that true is not 1."""
        if self.check is not None:
            return bool(self.check(values, answer))
        return same(self.solve(values), answer)


def same(one: Any, other: Any) -> bool:
    """True for equal JSON values of equal types: 1 and true differ."""
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(same(a, b) for a, b in zip(one, other, strict=True))
    return type(one) is type(other) and bool(one == other)
