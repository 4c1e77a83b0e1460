"""From a file to text, JSON or YAML data. Whatever a file holds, the only error is a UsageError that names it.

YAML is read event by event into plain data, so that no tag makes an object, dates and "no" stay texts (the core schema of YAML 1.2),
and an alias is measured before it is followed: what would expand beyond a file's own limit is refused.
"""

import json
import math
import re
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

from envgen.core.errors import InfrastructureError, UsageError
from envgen.core.types import JsonObject

MAX_BYTES = 5_000_000
MAX_DEPTH = 200
MAX_ALIASES = 1_000
ACCEPTED = "an OpenAPI 3 or Swagger 2 description or an MCP or OpenAI tool list (.json, .yaml, .yml), or a text (.md, .txt)"
_INTEGER = re.compile(r"[-+]?(0|[1-9][0-9]{0,17})", re.ASCII)
_FLOAT = re.compile(r"[-+]?([0-9]{1,30}\.[0-9]{0,30}|\.[0-9]{1,30}|[0-9]{1,30}(?=[eE]))([eE][-+]?[0-9]{1,4})?", re.ASCII)
_WORDS: dict[str, Any] = {"": None, "~": None, "null": None, "true": True, "false": False}
_SCALAR_TAGS = frozenset(f"tag:yaml.org,2002:{name}" for name in ("int", "float", "bool", "null"))


class _Refused(Exception):
    """The data cannot be taken. The text says why, without the file."""


def load_text(file: Path, name: str) -> str:
    """Return the text of `file`; `name` is what messages call it. UsageError: unreadable, above 5 MB, not UTF-8."""
    try:
        with file.open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
    except OSError as problem:
        raise UsageError(f"{name} cannot be read: {problem.strerror or problem}") from problem
    if len(data) > MAX_BYTES:
        raise UsageError(f"{name} is larger than {MAX_BYTES // 1_000_000} MB: give only the part that matters for the business")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        raise UsageError(f"{name} is not UTF-8 text (byte {problem.start}): save it as UTF-8") from problem


def load_data(text: str, name: str, *, yaml: bool) -> Any:
    """Return the JSON value that `text` holds. UsageError names the line of a fault; InfrastructureError when PyYAML is missing."""
    kind = "YAML" if yaml else "JSON"
    try:
        return _yaml_value(text) if yaml else _json_value(text)
    except _Refused as problem:
        raise UsageError(f"{name} is not {kind} that can be read: {problem}. Accepted is {ACCEPTED}") from None


def _json_value(text: str) -> Any:
    try:
        value = json.loads(text, object_pairs_hook=_distinct_keys, parse_constant=_no_constant)
    except json.JSONDecodeError as problem:
        raise _Refused(f"line {problem.lineno}, column {problem.colno}: {problem.msg}") from problem
    except RecursionError:
        raise _Refused(f"it is nested more than {MAX_DEPTH} levels deep") from None
    except ValueError as problem:  # an integer with more digits than Python converts
        raise _Refused(str(problem).split(";", 1)[0]) from problem
    _check_depth(value)
    return value


def _distinct_keys(pairs: list[tuple[str, Any]]) -> JsonObject:
    found: JsonObject = {}
    for key, value in pairs:
        if key in found:
            raise _Refused(f"the key {key!r} stands twice in one object")
        found[key] = value
    return found


def _no_constant(text: str) -> NoReturn:
    raise _Refused(f"{text} is not JSON")


def _check_depth(value: Any) -> None:
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [child for parent in level for child in _children(parent)]
        if not level:
            return
    raise _Refused(f"it is nested more than {MAX_DEPTH} levels deep")


def _children(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        yield from value.values()
    elif isinstance(value, list):
        yield from value


def _yaml_value(text: str) -> Any:
    try:
        import yaml
    except ImportError as problem:
        raise InfrastructureError("reading YAML needs PyYAML: pip install 'envgen-rl[llm]', or give the document as JSON") from problem
    builder = _Builder()
    try:
        with closing(yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))) as events:  # type: ignore[type-var]
            for event in events:
                getattr(builder, f"on_{type(event).__name__}", builder.ignore)(event)
    except yaml.YAMLError as problem:
        mark = getattr(problem, "problem_mark", None)
        where = f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
        lines = str(getattr(problem, "problem", None) or problem).splitlines()
        raise _Refused(where + (lines[0] if lines else "it does not parse")) from problem
    return builder.root[0] if builder.root else None


@dataclass
class _Open:
    """A collection whose end has not come yet. `size` and `depth` count what it holds, aliases expanded."""

    anchor: str | None
    value: Any
    key: str | None = None
    merged: list[JsonObject] = field(default_factory=list)
    size: int = 1
    depth: int = 1


class _Builder:
    """Puts plain data together from YAML events. The event loop calls `on_<event>`."""

    def __init__(self) -> None:
        self.root: list[Any] = []
        self.stack: list[_Open] = []
        self.anchors: dict[str, tuple[Any, int, int]] = {}
        self.aliases = 0
        self.expanded = 0

    def ignore(self, event: Any) -> None:
        """Stream and document marks carry nothing."""

    def on_MappingStartEvent(self, event: Any) -> None:
        self._open(_Open(event.anchor, {}))

    def on_SequenceStartEvent(self, event: Any) -> None:
        self._open(_Open(event.anchor, []))

    def on_MappingEndEvent(self, event: Any) -> None:
        top = self.stack.pop()
        for merged in top.merged:
            top.value.update({key: value for key, value in merged.items() if key not in top.value})
        self._close(top)

    def on_SequenceEndEvent(self, event: Any) -> None:
        self._close(self.stack.pop())

    def on_ScalarEvent(self, event: Any) -> None:
        if self._wants_key():
            self._set_key(event.value)
            self.stack[-1].size += len(event.value)
            return
        plain = event.implicit[0] or event.tag in _SCALAR_TAGS
        self._finish(event.anchor, _scalar(event.value) if plain else event.value, len(event.value) + 1, 0)

    def on_AliasEvent(self, event: Any) -> None:
        if event.anchor not in self.anchors:
            raise _Refused(f"line {event.start_mark.line + 1}: the alias *{event.anchor} names nothing, or something that it is part of")
        value, size, depth = self.anchors[event.anchor]
        self.aliases += 1
        self.expanded += size
        if self.aliases > MAX_ALIASES or self.expanded > MAX_BYTES:
            limit = f"{MAX_ALIASES} aliases are followed, and {MAX_BYTES // 1_000_000} MB of what they stand for"
            raise _Refused(f"line {event.start_mark.line + 1}: at most {limit}")
        if self._wants_key():
            raise _Refused(f"line {event.start_mark.line + 1}: a key is a text, not an alias")
        self._add(value, size, depth)

    def _wants_key(self) -> bool:
        return bool(self.stack) and isinstance(self.stack[-1].value, dict) and self.stack[-1].key is None

    def _set_key(self, key: str) -> None:
        if key in self.stack[-1].value:
            raise _Refused(f"the key {key!r} stands twice in one mapping")
        self.stack[-1].key = key

    def _open(self, new: _Open) -> None:
        if self._wants_key():
            raise _Refused("a key is a text, not a list or mapping")
        if len(self.stack) >= MAX_DEPTH:
            raise _Refused(f"it is nested more than {MAX_DEPTH} levels deep")
        self.anchors.pop(new.anchor or "", None)
        self.stack.append(new)

    def _close(self, done: _Open) -> None:
        self._finish(done.anchor, done.value, done.size, done.depth)

    def _finish(self, anchor: str | None, value: Any, size: int, depth: int) -> None:
        if anchor:
            self.anchors[anchor] = (value, size, depth)
        self._add(value, size, depth)

    def _add(self, value: Any, size: int, depth: int) -> None:
        if len(self.stack) + depth > MAX_DEPTH:
            raise _Refused(f"it is nested more than {MAX_DEPTH} levels deep")
        if not self.stack:
            if self.root:
                raise _Refused("it holds several documents: keep one in a file")
            self.root.append(value)
            return
        top = self.stack[-1]
        top.size, top.depth = top.size + size, max(top.depth, depth + 1)
        if isinstance(top.value, list):
            top.value.append(value)
        else:
            _put(top, value)


def _put(top: _Open, value: Any) -> None:
    key, top.key = top.key or "", None
    if key == "<<":
        sources = value if isinstance(value, list) else [value]
        if not all(isinstance(source, dict) for source in sources):
            raise _Refused("'<<' merges mappings only")
        top.merged += sources
    else:
        top.value[key] = value


def _scalar(text: str) -> Any:
    if text.lower() in _WORDS and text in (text.lower(), text.upper(), text.capitalize()):
        return _WORDS[text.lower()]
    if _INTEGER.fullmatch(text):
        return int(text)
    if _FLOAT.fullmatch(text) and math.isfinite(float(text)):
        return float(text)
    return text
