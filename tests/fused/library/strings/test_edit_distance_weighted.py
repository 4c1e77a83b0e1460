"""Edit distances against the cheapest path through the grid of all pairs of prefixes, found with a queue."""

from collections.abc import Mapping
from heapq import heappop, heappush
from typing import Any

from library_checks import check

from envgen.fused.library.strings.edit_distance_weighted import PROBLEM


def independent(values: Mapping[str, Any]) -> int:
    first, second, gap, swap = (values[name] for name in ("first", "second", "gap", "swap"))
    queue, done = [(0, 0, 0)], set[tuple[int, int]]()
    while queue:
        cost, i, j = heappop(queue)
        if (i, j) == (len(first), len(second)):
            return cost
        if (i, j) in done:
            continue
        done.add((i, j))
        if i < len(first):
            heappush(queue, (cost + gap, i + 1, j))
        if j < len(second):
            heappush(queue, (cost + gap, i, j + 1))
        if i < len(first) and j < len(second):
            heappush(queue, (cost if first[i] == second[j] else cost + swap, i + 1, j + 1))
    raise AssertionError("the last corner is always reached")


def test_edit_distance_weighted() -> None:
    check(PROBLEM, independent)


def test_by_hand() -> None:
    assert PROBLEM.solve({"first": "kitten", "second": "sitting", "gap": 1, "swap": 1}) == 3
    assert PROBLEM.solve({"first": "kitten", "second": "sitting", "gap": 10, "swap": 7}) == 24
    assert PROBLEM.solve({"first": "kitten", "second": "sitting", "gap": 2, "swap": 100}) == 10
    assert PROBLEM.solve({"first": "a", "second": "A", "gap": 5, "swap": 3}) == 3
    assert PROBLEM.solve({"first": "same", "second": "same", "gap": 5, "swap": 3}) == 0
