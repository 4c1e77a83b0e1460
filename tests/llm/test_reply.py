import json
from typing import Any

import pytest

from envgen.llm.budget import Price
from envgen.llm.failure import Failure, Scrubber
from envgen.llm.reply import from_json, read_body, to_json
from envgen.llm.types import ModelReply, ModelUsage

KEY = "sk-sentinel-0123456789abcdefghij"

USAGE = {"prompt_tokens": 10, "completion_tokens": 4, "total_tokens": 14}


def read(message: Any, finish: Any = "stop", *, usage: Any = USAGE, price: Price | None = None) -> ModelReply:
    body = {"model": "m-1", "choices": [{"message": message, "finish_reason": finish}], "usage": usage}
    return read_body(body, Scrubber(), estimate=33, price=price)


def test_reads_text() -> None:
    assert read({"role": "assistant", "content": "hi"}) == ModelReply("hi", usage=ModelUsage(10, 4), model="m-1")


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (None, ""),
        ("", ""),
        ([{"type": "text", "text": "a"}, {"type": "image"}, {"type": "text", "text": "b"}], "ab"),
        ([{"type": "thinking", "text": "hm"}, {"text": "a"}, 3], "a"),
        (5, ""),
    ],
)
def test_reads_every_shape_of_content(content: Any, text: str) -> None:
    assert read({"content": content}).text == text


@pytest.mark.parametrize(
    ("reason", "finish"),
    [
        ("stop", "stop"),
        ("length", "length"),
        ("max_tokens", "length"),
        ("tool_calls", "tool_calls"),
        ("function_call", "tool_calls"),
        (None, "stop"),
        ("eos", "stop"),
        ("weird", "weird"),
        ("content_filter", "refusal"),
    ],
)
def test_reads_every_way_an_answer_ends(reason: Any, finish: str) -> None:
    reply = read({"content": "x"}, reason)
    assert reply.finish == finish
    assert (reply.refusal is not None) == (finish == "refusal")


def test_reads_a_refusal() -> None:
    reply = read({"content": None, "refusal": "I cannot"})
    assert (reply.finish, reply.refusal) == ("refusal", "I cannot")


def test_reads_tool_calls_as_they_were_written() -> None:
    calls = [
        {"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"a": 1'}},
        {"function": {"name": "g", "arguments": None}},
        {"function": None},
        "x",
    ]
    reply = read({"content": None, "tool_calls": calls}, None)
    assert reply.calls == ({"id": "c1", "name": "f", "arguments": '{"a": 1'}, {"id": "call_1", "name": "g", "arguments": ""})
    assert reply.finish == "tool_calls"


def test_counts_tokens_and_cost() -> None:
    usage = {"prompt_tokens": 100, "completion_tokens": 10, "prompt_tokens_details": {"cached_tokens": 60}}
    assert read({"content": "x"}, usage=usage, price=Price(1.0, 0.5, 10.0)).usage == ModelUsage(100, 10, 60, (40 + 30 + 100) / 1_000_000)
    assert read({"content": "x"}, usage=usage).usage.usd is None


@pytest.mark.parametrize("usage", [None, {}, "x", {"prompt_tokens": None}, {"prompt_tokens": -1, "completion_tokens": "4"}])
def test_estimates_what_is_not_reported(usage: Any) -> None:
    assert read({"content": "x" * 40}, usage=usage).usage == ModelUsage(33, 10)


@pytest.mark.parametrize(
    "body",
    [None, [], "x", {}, {"choices": []}, {"choices": None}, {"choices": ["x"]}, {"choices": [{}]}, {"choices": [{"message": None}]}],
)
def test_a_body_without_an_answer_may_pass(body: Any) -> None:
    with pytest.raises(Failure) as caught:
        read_body(body, Scrubber(), estimate=1, price=None)
    assert caught.value.kind == "retry"


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ({"code": 429, "message": "slow"}, "retry"),
        ({"code": 401, "message": "no"}, "key"),
        ({"message": "oops"}, "retry"),
        ("oops", "retry"),
    ],
)
def test_an_error_that_comes_with_status_200_is_one(error: Any, kind: str) -> None:
    with pytest.raises(Failure) as caught:
        read_body({"error": error}, Scrubber(), estimate=1, price=None)
    assert caught.value.kind == kind


def test_a_key_that_a_model_repeats_is_taken_out() -> None:
    reply = read({"content": f"your key is {KEY}", "tool_calls": [{"function": {"name": "f", "arguments": KEY}}], "refusal": KEY})
    assert KEY not in repr(reply)
    assert reply.text == "your key is [key]"


def test_what_is_stored_comes_back() -> None:
    reply = ModelReply("hé", "tool_calls", None, ({"id": "1", "name": "f", "arguments": "{}"},), ModelUsage(1, 2, 1, None), model="m")
    stored = json.loads(json.dumps(to_json(reply)))
    assert from_json(stored, from_cache=False) == reply
    again = from_json(stored, from_cache=True)
    assert again is not None and again.from_cache


@pytest.mark.parametrize("stored", [{}, {"text": "x"}, {"usage": {"unknown": 1}}, {"usage": None}])
def test_a_record_of_another_shape_is_none(stored: dict[str, Any]) -> None:
    assert from_json(stored, from_cache=True) is None
