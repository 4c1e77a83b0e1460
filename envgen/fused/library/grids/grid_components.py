"""The sizes of the islands that a flood leaves."""

import random
from collections.abc import Mapping
from typing import Any

from envgen.fused.problem import Problem, Values
from envgen.fused.types import Int, List, matrix

MOST, MOST_HEIGHT = 30, 10**15


def sample(rng: random.Random, level: int, bound: Mapping[str, Any]) -> Values | None:
    """Land of 7 x 7 cells or more, of which the water leaves about half dry."""
    water = bound.get("water")
    if "grid" in bound:
        grid = bound["grid"]
    else:
        rows, columns = (min(7 + level // 2 + rng.randrange(3), 24) for _ in range(2))
        high = 60 + 20 * min(level, 40) if water is None else max(9, min(2 * water, MOST_HEIGHT))
        grid = [[rng.randint(0, high) for _ in range(columns)] for _ in range(rows)]
    if water is None:
        heights = sorted(height for row in grid for height in row)
        # Of levels that drown everything there are none, unless the land is flat.
        below = [height for height in heights[len(heights) // 3 : 2 * len(heights) // 3 + 1] if height < heights[-1]]
        water = rng.choice(below or heights[:1])
    return {"grid": grid, "water": water}


def solve(values: Mapping[str, Any]) -> list[int]:
    """Flood fill over the cells that stand out of the water, on a grid that is written out as one row with a rim."""
    grid, water = values["grid"], values["water"]
    width = len(grid[0]) + 1
    dry = bytearray(width)
    for row in grid:
        dry += bytes([height > water for height in row]) + b"\0"
    dry += bytes(width)
    sizes = []
    for cell in range(width, len(dry) - width):
        if dry[cell]:
            sizes.append(_fill(dry, cell, width))
    return sorted(sizes)


def _fill(dry: bytearray, cell: int, width: int) -> int:
    """The size of the island around a cell, whose cells are struck off."""
    dry[cell] = 0
    island = [cell]
    for here in island:  # grows while it is gone through
        for near in (here - width, here - 1, here + 1, here + width):
            if dry[near]:
                dry[near] = 0
                island.append(near)
    return len(island)


PROBLEM = Problem(
    name="grid_components",
    topic="grids",
    ports={"grid": matrix(Int(-MOST_HEIGHT, MOST_HEIGHT), (1, MOST), (1, MOST)), "water": Int(-MOST_HEIGHT, MOST_HEIGHT)},
    out=List(Int(1, MOST * MOST, "count"), 0, MOST * MOST, ordered=True),
    sample=sample,
    solve=solve,
    wordings=(
        "the sizes, in ascending order and with repetitions, of the connected regions formed by the cells of {grid} (a list of rows) "
        "whose value is greater than {water}, cells being connected when they share a side; the list is empty if no value is greater",
        "how many squares each island has after the sea has risen to {water} over a rectangular map whose square heights, row by row, "
        "are {grid}, smallest island first: a square no higher than the sea is under water, and two dry squares belong together if one "
        "gets from one to the other over dry squares by steps up, down, left and right (with no dry squares, there are no islands and "
        "nothing to list)",
        "the non-decreasing sequence of the orders of the components of the graph whose vertices are the pairs (i, j) with "
        "{grid}[i][j] > {water} and whose edges join vertices with |i - i'| + |j - j'| = 1; without vertices, the empty sequence",
        "the sorted areas, least to greatest, equal ones each listed, of all blobs in the binary picture that results from {grid} by "
        "turning pixels with more than {water} black and the rest white, under 4-connectivity (diagonal contact does not join, the "
        "borders do not wrap around), an all-white picture giving []",
        "the counts written down, put in increasing order at the end, by somebody who floods one patch after the other with paint until "
        "no bare tile is left: tile (r, c) starts out bare if number c of row r in {grid} exceeds {water}, paint spreads from a tile to "
        "the bare ones on its four sides, and each count says how many tiles a patch took; none at all were bare gives no counts",
    ),
)
