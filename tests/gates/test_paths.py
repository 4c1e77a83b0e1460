"""Paths into results and arguments."""

from typing import Any

import pytest

from envgen.gates.paths import get, leaves, parts, replace

VALUE = {"claim": {"id": 3, "notes": [{"seq": 1}, {"seq": 2}]}, "rows": []}


@pytest.mark.parametrize(
    ("path", "found"), [("claim.id", 3), ("claim.notes.1.seq", 2), ("claim.notes[0].seq", 1), ("rows", []), ("", VALUE)]
)
def test_get(path: str, found: Any) -> None:
    assert get(VALUE, path) == found


@pytest.mark.parametrize("path", ["claim.nothing", "claim.notes.2", "rows.0", "claim.id.x", "claim.notes.x"])
def test_nothing_there(path: str) -> None:
    with pytest.raises(KeyError):
        get(VALUE, path)


def test_replace_copies() -> None:
    changed = replace(VALUE, "claim.notes.1.seq", 9)
    assert get(changed, "claim.notes.1.seq") == 9
    assert get(VALUE, "claim.notes.1.seq") == 2
    assert replace({"a": 1}, "b", 2) == {"a": 1, "b": 2}


def test_leaves_and_get_agree() -> None:
    found = dict(leaves(VALUE))
    assert found == {"claim.id": 3, "claim.notes.0.seq": 1, "claim.notes.1.seq": 2}
    assert all(get(VALUE, path) == value for path, value in found.items())
    assert parts("[0].id") == ["0", "id"]
