"""How many numbers up to a limit satisfy a formula in conjunctive normal form over their binary digits."""

import random
from collections.abc import Mapping
from functools import cache
from typing import Any

from envgen.fused.problem import Problem, Values
from envgen.fused.types import Int, List

LEAST_LIMIT, MOST_LIMIT, MOST_VARIABLES = 50, 10**12, 16


def sample(rng: random.Random, level: int, bound: Mapping[str, Any]) -> Values | None:
    """7 + level / 2 variables, about as many clauses of two or three literals; the limit lies a little below or above all ones."""
    used = min(7 + level // 2, 14)
    limit = bound.get("limit", rng.randrange(3 << (used - 2), 3 << (used - 1)))
    used = min(used, int(limit).bit_length())
    clauses = [_clause(rng, used) for _ in range(used + level // 4)][:60]
    values: Values = {"clauses": bound.get("clauses", clauses), "limit": limit}
    return values if all(0 not in clause for clause in values["clauses"]) else None


def _clause(rng: random.Random, used: int) -> list[int]:
    return [name if rng.randrange(2) else -name for name in rng.sample(range(1, used + 1), rng.choice((2, 3, 3)))]


@cache
def _column(variable: int, size: int) -> int:
    """Return the truth table of a variable among `size`: bit x says whether digit number `variable` of x is 1."""
    half = 1 << (variable - 1)
    block = ((1 << half) - 1) << half
    for step in range(variable, size):
        block |= block << (1 << step)
    return block


def solve(values: Mapping[str, Any]) -> int:
    """A truth table over all digits in use as one integer: whole rounds through it, and a part. ValueError for a literal 0."""
    size = max(abs(int(literal)) for clause in values["clauses"] for literal in clause)
    full = (1 << (1 << size)) - 1
    table = full
    for clause in values["clauses"]:
        true = 0
        for literal in clause:
            if not literal:
                raise ValueError("0 is no literal")
            column = _column(abs(literal), size)
            true |= column if literal > 0 else full ^ column
        table &= true
    numbers = int(values["limit"]) + 1
    rounds, rest = numbers >> size, numbers & ((1 << size) - 1)
    return rounds * table.bit_count() + (table & ((1 << rest) - 1)).bit_count()


PROBLEM = Problem(
    name="model_count",
    topic="logic",
    ports={
        "clauses": List(List(Int(-MOST_VARIABLES, MOST_VARIABLES, "id"), 1, 6), 1, 80, tag="cnf"),
        "limit": Int(LEAST_LIMIT, MOST_LIMIT),
    },
    out=Int(0, MOST_LIMIT + 1, "count"),
    sample=sample,
    solve=solve,
    wordings=(
        "the number of integers x from 0 to {limit}, both included, whose binary digits satisfy the formula {clauses} in conjunctive "
        "normal form: literal v is true if digit v of x is 1, literal -v if it is 0, digit 1 being the units digit and digits beyond "
        "the first 1 being 0; each clause needs at least one true literal",
        "how many of the first {limit} + 1 rows of a truth table make the conjunction of the disjunctions {clauses} true (a minus sign "
        "negates the variable whose number follows), if row r, from 0, gives variable k, from 1, the truth value of 'floor(r / 2^(k-1))"
        " is an odd number'",
        "the count of sets S of positive integers such that the sum of 2^(s-1) over the members s of S (0 for the empty set) does not "
        "exceed {limit} and that every list in {clauses} holds some p > 0 with p in S or some p < 0 with -p not in S",
        "the final reading of a counter that starts at 0 and is raised by one for each n = 0, 1, 2, ..., {limit} that passes all tests "
        "of the list {clauses}; a test is a list of positive and negative places, counted from 1 at the right-hand end of n in base "
        "two, and n passes it when there is a 1 at one of the positive places or a 0 at one of the negative ones (signs dropped), "
        "missing digits on the left counting as 0",
        "{limit} + 1 minus the number of bit patterns, among those that write the values 0 up to and including {limit}, that break a "
        "constraint out of {clauses}, where a pattern breaks a constraint if bit j is 0 for every j in it and bit j is 1 for every -j "
        "in it (j > 0; bit 1 is the least significant, leading bits are 0), and one that breaks several is taken off once",
    ),
)
