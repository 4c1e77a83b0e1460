"""Longest chains through a number against whole lists kept per last item, and against all subsequences of short lists."""

from collections.abc import Mapping
from itertools import combinations, pairwise
from typing import Any

from library_checks import check

from envgen.fused.library.lists.lis_lexmin import PROBLEM
from envgen.fused.seeds import dice


def independent(values: Mapping[str, Any]) -> list[int]:
    """Keep, for each place as the last one and each length, with the pivot and without, the least list."""
    middle = len(values["items"]) // 2
    row = [*values["items"][:middle], values["pivot"], *values["items"][middle:]]
    best: list[dict[tuple[int, bool], list[int]]] = []
    for place, item in enumerate(row):
        mine = {(1, place == middle): [item]}
        for earlier in range(place):
            if item > row[earlier]:
                for (length, through), chain in best[earlier].items():
                    kind, longer = (length + 1, through or place == middle), [*chain, item]
                    mine[kind] = min(mine.get(kind, longer), longer)
        best.append(mine)
    longest = max(length for mine in best for length, through in mine if through)
    return min(mine[longest, True] for mine in best if (longest, True) in mine)


def all_of_them(items: list[int], pivot: int) -> list[int]:
    middle = len(items) // 2
    row = [*items[:middle], pivot, *items[middle:]]
    for size in range(len(row), 0, -1):
        chosen = [places for places in combinations(range(len(row)), size) if middle in places]
        fits = [[row[place] for place in places] for places in chosen if all(row[a] < row[b] for a, b in pairwise(places))]
        if fits:
            return min(fits)
    raise AssertionError("the pivot alone always fits")


def test_lis_lexmin() -> None:
    check(PROBLEM, independent)


def test_short_lists_with_many_ties() -> None:
    rng = dice("lis")
    for _ in range(300):
        items, pivot = [rng.randint(1, 6) for _ in range(rng.randint(1, 8))], rng.randint(0, 7)
        assert PROBLEM.solve({"items": items, "pivot": pivot}) == all_of_them(items, pivot)


def test_by_hand() -> None:
    assert PROBLEM.solve({"items": [3, 1, 9, 5, 4, 8], "pivot": 4}) == [1, 4, 5, 8]
    assert PROBLEM.solve({"items": [3, 1, 5, 4, 8], "pivot": 2}) == [1, 2, 4, 8]
    assert PROBLEM.solve({"items": [3, 4], "pivot": 2}) == [2, 4]
    assert PROBLEM.solve({"items": [7], "pivot": 7}) == [7]
    assert PROBLEM.solve({"items": [7], "pivot": 6}) == [6, 7]
