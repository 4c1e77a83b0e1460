"""Change sets: which rows differ between the start and the end of an episode.

`row_difference` is the definition; `compose` computes the same from the engine's ordered log of row changes, in time
that depends on the number of writes and not on the size of the world. A test holds the two equal.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from envgen.core.outcome import Change

RowTuple = tuple[Any, ...]
Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class TableInfo:
    """What the verifier knows of one table.

    columns: names in the order of the rows. key: indexes of the primary key's columns (all columns when there is none).
    policies: per column `exact`, `generated`, `clock`, `text` or `internal`.
    references: foreign-key column -> (table, column) it points to.
    """

    name: str
    columns: tuple[str, ...]
    key: tuple[int, ...]
    policies: tuple[str, ...]
    references: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    visible: tuple[tuple[int, str], ...] = ()

    def __post_init__(self) -> None:
        shown = tuple((i, c) for i, c in enumerate(self.columns) if self.policies[i] != "internal")
        object.__setattr__(self, "visible", shown)

    def key_of(self, row: RowTuple) -> RowTuple:
        """Return the key values of `row`."""
        if len(self.key) == 1:
            return (row[self.key[0]],)
        return tuple(row[index] for index in self.key)

    def key_row(self, key: RowTuple) -> Row:
        """Return the key values by column name."""
        return {self.columns[index]: value for index, value in zip(self.key, key, strict=True)}

    def row(self, values: RowTuple) -> Row:
        """Return `values` by column name, internal columns left out."""
        return {column: values[index] for index, column in self.visible}


Infos = Mapping[str, TableInfo]


@dataclass(slots=True)
class ChangeSet:
    """Net row changes, in a fixed order: by table name, then by key.

    insert: table -> rows. update: (table, key, {column: (old, new)}). delete: (table, key, row as it was).
    """

    insert: dict[str, list[Row]] = field(default_factory=dict)
    update: list[tuple[str, Row, dict[str, tuple[Any, Any]]]] = field(default_factory=list)
    delete: list[tuple[str, Row, Row]] = field(default_factory=list)

    def empty(self) -> bool:
        """True when nothing differs."""
        return not (self.insert or self.update or self.delete)

    def size(self) -> int:
        """Number of rows that differ."""
        return sum(len(rows) for rows in self.insert.values()) + len(self.update) + len(self.delete)

    def tables(self) -> set[str]:
        """Names of the tables with a difference."""
        return {*self.insert, *(entry[0] for entry in self.update), *(entry[0] for entry in self.delete)}


def order_key(values: Iterable[Any]) -> tuple[tuple[int, Any], ...]:
    """Return a sort key for SQLite values of mixed type: NULL, numbers, text, blobs."""
    return tuple(
        (0, 0) if v is None else (1, v) if isinstance(v, (int, float)) else (2, v) if isinstance(v, str) else (3, v) for v in values
    )


def compose(log: Sequence[Change], infos: Infos) -> ChangeSet:
    """Return the net changes of an ordered log of row changes. Tables that are not in `infos` are ignored."""
    first: dict[tuple[str, RowTuple], RowTuple | None] = {}
    last: dict[tuple[str, RowTuple], RowTuple | None] = {}
    for change in log:
        info = infos.get(change.table)
        if info is None:
            continue
        if change.old is not None:
            place = (change.table, info.key_of(change.old))
            first.setdefault(place, change.old)
            last[place] = None
        if change.new is not None:
            place = (change.table, info.key_of(change.new))
            first.setdefault(place, None)
            last[place] = change.new
    return _collect(first, last, infos)


def row_difference(base_rows: Mapping[str, Iterable[RowTuple]], final_rows: Mapping[str, Iterable[RowTuple]], infos: Infos) -> ChangeSet:
    """Return what differs between two complete states, given as table -> rows. This defines a change set."""
    first: dict[tuple[str, RowTuple], RowTuple | None] = {}
    last: dict[tuple[str, RowTuple], RowTuple | None] = {}
    for name, info in infos.items():
        old = {info.key_of(row): tuple(row) for row in base_rows.get(name, ())}
        new = {info.key_of(row): tuple(row) for row in final_rows.get(name, ())}
        for key in [*old, *(k for k in new if k not in old)]:
            if old.get(key) != new.get(key):
                first[name, key], last[name, key] = old.get(key), new.get(key)
    return _collect(first, last, infos)


def _collect(
    first: Mapping[tuple[str, RowTuple], RowTuple | None], last: Mapping[tuple[str, RowTuple], RowTuple | None], infos: Infos
) -> ChangeSet:
    changes = ChangeSet()
    places = list(first) if len(first) < 2 else sorted(first, key=lambda place: (place[0], order_key(place[1])))
    for place in places:
        table, key = place
        old, new, info = first[place], last[place], infos[table]
        if old is None:
            if new is not None:
                changes.insert.setdefault(table, []).append(info.row(new))
        elif new is None:
            changes.delete.append((table, info.key_row(key), info.row(old)))
        elif old != new:
            differing = {column: (old[i], new[i]) for i, column in info.visible if old[i] != new[i]}
            if differing:
                changes.update.append((table, info.key_row(key), differing))
    return changes
