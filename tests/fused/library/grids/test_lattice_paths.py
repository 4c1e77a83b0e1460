"""Ways down a grid by halves: the ways from a top to a bottom cell are split at the middle row."""

from collections.abc import Mapping
from functools import cache
from itertools import pairwise, product
from typing import Any

from library_checks import check

from envgen.fused.library.grids.lattice_paths import PROBLEM


def independent(values: Mapping[str, Any]) -> int:
    grid = values["grid"]
    columns = range(len(grid[0]))

    @cache
    def ways(row: int, column: int, end_row: int, end_column: int) -> int:
        if row == end_row:
            return int(column == end_column and grid[row][column] == 0)
        if abs(column - end_column) > end_row - row:
            return 0
        if end_row == row + 1:
            return int(grid[row][column] == grid[end_row][end_column] == 0)
        middle = (row + end_row) // 2
        return sum(ways(row, column, middle, between) * ways(middle, between, end_row, end_column) for between in columns)

    return sum(ways(0, a, len(grid) - 1, b) for a in columns for b in columns) % int(values["modulus"])


def test_lattice_paths() -> None:
    check(PROBLEM, independent)


def test_by_hand() -> None:
    assert PROBLEM.solve({"grid": [[0, 0], [0, 0], [0, 0]], "modulus": 100}) == 8
    assert PROBLEM.solve({"grid": [[0, 0, 0], [0, 0, 0]], "modulus": 100}) == 7
    assert PROBLEM.solve({"grid": [[0, 0, 0], [7, 0, 1], [0, 1, 0]], "modulus": 100}) == 6
    assert PROBLEM.solve({"grid": [[0, 1, 1], [1, 1, 0]], "modulus": 100}) == 0


def test_every_sequence_is_tried() -> None:
    grid = [[0, 1, 0, 0, 0], [0, 0, 0, 1, 0], [2, 0, 0, 0, 0], [0, 0, 3, 0, 0], [0, 0, 0, 0, 1]]
    whole = [
        path
        for path in product(range(5), repeat=5)
        if all(abs(a - b) <= 1 for a, b in pairwise(path)) and not any(grid[row][column] for row, column in enumerate(path))
    ]
    assert PROBLEM.solve({"grid": grid, "modulus": 10**9}) == len(whole)
