"""Finds the JSON object in what a model wrote: after its reasoning, in a fence, between prose, or cut off."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from envgen.core.types import JsonObject
from envgen.llm.lenient import BreaksOff, Reader, Unsound

LARGEST = 2_000_000
_MOST_FENCES = 20
_START = re.compile(r'\{(?=\s*["}])')
_FENCE = re.compile(r"^[ \t]*(?:```|~~~)[ \t]*\w*[ \t]*\r?\n\s*(?=[{\[])", re.MULTILINE)
_REASONED = re.compile(r"</(?:think|thinking|thought|reasoning)>", re.IGNORECASE)
_A_LIST = "the reply is a list; one JSON object is wanted"
_BRACKETS = re.compile(r'"(?:[^"\\]|\\.)*"|[{}]', re.DOTALL)


@dataclass(frozen=True, slots=True)
class Extracted:
    """What was found. value: the object, None when there is none. problem: why not, "" when all is well. salvaged: the end was cut off."""

    value: JsonObject | None
    problem: str = ""
    salvaged: bool = False
    end: int = 0


def extract_json(text: str) -> Extracted:
    """Return the first JSON object in `text` that reads, reasoning and prose left aside; never raises.

    Reasoning is what stands before `</think>`. An object that the end of the text cuts off keeps the complete elements of the list
    it was in. At most 2,000,000 characters and 200 levels.
    """
    if len(text) > LARGEST:
        return Extracted(None, f"the reply has {len(text):,} characters, at most {LARGEST:,} are read")
    reasoned = max((found.end() for found in _REASONED.finditer(text)), default=0)
    whole = _in(text, 0)
    if not reasoned or (whole.value is not None and whole.end > reasoned):  # the tag, if any, stands inside the object
        return whole
    after = _in(text, reasoned)
    return after if after.value is not None or whole.value is None else whole


def _in(text: str, start: int) -> Extracted:
    """Return the object in `text` from `start` on: a fenced one before others."""
    body = text[start:].lstrip("\ufeff \t\r\n")
    fences = [found.end() for found in islice(_FENCE.finditer(text, start), _MOST_FENCES)]
    fenced = [_scan(text, place) for place in fences if text[place] == "{"] if not body.startswith("{") else []
    sound = next((each for each in fenced if each.value and not each.salvaged), None)
    return sound or _best([*fenced, _scan(text, start)])


def _best(found: list[Extracted]) -> Extracted:
    ranked = [
        *(each for each in found if each.value and not each.salvaged),
        *(each for each in found if each.salvaged),
        *(each for each in found if each.value is not None),
    ]
    problems = [each for each in found if each.problem]
    return (ranked or problems or [Extracted(None, "the reply holds no JSON object")])[0]


def _scan(text: str, start: int) -> Extracted:
    """Return the first object in `text` from `start` on that reads and is not empty, else the best reason why there is none."""
    return _best(list(_objects(text, start)))


def _objects(text: str, start: int) -> Iterator[Extracted]:
    """Yield what is found where an object may begin, up to the first that is one. What is inside a broken one is passed over."""
    position = start
    while found := _START.search(text, position):
        result = _list(text, found.start()) or _at(Reader(text, found.start()))
        if result is not None:
            yield result
        if result is not None and (result.value or result.salvaged or not result.end):
            return
        position = result.end if result is not None else found.end()


def _list(text: str, begin: int) -> Extracted | None:
    """Return the problem that the object at `begin` is the first element of a list; None when it is not."""
    bracket = len(text[max(0, begin - 80) : begin].rstrip()) + max(0, begin - 80) - 1
    if bracket < 0 or text[bracket] != "[":
        return None
    reader = Reader(text, bracket)
    try:
        reader.read()
    except Unsound:
        return None
    except BreaksOff:
        return Extracted(None, _A_LIST) if reader.keys else None
    return Extracted(None, _A_LIST, end=reader.position)


def _at(reader: Reader) -> Extracted | None:
    """Return what `reader` finds: an object, a problem, or None when the brace belongs to the prose. `end` 0: the text ends in it."""
    begin = reader.position
    try:
        return Extracted(reader.read(), end=reader.position)
    except Unsound as problem:
        return Extracted(None, str(problem), end=_behind(reader.text, begin)) if reader.keys else None
    except BreaksOff:
        if not reader.keys:
            return None
    try:
        return Extracted(reader.salvage(), salvaged=True, end=len(reader.text))
    except Unsound as problem:
        return Extracted(None, str(problem))


def _behind(text: str, begin: int) -> int:
    """Return the place behind the object that begins at `begin`, by its braces alone; 0 when they do not balance."""
    depth = 0
    for found in _BRACKETS.finditer(text, begin):
        depth += {"{": 1, "}": -1}.get(found[0], 0)
        if depth == 0 and found[0] == "}":
            return found.end()
    return 0
