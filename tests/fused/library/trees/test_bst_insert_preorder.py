"""Search trees as tables of children with parents, changed in place."""

from collections.abc import Mapping
from typing import Any

from library_checks import check

from envgen.fused.library.trees.bst_insert_preorder import PROBLEM


class Node:
    def __init__(self, key: int) -> None:
        self.key = key
        self.sides: list[Node | None] = [None, None]


def independent(values: Mapping[str, Any]) -> list[int]:
    # A sentinel whose right side is the tree spares the root a case of its own.
    top = Node(-(10**30))
    for key in [values["root"], *values["items"]]:
        above, side = find(top, key)
        if above.sides[side] is None:
            above.sides[side] = Node(key)
    for key in values["drops"]:
        above, side = find(top, key)
        node = above.sides[side]
        if node is not None and all(node.sides):
            above, side, inner = node, 1, node
            while (lower := above.sides[side]) is not None and lower.sides[0] is not None:
                above, side = lower, 0
            node = above.sides[side]
            assert node is not None
            inner.key = node.key
        if node is not None:
            above.sides[side] = node.sides[0] or node.sides[1]
    keys, stack = [], [top.sides[1]]
    while stack:
        node = stack.pop()
        if node is not None:
            keys.append(node.key)
            stack += [node.sides[1], node.sides[0]]
    return keys


def find(top: Node, key: int) -> tuple[Node, int]:
    """The place of a key: the node above it and the side on which it hangs, or would."""
    above, side = top, 1
    while (node := above.sides[side]) is not None and node.key != key:
        above, side = node, int(key > node.key)
    return above, side


def test_bst_insert_preorder() -> None:
    check(PROBLEM, independent)


def preorder(*drops: int) -> Any:
    return PROBLEM.solve({"root": 5, "items": [2, 8, 1, 3, 9, 7, 5, 6], "drops": list(drops)})


def test_by_hand() -> None:
    assert preorder() == [5, 2, 1, 3, 8, 7, 6, 9]
    assert preorder(5) == [6, 2, 1, 3, 8, 7, 9]
    assert preorder(1, 2, 4, 2) == [5, 3, 8, 7, 6, 9]
    assert preorder(8, 7) == [5, 2, 1, 3, 9, 6]
    assert preorder(*range(10)) == []
