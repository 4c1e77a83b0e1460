"""Ordered rows of a world: digests and differences that do not depend on SQLite's file bytes."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import apsw

from envgen.core.digest import digest
from envgen.verify.state import TableInfo, row_difference

Rows = Mapping[str, list[tuple[Any, ...]]]


def quote(name: str) -> str:
    """Return `name` as a quoted SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def table_names(connection: apsw.Connection) -> list[str]:
    """Names of the user tables of `main`, sorted."""
    sql = "SELECT name FROM main.sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name"
    return [row[0] for row in connection.execute(sql)]


def ordered_rows(connection: apsw.Connection, infos: Iterable[TableInfo], schema: str = "main") -> Rows:
    """Return {table: rows in key order} for `infos`; a table without a key is ordered by all its columns."""
    rows: dict[str, list[tuple[Any, ...]]] = {}
    for info in infos:
        columns = ", ".join(quote(name) for name in info.columns)
        order = ", ".join(quote(info.columns[index]) for index in info.key) or columns
        rows[info.name] = list(connection.execute(f"SELECT {columns} FROM {schema}.{quote(info.name)} ORDER BY {order}"))
    return rows


@dataclass(frozen=True)
class DatabaseSnapshot:
    """The rows of a session at one moment."""

    rows: Rows
    infos: Mapping[str, TableInfo]

    @cached_property
    def digest(self) -> str:
        """Hex digest over the ordered rows."""
        return digest({name: [list(row) for row in rows] for name, rows in self.rows.items()})

    def diff(self, other: "DatabaseSnapshot") -> Mapping[str, Any]:
        """Return {"insert", "update", "delete"} that lead from here to `other`."""
        changes = row_difference(self.rows, other.rows, self.infos)
        return {"insert": changes.insert, "update": changes.update, "delete": changes.delete}
