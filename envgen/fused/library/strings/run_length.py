"""Run-length encoding that leaves short runs as they are."""

import random
from collections.abc import Mapping
from itertools import groupby
from typing import Any

from envgen.fused.problem import Problem, Values
from envgen.fused.types import Int, Str

MOST, MOST_LEAST = 200, 20
LETTERS = "abcdefgh"


def sample(rng: random.Random, level: int, bound: Mapping[str, Any]) -> Values | None:
    """Runs of up to twice the least length that is encoded; of a text that is given, the longest run at least is encoded."""
    if "text" in bound:
        longest = min(max(len(list(run)) for _, run in groupby(bound["text"])), MOST_LEAST)
        return {"text": bound["text"], "least": bound.get("least", rng.randint(1, longest))}
    least = bound.get("least", rng.randint(1, 5))
    count = min(6 + level + rng.randrange(3), MOST // (2 * max(least, 3)))
    return {"text": _text(rng, LETTERS[: min(3 + level, 8)], count, max(least, 3)), "least": least}


def _text(rng: random.Random, letters: str, count: int, least: int) -> str:
    """`count` runs, neighbouring ones of different letters."""
    text, before = "", ""
    for _ in range(count):
        before = rng.choice([letter for letter in letters if letter != before])
        text += before * rng.randint(1, 2 * least - 1)
    return text


def solve(values: Mapping[str, Any]) -> str:
    """Run by run."""
    runs = [(letter, len(list(run))) for letter, run in groupby(values["text"])]
    return "".join([f"{size}{letter}" if size >= values["least"] else letter * size for letter, size in runs])


PROBLEM = Problem(
    name="run_length",
    topic="strings",
    ports={"text": Str("", 1, MOST), "least": Int(1, MOST_LEAST)},
    out=Str("", 1, 2 * MOST),
    sample=sample,
    solve=solve,
    wordings=(
        "the text {text} with every maximal run of {least} or more equal characters replaced by the length of the run in decimal "
        "followed by the character once, and all shorter runs left as they are",
        "the run-length code of {text}, number before character and without separators, in which a run is only coded (even when "
        "that makes it longer) if it has at least {least} characters, and copied unchanged otherwise",
        "what a typist produces who reads {text} from left to right, cuts it into the longest possible blocks of one repeated "
        "character, and for each block of n characters types n as a decimal number and then the character if n >= {least}, or else "
        "the block itself",
        "the concatenation, over the maximal constant stretches c^n of {text} in their order, of str(n) + c for those with n not "
        "below {least} and of n copies of c for the rest, case and spaces being told apart like any characters",
        "a shortened form of {text}: neighbours that are the same are collected into groups as large as can be, groups smaller "
        "than {least} are spelled out, and each other group appears as its size, written without leading zeros, with its character "
        "directly behind",
    ),
)
