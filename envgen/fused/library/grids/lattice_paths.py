"""The number of ways down through a grid with blocked cells."""

import random
from collections.abc import Mapping, Sequence
from typing import Any

from envgen.fused.problem import Problem, Values
from envgen.fused.types import Int, matrix

MOST, LEAST_MODULUS, MOST_MODULUS = 40, 97, 10**12


def sample(rng: random.Random, level: int, bound: Mapping[str, Any]) -> Values | None:
    """Enough rows that there are more ways than the modulus, one cell in six blocked."""
    modulus = bound.get("modulus")
    if "grid" in bound:
        grid = bound["grid"]
    else:
        # A row more makes for some two and a half times as many ways.
        least = 0 if modulus is None else 10 * len(str(modulus)) // 4 + 1
        rows = min(max(8 + level // 2 + rng.randrange(3), least), MOST)
        grid = _open(rng, rows, min(6 + level // 3 + rng.randrange(3), 16))
    ways = _ways(grid)
    if modulus is None:
        modulus = rng.randint(LEAST_MODULUS, max(LEAST_MODULUS + 20, min(ways // 2, 1000 * 10 ** min(level // 2, 9))))
    return {"grid": grid, "modulus": modulus} if ways else None


def _open(rng: random.Random, rows: int, columns: int) -> list[list[int]]:
    """A grid with a way through: a cell in each row that is not blocked, next to the one above."""
    column, grid = rng.randrange(columns), []
    for _ in range(rows):
        row = [int(rng.randrange(6) == 0) for _ in range(columns)]
        column = max(0, min(columns - 1, column + rng.randint(-1, 1)))
        row[column] = 0
        grid.append(row)
    return grid


def solve(values: Mapping[str, Any]) -> int:
    """The ways to each cell of a row from those of the row above."""
    return int(_ways(values["grid"]) % values["modulus"])


def _ways(grid: Sequence[Sequence[int]]) -> int:
    ways = [int(not cell) for cell in grid[0]]
    for row in grid[1:]:
        sides = [0, *ways, 0]
        ways = [0 if cell else sides[place] + sides[place + 1] + sides[place + 2] for place, cell in enumerate(row)]
    return sum(ways)


PROBLEM = Problem(
    name="lattice_paths",
    topic="grids",
    ports={"grid": matrix(Int(0, 10**9), (2, MOST), (2, MOST)), "modulus": Int(LEAST_MODULUS, MOST_MODULUS)},
    out=Int(0, MOST_MODULUS - 1),
    sample=sample,
    solve=solve,
    wordings=(
        "the number, modulo {modulus}, of paths over free cells of {grid}, a list of rows, from any cell of the first row to any cell of "
        "the last row, each step going one row down and at most one column to the left or right; a cell is free if it holds 0 and "
        "blocked otherwise, and there is no going around the sides",
        "how many ways a marble can fall through the sieve {grid} (top row first, zeros are holes, all other numbers are pegs), reduced "
        "modulo {modulus}, if it enters at a hole of the top row and passes in each lower row through the hole straight below the "
        "last one or through one directly beside that, up to the bottom row",
        "the remainder on division by {modulus} of the count of sequences c_0, c_1, ..., c_(m-1) of column indices with |c_i - c_(i-1)| "
        "<= 1 for i from 1 to m - 1 and entry c_i of row i equal to 0 for i from 0 to m - 1, where row 0 to row m - 1 are the members of "
        "{grid}",
        "the residue, from 0 to {modulus} - 1, of the sum of the last row of the table W that has the shape of {grid}, a 0 wherever that "
        "matrix is not 0, elsewhere a 1 in the first row and in any other row the sum of the up to three numbers of W above, above "
        "left and above right",
        "the least non-negative number congruent modulo {modulus} to the total of different routes by which a skier gets down a slope "
        "divided into the squares {grid}: squares with anything but 0 hold trees and are closed, the start is a square without trees in "
        "the uppermost line, the finish one in the lowermost, and every move leads to the next line, into the same column or a "
        "neighbouring one",
    ),
)
