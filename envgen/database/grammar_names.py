"""Names and nouns: one allocator for every table, column, parameter and tool name of an environment, and English plurals."""

import re
import unicodedata
from functools import lru_cache
from typing import Any

KEYWORDS = frozenset(
    """abort action add after all alter always analyze and as asc attach autoincrement before begin between by cascade case cast check
    collate column commit conflict constraint create cross current database default deferrable deferred delete desc detach distinct do
    drop each else end escape except exclude exclusive exists explain fail filter first following for foreign from full generated glob
    group groups having if ignore immediate in index indexed initially inner insert instead intersect into is isnull join key last left
    like limit main match materialized natural no not nothing notnull null nulls of offset on or order others outer over partition plan
    pragma preceding primary query raise range recursive references regexp reindex release rename replace restrict returning right
    rollback row rows savepoint select set table temp temporary then ties to trace transaction trigger unbounded union unique update
    using vacuum values view virtual when where window with without""".split()
)
# Names that the engine, the protocol or every tool already uses.
RESERVED = frozenset("reset step state close verify seed_session submit mcp calls writes messages now actor limit offset id".split())
_HEAD = re.compile(r"\s(?:of|for|with|in|on|at|to)\s", re.IGNORECASE)


def slug(text: str) -> str:
    """Return an ASCII identifier for `text`: "9-hole round" becomes "n9_hole_round"; text without a Latin letter or digit becomes ""."""
    plain = unicodedata.normalize("NFKD", text.replace("ß", "ss").replace("’", "'").replace("'s ", "s "))
    plain = plain.encode("ascii", "ignore").decode().lower()
    name = re.sub(r"[^a-z0-9]+", "_", plain).strip("_")
    return f"n{name}" if name[:1].isdigit() else name


class Names:
    """Hands out identifiers, each once. A clash or a keyword gets its owner as prefix, then a number."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def stem(self, wanted: str, owner: str) -> str:
        """Return a free word to build names from ("case" in `open_case`, `case_id`); it never stands alone, so keywords are fine."""
        name = slug(wanted) or "thing"
        stem = name if f"{name}_id" not in self._taken else f"{slug(owner)}_{name}"
        self._keep(f"{stem}_id")
        return stem

    def take(self, wanted: str, owner: str = "") -> str:
        """Return `wanted` as a free identifier, prefixed by `owner` or numbered when it is taken or reserved."""
        name = slug(wanted) or "thing"
        if self._free(name):
            return self._keep(name)
        stem = f"{slug(owner)}_{name}" if owner and not name.startswith(slug(owner) + "_") else f"{name}_record"
        for number in range(1, 1000):
            candidate = stem if number == 1 else f"{stem}_{number}"
            if self._free(candidate):
                return self._keep(candidate)
        raise ValueError(f"no free name for {wanted!r}")

    def _free(self, name: str) -> bool:
        return name not in self._taken and name not in KEYWORDS and name not in RESERVED and not name.startswith("sqlite_")

    def _keep(self, name: str) -> str:
        self._taken.add(name)
        return name


@lru_cache(maxsize=1)
def _engine() -> Any:
    import typeguard

    # inflect has each of its functions instrumented by typeguard at import, which takes seconds; our arguments are checked by mypy.
    instrument = typeguard.typechecked
    setattr(typeguard, "typechecked", lambda function: function)  # noqa: B010 (mypy knows the attribute by its overloads)
    try:
        import inflect
    finally:
        setattr(typeguard, "typechecked", instrument)  # noqa: B010
    return inflect.engine()


@lru_cache(maxsize=4096)
def plural(noun: str) -> str:
    """Return the plural of a noun phrase; the head is what stands before "of", "for", "with": "set of skis" -> "sets of skis"."""
    split = _HEAD.search(noun)
    head, tail = (noun[: split.start()], noun[split.start() :]) if split else (noun, "")
    first, _, last = head.rpartition(" ")
    many = last if last.lower() in {"series", "sheep", "equipment"} else str(_engine().plural_noun(last) or f"{last}s")
    return f"{first} {many}{tail}".strip()


@lru_cache(maxsize=4096)
def article(noun: str) -> str:
    """Return "a" or "an" for `noun`."""
    return str(_engine().a(noun)).split(" ", 1)[0]
