"""The business patterns of the offline proposer, for people: list, source and problems."""

from collections.abc import Iterator

from envgen.core.data import data_path
from envgen.core.errors import EnvgenError, UsageError


def listing() -> str:
    """Return a line per pattern: its name and the comment at the head of its file."""
    names = _names()
    width = max((len(name) for name in names), default=0)
    return "\n".join(f"{name:<{width}}  {_head(source(name))}" for name in names)


def source(name: str) -> str:
    """Return the text of a pattern's file; UsageError lists the patterns when there is none of that name."""
    if name not in _names():
        raise UsageError(f"there is no pattern {name!r}; the patterns are {', '.join(_names())}")
    return data_path(f"templates/patterns/{name}.toml").read_text(encoding="utf-8")


def problems() -> list[str]:
    """Return a line for each lexicon whose environment cannot be composed or has a static problem."""
    return list(_problems())


def _problems() -> Iterator[str]:
    from envgen.database.analysis import analyse
    from envgen.database.grammar import list_domains, propose

    for domain in list_domains():
        for size in ("small", "medium"):
            try:
                spec = propose(domain.title, seed=0, size=size, lexicon=domain.key).spec
            except EnvgenError as problem:
                yield f"{domain.key}, {size}: {problem}"
                continue
            yield from (f"{domain.key}, {size}: {problem}" for problem in analyse(spec))


def _names() -> list[str]:
    return sorted(path.stem for path in data_path("templates/patterns").glob("*.toml"))


def _head(text: str) -> str:
    first = text.split("\n", 1)[0]
    return first.removeprefix("#").strip() if first.startswith("#") else ""
