import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envgen.database.documents_types import DocumentedTool, Reading, distinct, parameter_name, string, tool_name
from envgen.database.prompt import RESERVED


@pytest.mark.parametrize(
    ("original", "name"),
    [
        ("create_booking", "create_booking"),
        ("createBooking", "create_booking"),
        ("HTTPServerError", "http_server_error"),
        ("find-parcel", "find_parcel"),
        ("créerRéservation", "creer_reservation"),
        ("reset", "do_reset"),
        ("Submit", "do_submit"),
        ("2fa", "do_2fa"),
        ("x" * 64, "x" * 64),
    ],
)
def test_tool_names_are_kept_or_the_nearest_valid_one(original: str, name: str) -> None:
    assert tool_name(original) == name


@pytest.mark.parametrize(
    ("original", "name"),
    [
        ("bookingId", "bookingId"),
        ("filter[status]", "filter_status"),
        ("$top", "top"),
        ("now", "p_now"),
        ("X-Foo", "X_Foo"),
        ("größe", "grosse"),
    ],
)
def test_parameter_names_are_kept_when_sql_can_bind_them(original: str, name: str) -> None:
    assert parameter_name(original) == name


@given(st.text(max_size=90))
def test_every_name_is_valid_and_stays_itself(original: str) -> None:
    name, parameter = tool_name(original), parameter_name(original)
    assert re.fullmatch(r"[a-z][a-z0-9_]{0,63}", name)
    assert name not in RESERVED
    assert tool_name(name) == name
    assert re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]{0,63}", parameter)
    assert parameter_name(parameter) == parameter


@given(st.text(), st.integers(5, 50))
def test_text_becomes_one_printable_line(text: str, longest: int) -> None:
    line = string(text, longest)
    assert len(line) <= longest
    assert line.isprintable()
    assert string(3) == ""


@given(st.lists(st.sampled_from(["find", "Find", "FIND", "find-", "reset", "do_reset", "find_2", "x" * 70, "x" * 80])))
def test_names_come_out_distinct_and_every_original_once(originals: list[str]) -> None:
    tools = [DocumentedTool(tool_name(original), original, "", (), None, "a.json") for original in originals]
    found = distinct(tools, Reading())
    assert [tool.original for tool in found] == list(dict.fromkeys(originals))
    assert len({tool.name for tool in found}) == len(found)
    assert all(len(tool.name) <= 64 for tool in found)
