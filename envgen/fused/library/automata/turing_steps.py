"""A binary Turing machine run for a number of steps; the answer weighs the ones it writes by where it writes them."""

import random
from collections.abc import Mapping, Sequence
from typing import Any

from envgen.fused.problem import Problem, Values
from envgen.fused.types import Enum, Int, List, Tuple

MOST_STATES, MOST_STEPS, TRIES = 10, 5000, 25
ACTION = Tuple((Int(0, 1), Enum(("L", "R")), Int(0, MOST_STATES - 1)), names=("symbol to write", "move", "next state"))


def sample(rng: random.Random, level: int, bound: Mapping[str, Any]) -> Values | None:
    """Machines of 3 + level / 3 states. One is drawn until it sees half the tape and still writes ones late, or 25 times."""
    tape = bound.get("tape", [rng.randrange(2) for _ in range(min(5 + level, 60))])
    few = min(12 + 3 * level, 400)
    steps = bound.get("steps", rng.randint(few, 2 * few))
    if "machine" in bound:
        machine = bound["machine"]
        fits = all(state < len(machine) for row in machine for _, _, state in row)
        return {"machine": machine, "tape": tape, "steps": steps} if fits else None
    for _ in range(TRIES):
        machine = _machine(rng, min(3 + level // 3, MOST_STATES))
        seen, late = _trace(machine, tape, min(steps, 300))
        if late and seen >= min(len(tape), 12) // 2 + 1:
            break
    return {"machine": machine, "tape": tape, "steps": steps}


def _machine(rng: random.Random, states: int) -> list[list[list[Any]]]:
    return [[[rng.randrange(2), rng.choice("LR"), rng.randrange(states)] for _ in range(2)] for _ in range(states)]


def _trace(machine: Sequence[Any], tape: Sequence[int], steps: int) -> tuple[int, bool]:
    """Return how many cells of the tape the head visits, and whether a one away from cell 0 is written in the last half of the steps."""
    visits = _run(machine, tape, steps)
    return len({cell for cell, _ in visits if 0 <= cell < len(tape)}), any(cell * written for cell, written in visits[steps // 2 :])


def _run(machine: Sequence[Any], tape: Sequence[int], steps: int) -> list[tuple[int, int]]:
    """Return the cell and the symbol written to it at each step."""
    cells = [0] * steps + list(tape) + [0] * steps
    place, state, visits = steps, 0, []
    for _ in range(steps):
        written, move, state = machine[state][cells[place]]
        cells[place] = written
        visits.append((place - steps, written))
        place += 1 if move == "R" else -1
    return visits


def solve(values: Mapping[str, Any]) -> int:
    """Run it. Raises ValueError when the machine names a state that it does not have."""
    machine = values["machine"]
    if any(state >= len(machine) for row in machine for _, _, state in row):
        raise ValueError("a state is named that has no row")
    return sum(cell * written for cell, written in _run(machine, values["tape"], int(values["steps"])))


PROBLEM = Problem(
    name="turing_steps",
    topic="automata",
    ports={
        "machine": List(List(ACTION, 2, 2), 2, MOST_STATES, tag="turing"),
        "tape": List(Int(0, 1), 1, 300),
        "steps": Int(8, MOST_STEPS),
    },
    out=Int(-(10**8), 10**8),
    sample=sample,
    solve=solve,
    wordings=(
        "the sum of the numbers of the cells on which the Turing machine {machine} writes a 1 during its first {steps} steps (a cell "
        "counts each time, also when it held a 1 already), if row q of the table holds the two actions of state q for reading 0 and 1, "
        "each [symbol to write, move, next state], it starts in state 0 on cell 0, and the cells 0, 1, 2, ... hold {tape} and all "
        "others, also those with negative numbers to the left, hold 0",
        "p(1)*w(1) + p(2)*w(2) + ... over {steps} steps, p being the head's position before a step's move and w the symbol put there in"
        " that step, for a head that begins at position 0 in state 0 of a two-way infinite tape with {tape} at the positions from 0 on "
        "and zeros elsewhere, and that on reading b in state s obeys entry b of entry s (both from 0) of {machine}: write the first "
        "item, go one place left (L, minus one) or right (R, plus one), take the third item as state",
        "the final total on a counter, 0 at first, that grows by the (possibly negative) coordinate of the square it stands on whenever"
        " a robot leaves a 1 on its square; the robot makes {steps} moves along an endless line of squares, of which those with "
        "coordinates 0, 1, 2 and so on show {tape} and the rest show 0, from coordinate 0 and in mood 0, and each time looks up its "
        "mood's pair in {machine}, takes the first triple when it sees 0 and the second when it sees 1, and does what that says: digit "
        "to leave, L for coordinate minus 1 or R for coordinate plus 1, next mood (moods are numbered from 0 in the order of the list)",
        "the weight of the ones printed by the program {machine} in exactly {steps} instructions on the unbounded input ...000 followed"
        " by {tape} followed by 000..., where printing a 1 at index i weighs i, again for each printing, printing a 0 weighs nothing, "
        "the first input symbol has index 0, indices fall to the left below zero, and the machine, at first in state 0 at index 0, in "
        "state k applies the instruction [print, direction, new state] that stands first (symbol 0 under the head) or second (symbol 1)"
        " in the k-th pair, the initial pair being pair 0",
        "over all of {steps} transitions, the added-up addresses at which a 1 is stored by an automaton with a read-write head: memory "
        "address a holds item a of {tape}, from 0, and 0 where there is no such item (every negative address too); control begins in "
        "state 0, the head at address 0; a transition from state s with symbol x at the head follows the triple {machine}[s][x], "
        "zero-based, whose parts are the symbol stored at the head's address, the side to which the head then goes by one (R is up, L "
        "is down), and the state that comes next; storing the same 1 again adds its address again",
    ),
)
