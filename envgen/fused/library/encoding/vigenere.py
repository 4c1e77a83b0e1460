"""The Vigenère cipher over the digits and the lower-case letters."""

import random
from collections.abc import Mapping
from typing import Any

from envgen.fused.problem import Problem, Values
from envgen.fused.types import Str

ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyz"
PLACE = {letter: place for place, letter in enumerate(ALPHABET)}
SEPARATORS = " -."


def sample(rng: random.Random, level: int, bound: Mapping[str, Any]) -> Values | None:
    """Texts of 7 + 2 * level characters, about one in eight of which is no letter of the cipher; keys of 3 + level / 2."""
    length = min(7 + 2 * level, 120)
    text = [rng.choice(SEPARATORS) if 0 < place < length - 1 and rng.randrange(8) == 0 else rng.choice(ALPHABET) for place in range(length)]
    key = [rng.choice(ALPHABET) for _ in range(min(3 + level // 2, 20))]
    return {"text": bound.get("text", "".join(text)), "key": bound.get("key", "".join(key))}


def solve(values: Mapping[str, Any]) -> str:
    """Shift each letter of the cipher by the next letter of the key; copy the rest."""
    shifts = [PLACE[letter] for letter in values["key"]]
    out, used = [], 0
    for letter in values["text"]:
        place = PLACE.get(letter)
        if place is None:
            out.append(letter)
            continue
        out.append(ALPHABET[(place + shifts[used % len(shifts)]) % 36])
        used += 1
    return "".join(out)


PROBLEM = Problem(
    name="vigenere",
    topic="encoding",
    ports={"text": Str("", 1, 400), "key": Str(ALPHABET, 1, 100)},
    out=Str("", 1, 400),
    sample=sample,
    solve=solve,
    wordings=(
        "the Vigenère encryption of {text} with the key {key} over the 36-character alphabet 0 to 9, then a to z (0 shifts by nothing, "
        "z by 35), where any other character is copied and uses up no character of the key",
        "{text} after each digit and lower-case letter in it, from left to right, has been moved forward in the circle "
        "0123456789abcdefghijklmnopqrstuvwxyz by the position (from 0) of the next character of {key}, which starts over when it is "
        "used up; capitals, spaces and signs stay and take none of it",
        "the ciphertext that a 36 by 36 tabula recta, its rows and columns headed by the digits and then by the small letters, makes of"
        " the plaintext {text}: the keyword {key} is written again and again under those characters only that head a column, and all "
        "others are left where they are",
        "a text in which character number i of those enciphered, counted from 0, has the value (t + k) mod 36, t being its value in "
        "{text} and k that of character i mod L of {key}, which has L characters; values run from 0 to 9 for the digits and from 10 to "
        "35 for a to z, and what is neither is not enciphered, not counted, and kept in place",
        "the message that a receiver, who shifts back by the repeated password {key} in the cyclic order of ten digits followed by "
        "twenty-six small letters, would read as {text}, given that only these thirty-six characters are shifted and advance the "
        "password",
    ),
)
