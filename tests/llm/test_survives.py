"""The issue's list of what the client must survive, one named test each, through the openai SDK against a real local server."""

import email.utils
import time
from collections.abc import Callable
from typing import Any

import pytest
from scripted_server import ScriptedServer

from envgen.core.errors import InfrastructureError, ModelError, UsageError
from envgen.core.events import Event
from envgen.llm.client import ModelClient
from envgen.llm.types import ModelReply, ModelRequest, ModelSettings

Asking = Callable[..., ModelRequest]
SCHEMA = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}


class Scene:
    """A client of a server that plays `replies`; waits between attempts are noted instead of waited."""

    def __init__(self, replies: list[Any] | None = None, *, options: dict[str, Any] | None = None, **settings: Any) -> None:
        self.server = ScriptedServer([{"replies": replies or ["fine"]}], options=options).start()
        self.events: list[Event] = []
        self.waits: list[float] = []
        chosen = ModelSettings(**{"model": "openai/scripted", "base_url": self.server.url, **settings})
        self.client = ModelClient(chosen, events=self.events.append, pause=self.waits.append)

    def __enter__(self) -> "Scene":
        return self

    def __exit__(self, *problem: object) -> None:
        self.client.close()
        self.server.close()

    @property
    def notes(self) -> list[str]:
        return [event.message for event in self.events]

    @property
    def sent(self) -> int:
        return len(self.server.requests)

    def ask(self, request: ModelRequest) -> ModelReply:
        return self.client.complete(request)


def test_429_without_retry_after_waits_longer_each_time(asking: Asking) -> None:
    busy = {"status": 429, "body": {"error": {"message": "slow down", "code": "rate_limit_exceeded"}}}
    with Scene([busy, busy, busy, "fine"]) as scene:
        assert scene.ask(asking()).text == "fine"
        assert all(0 <= wait <= limit for wait, limit in zip(scene.waits, (0.5, 1, 2), strict=True))
        assert [event.kind for event in scene.events] == ["note"] * 3
        assert scene.notes[0].startswith("openai/scripted: HTTP 429: slow down; trying again in ")
        assert scene.notes[2].endswith(", 3 of 6")


@pytest.mark.parametrize(("header", "low", "high"), [("7", 7, 7), ("0", 0, 0), ("a date", 50, 60)])
def test_429_with_retry_after_is_honoured(header: str, low: float, high: float, asking: Asking) -> None:
    value = email.utils.formatdate(time.time() + 60, usegmt=True) if header == "a date" else header
    with Scene([{"status": 429, "headers": {"Retry-After": value}, "body": "busy"}, "fine"]) as scene:
        assert scene.ask(asking()).text == "fine"
        assert low <= scene.waits[0] <= high


def test_a_retry_after_that_is_too_long_is_cut_and_said(asking: Asking) -> None:
    with Scene([{"status": 503, "headers": {"Retry-After": "3600"}, "body": "busy"}, "fine"]) as scene:
        scene.ask(asking())
        assert scene.waits == [120.0]
        assert "trying again in 120.0 s (it asks for 3600 s; envgen waits 120 s at most), 1 of 6" in scene.notes[0]


@pytest.mark.parametrize("status", [408, 409, 500, 502, 503, 504])
def test_errors_of_the_server_are_tried_again(status: int, asking: Asking) -> None:
    with Scene([{"status": status, "body": "trouble"}, "fine"]) as scene:
        assert scene.ask(asking()).text == "fine"
        assert f"HTTP {status}: trouble" in scene.notes[0]


def test_errors_that_do_not_pass_end_in_one_line(asking: Asking) -> None:
    with Scene([{"status": 500, "body": "<html>\nlong " + "trouble " * 200}], retries=2) as scene:
        with pytest.raises(ModelError) as caught:
            scene.ask(asking())
        assert scene.sent == 3
        text = str(caught.value)
        assert text.startswith(f"scripted at {scene.server.url}: still failing after 3 attempts (HTTP 500: ")
        assert text.endswith("What is done is kept; run again to go on") and "\n" not in text and len(text) < 500
        assert caught.value.exit_code == 3


def test_no_retries_means_one_attempt(asking: Asking) -> None:
    with Scene([{"status": 500}], retries=0) as scene, pytest.raises(ModelError):
        scene.ask(asking())
    assert (scene.sent, scene.waits) == (1, [])


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("reset", "the connection failed"),
        ("close", "the connection failed"),
        ("truncated", "the connection failed"),
        ("invalid_utf8", "the answer is no valid UTF-8"),
        ("not_json", "the answer is no JSON"),
        ("empty_choices", "the answer holds no choice"),
    ],
)
def test_broken_connections_and_bodies_are_tried_again(fault: str, words: str, asking: Asking) -> None:
    with Scene([{"fault": fault}, {"fault": fault}, "fine"]) as scene:
        assert scene.ask(asking()).text == "fine"
        assert scene.sent == 3
        assert words in scene.notes[0]


@pytest.mark.parametrize(
    "body", ["[]", '"text"', "null", "[" * 100_000, '{"error": {"code": 503, "message": "overloaded"}}', '{"choices": [{}]}']
)
def test_answers_of_another_shape_are_tried_again(body: str, asking: Asking) -> None:
    with Scene([{"status": 200, "body": body}, "fine"]) as scene:
        assert scene.ask(asking()).text == "fine"


@pytest.mark.parametrize("fault", ["hang", "slow"])
def test_a_request_ends_at_its_deadline_also_when_bytes_trickle(fault: str, asking: Asking) -> None:
    with Scene([{"fault": fault}, "fine"], timeout=0.4) as scene:
        begin = time.monotonic()
        assert scene.ask(asking()).text == "fine"
        assert 0.4 <= time.monotonic() - begin < 5
        assert "no complete answer within 0.4 seconds" in scene.notes[0] or "no answer in time" in scene.notes[0]


def test_a_request_that_hangs_leaves_the_others_alone(asking: Asking) -> None:
    def answer(body: Any) -> Any:
        text = body["messages"][0]["content"]
        return {"fault": "slow"} if text == "slow" else {"content": text, "delay": 0.5}

    with Scene([answer], timeout=0.8, retries=0, concurrency=4) as scene:
        results = scene.client.complete_all([asking("slow"), asking("a"), asking("b"), asking("c"), asking("d")])
    assert isinstance(results[0], ModelError)
    assert [result.text for result in results[1:] if isinstance(result, ModelReply)] == ["a", "b", "c", "d"]


def test_truncated_json_is_returned_as_it_is(asking: Asking) -> None:
    with Scene([{"content": '{"a": [1, ', "finish": "length"}]) as scene:
        reply = scene.ask(asking(schema=SCHEMA))
        assert (reply.text, reply.finish) == ('{"a": [1, ', "length")


def test_empty_content_is_returned_as_it_is(asking: Asking) -> None:
    with Scene([{"content": None}, {"content": ""}]) as scene:
        assert [scene.ask(asking()).text for _ in range(2)] == ["", ""]


def test_a_refusal_is_returned(asking: Asking) -> None:
    with Scene([{"content": None, "refusal": "I won't"}]) as scene:
        reply = scene.ask(asking())
        assert (reply.finish, reply.refusal, reply.text) == ("refusal", "I won't", "")


def test_reasoning_beside_the_content_is_left_aside(asking: Asking) -> None:
    with Scene([{"content": "answer", "reasoning": "hm"}]) as scene:
        assert scene.ask(asking()).text == "answer"


def test_tool_calls_are_returned_raw(asking: Asking) -> None:
    tool = {"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {}}}}
    with Scene([{"tool_calls": [{"name": "f", "arguments": '{"a": '}]}]) as scene:
        reply = scene.ask(asking(tools=(tool,)))
        assert (reply.finish, reply.calls) == ("tool_calls", ({"id": "call_0", "name": "f", "arguments": '{"a": '},))
        assert scene.server.requests[0].body["tools"] == [tool]


def test_a_wrong_key_is_one_line_and_not_tried_again(asking: Asking) -> None:
    with Scene(options={"key": "right"}) as scene:
        for _ in range(2):
            with pytest.raises(UsageError) as caught:
                scene.ask(asking())
        assert str(caught.value) == (
            f"scripted at {scene.server.url}: the key is missing or wrong (HTTP 401). "
            "Set OPENAI_API_KEY to a key of this endpoint that may use this model"
        )
        assert caught.value.exit_code == 2
        assert scene.sent == 1


def test_a_key_without_the_right_is_told_why(asking: Asking) -> None:
    forbidden = {"status": 403, "body": {"error": {"message": "project may not use scripted"}}}
    why = r"the key may not do this \(HTTP 403: project may not use scripted\)"
    with Scene([forbidden]) as scene, pytest.raises(UsageError, match=why):
        scene.ask(asking())


def test_no_key_is_a_usage_error(asking: Asking, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    with ModelClient(ModelSettings("openai/gpt-5-mini")) as client, pytest.raises(UsageError, match="OPENAI_API_KEY is not set"):
        client.complete(asking())


def test_an_endpoint_of_ones_own_needs_no_key(asking: Asking, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "  ")
    with Scene(options={"key": "no-key"}) as scene:
        assert scene.ask(asking()).text == "fine"


def test_a_key_with_a_line_break_at_its_end_is_taken_without_it(asking: Asking, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", " right\r\n")
    with Scene(options={"key": "right"}) as scene:
        assert scene.ask(asking()).text == "fine"


@pytest.mark.parametrize("key", ["sk-“quoted”-0123456789", "sk-line\nbreak-0123456789", "sk with spaces-0123456789"])
def test_a_key_that_no_header_can_carry_is_refused_unseen(key: str, asking: Asking, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", key)
    with Scene() as scene, pytest.raises(UsageError, match="holds characters that no key has") as caught:
        scene.ask(asking())
    assert key not in str(caught.value)


def test_a_wrong_model_is_one_line_with_what_is_served(asking: Asking) -> None:
    with Scene(options={"models": [f"m{number}" for number in range(8)]}) as scene:
        with pytest.raises(UsageError) as caught:
            scene.ask(asking())
        assert str(caught.value) == (
            f"scripted at {scene.server.url}: there is no such model (HTTP 404: The model `scripted` does not exist.). "
            "The endpoint serves m0, m1, m2, m3, m4, m5 and 2 more: choose one with --model (a leading openai/ is taken off)"
        )
        assert (caught.value.exit_code, scene.sent) == (2, 1)


def test_a_wrong_path_names_the_base_url(asking: Asking) -> None:
    wrong = "there is no such model (HTTP 404: Not Found). Check --model and --base-url, which usually ends in /v1"
    with ScriptedServer() as server, ModelClient(ModelSettings("m", base_url=server.url + "/x")) as client:
        problem = client.complete_all([asking()])[0]
    assert isinstance(problem, UsageError) and str(problem) == f"m at {server.url}/x: {wrong}"


def test_an_endpoint_that_nobody_serves_prints_the_line_that_starts_one(asking: Asking) -> None:
    with ScriptedServer() as server:
        url = server.url
    events: list[Event] = []
    with ModelClient(ModelSettings("openai/org/model", base_url=url), events=events.append) as client:
        with pytest.raises(InfrastructureError) as caught:
            client.complete(asking())
        with pytest.raises(InfrastructureError):
            client.complete(asking("again"))
    port = url.rpartition(":")[2].partition("/")[0]
    assert f"org/model at {url}: nothing answers there: the connection failed (ConnectError: " in str(caught.value)
    assert str(caught.value).endswith(f"Check --base-url, or start a server there:\n  vllm serve org/model --port {port}")
    assert caught.value.exit_code == 3
    assert events == []  # an endpoint that never answered is not waited for


def test_an_endpoint_that_has_answered_before_is_waited_for(asking: Asking) -> None:
    with Scene([{"content": "fine", "headers": {"Connection": "close"}}], retries=2) as scene:
        scene.ask(asking())
        scene.server.close()
        with pytest.raises(InfrastructureError, match="nothing answers there"):
            scene.ask(asking("again"))
        assert len(scene.waits) == 2


def test_an_exhausted_quota_is_not_tried_again(asking: Asking) -> None:
    exhausted = {"status": 429, "body": {"error": {"message": "You exceeded your current quota", "code": "insufficient_quota"}}}
    with Scene([exhausted]) as scene:
        with pytest.raises(ModelError, match=r"failed for good \(HTTP 429: You exceeded your current quota\)\. Check the account"):
            scene.ask(asking())
        with pytest.raises(ModelError):
            scene.ask(asking("again"))
        assert (scene.sent, scene.waits) == (1, [])


def test_a_busy_endpoint_is_asked_again_by_the_next_request(asking: Asking) -> None:
    with Scene([{"status": 429, "body": "busy"}, {"status": 429, "body": "busy"}, "fine"], retries=1) as scene:
        with pytest.raises(ModelError, match="still failing after 2 attempts"):
            scene.ask(asking())
        assert scene.ask(asking()).text == "fine"


def test_a_request_that_is_refused_says_why(asking: Asking) -> None:
    with Scene([{"status": 400, "body": {"error": {"message": "the messages are in the wrong order"}}}]) as scene:
        with pytest.raises(ModelError, match=r"refuses the request \(HTTP 400: the messages are in the wrong order\)"):
            scene.ask(asking())
        assert scene.sent == 1


def test_an_endpoint_without_structured_output_is_asked_in_another_way(asking: Asking) -> None:
    with Scene(options={"refuse": ["json_schema", "json_object"]}) as scene:
        assert scene.ask(asking(schema=SCHEMA)).text == "fine"
        kinds = [(seen.body.get("response_format") or {}).get("type") for seen in scene.server.requests]
        assert kinds == ["json_schema", "json_object", None]
        assert "JSON Schema" in scene.server.requests[2].prompt
        scene.ask(asking("another", schema=SCHEMA))
        assert scene.sent == 4  # the way is remembered
        assert [note.rpartition(": ")[2] for note in scene.notes] == [
            "answers are asked for as json_object",
            "answers are asked for as text",
        ]


def test_parameters_that_are_refused_are_renamed_or_left_out_once(asking: Asking) -> None:
    with Scene(
        options={"refuse": ["max_tokens", "temperature", "seed", "reasoning_effort"]}, temperature=0.5, seed=1, reasoning_effort="low"
    ) as scene:
        scene.ask(asking())
        assert scene.sent == 5
        scene.ask(asking("another"))
        assert scene.server.requests[-1].body.keys() == {"messages", "model", "max_completion_tokens"}
        assert (scene.sent, len(scene.notes)) == (6, 4)


def test_an_endpoint_that_refuses_everything_ends(asking: Asking) -> None:
    with Scene(
        [{"status": 400, "body": {"error": {"message": "response_format, max_tokens and seed are not supported"}}}], seed=1
    ) as scene:
        with pytest.raises(ModelError, match="refuses the request"):
            scene.ask(asking(schema=SCHEMA))
        assert scene.sent <= 10


def test_answers_are_made_to_fit_a_small_context(asking: Asking) -> None:
    with Scene(options={"context": 2000}) as scene:
        assert scene.ask(asking("x" * 400)).text == "fine"
        assert scene.server.requests[1].body["max_tokens"] <= 1900


def test_a_prompt_that_no_json_can_carry_is_sent_without_its_broken_signs(asking: Asking) -> None:
    with Scene() as scene:
        scene.ask(asking("a\ud800b"))
        assert scene.server.requests[0].prompt == "a?b"
