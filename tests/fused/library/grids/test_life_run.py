"""The Game of Life, cell by cell, and by patterns whose fate is known."""

from collections.abc import Mapping
from typing import Any

import pytest
from library_checks import check

from envgen.fused.library.grids.life_run import PROBLEM

AROUND = [(a, b) for a in (-1, 0, 1) for b in (-1, 0, 1) if (a, b) != (0, 0)]


def step(grid: list[list[int]]) -> list[list[int]]:
    rows, columns = len(grid), len(grid[0])
    new = [[0] * columns for _ in range(rows)]
    for i in range(rows):
        for j in range(columns):
            near = sum(grid[(i + a) % rows][(j + b) % columns] for a, b in AROUND)
            new[i][j] = int(near == 3 or (near == 2 and grid[i][j] == 1))
    return new


def independent(values: Mapping[str, Any]) -> Any:
    grid = values["grid"]
    for _ in range(values["k"]):
        grid = step(grid)
    return grid


def test_life_run() -> None:
    check(PROBLEM, independent)


BLINKER = [[0] * 5, [0, 0, 1, 0, 0], [0, 0, 1, 0, 0], [0, 0, 1, 0, 0], [0] * 5]


@pytest.mark.parametrize("k", [1, 2, 999, 10**6])
def test_a_blinker(k: int) -> None:
    turned = [list(column) for column in zip(*BLINKER, strict=True)]
    assert PROBLEM.solve({"grid": BLINKER, "k": k}) == (turned if k % 2 else BLINKER)


def test_a_glider_comes_around() -> None:
    glider = [[0, 1, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0], [1, 1, 1, 0, 0, 0], *([0] * 6 for _ in range(3))]
    moved = [glider[-1], *glider[:-1]]
    assert PROBLEM.solve({"grid": glider, "k": 4}) == [[row[-1], *row[:-1]] for row in moved]
    assert PROBLEM.solve({"grid": glider, "k": 24}) == glider
    assert PROBLEM.solve({"grid": glider, "k": 24 * 1000 + 7}) == independent({"grid": glider, "k": 7})


def test_the_least_torus() -> None:
    assert PROBLEM.solve({"grid": [[1, 0, 0], [0, 1, 0], [0, 0, 0]], "k": 1}) == [[0] * 3] * 3
    assert PROBLEM.solve({"grid": [[1, 1, 1], [0, 0, 0], [0, 0, 0]], "k": 1}) == [[1] * 3] * 3
