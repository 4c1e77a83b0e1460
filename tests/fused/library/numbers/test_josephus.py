"""The counting-out circle against a queue that is turned card by card."""

from collections import deque
from collections.abc import Mapping
from typing import Any

from library_checks import check

from envgen.fused.library.numbers.josephus import PROBLEM


def independent(values: Mapping[str, Any]) -> int:
    queue = deque(range(1, values["n"] + 1))
    while len(queue) > 1:
        for _ in range((values["k"] - 1) % len(queue)):
            queue.append(queue.popleft())
        queue.popleft()
    return queue[0]


def test_josephus() -> None:
    check(PROBLEM, independent)


def test_by_hand() -> None:
    assert PROBLEM.solve({"n": 41, "k": 3}) == 31
    assert PROBLEM.solve({"n": 7, "k": 1}) == 7
    assert PROBLEM.solve({"n": 2, "k": 2}) == 1
