"""The heap as a list that is sorted whenever something is taken."""

from collections.abc import Mapping
from itertools import cycle
from typing import Any

from library_checks import check

from envgen.fused.library.trees.heap_trace import PROBLEM


def independent(values: Mapping[str, Any]) -> list[int]:
    waiting, popped = [], []
    for item, burst in zip(values["items"], cycle(values["pops"]), strict=False):
        waiting.append(item)
        back = False
        while burst and waiting:
            waiting.sort(reverse=True)
            popped.append(waiting.pop())
            if back:
                waiting.append(popped[-1] + values["step"])
            back, burst = not back, burst - 1
    return popped


def test_heap_trace() -> None:
    check(PROBLEM, independent)


def test_by_hand() -> None:
    assert PROBLEM.solve({"items": [5, 3, 8, 1], "pops": [0, 1], "step": 9}) == [3, 1]
    # 3 is final; 5 goes back as 7; 7 is final; then nothing is left.
    assert PROBLEM.solve({"items": [5, 3], "pops": [0, 9], "step": 2}) == [3, 5, 7]
    assert PROBLEM.solve({"items": [4, 4, 2], "pops": [0], "step": 2}) == []
    assert PROBLEM.solve({"items": [4, 6, 5], "pops": [0, 0, 4], "step": 10}) == [4, 5, 6, 15]
