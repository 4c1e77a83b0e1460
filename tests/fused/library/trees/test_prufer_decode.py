"""Codes to trees, against encoding the tree again and against the plain rule."""

from collections import Counter
from collections.abc import Mapping
from itertools import product
from typing import Any

from library_checks import check

from envgen.fused.library.trees.prufer_decode import PROBLEM


def independent(values: Mapping[str, Any]) -> list[list[int]]:
    size = len(values["code"]) + 2
    code = [(number + values["shift"]) % size for number in values["code"]]
    unused, edges = list(range(size)), []
    while code:
        leaf = next(node for node in unused if node not in code)
        unused.remove(leaf)
        edges.append([min(leaf, code[0]), max(leaf, code[0])])
        code = code[1:]
    return sorted([*edges, unused])


def encode(edges: list[list[int]]) -> list[int]:
    """The code of a tree, by pruning."""
    edges, code = list(edges), []
    while len(edges) > 1:
        degrees = Counter(node for edge in edges for node in edge)
        leaf = min(node for node, count in degrees.items() if count == 1)
        edge = next(edge for edge in edges if leaf in edge)
        edges.remove(edge)
        code.append(sum(edge) - leaf)
    return code


def test_prufer_decode() -> None:
    check(PROBLEM, independent)


def test_by_hand() -> None:
    assert PROBLEM.solve({"code": [3, 3, 3, 4], "shift": 0}) == [[0, 3], [1, 3], [2, 3], [3, 4], [4, 5]]
    assert PROBLEM.solve({"code": [0], "shift": -1}) == [[0, 2], [1, 2]]


def test_every_code_of_three() -> None:
    trees = [PROBLEM.solve({"code": list(code), "shift": 0}) for code in product(range(5), repeat=3)]
    assert [encode(tree) for tree in trees] == [list(code) for code in product(range(5), repeat=3)]
