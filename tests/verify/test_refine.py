"""Colour refinement: equal structure, equal colour; a chain of references is told apart along its length."""

from typing import Any

from envgen.verify.changes import ChangeSet, TableInfo
from envgen.verify.expectation import derive
from envgen.verify.refine import colours

INFOS = {"node": TableInfo("node", ("id", "next"), (0,), ("generated", "exact"), {"next": ("node", "id")})}


def chain(ids: list[int], last: int | None = None) -> ChangeSet:
    rows: list[dict[str, Any]] = [{"id": one, "next": other} for one, other in zip(ids, [*ids[1:], last], strict=True)]
    return ChangeSet(insert={"node": sorted(rows, key=lambda row: row["id"])})


def expected(changes: ChangeSet) -> Any:
    return derive(changes, INFOS, quoted=lambda value: False, now="2026-03-02 09:00:00").insert


def test_a_chain_is_told_apart_along_its_length() -> None:
    left, right = colours(expected(chain([1, 2, 3, 4])), chain([40, 10, 30, 20]), INFOS)
    assert len(set(left)) == 4
    assert sorted(left) == sorted(right.values())
    # Row 0 of the first is the head (id 1); in the second the head is id 40, its last row.
    assert left[0] == right["node", 3]


def test_a_ring_has_one_colour_and_differs_from_a_chain() -> None:
    ring, _ = colours(expected(chain([1, 2, 3], 1)), chain([4, 5, 6], 4), INFOS)
    assert len(set(ring)) == 1
    left, right = colours(expected(chain([1, 2, 3], 1)), chain([4, 5, 6]), INFOS)
    assert sorted(left) != sorted(right.values())
