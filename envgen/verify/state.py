"""Does the final state match the expectation, and nothing else differ?

Values that the engine generated are compared up to a renaming that foreign keys follow: each token of the expectation
stands for one value, and each expected new row for one new row. When rows are told apart by their other values, matching
is direct; otherwise rows are first split by colour refinement, so that the search only tries look-alikes.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from envgen.core.types import Expectation, InsertExpectation
from envgen.verify.changes import ChangeSet, Infos, Row, TableInfo, compose, row_difference
from envgen.verify.expectation import derive, is_time
from envgen.verify.refine import colours

__all__ = ["ChangeSet", "StateMatch", "TableInfo", "compose", "derive", "match", "row_difference"]

Binding = dict[str, Any]
SEARCH_LIMIT = 20_000


@dataclass(slots=True)
class StateMatch:
    """How a change set compares with an expectation.

    problems: what differs, in words. matched of `expected` rows are as expected; `unexpected` rows are not asked for.
    """

    passed: bool
    problems: list[str] = field(default_factory=list)
    matched: int = 0
    unexpected: int = 0
    expected: int = 0


def same(one: Any, other: Any) -> bool:
    """True when two SQLite values are the same; an integer is never a text, and numbers compare by value."""
    return bool(one == other) and isinstance(one, str) == isinstance(other, str)


def cell_matches(expected: Any, actual: Any, binding: Binding) -> bool:
    """Compare one value with its expectation; a token that is still free is bound to the value."""
    if type(expected) is not dict:
        return same(expected, actual)
    if "$id" in expected:
        bound = binding.setdefault(expected["$id"], actual)
        return actual is not None and same(bound, actual)
    if "$clock" in expected:
        return is_time(actual)
    return isinstance(actual, str) and bool(actual.strip())


def _fixed_order(key: Row) -> tuple[tuple[str, Any], ...]:
    return tuple(key.items()) if len(key) == 1 else tuple(sorted(key.items()))


def _looks_like(expected: Row, actual: Row) -> bool:
    """True when every value but the generated ones fits."""
    for column, value in expected.items():
        if column not in actual:
            return False
        if type(value) is not dict:
            if value != actual[column] or isinstance(value, str) != isinstance(actual[column], str):
                return False
        elif "$id" not in value and not cell_matches(value, actual[column], {}):
            return False
    return True


def _unify(expected: Row, actual: Row, binding: Binding) -> bool:
    """Bind the tokens of one expected row; False (binding half filled) when it cannot be."""
    for column, value in expected.items():
        if type(value) is dict and "$id" in value and not cell_matches(value, actual.get(column), binding):
            return False
    return True


def match(expect: Expectation, changes: ChangeSet, infos: Infos) -> StateMatch:
    """Compare `changes` with `expect`: every expected difference must be there, and no other."""
    result = StateMatch(False, expected=len(expect.insert) + len(expect.update) + len(expect.delete))
    binding: Binding = {}
    _match_updates(expect, changes, binding, result)
    _match_deletes(expect, changes, result)
    _match_inserts(expect, changes, infos, binding, result)
    result.passed = not result.problems
    return result


def _match_updates(expect: Expectation, changes: ChangeSet, binding: Binding, result: StateMatch) -> None:
    if not (expect.update or changes.update):
        return
    actual = {(table, _fixed_order(key)): cells for table, key, cells in changes.update}
    for entry in expect.update:
        where = f"{entry.table} {_show(entry.key)}"
        cells = actual.pop((entry.table, _fixed_order(entry.key)), None)
        if cells is None:
            result.problems.append(f"{where} was not changed")
            continue
        wrong = [c for c, value in entry.set.items() if c not in cells or not cell_matches(value, cells[c][1], binding)]
        wrong += [c for c in cells if c not in entry.set]
        if wrong:
            result.problems.append(f"{where}: {', '.join(wrong)} not as expected")
        else:
            result.matched += 1
    for table, key in actual:
        result.unexpected += 1
        result.problems.append(f"{table} {_show(dict(key))} was changed, which was not asked for")


def _match_deletes(expect: Expectation, changes: ChangeSet, result: StateMatch) -> None:
    if not (expect.delete or changes.delete):
        return
    actual = {(table, _fixed_order(key)) for table, key, _ in changes.delete}
    wanted = {(entry.table, _fixed_order(entry.key)) for entry in expect.delete}
    result.matched += len(wanted & actual)
    result.unexpected += len(actual - wanted)
    result.problems += sorted(f"{table} {_show(dict(key))} was not removed" for table, key in wanted - actual)
    result.problems += sorted(f"{table} {_show(dict(key))} was removed, which was not asked for" for table, key in actual - wanted)


def _match_inserts(expect: Expectation, changes: ChangeSet, infos: Infos, binding: Binding, result: StateMatch) -> None:
    if not (expect.insert or changes.insert):
        return
    candidates = [
        [(entry.table, i) for i, row in enumerate(changes.insert.get(entry.table, ())) if _looks_like(entry.row, row)]
        for entry in expect.insert
    ]
    taken = _greedy(expect.insert, candidates, result)
    spare = [(table, i) for table, rows in changes.insert.items() for i in range(len(rows)) if (table, i) not in taken]
    result.unexpected += len(spare)
    result.problems += [f"unexpected new row in {table}: {_show(changes.insert[table][i])}" for table, i in spare]
    if len(taken) != len(expect.insert) or spare:
        return
    if not _assign(expect.insert, candidates, changes, infos, binding):
        result.problems.append("the new rows do not refer to each other as expected")
        result.matched -= 1


def _greedy(
    wanted: Sequence[InsertExpectation], candidates: Sequence[Sequence[tuple[str, int]]], result: StateMatch
) -> set[tuple[str, int]]:
    """Return the new rows that look like some expected row, one each; report the expected rows without one."""
    owner: dict[tuple[str, int], int] = {}

    def place(index: int, seen: set[tuple[str, int]]) -> bool:
        for candidate in candidates[index]:
            if candidate in seen:
                continue
            seen.add(candidate)
            if candidate not in owner or place(owner[candidate], seen):
                owner[candidate] = index
                return True
        return False

    for index, entry in enumerate(wanted):
        if place(index, set()):
            result.matched += 1
        else:
            result.problems.append(f"no new row in {entry.table} like {_show(entry.row)}")
    return set(owner)


def _assign(
    wanted: Sequence[InsertExpectation], candidates: list[list[tuple[str, int]]], changes: ChangeSet, infos: Infos, binding: Binding
) -> bool:
    """Pair expected and new rows so that every token stands for one value."""
    if all(len(options) == 1 for options in candidates):
        return all(_unify(entry.row, changes.insert[table][i], binding) for entry, ((table, i),) in zip(wanted, candidates, strict=True))
    expected_colours, actual_colours = colours(wanted, changes, infos)
    if sorted(expected_colours) != sorted(actual_colours.values()):
        return False
    narrowed = [
        [place for place in options if actual_colours[place] == colour]
        for options, colour in zip(candidates, expected_colours, strict=True)
    ]
    return _search(wanted, narrowed, changes, binding)


def _search(wanted: Sequence[InsertExpectation], candidates: list[list[tuple[str, int]]], changes: ChangeSet, binding: Binding) -> bool:
    """Depth-first search over the look-alikes, rows with the fewest first; gives up (no match) after SEARCH_LIMIT steps."""
    order = sorted(range(len(wanted)), key=lambda index: (len(candidates[index]), index))
    used: set[tuple[str, int]] = set()
    steps = 0
    stack: list[tuple[int, Binding, int]] = [(0, dict(binding), 0)]
    chosen: list[tuple[str, int]] = []
    while stack:
        depth, bound, option = stack.pop()
        while len(chosen) > depth:
            used.discard(chosen.pop())
        if depth == len(order):
            return True
        index = order[depth]
        for offset in range(option, len(candidates[index])):
            place = candidates[index][offset]
            steps += 1
            trial = dict(bound)
            if place not in used and _unify(wanted[index].row, changes.insert[place[0]][place[1]], trial):
                stack += [(depth, bound, offset + 1), (depth + 1, trial, 0)]
                used.add(place)
                chosen.append(place)
                break
        if steps > SEARCH_LIMIT:
            return False
    return False


def _show(row: Row) -> str:
    return ", ".join(f"{column} {value!r}" for column, value in row.items())
