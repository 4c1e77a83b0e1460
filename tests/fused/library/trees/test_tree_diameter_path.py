"""Longest paths, against walking every path of the tree."""

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from library_checks import check

from envgen.fused.library.trees.tree_diameter_path import PROBLEM


def independent(values: Mapping[str, Any]) -> list[int]:
    lengths = values["lengths"] * len(values["edges"])
    size = {frozenset(edge): lengths[place] for place, edge in enumerate(values["edges"])}
    nodes = sorted({node for edge in values["edges"] for node in edge})

    def walks(path: list[int], total: int) -> Iterator[tuple[int, list[int]]]:
        yield -total, path
        for node in nodes:
            if node not in path and frozenset((path[-1], node)) in size:
                yield from walks([*path, node], total + size[frozenset((path[-1], node))])

    return min(found for node in nodes for found in walks([node], 0) if values["via"] in found[1])[1]


def test_tree_diameter_path() -> None:
    check(PROBLEM, independent)


STAR = [[0, 4], [4, 1], [2, 4], [3, 2]]


def test_by_hand() -> None:
    assert PROBLEM.solve({"edges": STAR, "lengths": [5], "via": 4}) == [0, 4, 2, 3]
    assert PROBLEM.solve({"edges": STAR, "lengths": [5, 6, 1, 1], "via": 4}) == [0, 4, 1]
    assert PROBLEM.solve({"edges": STAR, "lengths": [5, 6, 1, 1], "via": 3}) == [1, 4, 2, 3]


def test_edges_of_no_length() -> None:
    values = {"edges": STAR, "lengths": [0], "via": 2}
    assert PROBLEM.solve(values) == independent(values) == [0, 4, 2]


@pytest.mark.parametrize(
    ("edges", "via"),
    [
        ([[0, 1], [1, 2]], 5),
        ([[0, 1], [1, 2], [2, 0]], 1),
        ([[0, 1], [2, 3], [3, 4], [4, 2]], 0),
        ([[0, 1], [2, 2]], 0),
        ([[0, 1], [1, 0]], 0),
    ],
)
def test_no_tree(edges: list[list[int]], via: int) -> None:
    with pytest.raises(ValueError, match="tree"):
        PROBLEM.solve({"edges": edges, "lengths": [1], "via": via})
