"""A digest of what an episode changed, up to the names of new rows. It shares no code with `envgen.verify`.

It decides for the gates whether two final states mean the same, so it takes as little as possible from the column policies
that it helps to test: a value is a mere name only where the engine issues it (`new_id`), or where it is a generated part of a
key. Every other value counts. Rows are compared by colour refinement (1-dimensional Weisfeiler-Leman): two states whose new
rows differ only in their names get one digest; two states that differ otherwise get two, except for regular graphs of rows
that refinement cannot tell apart, which envgen's worlds (trees of references) do not contain.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import apsw

from envgen.database.spec import EnvironmentSpec, NewId, Table

Row = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class _Layout:
    name: str
    columns: tuple[str, ...]
    key: tuple[int, ...]
    names: frozenset[int]
    hidden: frozenset[int]
    text: frozenset[int]
    clock: frozenset[int]
    links: tuple[tuple[str, tuple[tuple[int, int], ...]], ...]

    @property
    def shown(self) -> str:
        """The columns as SQL."""
        return _sql_names(self.columns)

    @property
    def quoted(self) -> str:
        """The table's name as SQL."""
        return f'"{self.name}"'


@lru_cache(maxsize=1024)
def _sql_names(columns: tuple[str, ...]) -> str:
    return ", ".join(f'"{name}"' for name in columns)


class StateDigest:
    """Digests final states of one environment.

    tables: the world's own list of tables, so that one which the specification forgets still counts.
    """

    def __init__(self, spec: EnvironmentSpec, tables: Mapping[str, Sequence[str]]) -> None:
        issued = {target for tool in spec.tools for step in tool.steps if isinstance(step, NewId) for target in step.new_id.values()}
        declared = {table.name: table for table in spec.tables}
        self._layouts = [
            _layout(declared[name], columns, issued, declared)
            if name in declared
            else _Layout(name, tuple(columns), tuple(range(len(columns))), frozenset(), frozenset(), frozenset(), frozenset(), ())
            for name, columns in sorted(tables.items())
        ]
        self._starts: dict[str, list[list[Row]]] = {}

    def __call__(self, connection: apsw.Connection, *, start: str, now: str, texts: frozenset[str]) -> str:
        """Return the hex digest of what differs between `before` and `main`.

        start: names the start state (its rows are read once per name). now: when the episode began; clock columns count only
        if they hold an earlier moment. texts: the free texts that the instruction quotes; others count only as present.
        """
        facts: list[list[Any]] = []
        fresh: dict[tuple[str, Row], dict[int, int]] = {}
        linked: list[tuple[list[Any], _Layout, Row]] = []
        for layout, base in zip(self._layouts, self._start(start, connection), strict=True):
            for kind, row in _differences(layout, base, _rows(connection, "main", layout)):
                fact = [kind, layout.name, *_plain(layout, row, now, texts)]
                if kind == "new":
                    fresh[layout.name, row] = {index: -1 for index in layout.names if row[index] is not None}
                facts.append(fact)
                if kind != "gone":
                    linked.append((fact, layout, row))
        return _refine(facts, linked, fresh)

    def _start(self, name: str, connection: apsw.Connection) -> list[list[Row]]:
        if name not in self._starts:
            self._starts[name] = [_rows(connection, "before", layout) for layout in self._layouts]
        return self._starts[name]


def _layout(table: Table, columns: Sequence[str], issued: set[str], declared: Mapping[str, Table]) -> _Layout:
    named = {column.name: column for column in table.columns}
    key = table.key() or tuple(columns)
    unique = {name for group in table.unique for name in group} | {c.name for c in table.columns if c.unique} | set(key)
    groups: dict[str, list[tuple[int, int]]] = {}
    for column in table.columns:
        target, _, to = (column.references or "").partition(".")
        if target in declared:
            there = [c.name for c in declared[target].columns]
            groups.setdefault(target, []).append((columns.index(column.name), there.index(to)))

    def of(policy: str) -> frozenset[int]:
        return frozenset(i for i, name in enumerate(columns) if name in named and named[name].policy == policy)

    names = {
        i
        for i, name in enumerate(columns)
        if f"{table.name}.{name}" in issued or (i in of("generated") and name in unique and not named[name].references)
    }
    links = tuple((target, tuple(pairs)) for target, pairs in sorted(groups.items()))
    places = tuple(columns.index(name) for name in key)
    return _Layout(table.name, tuple(columns), places, frozenset(names), of("internal"), of("text"), of("clock"), links)


def _rows(connection: apsw.Connection, schema: str, layout: _Layout) -> list[Row]:
    return connection.execute(f"SELECT {layout.shown} FROM {schema}.{layout.quoted}").fetchall()


def _differences(layout: _Layout, base: list[Row], final: list[Row]) -> Iterable[tuple[str, Row]]:
    if base == final:
        return
    then, now = set(base), set(final)
    old, new = ({tuple(row[i] for i in layout.key): row for row in rows} for rows in (then - now, now - then))
    yield from (("gone", row) for key, row in old.items() if key not in new)
    yield from (("new", row) for key, row in new.items() if key not in old)
    for key, row in new.items():
        if (
            key in old
            and row != old[key]
            and any(a != b for i, (a, b) in enumerate(zip(row, old[key], strict=True)) if i not in layout.hidden)
        ):
            yield "changed", row


def _plain(layout: _Layout, row: Row, now: str, texts: frozenset[str]) -> Iterable[Any]:
    for index, value in enumerate(row):
        if index in layout.hidden:
            yield "-"
        elif index in layout.clock and isinstance(value, str) and value >= now[: len(value)]:
            yield "clock"
        elif index in layout.text and isinstance(value, str) and value.strip() and value not in texts:
            yield "text"
        else:
            yield f"{type(value).__name__}:{value}"


def _refine(
    facts: list[list[Any]],
    linked: list[tuple[list[Any], _Layout, Row]],
    fresh: dict[tuple[str, Row], dict[int, int]],
) -> str:
    """Replace each name by what is known of its row, in rounds, until no round tells more rows apart."""
    slots = [(fact, index + 2, cell) for fact, layout, row in linked for index, cell in _names(layout, row, fact[0], fresh)]
    if not slots:
        return _hash(sorted(map(_hash, facts)))
    colours = {cell: "name" for _, _, cell in slots}
    classes = 0
    for _ in range(len(facts) + 1):
        for fact, place, cell in slots:
            fact[place] = colours[cell]
        seen: dict[Any, list[str]] = {cell: [] for cell in colours}
        for fact, place, cell in slots:
            seen[cell].append(_hash([place, *fact]))
        colours = {cell: _hash(sorted(found)) for cell, found in seen.items()}
        found = len(set(colours.values()))
        if found == classes:
            break
        classes = found
    for fact, place, cell in slots:
        fact[place] = colours[cell]
    return _hash(sorted(map(_hash, facts)))


def _names(
    layout: _Layout, row: Row, kind: str, fresh: Mapping[tuple[str, Row], Mapping[int, int]]
) -> Iterable[tuple[int, tuple[str, Row, int]]]:
    """Yield (column, cell): the cells of new rows whose names stand in `row`, its own and those it refers to."""
    taken = set()
    for target, pairs in layout.links:
        for (table, other), names in fresh.items():
            if table == target and all(row[here] is not None and row[here] == other[there] for here, there in pairs):
                for here, there in pairs:
                    if there in names:
                        taken.add(here)
                        yield here, (table, other, there)
                break
    if kind == "new":
        yield from ((index, (layout.name, row, index)) for index in fresh[layout.name, row] if index not in taken)


def _hash(parts: Sequence[Any]) -> str:
    return hashlib.blake2b(repr(list(parts)).encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()
