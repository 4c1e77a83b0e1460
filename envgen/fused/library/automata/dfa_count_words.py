"""How many words of a length a finite automaton accepts, modulo a number."""

import random
from collections.abc import Mapping, Sequence
from typing import Any

from envgen.fused.problem import Problem, Values
from envgen.fused.types import Int, List

LEAST_MODULUS, MOST_STATES = 97, 12
# Up to here one step after the other is quicker than squaring matrices.
FEW_STEPS = 200
Matrix = list[list[int]]


def sample(rng: random.Random, level: int, bound: Mapping[str, Any]) -> Values | None:
    """Automata of 4 + level / 2 states over three letters; the first letter leads around all states, so that each can be reached."""
    accepting = bound.get("accepting")
    least = max(accepting) + 1 if accepting else 4
    dfa = bound["dfa"] if "dfa" in bound else _machine(rng, min(max(least, 4 + level // 2), MOST_STATES))
    if _broken(dfa) or (accepting and least > len(dfa)):
        return None
    size = 10 ** min(3 + level // 2, 9)
    n = min(8 + level, 10_000)
    return {
        "dfa": dfa,
        "accepting": accepting or sorted(rng.sample(range(len(dfa)), rng.randint(1, len(dfa) // 2))),
        "n": bound.get("n", rng.randint(n, 2 * n)),
        "modulus": bound.get("modulus", rng.randrange(max(size // 10, LEAST_MODULUS), size)),
    }


def _broken(dfa: Sequence[Sequence[int]]) -> bool:
    """True when rows differ in length or name states that are not there."""
    return any(target >= len(dfa) for row in dfa for target in row) or len({len(row) for row in dfa}) > 1


def _machine(rng: random.Random, states: int) -> Matrix:
    order = rng.sample(range(states), states)
    around = {state: order[(place + 1) % states] for place, state in enumerate(order)}
    return [[around[state], rng.randrange(states), rng.randrange(states)] for state in range(states)]


def solve(values: Mapping[str, Any]) -> int:
    """Move the counts of words per state along the letters, or by powers of the transition matrix when the words are long.

    Raises ValueError when a state is named that the table does not have.
    """
    dfa, accepting, n, modulus = values["dfa"], values["accepting"], int(values["n"]), int(values["modulus"])
    if max([*accepting, *(target for row in dfa for target in row)]) >= len(dfa):
        raise ValueError("a state is named that has no row")
    counts = _stepped(dfa, n, modulus) if n <= FEW_STEPS else _squared(dfa, n, modulus)
    return sum(counts[state] for state in range(len(dfa)) if state in accepting) % modulus


def _stepped(dfa: Sequence[Sequence[int]], n: int, modulus: int) -> list[int]:
    counts = [1, *[0] * (len(dfa) - 1)]
    for _ in range(n):
        following = [0] * len(dfa)
        for state, row in enumerate(dfa):
            for target in row:
                following[target] += counts[state]
        counts = [count % modulus for count in following]
    return counts


def _squared(dfa: Sequence[Sequence[int]], n: int, modulus: int) -> list[int]:
    power = [[row.count(target) for target in range(len(dfa))] for row in dfa]
    counts = [1, *[0] * (len(dfa) - 1)]
    while n:
        columns = list(zip(*power, strict=True))
        if n & 1:
            counts = _times([counts], columns, modulus)[0]
        power, n = _times(power, columns, modulus), n >> 1
    return counts


def _times(rows: Matrix, columns: list[tuple[int, ...]], modulus: int) -> Matrix:
    return [[sum(a * b for a, b in zip(row, column, strict=True)) % modulus for column in columns] for row in rows]


PROBLEM = Problem(
    name="dfa_count_words",
    topic="automata",
    ports={
        "dfa": List(List(Int(0, MOST_STATES - 1), 2, 4), 2, MOST_STATES, tag="dfa"),
        "accepting": List(Int(0, MOST_STATES - 1), 1, 30),
        "n": Int(6, 10**12),
        "modulus": Int(LEAST_MODULUS, 10**9),
    },
    out=Int(0, 10**9),
    sample=sample,
    solve=solve,
    wordings=(
        "the number, modulo {modulus}, of words of length exactly {n} that take the finite automaton with transition table {dfa} (row "
        "s, column c holds the state reached from state s by letter c, both counted from 0) from state 0 to one of the states "
        "{accepting}",
        "how many sequences of {n} moves from node 0 end on a node of the list {accepting} (a node listed twice counts once), reduced "
        "modulo {modulus}, if the moves out of node i, told apart by their column even when they lead to the same place, go to the "
        "nodes in row i, from 0, of {dfa}",
        "the remainder, on division by {modulus}, of the count of accepted strings of {n} letters of a deterministic automaton: its "
        "start state is 0, its final states are those in {accepting}, it has as many letters as each row of {dfa} has entries, and the "
        "entry in row q and column a, first row and column being 0, is the successor of q on reading a",
        "the sum of the entries at the positions {accepting} (each position once, the first is 0) of the vector (1, 0, ..., 0) after it"
        " has been multiplied {n} times, from the left as a row vector, with the matrix whose entry (i, j) says how often j occurs in "
        "row i of {dfa}; all that modulo {modulus}, as a residue from 0 up",
        "the least non-negative residue modulo {modulus} of how many ways there are to press {n} buttons one after the other so that a "
        "device in mode 0 finishes in a mode that is in {accepting}, mode m going over to the mode given at place b in list m of {dfa} "
        "when button b is pressed, with modes, buttons, places and lists all numbered from 0",
    ),
)
