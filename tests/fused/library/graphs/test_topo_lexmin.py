"""Orders of tasks, against looking through all tasks at every step, and against all permutations."""

from collections.abc import Mapping
from itertools import permutations
from typing import Any

import pytest
from library_checks import check

from envgen.fused.library.graphs.topo_lexmin import PROBLEM


def independent(values: Mapping[str, Any]) -> list[int]:
    keys, order = values["keys"], list[int]()
    while len(order) < len(keys):
        left = [task for task in range(len(keys)) if task not in order]
        free = [task for task in left if all(one in order for one, other in values["before"] if other == task)]
        order.append(sorted(free, key=lambda task: keys[task])[0])
    return order


def test_topo_lexmin() -> None:
    check(PROBLEM, independent)


def test_by_hand() -> None:
    assert PROBLEM.solve({"keys": [5, 1, 9], "before": []}) == [1, 0, 2]
    assert PROBLEM.solve({"keys": [5, 5, 5], "before": [[2, 0]]}) == [1, 2, 0]
    assert PROBLEM.solve({"keys": [1, 2, 3], "before": [[2, 0], [2, 0], [1, 0]]}) == [1, 2, 0]


def test_every_order_is_tried() -> None:
    keys, before = [4, 2, 2, 7, 1, 0], [[3, 4], [0, 5], [2, 0], [3, 1]]
    orders = [order for order in permutations(range(6)) if all(order.index(a) < order.index(b) for a, b in before)]
    assert PROBLEM.solve({"keys": keys, "before": before}) == list(min(orders, key=lambda order: [(keys[i], i) for i in order]))


@pytest.mark.parametrize("before", [[[0, 1], [1, 0]], [[1, 1]], [[0, 2]]])
def test_orders_that_cannot_be(before: list[list[int]]) -> None:
    with pytest.raises(ValueError, match=r"circle|without a key"):
        PROBLEM.solve({"keys": [3, 2], "before": before})
