"""A JSON reader for what models write: it says where a text went wrong, and keeps what was complete of one that breaks off.

It takes JSON (RFC 8259) and also a comma before a closing bracket and line breaks inside strings. It refuses what has no one meaning:
a key given twice with different values, NaN and Infinity, lone surrogates, NUL.
"""

import itertools
import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

DEPTH = 200
_SPACE = re.compile(r"[ \t\n\r]*")
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?", re.ASCII)
_NUMBER_SO_FAR = re.compile(r"-?\d*+(?:\.\d*+)?+(?:[eE][-+]?\d*+)?+\Z", re.ASCII)
_WORDS = {"true": True, "false": False, "null": None}
_scan_string: Callable[[str, int, bool], tuple[str, int]] = vars(json.decoder)["scanstring"]  # CPython's own, in C
_BAD = re.compile("[\x00\ud800-\udfff]")


class Unsound(Exception):
    """The text is no sound JSON; the message says where and why. It is written only when it is read: prose holds many braces."""

    def __init__(self, problem: str, text: str = "", position: int = 0) -> None:
        super().__init__(problem)
        self.problem, self.text, self.position = problem, text, position

    def __str__(self) -> str:
        if not self.text:
            return self.problem
        line = self.text.count("\n", 0, self.position) + 1
        column = self.position - self.text.rfind("\n", 0, self.position)
        return f"line {line}, column {column}, {self.problem}"


class BreaksOff(Exception):
    """The text ends before the object does."""


@dataclass(slots=True)
class _Frame:
    """A container that is being read. key: of the member under way. ready: a member may begin here. inside: one has begun."""

    container: Any
    key: str = ""
    ready: bool = True
    inside: bool = False

    @property
    def closer(self) -> str:
        return "]" if isinstance(self.container, list) else "}"


@dataclass
class Reader:
    """Reads one object from `text`, which has `{` at `position`. Afterwards `position` is behind what was read, `keys` counts its keys."""

    text: str
    position: int
    keys: int = 0
    _stack: list[_Frame] = field(default_factory=list)
    _root: Any = None

    def read(self) -> Any:
        """Return the object. Unsound when it is none; BreaksOff when the text ends inside, and then `salvage` may help."""
        self._open()
        while self._stack:
            self._step(self._stack[-1])
        return self._root

    def salvage(self) -> Any:
        """Return the object as far as it was complete when the text broke off: the list it was in keeps its complete elements.

        An element that was begun is dropped, all of it. Unsound when there is no such list, or no complete element in it, and the
        text did not break off between two members of an object.
        """
        cut = next((place for place, frame in enumerate(self._stack) if isinstance(frame.container, list)), None)
        if cut is None and self._stack[-1].inside:
            raise Unsound(f"the text breaks off inside {self._path()}")
        if cut is not None and not self._stack[cut].container:
            raise Unsound(f"the text breaks off inside {self._path()}, before the first complete element")
        kept = self._stack if cut is None else self._stack[: cut + 1]
        for outer, inner in itertools.pairwise(kept):
            outer.container[outer.key] = inner.container
        return kept[0].container

    def _path(self) -> str:
        parts = [
            f"[{len(frame.container)}]" if isinstance(frame.container, list) else f".{frame.key}" for frame in self._stack if frame.inside
        ]
        return "".join(parts).lstrip(".") or "the object"

    def _fail(self, problem: str) -> Unsound:
        return Unsound(f"in {self._path()}: {problem}", self.text, self.position)

    def _next(self) -> str:
        """Return the next sign that is no space, without passing it."""
        found = _SPACE.match(self.text, self.position)
        self.position = found.end() if found else self.position
        if self.position >= len(self.text):
            raise BreaksOff
        return self.text[self.position]

    def _open(self) -> None:
        if len(self._stack) >= DEPTH:
            raise self._fail(f"nested more than {DEPTH} levels deep")
        self._stack.append(_Frame([] if self.text[self.position] == "[" else {}))
        self.position += 1

    def _step(self, frame: _Frame) -> None:
        """Read what comes next in `frame`: its end, a comma, or a member up to where the member opens a container."""
        sign = self._next()
        if sign == frame.closer:
            self.position += 1
            self._close()
        elif not frame.ready:
            if sign != ",":
                raise self._fail(f"expected ',' or '{frame.closer}', not {sign!r}")
            self.position += 1
            frame.ready = True
        else:
            self._member(frame, sign)

    def _member(self, frame: _Frame, sign: str) -> None:
        frame.ready, frame.inside = False, True
        if isinstance(frame.container, dict):
            if sign != '"':
                raise self._fail(f"expected a key in double quotes, not {sign!r}")
            frame.key = "a key"
            frame.key = self._string()
            if self._next() != ":":
                raise self._fail("expected ':' after the key")
            self.position += 1
            self.keys += 1
            sign = self._next()
        if sign in "{[":
            self._open()
        else:
            self._add(frame, self._string() if sign == '"' else self._scalar(sign))

    def _close(self) -> None:
        done = self._stack.pop().container
        if self._stack:
            self._add(self._stack[-1], done)
        else:
            self._root = done

    def _add(self, frame: _Frame, value: Any) -> None:
        if isinstance(frame.container, list):
            frame.container.append(value)
        else:
            if frame.key in frame.container and not _same(frame.container[frame.key], value):
                raise self._fail("the key is given twice, with different values")
            frame.container[frame.key] = value
        frame.inside = False

    def _string(self) -> str:
        try:
            value, self.position = _scan_string(self.text, self.position + 1, False)
        except json.JSONDecodeError as problem:
            if problem.msg.startswith("Unterminated") or ("uXXXX" in problem.msg and problem.pos + 6 >= len(self.text)):
                raise BreaksOff from None
            self.position = problem.pos
            raise self._fail(f"{problem.msg[0].lower()}{problem.msg[1:]}") from None
        if _BAD.search(value):
            raise self._fail("the text holds a NUL or half of a surrogate pair")
        return value

    def _scalar(self, sign: str) -> Any:
        rest = self.text[self.position : self.position + 9]
        for word, value in _WORDS.items():
            if rest.startswith(word):
                self.position += len(word)
                return value
            if word.startswith(rest):
                raise BreaksOff
        if rest.lstrip("-").startswith(("NaN", "Infinity")):
            raise self._fail("NaN and Infinity are no JSON numbers")
        return self._number(sign)

    def _number(self, sign: str) -> int | float:
        if _NUMBER_SO_FAR.match(self.text, self.position):
            raise BreaksOff  # more digits may have followed
        found = _NUMBER.match(self.text, self.position)
        if not found:
            raise self._fail(f"expected a value, not {sign!r}")
        try:
            value: int | float = float(found[0]) if found[1] or found[2] else int(found[0])
        except ValueError:  # more digits than Python turns into an integer
            value = float("inf")
        if value in (float("inf"), float("-inf")):
            raise self._fail("the number is too large")
        self.position = found.end()
        return value


def _same(one: Any, other: Any) -> bool:
    """Return whether two values are equal, with 1, 1.0 and true told apart."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)
