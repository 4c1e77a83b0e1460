import email.utils
import time
from typing import Any

import pytest

from envgen.llm.failure import Scrubber, of_status, retry_after

KEY = "sk-sentinel-0123456789abcdefghij"


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (401, {"error": {"message": "bad key"}}, "key"),
        (403, {"detail": "no"}, "key"),
        (404, "Not Found", "model"),
        (404, {"error": {"message": "The model `x` does not exist", "code": "model_not_found"}}, "model"),
        (400, {"error": {"message": "invalid model ID"}}, "model"),
        (400, {"error": {"message": "x", "code": "model_not_found"}}, "model"),
        (400, {"error": {"message": "Unsupported parameter: 'seed' is not supported with this model."}}, "refused"),
        (422, {"detail": [{"msg": "extra"}]}, "refused"),
        (413, "too large", "refused"),
        (402, "pay", "fatal"),
        (405, "", "fatal"),
        (408, "", "retry"),
        (409, "", "retry"),
        (429, {"error": {"message": "slow down", "code": "rate_limit_exceeded"}}, "retry"),
        (429, {"error": {"message": "x", "code": "insufficient_quota"}}, "fatal"),
        (429, {"error": {"message": "You exceeded your current quota, please check your plan"}}, "fatal"),
        *((status, "", "retry") for status in (500, 502, 503, 504, 529, 599)),
    ],
)
def test_a_status_is_sorted_by_what_to_do(status: int, body: Any, kind: str) -> None:
    assert of_status(status, {}, body, Scrubber()).kind == kind


@pytest.mark.parametrize(
    ("body", "text", "code", "param"),
    [
        ({"error": {"message": "m", "code": "c", "param": "p"}}, "m", "c", "p"),
        ({"error": {"message": "m", "type": "t"}}, "m", "t", ""),
        ({"error": "m"}, "m", "", ""),
        ({"message": "m", "code": 400, "object": "error"}, "m", "400", ""),
        ({"detail": [{"loc": ["body", "seed"]}]}, "[{'loc': ['body', 'seed']}]", "", ""),
        ("two\nlines", "two lines", "", ""),
        (None, "no further words", "", ""),
        ("", "no further words", "", ""),
    ],
)
def test_error_bodies_of_several_servers_are_read(body: Any, text: str, code: str, param: str) -> None:
    failure = of_status(400, {}, body, Scrubber())
    assert (failure.text, failure.code, failure.param) == (text, code, param)
    assert str(failure) == f"HTTP 400: {text}"


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": ""}, None),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0.0),
    ],
)
def test_retry_after_is_seconds_or_a_date(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers) == seconds


def test_a_date_to_come_is_the_time_until_then() -> None:
    seconds = retry_after({"retry-after": email.utils.formatdate(time.time() + 60, usegmt=True)})
    assert seconds is not None and 55 < seconds <= 60


def test_secrets_are_taken_out_of_messages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("MY_DB_PASSWORD", "pass/word 1")
    scrub = Scrubber("http://me:url-secret@host/v1?token=query-secret")
    text = f"{KEY} pass/word 1 pass%2Fword%201 url-secret token=query-secret Bearer abc sk-proj-abcdefghijklmnop gsk_abcdefghijklmnop"
    assert scrub(text) == "[key] [key] [key] [key] [key] Bearer [key] [key] [key]"
    assert KEY not in repr(scrub)


def test_messages_are_one_short_printable_line() -> None:
    assert Scrubber()("a\n\tb\x1b[31m") == "a b\N{REPLACEMENT CHARACTER}[31m"
    assert len(Scrubber()("x" * 1000)) == 300


def test_what_a_model_wrote_loses_the_key_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("MY_DB_PASSWORD", "password")
    monkeypatch.setenv("OTHER_API_KEY", "short")
    assert (
        Scrubber().reply(f"a password column,\n  short, sk-example-0123456789: {KEY}")
        == "a password column,\n  short, sk-example-0123456789: [key]"
    )
