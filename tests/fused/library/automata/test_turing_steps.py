"""The machine on a tape kept as a dictionary, one configuration after the other."""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

import pytest
from library_checks import check

from envgen.fused.library.automata.turing_steps import PROBLEM


def independent(values: Mapping[str, Any]) -> int:
    tape = defaultdict(int, enumerate(values["tape"]))
    head = state = total = 0
    for _ in range(values["steps"]):
        write, move, following = values["machine"][state][tape[head]]
        tape[head] = write
        if write == 1:
            total += head
        head, state = head + {"L": -1, "R": 1}[move], following
    return total


def test_turing_steps() -> None:
    check(PROBLEM, independent)


def test_by_hand() -> None:
    # To the right writing ones: 0 + 1 + ... + 7; to the left: the same, negative.
    right, left = [[[1, "R", 0], [1, "R", 0]]] * 2, [[[1, "L", 1], [1, "L", 1]]] * 2
    assert PROBLEM.solve({"machine": right, "tape": [0, 1, 0], "steps": 8}) == 28
    assert PROBLEM.solve({"machine": left, "tape": [0], "steps": 8}) == -28
    # Flipping to the right: ones are written over the zeros at 1 and 3, and over the blanks 4 to 7.
    flip = [[[1, "R", 0], [0, "R", 0]]] * 2
    assert PROBLEM.solve({"machine": flip, "tape": [1, 0, 1, 0], "steps": 8}) == 1 + 3 + 4 + 5 + 6 + 7


def test_a_state_that_is_not_there() -> None:
    with pytest.raises(ValueError, match="no row"):
        PROBLEM.solve({"machine": [[[1, "R", 5], [1, "R", 0]]] * 2, "tape": [0], "steps": 8})
