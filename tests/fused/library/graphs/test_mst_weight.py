"""Supplying a graph, against growing one tree from the sources, node by node."""

from collections.abc import Mapping
from itertools import cycle, product
from typing import Any

from library_checks import check

from envgen.fused.library.graphs.mst_weight import PROBLEM


def independent(values: Mapping[str, Any]) -> int:
    priced = [(a, b, cost) for (a, b), cost in zip(values["edges"], cycle(values["costs"]), strict=False)]
    away = {node for edge in values["edges"] for node in edge}
    total = 0
    while away:
        # Every node can be had for a source, or for an edge out of what is supplied already.
        offers = [(values["source"], node) for node in away]
        offers += [(cost, b) for a, b, cost in priced if b in away and a not in away]
        offers += [(cost, a) for a, b, cost in priced if a in away and b not in away]
        cost, node = min(offers)
        total += cost
        away.remove(node)
    return total


def test_mst_weight() -> None:
    check(PROBLEM, independent)


def test_by_hand() -> None:
    triangle = [[0, 1], [1, 2], [0, 2]]
    assert PROBLEM.solve({"edges": triangle, "costs": [3, 5, 4], "source": 10}) == 17
    assert PROBLEM.solve({"edges": triangle, "costs": [3, 5, 4], "source": 4}) == 11
    assert PROBLEM.solve({"edges": triangle, "costs": [7], "source": 2}) == 6
    assert PROBLEM.solve({"edges": [[4, 4], [9, 5], [5, 9]], "costs": [1, 6, 2], "source": 10}) == 22


def test_every_choice_is_tried() -> None:
    edges, costs, source = [[0, 1], [1, 2], [2, 3], [3, 0], [0, 2]], [5, 2, 9, 4, 3], 6
    best = []
    for wells in product((False, True), repeat=4):
        for laid in product((False, True), repeat=5):
            wet = {node for node in range(4) if wells[node]}
            for _ in range(4):
                wet |= {node for (a, b), there in zip(edges, laid, strict=True) if there and {a, b} & wet for node in (a, b)}
            if len(wet) == 4:
                best.append(source * sum(wells) + sum(c for c, there in zip(costs, laid, strict=True) if there))
    assert PROBLEM.solve({"edges": edges, "costs": costs, "source": source}) == min(best)
