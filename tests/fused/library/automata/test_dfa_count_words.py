"""Counts of words by splitting their length, from the accepting end, in exact integers."""

from collections.abc import Mapping
from functools import cache
from itertools import product
from typing import Any

from library_checks import check

from envgen.fused.library.automata.dfa_count_words import PROBLEM


def independent(values: Mapping[str, Any]) -> int:
    dfa, goals = values["dfa"], frozenset(values["accepting"])

    @cache
    def paths(state: int, end: int, length: int) -> int:
        if length == 1:
            return sum(target == end for target in dfa[state])
        half = length // 2
        return sum(paths(state, middle, half) * paths(middle, end, length - half) for middle in range(len(dfa)))

    return sum(paths(0, end, values["n"]) for end in goals) % int(values["modulus"])


def test_dfa_count_words() -> None:
    check(PROBLEM, independent)


def test_by_hand() -> None:
    # Words over {0, 1} with an even number of 1s: half of all.
    parity = [[0, 1], [1, 0]]
    assert PROBLEM.solve({"dfa": parity, "accepting": [0], "n": 8, "modulus": 1000}) == 128
    assert PROBLEM.solve({"dfa": parity, "accepting": [0, 1, 1], "n": 8, "modulus": 1000}) == 256
    # A state that nothing leads to.
    assert PROBLEM.solve({"dfa": [[0, 0], [0, 0]], "accepting": [1], "n": 9, "modulus": 97}) == 0


def test_every_word_is_tried() -> None:
    dfa, accepting = [[1, 2], [3, 0], [2, 1], [0, 3]], [1, 3]
    words = 0
    for word in product(range(2), repeat=9):
        state = 0
        for letter in word:
            state = dfa[state][letter]
        words += state in accepting
    assert PROBLEM.solve({"dfa": dfa, "accepting": accepting, "n": 9, "modulus": 10**9}) == words


def test_long_words_agree_with_stepping() -> None:
    dfa = [[1, 2, 2], [3, 0, 1], [2, 1, 0], [0, 3, 3]]
    for n in (199, 200, 201, 202, 1000):
        values = {"dfa": dfa, "accepting": [3], "n": n, "modulus": 1_000_003}
        assert PROBLEM.solve(values) == independent(values)
    assert PROBLEM.solve({"dfa": dfa, "accepting": [0, 1, 2, 3], "n": 10**12, "modulus": 97}) == pow(3, 10**12, 97)
