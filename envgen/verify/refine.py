"""Colour refinement of new rows: rows get the same colour only if no chain of references tells them apart."""

from collections.abc import Sequence
from operator import itemgetter
from typing import Any

from envgen.core.types import InsertExpectation
from envgen.verify.changes import ChangeSet, Infos, Row
from envgen.verify.expectation import Tokens

Place = tuple[str, int]
Shape = tuple[str, tuple[tuple[str, Any], ...], tuple[tuple[str, str], ...]]  # table, plain cells, (column, token)


def colours(wanted: Sequence[InsertExpectation], changes: ChangeSet, infos: Infos) -> tuple[list[int], dict[Place, int]]:
    """Return the colour of each expected row, and of each new row by its (table, index). Equal structure, equal colour."""
    tokens = Tokens(changes, infos)
    expected = [_expected_shape(entry, infos) for entry in wanted]
    places = [(table, index) for table, rows in changes.insert.items() for index in range(len(rows))]
    actual = [_actual_shape(table, index, changes.insert[table][index], tokens, infos) for table, index in places]
    names: dict[Any, int] = {}
    first: dict[str, int] = {}
    second: dict[str, int] = {}
    left, right = _round(expected, first, names), _round(actual, second, names)
    for _ in range(len(expected)):
        before = len(set(left)) + len(set(right))
        first, second = _recolour(expected, left, names), _recolour(actual, right, names)
        left, right = _round(expected, first, names), _round(actual, second, names)
        if len(set(left)) + len(set(right)) == before:
            break
    return left, dict(zip(places, right, strict=True))


def _fixed(table: str, infos: Infos) -> set[str]:
    info = infos[table]
    return {column for column, policy in zip(info.columns, info.policies, strict=True) if policy not in ("text", "clock")}


def _expected_shape(entry: InsertExpectation, infos: Infos) -> Shape:
    fixed = _fixed(entry.table, infos)
    # Sorted by column: an expectation that was stored as JSON has its columns in another order than the table.
    cells = sorted(entry.row.items(), key=itemgetter(0))
    plain = tuple((c, v) for c, v in cells if c in fixed and not isinstance(v, dict))
    return entry.table, plain, tuple((c, v["$id"]) for c, v in cells if isinstance(v, dict) and "$id" in v)


def _actual_shape(table: str, index: int, row: Row, tokens: Tokens, infos: Infos) -> Shape:
    fixed = _fixed(table, infos)
    held = [(c, tokens.cells[table, index, c]) for c in sorted(row) if (table, index, c) in tokens.cells]
    taken = {column for column, _ in held}
    return table, tuple((c, row[c]) for c in sorted(row) if c in fixed and c not in taken), tuple(held)


def _round(shapes: Sequence[Shape], token_colours: dict[str, int], names: dict[Any, int]) -> list[int]:
    return [
        names.setdefault((table, plain, tuple((c, token_colours.get(t, -1)) for c, t in held)), len(names)) for table, plain, held in shapes
    ]


def _recolour(shapes: Sequence[Shape], rows: Sequence[int], names: dict[Any, int]) -> dict[str, int]:
    uses: dict[str, list[tuple[int, str]]] = {}
    for (_, _, held), colour in zip(shapes, rows, strict=True):
        for column, token in held:
            uses.setdefault(token, []).append((colour, column))
    return {token: names.setdefault(tuple(sorted(found)), len(names)) for token, found in uses.items()}
