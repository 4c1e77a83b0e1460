"""Twin worlds: a patch of rows after which a guard refuses what it let pass, or lets pass what it refused.

The patch is what other calls, made by other people before the episode, have left behind; so the twin is a world that could be.
"""

import random
from collections.abc import Iterator
from typing import Any

from envgen.core.errors import PlanError
from envgen.core.outcome import Change
from envgen.core.types import JsonObject, RowPatch
from envgen.database.compile import IDS_TABLE
from envgen.database.draw import Drawer
from envgen.database.plan.draft import Book, Draft
from envgen.database.plan.goals import Wish

CALLS = 30
MOST_ROWS = 24


def flip(book: Book, wish: Wish, dice: random.Random) -> tuple[RowPatch, ...]:
    """Return a patch after which the wish's act is refused with its alternative's code if it passes now, or the reverse."""
    assert wish.alternative is not None
    draft = Draft.begin(book)
    try:
        passes = draft.session.probe(wish.tool, wish.arguments).ok
        for tool, arguments in _steps(book, draft, wish, dice):
            if not draft.session.call(tool, arguments).ok:
                continue
            result = draft.session.probe(wish.tool, wish.arguments)
            if result.ok != passes:
                if result.error is not None and result.error.code != wish.alternative.code:
                    raise PlanError("flipped_otherwise", result.error.code)
                patch = row_patches(book, draft.session.slot.log)
                if len(patch) > MOST_ROWS:
                    raise PlanError("large_twin", wish.tool)
                return patch
        raise PlanError("no_twin", wish.tool)
    finally:
        draft.close()


def _steps(book: Book, draft: Draft, wish: Wish, dice: random.Random) -> Iterator[tuple[str, JsonObject]]:
    """Yield calls that may move the guard: the same act by others or on other things, then any act on the same rows."""
    execute = draft.session.connection.execute
    now = draft.start.now
    keys = {
        name: child["x-column"]
        for name, child in book.parameters(wish.tool)["properties"].items()
        if "x-column" in child and name in wish.arguments
    }
    drawer = Drawer(execute, dice, pools=book.language.pools)
    for name in sorted(keys, key=lambda _: dice.random()):
        for _ in range(CALLS):
            fixed = {key: wish.arguments[key] for key in keys if key != name}
            arguments = drawer.arguments(book.parameters(wish.tool), now, fixed, optional=0.3)
            if arguments is not None:
                yield wish.tool, arguments
    near: dict[str, list[Any]] = {column: [wish.arguments[name]] for name, column in keys.items()}
    near |= _children(book, draft, near)
    writers = [tool for tool, compiled in sorted(book.environment.compiled.items()) if compiled.writes and tool != wish.tool]
    drawer = Drawer(execute, dice, pools=book.language.pools, narrow=near)
    for _ in range(CALLS * 3 if writers else 0):
        tool = dice.choice(writers)
        columns = {child.get("x-column") for child in book.parameters(tool)["properties"].values()}
        arguments = drawer.arguments(book.parameters(tool), now, optional=0.3) if columns & set(near) else None
        if arguments is not None:
            yield tool, arguments


def _children(book: Book, draft: Draft, near: dict[str, list[Any]]) -> dict[str, list[Any]]:
    """Keys of the rows that refer to one of `near`: the bookings of a class, the loans of a person."""
    found: dict[str, list[Any]] = {}
    for info in book.environment.infos.values():
        if len(info.key) != 1:
            continue
        key = info.columns[info.key[0]]
        for column, (table, target) in info.references.items():
            values = near.get(f"{table}.{target}")
            if values:
                sql = f'SELECT "{key}" FROM main."{info.name}" WHERE "{column}" = ? ORDER BY 1'
                rows = [row[0] for value in values for row in draft.session.connection.execute(sql, (value,))]
                if rows:
                    found.setdefault(f"{info.name}.{key}", rows)
    return found


def row_patches(book: Book, log: list[Change]) -> tuple[RowPatch, ...]:
    """Return the engine's log as patches, id counters included, so that the twin's next ids are free."""
    patches = []
    for change in log:
        if change.table == IDS_TABLE:
            columns: tuple[str, ...] = ("tbl", "next")
            key: tuple[int, ...] = (0,)
        else:
            info = book.environment.infos[change.table]
            columns, key = info.columns, info.key
        old, new = change.old, change.new
        where = {columns[index]: old[index] for index in key} if old is not None else {}
        row = dict(zip(columns, new, strict=True)) if new is not None else {}
        if old is not None and new is not None:
            row = {name: value for name, value, before in zip(columns, new, old, strict=True) if value != before}
        if change.op != "update" or row:
            patches.append(RowPatch(op=change.op, table=change.table, key=where, row=row))
    return tuple(patches)
