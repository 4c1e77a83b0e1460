"""Paths into results and arguments: `claim.id`, `0.id` or `[0].id`, `notes.2.body`; "" is the whole value."""

import re
from collections.abc import Iterator
from typing import Any

_PART = re.compile(r"[^.\[\]]+")


def parts(path: str) -> list[str]:
    """Return the steps of `path`."""
    return _PART.findall(path)


def get(value: Any, path: str) -> Any:
    """Return what lies at `path`; KeyError when nothing does."""
    for part in parts(path):
        if isinstance(value, dict) and part in value:
            value = value[part]
        elif isinstance(value, list) and part.lstrip("-").isdigit() and -len(value) <= int(part) < len(value):
            value = value[int(part)]
        else:
            raise KeyError(f"nothing at {path!r}")
    return value


def replace(value: Any, path: str, new: Any) -> Any:
    """Return a copy of `value` with `new` at `path`."""
    steps = parts(path)
    if not steps:
        return new
    head, rest = steps[0], ".".join(steps[1:])
    if isinstance(value, list):
        index = int(head)
        return [*value[:index], replace(value[index], rest, new), *value[index + 1 :]]
    return {**value, head: replace(value.get(head), rest, new)}


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield (path, scalar) for every scalar inside `value`, in order."""
    if isinstance(value, dict):
        for name, child in value.items():
            yield from leaves(child, f"{path}.{name}" if path else str(name))
    elif isinstance(value, list):
        for index, child in enumerate(value):
            yield from leaves(child, f"{path}.{index}" if path else str(index))
    else:
        yield path, value
