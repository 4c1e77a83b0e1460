"""A task's start patch: a few rows changed before the episode, in the world and in the rules' copy of it."""

from collections.abc import Sequence
from typing import Any

import apsw

from envgen.core.errors import BundleError
from envgen.core.types import RowPatch
from envgen.database.engine import Slot
from envgen.database.snapshot import quote


def apply_patch(slot: Slot, patch: Sequence[RowPatch], schemas: Sequence[str] = ("main", "before")) -> None:
    """Apply row patches; they are no change of the episode's. BundleError when one does not fit the world."""
    for row in patch:
        for schema in schemas:
            sql, values = patch_sql(row, schema)
            try:
                slot.execute(sql, values)
            except apsw.Error as problem:
                raise BundleError(f"the start patch does not fit the world: {row.op} in {row.table}: {problem}") from problem
            if slot.connection.changes() != 1:
                raise BundleError(f"the start patch does not fit the world: {row.op} in {row.table} meets no row with {row.key}")
    slot.log.clear()


def patch_sql(patch: RowPatch, schema: str) -> tuple[str, list[Any]]:
    """Return the statement and its positional values for one row patch."""
    table = f"{quote(schema)}.{quote(patch.table)}"
    where = " AND ".join(f"{quote(name)} = ?" for name in patch.key)
    if patch.op == "insert":
        names = ", ".join(quote(name) for name in patch.row)
        return f"INSERT INTO {table} ({names}) VALUES ({', '.join('?' * len(patch.row))})", list(patch.row.values())
    if patch.op == "delete":
        return f"DELETE FROM {table} WHERE {where}", list(patch.key.values())
    sets = ", ".join(f"{quote(name)} = ?" for name in patch.row)
    return f"UPDATE {table} SET {sets} WHERE {where}", [*patch.row.values(), *patch.key.values()]
