"""The cipher against a table of rotated alphabets."""

from collections.abc import Mapping
from typing import Any

from library_checks import check

from envgen.fused.library.encoding.vigenere import PROBLEM

ROW = "".join(map(chr, [*range(48, 58), *range(97, 123)]))


def independent(values: Mapping[str, Any]) -> str:
    table = {letter: ROW[place:] + ROW[:place] for place, letter in enumerate(ROW)}
    places = [place for place, letter in enumerate(values["text"]) if letter in ROW]
    long_key = values["key"] * (len(places) + 1)
    out = list(values["text"])
    for number, place in enumerate(places):
        out[place] = table[long_key[number]][ROW.index(out[place])]
    return "".join(out)


def test_vigenere() -> None:
    check(PROBLEM, independent)


def test_by_hand() -> None:
    assert PROBLEM.solve({"text": "abc", "key": "1"}) == "bcd"
    assert PROBLEM.solve({"text": "z9 A", "key": "12"}) == "0b A"
    assert PROBLEM.solve({"text": "a-a-a", "key": "01"}) == "a-b-a"
    assert PROBLEM.solve({"text": "- X", "key": "zz"}) == "- X"
