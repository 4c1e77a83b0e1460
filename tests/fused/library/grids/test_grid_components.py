"""Islands by spreading the least label of each neighbourhood until nothing changes."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from library_checks import check

from envgen.fused.library.grids.grid_components import PROBLEM


def independent(values: Mapping[str, Any]) -> list[int]:
    cells = [(i, j) for i, row in enumerate(values["grid"]) for j, height in enumerate(row) if height > values["water"]]
    label = {cell: number for number, cell in enumerate(cells)}
    changed = True
    while changed:
        changed = False
        for i, j in cells:
            least = min(label[near] for near in ((i, j), (i - 1, j), (i + 1, j), (i, j - 1), (i, j + 1)) if near in label)
            if least < label[i, j]:
                label[i, j], changed = least, True
    return sorted(Counter(label.values()).values())


def test_grid_components() -> None:
    check(PROBLEM, independent)


def test_by_hand() -> None:
    grid = [[5, 1, 7, 7], [5, 2, 1, 7], [0, 6, 0, 1]]
    assert PROBLEM.solve({"grid": grid, "water": 4}) == [1, 2, 3]
    assert PROBLEM.solve({"grid": grid, "water": 5}) == [1, 3]
    assert PROBLEM.solve({"grid": grid, "water": 7}) == []
    assert PROBLEM.solve({"grid": grid, "water": -1}) == [12]
    # The last cell of a row and the first of the next are no neighbours.
    assert PROBLEM.solve({"grid": [[0, 1], [1, 0]], "water": 0}) == [1, 1]
