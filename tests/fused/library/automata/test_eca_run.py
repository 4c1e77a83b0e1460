"""The automaton cell by cell, by a written table."""

from collections.abc import Mapping
from typing import Any

from library_checks import check

from envgen.fused.library.automata.eca_run import PROBLEM


def independent(values: Mapping[str, Any]) -> list[int]:
    neighbourhoods = [(1, 1, 1), (1, 1, 0), (1, 0, 1), (1, 0, 0), (0, 1, 1), (0, 1, 0), (0, 0, 1), (0, 0, 0)]
    table = dict(zip(neighbourhoods, map(int, format(values["rule"], "08b")), strict=True))
    row = list(values["bits"])
    for _ in range(values["k"]):
        row = [table[row[place - 1], row[place], row[(place + 1) % len(row)]] for place in range(len(row))]
    return row


def test_eca_run() -> None:
    check(PROBLEM, independent)


def test_by_hand() -> None:
    # Rule 90 is the exclusive or of both neighbours; rule 170 copies the right one, rule 240 the left one.
    assert PROBLEM.solve({"rule": 90, "bits": [0, 0, 1, 0, 0], "k": 2}) == [1, 0, 0, 0, 1]
    assert PROBLEM.solve({"rule": 170, "bits": [1, 1, 0, 0, 0], "k": 1}) == [1, 0, 0, 0, 1]
    assert PROBLEM.solve({"rule": 240, "bits": [1, 1, 0, 0, 0], "k": 6}) == [0, 1, 1, 0, 0]
    assert PROBLEM.solve({"rule": 255, "bits": [0, 0, 0, 0, 0], "k": 1}) == [1] * 5
