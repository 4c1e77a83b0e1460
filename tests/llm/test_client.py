import logging
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from scripted_server import ScriptedServer, Seen

from envgen.core.errors import BudgetReached, EnvgenError, UsageError
from envgen.core.events import Event
from envgen.llm.budget import Meter, Price, Prices
from envgen.llm.cache import ResponseCache
from envgen.llm.client import ModelClient
from envgen.llm.types import ModelReply, ModelRequest, ModelSettings, ModelUsage

KEY = "sk-sentinel-0123456789abcdefghij"

Asking = Callable[..., ModelRequest]


def settings(server: ScriptedServer, **rest: Any) -> ModelSettings:
    return ModelSettings(**{"model": "openai/scripted", "base_url": server.url, **rest})


def test_a_request_is_answered(asking: Asking) -> None:
    reply = {"content": "hi", "usage": {"prompt_tokens": 12, "completion_tokens": 3, "prompt_tokens_details": {"cached_tokens": 5}}}
    with ScriptedServer([{"when": {"stage": "schema"}, "replies": [reply]}]) as server, ModelClient(settings(server)) as client:
        assert client.complete(asking()) == ModelReply("hi", usage=ModelUsage(12, 3, 5), model="scripted")
        assert server.requests[0].path == "/v1/chat/completions"
        assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"
        assert client.meter.stages() == {
            "schema": {"calls": 1, "cached_calls": 0, "prompt_tokens": 12, "completion_tokens": 3, "usd": None}
        }


def test_an_answer_in_the_cache_is_not_paid_for_again(asking: Asking, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with ScriptedServer() as server, ResponseCache(tmp_path / "c.sqlite") as cache:
        with ModelClient(settings(server), cache=cache) as client:
            first = client.complete(asking())
        monkeypatch.delenv("OPENAI_API_KEY")  # a run that finds everything needs no key
        with ModelClient(settings(server), cache=cache, meter=Meter(tokens=0)) as client:
            again = client.complete(asking())
        assert len(server.requests) == 1
    assert (first.from_cache, again.from_cache) == (False, True)
    assert (again.text, again.usage) == (first.text, first.usage)
    assert client.meter.stages() == {"schema": {"calls": 0, "cached_calls": 1, "prompt_tokens": 0, "completion_tokens": 0, "usd": 0.0}}


def test_the_way_an_answer_was_negotiated_does_not_matter_to_the_cache(asking: Asking, tmp_path: Path) -> None:
    request = asking(schema={"type": "object", "properties": {}, "required": [], "additionalProperties": False})
    refusing = {"refuse": ["json_schema", "max_tokens"]}
    with ScriptedServer(options=refusing) as server, ResponseCache(tmp_path / "c.sqlite") as cache:
        for _ in range(2):
            with ModelClient(settings(server), cache=cache) as client:
                client.complete(request)
        assert len(server.requests) == 3


def test_samples_are_asked_for_one_by_one(asking: Asking, tmp_path: Path) -> None:
    with ScriptedServer([{"replies": ["a", "b"]}]) as server, ResponseCache(tmp_path / "c.sqlite") as cache:
        client = ModelClient(settings(server), cache=cache)
        assert [client.complete(asking(sample=number)).text for number in (0, 1, 0, 1)] == ["a", "b", "a", "b"]
        client.close()


def test_a_record_of_another_shape_is_asked_for_again(asking: Asking, tmp_path: Path) -> None:
    from envgen.llm.cache import request_key

    with ScriptedServer() as server, ResponseCache(tmp_path / "c.sqlite") as cache:
        cache.put(request_key(settings(server), asking()), "schema", "m", {"text": 1})
        with ModelClient(settings(server), cache=cache) as client:
            assert client.complete(asking()).text == "ok"


def test_equal_requests_under_way_at_once_are_paid_for_once(asking: Asking, tmp_path: Path) -> None:
    with ScriptedServer([{"replies": [{"content": "x", "delay": 0.1}]}]) as server, ResponseCache(tmp_path / "c.sqlite") as cache:
        with ModelClient(settings(server), cache=cache) as client:
            replies = client.complete_all([asking()] * 4)
        assert len(server.requests) == 1
    assert sorted(reply.from_cache for reply in replies if isinstance(reply, ModelReply)) == [False, True, True, True]


def test_many_are_answered_in_order_within_the_limit(asking: Asking) -> None:
    def answer(body: Any) -> Any:
        text = body["messages"][0]["content"]
        return {"status": 400, "body": "no"} if text == "3" else {"content": text, "delay": 0.05}

    with ScriptedServer([{"replies": [answer]}]) as server, ModelClient(settings(server, concurrency=3)) as client:
        replies = client.complete_all([asking(str(number)) for number in range(9)])
        assert server.most_at_once == 3
    texts = [reply.text if isinstance(reply, ModelReply) else type(reply).__name__ for reply in replies]
    assert texts == ["0", "1", "2", "RequestRefused", "4", "5", "6", "7", "8"]


def test_a_budget_stops_before_the_call_that_would_pass_it(asking: Asking) -> None:
    answer = {"content": "x", "usage": {"prompt_tokens": 40, "completion_tokens": 10}}
    with ScriptedServer([{"replies": [answer]}]) as server, ModelClient(settings(server), meter=Meter(tokens=110)) as client:
        replies: list[ModelReply | EnvgenError] = []
        for number in range(4):
            replies += client.complete_all([asking(str(number))])
        assert [type(reply) for reply in replies] == [ModelReply, ModelReply, BudgetReached, BudgetReached]
        assert len(server.requests) == 2
        assert client.meter.totals()["prompt_tokens"] == 80


def test_prompts_under_way_count_against_the_budget(asking: Asking) -> None:
    answer = {"content": "x", "delay": 0.2, "usage": {"prompt_tokens": 1, "completion_tokens": 1}}
    with ScriptedServer([{"replies": [answer]}]) as server, ModelClient(settings(server, concurrency=4), meter=Meter(tokens=250)) as client:
        replies = client.complete_all([asking(str(number) + "x" * 300) for number in range(4)])
    assert sorted(type(reply).__name__ for reply in replies) == ["BudgetReached", "BudgetReached", "ModelReply", "ModelReply"]


def test_a_budget_in_usd_counts_what_calls_cost(asking: Asking) -> None:
    prices = Prices(own={"scripted": Price(1000.0, 1000.0, 1000.0)})
    answer = {"content": "x", "usage": {"prompt_tokens": 400, "completion_tokens": 100}}
    meter = Meter(usd=0.6, prices=prices)
    with ScriptedServer([{"replies": [answer]}]) as server, ModelClient(settings(server), meter=meter) as client:
        assert client.complete(asking()).usage.usd == pytest.approx(0.5)
        with pytest.raises(BudgetReached, match="--budget-usd"):
            client.complete(asking("x" * 800))
    assert meter.totals()["usd"] == pytest.approx(0.5)


def test_a_budget_in_usd_for_a_model_of_unknown_price_is_refused_at_once() -> None:
    with pytest.raises(UsageError, match=r"--budget-usd needs the price of openai/scripted.*--budget-tokens.*ENVGEN_PRICES"):
        ModelClient(ModelSettings("openai/scripted", base_url="http://127.0.0.1:1/v1"), meter=Meter(usd=1.0))
    ModelClient(ModelSettings("openai/gpt-5-mini"), meter=Meter(usd=1.0)).close()


@pytest.mark.parametrize(
    "wrong",
    [
        {"max_tokens": 0},
        {"timeout": 0.0},
        {"timeout": float("nan")},
        {"retries": -1},
        {"concurrency": 0},
        {"temperature": 3.0},
        {"model": ""},
    ],
)
def test_settings_that_cannot_be_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        ModelClient(ModelSettings(**{"model": "m", **wrong}))


def test_failed_attempts_are_not_counted_as_calls(asking: Asking) -> None:
    with ScriptedServer([{"replies": [{"status": 500}, {"status": 500}, "ok"]}]) as server:
        client = ModelClient(settings(server), pause=lambda seconds: None)
        client.complete(asking())
        client.close()
    assert client.meter.totals()["calls"] == 1


def test_close_ends_waiting(asking: Asking) -> None:
    def close(event: Event) -> None:
        client.close()

    with ScriptedServer([{"replies": [{"status": 503, "headers": {"Retry-After": "100"}}]}]) as server:
        client = ModelClient(settings(server), events=close)
        with pytest.raises(EnvgenError):
            client.complete(asking())


def test_the_stage_is_told_to_endpoints_of_ones_own_only(asking: Asking) -> None:
    with ScriptedServer() as server, ModelClient(settings(server)) as client:
        client.complete(asking(stage="tools"))
        assert server.requests[0].stage == "tools"


def test_the_key_is_nowhere(asking: Asking, tmp_path: Path, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]) -> None:
    """The endpoint repeats the key in every way that it can, and every logger is on."""
    caplog.set_level(logging.DEBUG)
    says = {"error": {"message": f"key {KEY} Bearer {KEY}", "code": KEY, "param": KEY}}
    url_secret = "url-secret-0123456789"
    told: list[str] = []

    def tell(event: Event) -> None:
        told.append(repr(event))

    replies = [
        {"status": 500, "body": says},
        {"status": 400, "body": {"error": {"message": f"seed is not supported, {KEY}", "param": "seed"}}},
        {"content": f"{KEY} again", "refusal": f"no {KEY}", "tool_calls": [{"name": "f", "arguments": KEY}], "reasoning": KEY},
        *({"status": status, "body": says} for status in (401, 403, 404, 405, 400, 429, 402)),
    ]
    with ScriptedServer([{"replies": replies}]) as server, ResponseCache(tmp_path / "c.sqlite") as cache:
        chosen = settings(server, seed=1, retries=1, base_url=server.url.replace("://", f"://me:{url_secret}@"))
        client = ModelClient(chosen, cache=cache, events=tell, pause=lambda seconds: None)
        told.append(repr(client.complete(asking())))
        told += [repr(client), repr(client.__dict__), repr(client._sender), repr(vars(client._dialect))]
        client.close()
        for number in range(7):
            client = ModelClient(chosen, cache=cache, events=tell, pause=lambda seconds: None)
            problem = client.complete_all([asking(str(number))])[0]
            client.close()
            assert isinstance(problem, EnvgenError)
            told += [repr(problem), repr(problem.__cause__), repr(problem.__context__)]
        assert len(server.requests) >= 10
    for file in tmp_path.iterdir():
        told.append(file.read_bytes().decode("latin-1"))
    told += [caplog.text, *capfd.readouterr()]
    everything = "\n".join(told)
    assert "again" in everything and "[key]" in everything
    assert KEY not in everything
    assert url_secret not in everything.replace(repr(chosen), "")


RUN = """
import sys
from envgen.llm.cache import ResponseCache
from envgen.llm.client import ModelClient
from envgen.llm.types import ModelRequest, ModelSettings
with ResponseCache(sys.argv[2]) as cache, ModelClient(ModelSettings("m", base_url=sys.argv[1], concurrency=1), cache=cache) as client:
    for number in range(6):
        client.complete(ModelRequest("stage", ({"role": "user", "content": f"prompt {number}"},)))
    print(client.meter.totals()["calls"], client.meter.totals()["cached_calls"])
"""


def prompt(number: int) -> ModelRequest:
    return ModelRequest("stage", ({"role": "user", "content": f"prompt {number}"},))


def run(server: ScriptedServer, cache: Path) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-c", RUN, server.url, str(cache)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.mark.slow
def test_a_run_that_is_killed_pays_for_nothing_twice(tmp_path: Path) -> None:
    victims: list[subprocess.Popen[str]] = []

    def kill(seen: Seen) -> None:
        if seen.number == 4:
            victims[0].kill()

    with ScriptedServer(hook=kill) as server:
        victims.append(run(server, tmp_path / "c.sqlite"))
        victims[0].communicate(timeout=60)
        assert victims[0].returncode != 0
        second = run(server, tmp_path / "c.sqlite")
        assert second.communicate(timeout=60) == ("3 3\n", "")
        prompts = [seen.prompt for seen in server.requests]
    assert sorted(prompts) == sorted([*(f"prompt {number}" for number in range(6)), "prompt 3"])  # the one that was never answered


@pytest.mark.slow
def test_two_runs_share_a_cache(tmp_path: Path) -> None:
    with ScriptedServer() as server:
        both = [run(server, tmp_path / "c.sqlite") for _ in range(2)]
        said = [process.communicate(timeout=60) for process in both]
        paid = len(server.requests)
        with ResponseCache(tmp_path / "c.sqlite") as cache, ModelClient(ModelSettings("m", base_url=server.url), cache=cache) as client:
            assert all(client.complete(prompt(number)).from_cache for number in range(6))
        assert len(server.requests) == paid <= 12
    assert [problems for _, problems in said] == ["", ""]


@pytest.mark.parametrize("code", ["import envgen", "from envgen.cli.app import app\napp(['--help'])", "import envgen.llm.structured"])
def test_the_sdks_are_not_imported_before_a_model_is_called(code: str) -> None:
    tell = "print(sorted({'openai', 'litellm', 'tenacity'} & set(sys.modules)), file=sys.stderr)"
    script = f"import atexit, sys\natexit.register(lambda: {tell})\n{code}"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stderr == "[]\n"


@pytest.mark.parametrize("missing", ["openai", "tenacity"])
def test_what_is_not_installed_is_named(missing: str, asking: Asking, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    how = pytest.raises(EnvgenError, match=r"pip install 'envgen-rl\[llm\]'")
    with ScriptedServer() as server, ModelClient(settings(server)) as client, how as caught:
        client.complete(asking())
    assert caught.value.exit_code == 3
