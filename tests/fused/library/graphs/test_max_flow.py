"""Flows against the cheapest of all cuts, or against pushing along paths found by depth where the cuts are too many."""

from collections.abc import Mapping
from itertools import combinations, cycle
from typing import Any

import pytest
from library_checks import check

from envgen.fused.library.graphs.max_flow import PROBLEM


def independent(values: Mapping[str, Any]) -> int:
    source, sink = values["source"], values["sink"]
    priced = [(a, b, c) for (a, b), c in zip(values["edges"], cycle(values["capacities"]), strict=False)]
    others = sorted({node for edge in values["edges"] for node in edge} - {source, sink})
    cuts = []
    for size in range(len(others) + 1):
        for chosen in combinations(others, size):
            side = {source, *chosen}
            cuts.append(sum(c for a, b, c in priced if (a in side) != (b in side)))
    return min(cuts)


def test_max_flow() -> None:
    check(PROBLEM, independent)


def flow(edges: list[list[int]], capacities: list[int], sink: int = 3) -> Any:
    return PROBLEM.solve({"edges": edges, "capacities": capacities, "source": 0, "sink": sink})


def test_by_hand() -> None:
    assert flow([[0, 1], [1, 3]], [5, 7]) == 5
    assert flow([[1, 0], [3, 1]], [9]) == 9
    # The bridge between the two ways is used from 2 to 1.
    assert flow([[0, 1], [0, 2], [1, 2], [1, 3], [2, 3]], [2, 9, 4, 8, 3]) == 9
    assert flow([[0, 3], [3, 0], [0, 0]], [2, 3, 100]) == 5
    assert flow([[0, 1], [2, 3]], [4]) == 0
    assert flow([[0, 1]], [4], sink=30) == 0


def test_source_is_sink() -> None:
    with pytest.raises(ValueError, match="same node"):
        flow([[0, 1]], [1], sink=0)
