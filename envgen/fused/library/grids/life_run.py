"""The Game of Life on a torus."""

import random
from collections.abc import Mapping
from typing import Any

from envgen.fused.problem import Problem, Values
from envgen.fused.types import Int, matrix

LEAST, MOST, MOST_K = 3, 30, 10**6
# A torus in a cycle is back after few steps; one that has not come back by then is stepped on to the end.
MOST_STEPS = 2_000
Rows = tuple[int, ...]


def sample(rng: random.Random, level: int, bound: Mapping[str, Any]) -> Values | None:
    """Tori of 6 x 6 cells or more, two cells in five alive, and fewer steps than it takes them to settle; more cells for more steps."""
    k = bound.get("k", rng.randint(2, min(7 + level, 40)))
    if "grid" in bound:
        grid = bound["grid"]
    else:
        size = 6 + level // 2 + min(k // 25, 4)
        rows, columns = (min(size + rng.randrange(3), 22) for _ in range(2))
        grid = [[int(rng.random() < 0.4) for _ in range(columns)] for _ in range(rows)]
    values: Values = {"grid": grid, "k": k}
    if k > MOST_STEPS:
        try:
            solve(values)
        except ValueError:
            return None
    return values


def solve(values: Mapping[str, Any]) -> list[list[int]]:
    """Rows as integers; a state that was there before closes a cycle. ValueError when there is none within MOST_STEPS."""
    width, k = len(values["grid"][0]), values["k"]
    rows: Rows = tuple(int("".join(map(str, row)), 2) for row in values["grid"])
    seen, states = dict[Rows, int](), list[Rows]()
    while len(states) < k and rows not in seen:
        seen[rows] = len(states)
        states.append(rows)
        rows = _step(rows, width)
        if len(states) > MOST_STEPS:
            raise ValueError("no cycle within the steps that are tried")
    if len(states) < k:
        start = seen[rows]
        rows = states[start + (k - start) % (len(states) - start)]
    return [[int(bit) for bit in format(row, f"0{width}b")] for row in rows]


def _step(rows: Rows, width: int) -> Rows:
    """One step. Sums of three cells in a row are kept as two bit planes, and added up over three rows."""
    top = width - 1
    full = (1 << width) - 1
    planes = []
    for row in rows:
        left, right = row >> 1 | (row & 1) << top, (row << 1 | row >> top) & full
        planes.append((left ^ row ^ right, left & row | left & right | row & right))
    new = []
    for place, row in enumerate(rows):
        (a, a2), (b, b2), (c, c2) = planes[place - 1], planes[place], planes[(place + 1) % len(rows)]
        ones, carry = a ^ b ^ c, a & b | a & c | b & c
        # The nine cells add up to ones + 2 * (carry + a2 + b2 + c2): alive for 3, as before for 4.
        odd = carry ^ a2 ^ b2 ^ c2
        two = carry & a2 | carry & b2 | carry & c2 | a2 & b2 | a2 & c2 | b2 & c2
        four = carry & a2 & b2 & c2
        new.append((ones & odd & ~two) | (row & ~ones & two & ~odd & ~four))
    return tuple(new)


PROBLEM = Problem(
    name="life_run",
    topic="grids",
    ports={"grid": matrix(Int(0, 1), (LEAST, MOST), (LEAST, MOST)), "k": Int(1, MOST_K)},
    out=matrix(Int(0, 1), (LEAST, MOST), (LEAST, MOST)),
    sample=sample,
    solve=solve,
    wordings=(
        "the grid of rows of 0s and 1s that {grid} becomes after {k} generations of Conway's Game of Life, 1 being a living cell, on a "
        "torus: the first row lies below the last one, and the first column to the right of the last",
        "the state, {k} ticks later, of a board that wraps around at all four borders and now reads {grid}, row by row; at a tick all "
        "squares change together, a 1 staying 1 exactly when two or three of the eight squares around it are 1, a 0 turning into 1 "
        "exactly when three are",
        "X_{k}, where X_0 = {grid} and, with both indices taken modulo the number of rows and of columns, X_(t+1)[i][j] is 1 if the sum "
        "of X_t over the 3 x 3 block centred at (i, j) is 3, X_t[i][j] if that sum is 4, and 0 otherwise",
        "a colony's pattern on day {k} (as rows, 1 = inhabited), given that the pattern on day 0 is {grid} and that from each day to the "
        "next inhabitants with fewer than two or more than three neighbours die and empty places with precisely three get one; "
        "neighbours touch along a side or at a corner, and opposite edges of the region are glued to each other",
        "the result of applying {k} times in succession the rule B3/S23 with Moore neighbourhoods and periodic boundary conditions in "
        "both directions to the 0-1 matrix {grid}, every application acting on all entries at once",
    ),
)
