"""Matching: exact frame, generated values up to a renaming."""

import json
import time
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from envgen.core.types import Expectation
from envgen.verify.changes import ChangeSet, TableInfo
from envgen.verify.expectation import derive
from envgen.verify.state import match

NOW = "2026-03-02 09:00:00"
INFOS = {
    "booking": TableInfo(
        "booking", ("id", "guest_id", "note", "made_at", "parent_id"), (0,), ("generated", "exact", "text", "clock", "exact"),
        {"parent_id": ("booking", "id")},
    ),
    "guest": TableInfo("guest", ("id", "last_booking_id"), (0,), ("generated", "exact"), {"last_booking_id": ("booking", "id")}),
    "line": TableInfo(
        "line", ("booking_id", "seq", "sku"), (0, 1), ("exact", "generated", "exact"), {"booking_id": ("booking", "id")}
    ),
}  # fmt: skip


def booking(number: int, guest: int, note: str = "hello", parent: int | None = None, made: str = NOW) -> dict[str, Any]:
    return {"id": number, "guest_id": guest, "note": note, "made_at": made, "parent_id": parent}


def line(of: int, seq: int, sku: str) -> dict[str, Any]:
    return {"booking_id": of, "seq": seq, "sku": sku}


def expectation(changes: ChangeSet, quoted: str = "") -> Expectation:
    return derive(changes, INFOS, quoted=lambda value: value == quoted, now=NOW)


GOLD = ChangeSet(
    insert={"booking": [booking(10, 1), booking(11, 2)], "line": [line(10, 1, "a"), line(10, 2, "b"), line(11, 1, "a")]},
    update=[("guest", {"id": 1}, {"last_booking_id": (4, 10)})],
    delete=[("booking", {"id": 3}, booking(3, 3))],
)


def test_tokens_are_numbered_in_order_and_follow_foreign_keys() -> None:
    found = expectation(GOLD)
    assert [entry.row["id"] for entry in found.insert[:2]] == [{"$id": "$1"}, {"$id": "$2"}]
    assert [entry.row["booking_id"] for entry in found.insert[2:]] == [{"$id": "$1"}, {"$id": "$1"}, {"$id": "$2"}]
    assert found.update[0].set == {"last_booking_id": {"$id": "$1"}}
    assert found.insert[0].row["made_at"] == {"$clock": True}
    assert found.insert[0].row["note"] == {"$text": True}


def test_a_quoted_text_and_an_earlier_moment_are_exact() -> None:
    found = expectation(ChangeSet(insert={"booking": [booking(10, 1, "quoted", made="2025-01-01 00:00:00")]}), "quoted")
    assert found.insert[0].row["note"] == "quoted"
    assert found.insert[0].row["made_at"] == "2025-01-01 00:00:00"


def renamed(swap: bool = True) -> ChangeSet:
    first, second = (11, 10) if swap else (20, 30)
    lines = [line(first, 5, "b"), line(first, 7, "a"), line(second, 1, "a")]
    return ChangeSet(
        insert={"booking": [booking(second, 2), booking(first, 1)], "line": lines},
        update=[("guest", {"id": 1}, {"last_booking_id": (4, first)})],
        delete=GOLD.delete,
    )


def test_other_ids_and_another_order_match() -> None:
    for swap in (False, True):
        found = match(expectation(GOLD), renamed(swap), INFOS)
        assert found.passed, found.problems
        assert (found.matched, found.unexpected, found.expected) == (7, 0, 7)


def test_a_reference_to_the_wrong_new_row_fails() -> None:
    changes = renamed()
    changes.update = [("guest", {"id": 1}, {"last_booking_id": (4, 10)})]
    assert match(expectation(GOLD), changes, INFOS).problems == ["the new rows do not refer to each other as expected"]


def test_lines_on_the_wrong_booking_fail() -> None:
    changes = renamed()
    changes.insert["line"][0] = line(10, 5, "b")
    assert not match(expectation(GOLD), changes, INFOS).passed


def test_the_frame_is_exact() -> None:
    extra = renamed()
    extra.insert["booking"].append(booking(50, 9))
    assert match(expectation(GOLD), extra, INFOS).unexpected == 1
    more = renamed()
    more.update.append(("guest", {"id": 2}, {"last_booking_id": (1, 2)}))
    assert match(expectation(GOLD), more, INFOS).problems == ["guest id 2 was changed, which was not asked for"]
    less = renamed()
    less.delete = []
    assert match(expectation(GOLD), less, INFOS).problems == ["booking id 3 was not removed"]
    other = renamed()
    other.update = [("guest", {"id": 1}, {"last_booking_id": (4, 11), "id": (1, 1)})]
    assert not match(expectation(GOLD), other, INFOS).passed


def test_markers_need_a_value_of_their_kind() -> None:
    expect = expectation(ChangeSet(insert={"booking": [booking(10, 1)]}))
    for wrong in (booking(11, 1, "  "), booking(11, 1, made="yesterday"), booking(11, 2), booking(None, 1), booking(11, "1")):  # type: ignore[arg-type]
        assert not match(expect, ChangeSet(insert={"booking": [wrong]}), INFOS).passed
    assert match(expect, ChangeSet(insert={"booking": [booking(77, 1, "something else", made="2026-03-02 10:00:00")]}), INFOS).passed


def test_key_order_does_not_matter() -> None:
    expect = derive(ChangeSet(update=[("line", {"booking_id": 1, "seq": 2}, {"sku": ("a", "b")})]), INFOS, quoted=bool, now=NOW)
    assert match(expect, ChangeSet(update=[("line", {"seq": 2, "booking_id": 1}, {"sku": ("a", "b")})]), INFOS).passed


def forest(shape: list[list[str]], names: list[int], order: list[int]) -> ChangeSet:
    """Bookings of one guest, told apart only by their lines; `names` are their ids, `order` the order of insertion."""
    rows = [booking(names[i], 1) for i in order]
    lines = [line(names[i], seq, sku) for i in order for seq, sku in enumerate(shape[i])]
    return ChangeSet(insert={"booking": rows, "line": lines} if lines else {"booking": rows})


@settings(max_examples=80, deadline=None, derandomize=True)
@given(st.lists(st.lists(st.sampled_from("ab"), max_size=3), min_size=1, max_size=5), st.data())
def test_look_alike_rows_match_in_any_naming_and_only_with_equal_lines(shape: list[list[str]], data: st.DataObject) -> None:
    names = data.draw(st.permutations(range(100, 100 + len(shape))))
    order = data.draw(st.permutations(range(len(shape))))
    expect = expectation(forest(shape, list(range(len(shape))), list(range(len(shape)))))
    assert match(expect, forest(shape, names, order), INFOS).passed
    other = data.draw(st.lists(st.lists(st.sampled_from("ab"), max_size=3), min_size=len(shape), max_size=len(shape)))
    same = sorted(map(sorted, shape)) == sorted(map(sorted, other))
    assert match(expect, forest(other, names, order), INFOS).passed == same


def test_many_look_alikes_stay_fast() -> None:
    ring = ChangeSet(insert={"booking": [booking(i, 1, parent=(i + 1) % 40) for i in range(40)]})
    rings = ChangeSet(insert={"booking": [booking(i, 1, parent=(i + 1) % 20 + 20 * (i // 20)) for i in range(40)]})
    expect = expectation(ring)
    started = time.process_time()
    assert match(expect, ring, INFOS).passed
    assert not match(expect, rings, INFOS).passed
    assert time.process_time() - started < 5


def test_an_expectation_that_was_stored_with_sorted_keys_still_matches_look_alikes() -> None:
    infos = {"note": TableInfo("note", ("id", "when", "about", "text"), (0,), ("generated", "exact", "exact", "text"))}
    rows = [{"id": number, "when": "2026-03-02", "about": 7, "text": text} for number, text in ((1, "one"), (2, "two"))]
    twins = ChangeSet(insert={"note": rows})
    kept = derive(twins, infos, quoted=lambda value: False, now=NOW)
    stored = Expectation.model_validate_json(json.dumps(kept.model_dump(mode="json"), sort_keys=True))
    assert match(stored, twins, infos).passed
