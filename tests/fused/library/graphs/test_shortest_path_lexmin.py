"""Shortest paths against relaxing whole paths until nothing changes."""

from collections.abc import Mapping
from typing import Any

import pytest
from library_checks import check

from envgen.fused.library.graphs.shortest_path_lexmin import PROBLEM


def independent(values: Mapping[str, Any]) -> list[int]:
    lengths = values["lengths"] * len(values["edges"])
    arrows = [(a, b, step) for (a, b), step in zip(values["edges"], lengths, strict=False)]
    arrows += [(b, a, step) for a, b, step in arrows]
    best: dict[int, tuple[int, int, list[int]]] = {values["start"]: (0, 0, [values["start"]])}
    changed = True
    while changed:
        changed = False
        for one, other, step in arrows:
            if one in best:
                total, edges, path = best[one]
                found = (total + step, edges + 1, [*path, other])
                if other not in best or found < best[other]:
                    best[other], changed = found, True
    return best[values["goal"]][2]


def test_shortest_path_lexmin() -> None:
    check(PROBLEM, independent)


def path(edges: list[list[int]], lengths: list[int], start: int = 0, goal: int = 3) -> Any:
    return PROBLEM.solve({"edges": edges, "lengths": lengths, "start": start, "goal": goal})


def test_by_hand() -> None:
    square = [[0, 2], [2, 3], [1, 0], [3, 1]]
    assert path(square, [4]) == [0, 1, 3]
    assert path(square, [1, 1, 1, 2]) == [0, 2, 3]
    # As long, but by fewer edges; edges of no length; nowhere to go.
    assert path([*square, [0, 3]], [1, 1, 1, 1, 2]) == [0, 3]
    assert path([[0, 1], [1, 2], [2, 3], [1, 3]], [0]) == [0, 1, 3]
    assert path(square, [4], goal=0) == [0]


def test_no_path() -> None:
    with pytest.raises(ValueError, match="no path"):
        path([[0, 1], [2, 3]], [1])
