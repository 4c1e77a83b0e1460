"""The robot on a map of free cells, with complex numbers for places, step after step."""

from collections.abc import Mapping
from typing import Any

import pytest
from library_checks import check

from envgen.fused.library.grids.robot_program import PROBLEM

POINTS = [(-1, 0), (0, 1), (1, 0), (0, -1)]


def independent(values: Mapping[str, Any]) -> list[int]:
    free = {(i, j) for i, row in enumerate(values["grid"]) for j, cell in enumerate(row) if cell == 0}
    place, heading, failed = (0, 0), (0, 1), 0
    for letter in values["text"] * values["times"]:
        down, right = heading
        match ord(letter) & 3:
            case 0:
                heading = (-right, down)
            case 1:
                heading = (right, -down)
            case steps:
                for _ in range(steps - 1):
                    ahead = (place[0] + down, place[1] + right)
                    if ahead in free:
                        place = ahead
                    else:
                        failed += 1
    return [*place, POINTS.index(heading), failed]


def test_robot_program() -> None:
    check(PROBLEM, independent)


# By their codes modulo 4: D turns left, E right, F goes one step, G two.
def test_by_hand() -> None:
    room = [[0, 0, 0], [0, 1, 0], [0, 0, 0]]
    assert PROBLEM.solve({"grid": room, "text": "G", "times": 1}) == [0, 2, 1, 0]
    assert PROBLEM.solve({"grid": room, "text": "GE", "times": 2}) == [2, 2, 3, 0]
    assert PROBLEM.solve({"grid": room, "text": "FEF", "times": 1}) == [0, 1, 2, 1]
    assert PROBLEM.solve({"grid": room, "text": "DG", "times": 1}) == [0, 0, 0, 2]
    assert PROBLEM.solve({"grid": [[1, 1], [1, 1]], "text": "G", "times": 10**12}) == [0, 0, 1, 2 * 10**12]


@pytest.mark.parametrize("times", [1, 2, 7, 99, 1000])
def test_cycles_are_left_out_soundly(times: int) -> None:
    grid = [[0, 0, 0, 1, 0], [0, 1, 0, 0, 0], [0, 0, 0, 1, 0], [1, 0, 0, 0, 0]]
    for text in ("GEFDG", "FDGEEGF", "a robot", "EGGFDF"):
        values = {"grid": grid, "text": text, "times": times}
        assert PROBLEM.solve(values) == independent(values)
