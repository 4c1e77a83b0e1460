"""Compiled schemas: the limits that are added, the values that are bound, and what is said of a misfit."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envgen.database.arguments import MAX_INTEGER, Arguments, BadArguments, clip, closed_schema, shown_schema, storable

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "count": {"type": "integer", "default": 3, "x-domain": {"int": [1, 9]}},
        "day": {"type": "string", "format": "date", "x-domain": {"days_from_now": [0, 9]}},
        "at": {"type": "string", "format": "date-time", "x-domain": {"days_from_now": [0, 9]}},
        "note": {"type": ["string", "null"], "x-domain": {"text": "notes"}},
        "lines": {
            "type": "array",
            "items": {"type": "object", "properties": {"sku": {"type": "string"}, "qty": {"type": "integer"}}, "required": ["sku"]},
        },
    },
}


def refusal(arguments: Any) -> str:
    with pytest.raises(BadArguments) as caught:
        Arguments(SCHEMA)(arguments)
    return str(caught.value)


def test_limits_are_written_into_every_level() -> None:
    closed = closed_schema(SCHEMA)
    assert closed["additionalProperties"] is False
    assert closed["properties"]["count"]["maximum"] == MAX_INTEGER
    assert closed["properties"]["note"]["maxLength"] == 2000
    items = closed["properties"]["lines"]["items"]
    assert (closed["properties"]["lines"]["maxItems"], items["additionalProperties"], items["properties"]["qty"]["minimum"]) == (
        50,
        False,
        -MAX_INTEGER,
    )
    assert "additionalProperties" not in SCHEMA


def test_agents_see_no_annotations() -> None:
    assert "x-" not in json.dumps(shown_schema(closed_schema(SCHEMA)))


def test_binding() -> None:
    binds = Arguments(SCHEMA)({"count": 5.0, "lines": [{"sku": "é", "qty": 2}]})
    assert binds == {"count": 5, "day": None, "at": None, "note": None, "lines": '[{"sku": "é", "qty": 2}]'}
    assert type(binds["count"]) is int
    assert Arguments(SCHEMA)({})["count"] == 3


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "must be a JSON object, not an array"),
        ({"cuont": 1}, "Unknown argument 'cuont'. The arguments are: count, day, at, note, lines."),
        ({"count": "5"}, "count: "),
        ({"count": 2**53 + 1}, "greater than the maximum"),
        ({"count": None}, "count: null is not of type"),
        ({"day": "now"}, "'now' is not a date of the form YYYY-MM-DD."),
        ({"day": "2026-02-30"}, "YYYY-MM-DD"),
        ({"day": "2026-01-01 10:00:00"}, "YYYY-MM-DD"),
        ({"at": "2026-01-01T10:00:00"}, "YYYY-MM-DD HH:MM:SS"),
        ({"at": "2026-01-01"}, "YYYY-MM-DD HH:MM:SS"),
        ({"note": "a\0b"}, "NUL"),
        ({"note": "\ud800"}, "UTF-8"),
        ({"lines": [{"sku": "\ud800"}]}, "UTF-8"),
        ({"lines": [{"sku": "a\0"}]}, "NUL"),
        ({"lines": [{"qty": 1}]}, "lines: "),
        ({"lines": [{"sku": "x" * 1900}] * 50}, "too large"),
    ],
)
def test_misfits_are_explained(arguments: Any, said: str) -> None:
    assert said in refusal(arguments)


def test_a_missing_argument_is_named() -> None:
    with pytest.raises(BadArguments, match="Argument day is missing"):
        Arguments({**SCHEMA, "required": ["day"]})({})


@given(st.text())
def test_storable_texts_survive_sqlite(text: str) -> None:
    import apsw

    if storable(text):
        assert apsw.Connection(":memory:").execute("SELECT ?", (text,)).fetchall() == [(text,)]


@given(st.text(alphabet=st.characters(), max_size=200), st.integers(1, 90))
def test_clip_is_short_and_encodable(text: str, size: int) -> None:
    assert len(clip(text, size)) <= size
    clip(text, size).encode("utf-8")
