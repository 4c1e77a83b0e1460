"""Longest climbing subsequences against whole lists kept per last item, and against all subsequences of short lists."""

from collections.abc import Mapping
from itertools import combinations, pairwise
from typing import Any

from library_checks import check

from envgen.fused.library.lists.lis_lexmin import PROBLEM
from envgen.fused.seeds import dice


def independent(values: Mapping[str, Any]) -> list[int]:
    """Keep, for each place as the last one and each length, the least list."""
    best: list[dict[int, list[int]]] = []
    for place, item in enumerate(values["items"]):
        mine = {1: [item]}
        for earlier in range(place):
            if item - values["items"][earlier] >= values["gap"]:
                for length, chain in best[earlier].items():
                    mine[length + 1] = min(mine.get(length + 1, [*chain, item]), [*chain, item])
        best.append(mine)
    longest = max(length for mine in best for length in mine)
    return min(mine[longest] for mine in best if longest in mine)


def all_of_them(items: list[int], gap: int) -> list[int]:
    for size in range(len(items), 0, -1):
        fits = [list(c) for c in combinations(items, size) if all(b - a >= gap for a, b in pairwise(c))]
        if fits:
            return min(fits)
    raise AssertionError("an item alone always fits")


def test_lis_lexmin() -> None:
    check(PROBLEM, independent)


def test_short_lists_with_many_ties() -> None:
    rng = dice("lis")
    for _ in range(300):
        items, gap = [rng.randint(1, 6) for _ in range(rng.randint(1, 8))], rng.randint(1, 3)
        assert PROBLEM.solve({"items": items, "gap": gap}) == all_of_them(items, gap)


def test_by_hand() -> None:
    assert PROBLEM.solve({"items": [3, 1, 2, 0, 4], "gap": 1}) == [1, 2, 4]
    assert PROBLEM.solve({"items": [3, 1, 2, 0, 4], "gap": 4}) == [0, 4]
    assert PROBLEM.solve({"items": [7, 5, 6], "gap": 9}) == [5]
    assert PROBLEM.solve({"items": [7], "gap": 1}) == [7]
