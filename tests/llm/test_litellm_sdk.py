"""The road through litellm, against the same local server: what matters most of `test_survives`. Importing litellm takes seconds."""

import logging
import os
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel
from scripted_server import ScriptedServer

from envgen.core.errors import EnvgenError, InfrastructureError, ModelError, UsageError
from envgen.core.events import Event
from envgen.llm.cache import ResponseCache
from envgen.llm.client import ModelClient
from envgen.llm.structured import ask
from envgen.llm.types import ModelReply, ModelRequest, ModelSettings, ModelUsage

KEY = "sk-sentinel-0123456789abcdefghij"
Asking = Callable[..., ModelRequest]

pytestmark = pytest.mark.slow  # importing litellm takes most of the time


class Answer(BaseModel):
    name: str


class Scene:
    """A client that reaches a server through litellm."""

    def __init__(
        self, replies: list[Any] | None = None, *, options: dict[str, Any] | None = None, cache: ResponseCache | None = None, **rest: Any
    ) -> None:
        self.server = ScriptedServer([{"replies": replies or ["fine"]}], options=options).start()
        self.events: list[Event] = []
        self.waits: list[float] = []
        chosen = ModelSettings(**{"model": "litellm/openai/scripted", "base_url": self.server.url, **rest})
        self.client = ModelClient(chosen, cache=cache, events=self.events.append, pause=self.waits.append)

    def __enter__(self) -> "Scene":
        return self

    def __exit__(self, *problem: object) -> None:
        self.client.close()
        self.server.close()

    @property
    def sent(self) -> int:
        return len(self.server.requests)


def test_a_request_is_answered_with_its_usage(asking: Asking) -> None:
    usage = {"prompt_tokens": 12, "completion_tokens": 3, "total_tokens": 15, "prompt_tokens_details": {"cached_tokens": 5}}
    with Scene([{"content": "hi", "usage": usage}], seed=3, temperature=0.5) as scene:
        assert scene.client.complete(asking()) == ModelReply("hi", usage=ModelUsage(12, 3, 5), model="scripted")
        seen = scene.server.requests[0]
        assert seen.headers["authorization"] == f"Bearer {KEY}"
        assert seen.stage == "schema"
        assert (seen.body["seed"], seen.body["temperature"], seen.body["max_tokens"]) == (3, 0.5, 16_000)


def test_an_answer_is_asked_for_by_schema_and_repaired(asking: Asking, tmp_path: Path) -> None:
    with ResponseCache(tmp_path / "c.sqlite") as cache, Scene(["no JSON", {"content": {"name": "x"}}], cache=cache) as scene:
        for _ in range(2):
            assert ask(scene.client, asking(), Answer) == Answer(name="x")
        assert scene.sent == 2
        assert scene.server.requests[0].body["response_format"]["json_schema"]["strict"] is True


@pytest.mark.parametrize("fault", ["reset", "close", "truncated", "invalid_utf8", "not_json", "empty_choices"])
def test_broken_connections_and_bodies_are_tried_again(fault: str, asking: Asking) -> None:
    with Scene([{"fault": fault}, "fine"]) as scene:
        assert scene.client.complete(asking()).text == "fine"
        assert (scene.sent, len(scene.waits)) == (2, 1)  # litellm and the SDK below it do not retry themselves


@pytest.mark.parametrize("status", [429, 500, 503])
def test_errors_of_the_server_are_tried_again_after_the_time_they_ask_for(status: int, asking: Asking) -> None:
    with Scene([{"status": status, "headers": {"Retry-After": "7"}, "body": {"error": {"message": "busy"}}}, "fine"]) as scene:
        assert scene.client.complete(asking()).text == "fine"
        assert (scene.sent, scene.waits) == (2, [7.0])


@pytest.mark.parametrize("fault", ["hang", "slow"])
def test_a_request_ends_at_its_deadline(fault: str, asking: Asking) -> None:
    with Scene([{"fault": fault}, "fine"], timeout=0.5) as scene:
        assert scene.client.complete(asking()).text == "fine"


def test_errors_that_do_not_pass_end_in_one_line(asking: Asking) -> None:
    with (
        Scene([{"status": 500, "body": "trouble"}], retries=1) as scene,
        pytest.raises(ModelError, match="still failing after 2 attempts") as caught,
    ):
        scene.client.complete(asking())
    assert "\n" not in str(caught.value)


def test_a_wrong_key_is_one_line(asking: Asking) -> None:
    with (
        Scene(options={"key": "right"}) as scene,
        pytest.raises(UsageError, match=r"the key is missing or wrong \(HTTP 401\)\. Set OPENAI_API_KEY"),
    ):
        scene.client.complete(asking())
    assert scene.sent == 1


def test_an_endpoint_of_ones_own_needs_no_key(asking: Asking, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    with Scene(options={"key": "no-key"}) as scene:
        assert scene.client.complete(asking()).text == "fine"


def test_a_user_and_password_in_the_address_are_sent_as_a_header(asking: Asking) -> None:
    with Scene() as scene:
        chosen = ModelSettings("litellm/openai/scripted", base_url=scene.server.url.replace("://", "://me:secret@"))
        with ModelClient(chosen) as client:
            client.complete(asking())
        assert scene.server.requests[0].headers["authorization"] == "Basic bWU6c2VjcmV0"


def test_a_wrong_model_is_one_line(asking: Asking) -> None:
    with (
        Scene(options={"models": ["other"]}) as scene,
        pytest.raises(UsageError, match=r"openai/scripted at .*: there is no such model \(HTTP 404"),
    ):
        scene.client.complete(asking())


def test_a_provider_that_litellm_does_not_know_is_one_line(asking: Asking) -> None:
    with ModelClient(ModelSettings("nosuchprovider/x")) as client, pytest.raises(UsageError) as caught:
        client.complete(asking())
    assert str(caught.value) == (
        "nosuchprovider/x at nosuchprovider: there is no such model (litellm knows no such provider). "
        "Check --model; for an endpoint of your own give --base-url"
    )


def test_a_providers_missing_key_is_named(asking: Asking, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("ANTHROPIC_")]:
        monkeypatch.delenv(name)
    with (
        ModelClient(ModelSettings("anthropic/claude-sonnet-4-5")) as client,
        pytest.raises(UsageError, match="Set ANTHROPIC_API_KEY to a key"),
    ):
        client.complete(asking())


def test_an_endpoint_that_nobody_serves_prints_the_line_that_starts_one(asking: Asking) -> None:
    with ScriptedServer() as server:
        url = server.url
    with (
        ModelClient(ModelSettings("litellm/openai/m", base_url=url)) as client,
        pytest.raises(InfrastructureError, match="vllm serve m --port"),
    ):
        client.complete(asking())


def test_an_endpoint_without_structured_output_is_asked_in_another_way(asking: Asking) -> None:
    options = {"refuse": ["json_schema", "json_object", "max_tokens", "seed"]}
    with Scene([{"content": {"name": "x"}}], options=options, seed=1) as scene:
        assert ask(scene.client, asking(), Answer) == Answer(name="x")
        assert scene.server.requests[-1].body.keys() == {"messages", "model", "max_completion_tokens"}
        assert scene.sent == 5


def test_refusals_lengths_and_tool_calls_come_through(asking: Asking) -> None:
    tool = {"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {}}}}
    replies = [
        {"content": None, "refusal": "no"},
        {"content": "cut", "finish": "length"},
        {"tool_calls": [{"name": "f", "arguments": '{"a": '}]},
    ]
    with Scene(replies) as scene:
        refused, cut, called = (scene.client.complete(asking(str(number), tools=(tool,))) for number in range(3))
    assert (refused.finish, refused.refusal) == ("refusal", "no")
    assert (cut.finish, cut.text) == ("length", "cut")
    assert (called.finish, called.calls) == ("tool_calls", ({"id": "call_0", "name": "f", "arguments": '{"a": '},))


def test_the_key_is_nowhere(asking: Asking, tmp_path: Path, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]) -> None:
    caplog.set_level(logging.DEBUG)
    says = {"error": {"message": f"key {KEY}", "code": KEY}}
    replies = [
        {"status": 500, "body": says},
        {"content": f"{KEY} again"},
        *({"status": status, "body": says} for status in (401, 404, 400, 402)),
    ]
    told: list[str] = []

    def tell(event: Event) -> None:
        told.append(repr(event))

    with ScriptedServer([{"replies": replies}]) as server, ResponseCache(tmp_path / "c.sqlite") as cache:
        for number in range(5):
            settings = ModelSettings("litellm/openai/scripted", base_url=server.url, retries=1)
            with ModelClient(settings, cache=cache, events=tell, pause=lambda seconds: None) as client:
                answer = client.complete_all([asking(str(number))])[0]
                told += [
                    repr(answer),
                    repr(client),
                    repr(client.__dict__),
                    repr(client._sender),
                    repr(getattr(answer, "__context__", None)),
                ]
                assert isinstance(answer, EnvgenError) == (number > 0)
    told += [caplog.text, *capfd.readouterr(), *(file.read_bytes().decode("latin-1") for file in tmp_path.iterdir())]
    everything = "\n".join(told)
    assert "[key] again" in everything
    assert KEY not in everything


def test_many_at_once(asking: Asking) -> None:
    def answer(body: Any) -> Any:
        return {"content": body["messages"][0]["content"], "delay": 0.05}

    with Scene([answer], concurrency=3) as scene:
        replies = scene.client.complete_all([asking(str(number)) for number in range(6)])
        assert scene.server.most_at_once == 3
    assert [reply.text for reply in replies if isinstance(reply, ModelReply)] == list("012345")


QUIET = """
import sys, warnings
warnings.simplefilter("error")
from envgen.llm.client import ModelClient
from envgen.llm.types import ModelRequest, ModelSettings
for number in range(2):
    with ModelClient(ModelSettings("litellm/openai/scripted", base_url=sys.argv[1]), pause=lambda seconds: None) as client:
        client.complete(ModelRequest("stage", ({"role": "user", "content": "hello"},)))
import litellm, os
assert os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] == "True"
"""


def test_it_is_silent_and_asks_nobody_else(tmp_path: Path) -> None:
    """With warnings as errors nothing is printed at all, and nobody calls at the proxy that all other requests would take."""
    with socket.create_server(("127.0.0.1", 0)) as proxy, ScriptedServer([{"replies": ["fine", {"status": 500}, "fine"]}]) as server:
        proxy.setblocking(False)
        url = f"http://127.0.0.1:{proxy.getsockname()[1]}"
        proxies = {name: url for name in ("HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy")} | {
            "NO_PROXY": "127.0.0.1",
            "no_proxy": "127.0.0.1",
        }
        environment = {**os.environ, **proxies, "HOME": str(tmp_path), "PYTHONWARNINGS": "error"}
        done = subprocess.run([sys.executable, "-c", QUIET, server.url], capture_output=True, text=True, env=environment, check=False)
        with pytest.raises(BlockingIOError):
            proxy.accept()
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
