"""Common subsequences against the best text of every pair of ends, and against all subsequences of short texts."""

from collections.abc import Mapping
from itertools import combinations
from typing import Any

from library_checks import check

from envgen.fused.library.strings.lcs_lexmin import PROBLEM
from envgen.fused.seeds import dice


def independent(values: Mapping[str, Any]) -> str:
    first, second = values["first"], values["second"]
    best = {(i, len(second)): "" for i in range(len(first) + 1)} | {(len(first), j): "" for j in range(len(second) + 1)}
    for i in range(len(first) - 1, -1, -1):
        for j in range(len(second) - 1, -1, -1):
            ways = [best[i + 1, j], best[i, j + 1]]
            if first[i] == second[j]:
                ways.append(first[i] + best[i + 1, j + 1])
            best[i, j] = min(ways, key=lambda text: (-len(text), text))
    return best[0, 0]


def parts(text: str) -> set[str]:
    return {"".join(part) for size in range(len(text) + 1) for part in combinations(text, size)}


def test_lcs_lexmin() -> None:
    check(PROBLEM, independent)


def test_all_subsequences_of_short_texts() -> None:
    rng = dice("lcs")
    for _ in range(200):
        first, second = ("".join(rng.choice("abc") for _ in range(rng.randint(1, 7))) for _ in range(2))
        wanted = min(parts(first) & parts(second), key=lambda text: (-len(text), text))
        assert PROBLEM.solve({"first": first, "second": second}) == wanted


def test_by_hand() -> None:
    assert PROBLEM.solve({"first": "abc", "second": "xyz"}) == ""
    assert PROBLEM.solve({"first": "ab", "second": "ba"}) == "a"
    assert PROBLEM.solve({"first": "bA", "second": "Ab"}) == "A"
