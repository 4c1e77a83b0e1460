"""The longest common subsequence of two texts, the least one of them."""

import random
from collections.abc import Mapping
from typing import Any

from envgen.fused.problem import Problem, Values
from envgen.fused.types import Str

MOST = 120
LETTERS = "abcdefgh"


def sample(rng: random.Random, level: int, bound: Mapping[str, Any]) -> Values | None:
    """Few letters, so that much is common in many ways; a text that is given lends its letters to the other one."""
    given = bound.get("first") or bound.get("second") or ""
    letters = "".join(sorted(set(given))) or LETTERS[: rng.randint(4, min(4 + level, 8))]
    size = min(9 + level, 60)
    return {name: bound.get(name, _text(rng, letters, given, size)) for name in ("first", "second")}


def _text(rng: random.Random, letters: str, given: str, size: int) -> str:
    """Drawn from some of the letters, weighted as in the text that is given."""
    pool = given if len(given) > 3 else letters
    return "".join([rng.choice(pool) for _ in range(size + rng.randrange(3))])


def solve(values: Mapping[str, Any]) -> str:
    """Lengths for all pairs of ends, then the least letter at each step that keeps the length."""
    first, second = values["first"], values["second"]
    common = sorted(set(first) & set(second))
    lengths = _lengths(first, second)
    i = j = 0
    chosen = []
    while lengths[i][j]:
        for letter in common:
            p, q = first.find(letter, i), second.find(letter, j)
            if p >= 0 and q >= 0 and lengths[p + 1][q + 1] == lengths[i][j] - 1:
                break
        chosen.append(letter)
        i, j = p + 1, q + 1
    return "".join(chosen)


def _lengths(first: str, second: str) -> list[list[int]]:
    """Place [i][j] holds the length of the longest common subsequence of first[i:] and second[j:]."""
    below = [0] * (len(second) + 1)
    rows = [below]
    for letter in reversed(first):
        row, right = [0], 0
        for j in range(len(second) - 1, -1, -1):
            here = below[j + 1] + 1 if letter == second[j] else below[j] if below[j] > right else right
            row.append(here)
            right = here
        row.reverse()
        rows.append(row)
        below = row
    rows.reverse()
    return rows


PROBLEM = Problem(
    name="lcs_lexmin",
    topic="strings",
    ports={"first": Str("", 1, MOST), "second": Str("", 1, MOST)},
    out=Str("", 0, MOST),
    sample=sample,
    solve=solve,
    unique="canonical",
    wordings=(
        "the longest text that can be had both from {first} and from {second} by crossing out characters, the alphabetically first "
        "such text by ASCII codes if several are equally long, and the empty text if nothing is common",
        "the lexicographically least (by character code) longest common subsequence of {first} and {second}, which is the empty "
        "string when they share no character",
        "that word w of maximal length whose letters occur in this order, not necessarily side by side, in {first} as well as in "
        "{second}; among candidates of the same length w has the letter of smallest ASCII code at the first place at which they "
        "disagree; w has length 0 if the two use disjoint sets of letters",
        "the reading of a best alignment of {first} with {second}: only equal characters may be linked, links never cross, every "
        "character has at most one link, as many links as possible are drawn, and the linked characters are read from left to "
        "right; of all readings of best alignments it is the smallest in ASCII dictionary order, and without any links it is empty",
        "the minimum, in the order in which Python compares strings, of the set of strings of greatest length in the intersection "
        "of S({first}) and S({second}), where S(t) is the set of all subsequences of t, the empty one included",
    ),
)
