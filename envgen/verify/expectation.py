"""From the changes of an executed reference solution to what any solution must change.

The column policy decides how each written value is compared: `exact`; `generated` (ids and ordinals the engine chose:
compared up to a renaming, which foreign keys follow); `clock` (the moment of the call); `text` (free text: exact when the
instruction quotes it, else it must merely not be empty); `internal` (never compared).
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from envgen.core.clock import is_date, is_date_time
from envgen.core.types import DeleteExpectation, Expectation, InsertExpectation, UpdateExpectation
from envgen.verify.changes import ChangeSet, Infos, Row

Cell = tuple[str, int, str]  # (table, index of the inserted row, column)


@lru_cache(maxsize=1024)
def _time_text(value: str) -> bool:
    return is_date_time(value) or is_date(value)


def is_time(value: Any) -> bool:
    """True for world time: a real day, or a real moment, as text."""
    return isinstance(value, str) and len(value) < 20 and _time_text(value)


class Tokens:
    """Names for the generated values of inserted rows, carried along foreign keys.

    `cells` maps each inserted cell that holds a generated value to its token; `follow` answers the same for any
    foreign-key cell, such as one in an updated row.
    """

    def __init__(self, changes: ChangeSet, infos: Infos) -> None:
        self._changes, self._infos = changes, infos
        self.cells: dict[Cell, str] = {}
        self._number()
        for table, rows in changes.insert.items():
            for index, row in enumerate(rows):
                for column in infos[table].references:
                    self._resolve(table, index, row, column, 0)

    def _number(self) -> None:
        for table, rows in self._changes.insert.items():
            info = self._infos[table]
            made = [c for c, policy in zip(info.columns, info.policies, strict=True) if policy == "generated"]
            for index, row in enumerate(rows):
                for column in made:
                    if row[column] is not None and self._target(table, row, column) is None:
                        self.cells[table, index, column] = f"${len(self.cells) + 1}"

    def _target(self, table: str, row: Row, column: str) -> Cell | None:
        """Return the inserted cell that foreign-key cell `column` of `row` points to, if it points to an inserted row."""
        references = self._infos[table].references
        if column not in references or row.get(column) is None:
            return None
        to_table, to_column = references[column]
        pairs = [(c, to) for c, (other, to) in references.items() if other == to_table and c in row]
        found = [
            (sum(row[c] == other.get(to) for c, to in pairs), -index)
            for index, other in enumerate(self._changes.insert.get(to_table, ()))
            if other.get(to_column) == row[column]
        ]
        return (to_table, -max(found)[1], to_column) if found else None

    def _resolve(self, table: str, index: int, row: Row, column: str, depth: int) -> str | None:
        cell = (table, index, column)
        if cell in self.cells or depth > 8:
            return self.cells.get(cell)
        token = self.follow(table, row, column, depth)
        if token is not None:
            self.cells[cell] = token
        return token

    def follow(self, table: str, row: Row, column: str, depth: int = 0) -> str | None:
        """Return the token of the inserted row that foreign key `column` of `row` points to, or None."""
        target = self._target(table, row, column)
        if target is None or target == (table, -1, column):
            return None
        to_table, to_index, to_column = target
        return self._resolve(to_table, to_index, self._changes.insert[to_table][to_index], to_column, depth + 1)


def derive(changes: ChangeSet, infos: Infos, *, quoted: Callable[[Any], bool], now: str) -> Expectation:
    """Return the expectation that `changes`, made by an executed reference solution, stand for.

    quoted: whether a text value stands in the instruction. now: when the episode began; a clock column that holds an
    earlier moment was copied, not stamped, and stays exact.
    """
    tokens = Tokens(changes, infos)

    def expected(table: str, column: str, value: Any, token: str | None) -> Any:
        if token is not None:
            return {"$id": token}
        info = infos[table]
        policy = info.policies[info.columns.index(column)]
        if policy == "clock" and is_time(value) and value >= now[: len(value)]:
            return {"$clock": True}
        if policy == "text" and isinstance(value, str) and value.strip() and not quoted(value):
            return {"$text": True}
        return value

    inserts = tuple(
        InsertExpectation(table=table, row={c: expected(table, c, value, tokens.cells.get((table, index, c))) for c, value in row.items()})
        for table, rows in changes.insert.items()
        for index, row in enumerate(rows)
    )
    updates = tuple(
        UpdateExpectation(
            table=table,
            key=key,
            set={
                column: expected(table, column, new, tokens.follow(table, {**key, **{c: v[1] for c, v in cells.items()}}, column))
                for column, (_, new) in cells.items()
            },
        )
        for table, key, cells in changes.update
    )
    deletes = tuple(DeleteExpectation(table=table, key=key) for table, key, _ in changes.delete)
    return Expectation(insert=inserts, update=updates, delete=deletes)
