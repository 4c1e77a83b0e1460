"""Pattern and lexicon files: read once, drop what is switched off, then render the leaves.

Dropping comes before rendering, so that a line may use the numbers of a feature that is off. Conditions are feature names of the
pattern itself ("late_fee"), of another ("payment.window"), bound patterns ("@payment"), or any of these negated ("!late_fee");
a comma means "and". They stand in front of a line or list item as `?late_fee,@payment ` or under the key `when` of a table.
Leaves are Jinja2 with `[[ … ]]` around expressions, since braces are for the slots of messages and frames.
"""

import re
import tomllib
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from envgen.core.data import data_path
from envgen.core.errors import SpecError
from envgen.core.types import JsonObject

Holds = Callable[[str], bool]
_LINE = re.compile(r"\?([!@\w.,]+) ?(.*)", re.DOTALL)
_SEPARATOR = "\x1e"


@lru_cache(maxsize=8)
def read_folder(folder: str) -> dict[str, JsonObject]:
    """Return {file stem: parsed TOML} of `templates/<folder>`, sorted by name; SpecError names a file that does not parse."""
    return {path.stem: read_toml(path) for path in sorted(data_path(f"templates/{folder}").glob("*.toml"))}


# A rule's `fix` has a `when` of its own, which is no condition.
_PLACES = ("before", "after")


def read_toml(path: Path) -> JsonObject:
    """Return one parsed TOML file; SpecError with its name and the parser's position when it is malformed."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as problem:
        raise SpecError(path.name, f"not valid TOML: {problem}") from problem


def drop(value: Any, holds: Holds) -> Any:
    """Return `value` without the lines, items and tables whose condition does not hold; `value` itself is left alone."""
    if isinstance(value, dict):
        return {key: drop(child, holds) for key, child in value.items() if key != "when" or child in _PLACES}
    if isinstance(value, list):
        return [drop(kept, holds) for child in value for kept in _kept(child, holds)]
    if isinstance(value, str) and "\n" in value:
        return "\n".join(_lines(value, holds))
    return value


def _kept(child: Any, holds: Holds) -> Iterator[Any]:
    if isinstance(child, dict) and child.get("when", "before") not in _PLACES and not all_hold(child["when"], holds):
        return
    marked = _LINE.fullmatch(child) if isinstance(child, str) else None
    if marked is None:
        yield child
    elif all_hold(marked[1], holds):
        yield marked[2]


def _lines(text: str, holds: Holds) -> Iterator[str]:
    dropping = False
    for line in text.splitlines():
        if line[:1] in (" ", "\t"):  # an indented line belongs to the one before it
            marked = _LINE.fullmatch(line.strip())
            if not dropping and (marked is None or all_hold(marked[1], holds)):
                yield f"  {marked[2]}" if marked else line
            continue
        marked = _LINE.fullmatch(line)
        dropping = marked is not None and not all_hold(marked[1], holds)
        if not dropping:
            yield marked[2] if marked else line


def all_hold(conditions: str, holds: Holds) -> bool:
    """True when each of the comma-separated conditions holds."""
    return all(holds(name[1:]) is False if name.startswith("!") else holds(name) for name in conditions.split(","))


@lru_cache(maxsize=1)
def _environment() -> Any:
    from jinja2 import Environment, StrictUndefined

    return Environment(
        undefined=StrictUndefined, variable_start_string="[[", variable_end_string="]]", autoescape=False, keep_trailing_newline=True
    )


@lru_cache(maxsize=4096)
def _template(text: str) -> Any:
    return _environment().from_string(text)


def render(value: Any, context: JsonObject, where: str) -> Any:
    """Return `value` with every `[[ … ]]` filled from `context`.

    The leaves of one entry (a tool, a rule) go through one template, which is cached: a seed that changes some entries compiles
    only those anew. SpecError names the pattern and the word that is not defined.
    """
    if not isinstance(value, dict):
        return _render(value, context, where)
    return {
        key: [_render(entry, context, where) for entry in part] if isinstance(part, list) else _render(part, context, where)
        for key, part in value.items()
    }


def _render(value: Any, context: JsonObject, where: str) -> Any:
    leaves: list[str] = []
    _collect(value, leaves)
    if not leaves:
        return value
    from jinja2 import TemplateError

    try:
        done = _template(_SEPARATOR.join(leaves)).render(context).split(_SEPARATOR)
    except TemplateError as problem:
        raise SpecError(where, f"cannot be rendered: {problem}") from problem
    return _replace(value, iter(done))


def _collect(value: Any, leaves: list[str]) -> None:
    if isinstance(value, dict):
        for key, child in value.items():
            _collect(key, leaves)
            _collect(child, leaves)
    elif isinstance(value, list):
        for child in value:
            _collect(child, leaves)
    elif isinstance(value, str) and "[[" in value:
        leaves.append(value)


def _replace(value: Any, done: Iterator[str]) -> Any:
    if isinstance(value, dict):
        return {_replace(key, done): _replace(child, done) for key, child in value.items()}
    if isinstance(value, list):
        return [_replace(child, done) for child in value]
    if isinstance(value, str) and "[[" in value:
        return next(done)
    return value
