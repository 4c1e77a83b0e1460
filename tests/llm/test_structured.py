"""`ask` and `ask_all`, against a real server that plays what models answer."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, Field
from scripted_server import ScriptedServer

from envgen.core.errors import BadAnswer, BudgetReached, UsageError
from envgen.core.events import Event
from envgen.llm.budget import Meter
from envgen.llm.cache import ResponseCache
from envgen.llm.client import ModelClient
from envgen.llm.structured import MOST_PROBLEMS, ask, ask_all
from envgen.llm.types import ModelRequest, ModelSettings
from envgen.llm.wire import wire_schema


class Tool(BaseModel):
    name: str
    rows: int = Field(default=1, ge=1, le=9)


class Tools(BaseModel):
    tools: list[Tool]


GOOD = {"tools": [{"name": "a", "rows": 1}, {"name": "b", "rows": 2}]}
Asking = Callable[..., ModelRequest]


def play(
    replies: list[Any], run: Callable[[ModelClient], Any], events: list[Event] | None = None, **settings: Any
) -> tuple[Any, list[Any]]:
    """Return what `run` returns with a client of a server that plays `replies`, and what the server saw."""
    with ScriptedServer([{"replies": replies}]) as server:
        told = events if events is not None else []
        chosen = ModelSettings("openai/scripted", base_url=server.url, **settings)
        with ModelClient(chosen, events=told.append, pause=lambda seconds: None) as client:
            return run(client), server.requests


def test_a_good_answer_is_taken_at_once(asking: Asking) -> None:
    value, seen = play([GOOD], lambda client: ask(client, asking(), Tools))
    assert value == Tools.model_validate(GOOD)
    assert len(seen) == 1
    wanted = seen[0].body["response_format"]["json_schema"]
    assert wanted == {"name": "tools", "strict": True, "schema": wire_schema(Tools)}


def test_a_schema_of_the_request_comes_first(asking: Asking) -> None:
    own = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}
    _, seen = play([GOOD], lambda client: ask(client, asking(schema=own, schema_name="own"), Tools))
    assert seen[0].body["response_format"]["json_schema"] == {"name": "own", "strict": True, "schema": own}


def test_the_schema_is_named_as_endpoints_take_it(asking: Asking) -> None:
    batch = type("Batch[Tool]" * 9, (Tools,), {})
    _, seen = play([GOOD], lambda client: ask(client, asking(), batch))
    assert seen[0].body["response_format"]["json_schema"]["name"] == ("batch_tool_" * 9)[:64]


@pytest.mark.parametrize(
    "content",
    [
        {"tools": [{"name": "a", "rows": "1"}, {"name": "b", "rows": 2.0}]},
        {"tools": [{"name": "a", "rows": 1, "why": "unknown"}, {"name": "b", "rows": 2}], "notes": []},
        f"Here you are:\n```json\n{GOOD}\n```".replace("'", '"'),
        f"<think>two of them</think>{GOOD}".replace("'", '"'),
    ],
)
def test_answers_that_are_right_but_untidy_are_taken(content: Any, asking: Asking) -> None:
    value, seen = play([{"content": content}], lambda client: ask(client, asking(), Tools))
    assert value == Tools.model_validate(GOOD)
    assert len(seen) == 1


@pytest.mark.parametrize(
    ("bad", "problem"),
    [
        ({"content": "I would use two tools."}, "the reply holds no JSON object"),
        ({"content": {"tools": "a"}}, "tools: Input should be a valid list"),
        ({"content": {"tools": [{"rows": 1}]}}, "tools[0].name: Field required"),
        ({"content": {"tools": [{"name": "a", "rows": 10}]}}, "tools[0].rows: Input should be less than or equal to 9"),
        ({"content": {"tools": [{"name": None}]}}, "tools[0].name: Input should be a valid string"),
        ({"content": '{"tools": [{"name": "a", "name": "b"}]}'}, "line 1, column 37, in tools[0].name: the key is given twice"),
        ({"content": '{"tools": [{"name": NaN}]}'}, "NaN and Infinity are no JSON numbers"),
        ({"content": '[{"name": "a"}]'}, "the reply is a list"),
    ],
)
def test_what_is_wrong_is_sent_back(bad: Any, problem: str, asking: Asking, events: list[Event]) -> None:
    value, seen = play([bad, GOOD], lambda client: ask(client, asking("the task"), Tools), events)
    assert value == Tools.model_validate(GOOD)
    first, said, told = seen[1].messages
    assert (first, said["role"], told["role"]) == ({"role": "user", "content": "the task"}, "assistant", "user")
    assert problem in told["content"]
    assert all("\n" not in event.message for event in events)
    assert problem in events[-1].message and "answer 1 of 3 is sent back" in events[-1].message


def test_the_reply_itself_is_shown_to_the_model(asking: Asking) -> None:
    _, seen = play(["no \ud800 JSON", GOOD], lambda client: ask(client, asking(), Tools))
    assert seen[1].messages[1]["content"] == "no ? JSON"


def test_problems_found_by_the_check_are_sent_back(asking: Asking) -> None:
    def check(value: Tools) -> list[str]:
        return [f"tool {tool.name}: forgets\nits guard" for tool in value.tools if tool.rows == 1]

    with pytest.raises(BadAnswer) as caught:
        play([GOOD], lambda client: ask(client, asking(), Tools, check=check))
    assert caught.value.problems == ("tool a: forgets its guard",)
    assert caught.value.stage == "schema"
    assert str(caught.value) == "schema: the model's answer is unusable: tool a: forgets its guard"
    assert caught.value.exit_code == 1


def test_only_the_newest_reply_is_shown_and_attempts_are_bounded(asking: Asking) -> None:
    counted: list[Any] = []

    def run(client: ModelClient) -> None:
        with pytest.raises(BadAnswer):
            ask(client, asking(), Tools, attempts=4)
        counted.append(client.meter.totals()["calls"])

    _, seen = play(["one", "two", "three", "four", GOOD], run)
    assert [[message["content"] for message in each.messages][1:2] for each in seen] == [[], ["one"], ["two"], ["three"]]
    assert counted == [4]


def test_at_most_twelve_problems_are_sent_back_one_line_each(asking: Asking) -> None:
    def check(value: Tools) -> list[str]:
        return [f"problem {number} " + "x" * 500 for number in range(20)]

    with pytest.raises(BadAnswer) as caught:
        play([GOOD], lambda client: ask(client, asking(), Tools, check=check, attempts=1))
    assert len(caught.value.problems) == 20

    def twice(client: ModelClient) -> None:
        with pytest.raises(BadAnswer):
            ask(client, asking(), Tools, check=check, attempts=2)

    lines = play([GOOD], twice)[1][1].prompt.splitlines()
    assert [line.split(" x")[0] for line in lines[1:-2]] == [f"- problem {number}" for number in range(MOST_PROBLEMS)]
    assert lines[-2] == "- and 8 more of this sort"
    assert max(map(len, lines)) < 260


@pytest.mark.parametrize(
    ("bad", "message", "problem"),
    [
        ({"content": None, "refusal": "I can't help with that."}, "You declined", "the model refused: I can't help with that."),
        ({"content": "", "finish": "content_filter"}, "You declined", "the model refused: the provider's content filter"),
        ({"content": ""}, "Your reply was empty", "the reply was empty"),
        ({"content": None}, "Your reply was empty", "the reply was empty"),
        ({"content": " \n "}, "Your reply was empty", "the reply was empty"),
        ({"content": None, "reasoning": "hm"}, "Your reply was empty", "the reply was empty"),
        ({"content": '{"tools": "half', "finish": "length"}, "cut off at the length limit", "the reply was cut off"),
        ({"content": "", "finish": "length"}, "Your reply was empty", "the reply was cut off before any text"),
    ],
)
def test_refusals_empty_and_cut_off_replies_get_a_fitting_answer(
    bad: Any, message: str, problem: str, asking: Asking, events: list[Event]
) -> None:
    value, seen = play([bad, GOOD], lambda client: ask(client, asking(), Tools), events)
    assert value == Tools.model_validate(GOOD)
    assert message in seen[1].prompt
    assert problem in events[-1].message


def test_a_second_cut_off_reply_doubles_the_length_limit_once(asking: Asking) -> None:
    cut = {"content": '{"tools": [{"name": "a', "finish": "length"}
    with ScriptedServer([{"replies": [cut]}]) as server, ModelClient(ModelSettings("m", base_url=server.url, max_tokens=100)) as client:
        with pytest.raises(BadAnswer, match="the reply was cut off"):
            ask(client, asking(), Tools, attempts=5)
        assert [seen.body["max_tokens"] for seen in server.requests] == [100, 100, 200, 200, 200]


@pytest.mark.parametrize("finish", ["length", "stop"])
def test_what_was_complete_of_a_cut_off_reply_is_used(finish: str, asking: Asking, events: list[Event]) -> None:
    told: list[ModelRequest] = []
    cut = {"content": '{"tools": [{"name": "a"}, {"name": "b"}, {"na', "finish": finish}
    request = asking()
    value, seen = play([cut], lambda client: ask(client, request, Tools, on_salvage=told.append), events)
    assert [tool.name for tool in value.tools] == ["a", "b"]
    assert told == [request] and len(seen) == 1
    assert events[-1].message == "an answer was cut off; its complete elements are used"


def test_a_cut_off_reply_whose_rest_does_not_pass_is_asked_for_again_briefer(asking: Asking) -> None:
    cut = {"content": '{"tools": [{"name": "a"}, {"na', "finish": "length"}

    def two(value: Tools) -> list[str]:
        return [] if len(value.tools) == 2 else ["two tools are wanted"]

    value, seen = play([cut, GOOD], lambda client: ask(client, asking(), Tools, check=two))
    assert len(value.tools) == 2
    assert "briefer" in seen[1].prompt


def test_repairs_are_cached_like_any_request(asking: Asking, tmp_path: Path) -> None:
    with ScriptedServer([{"replies": ["no", {"tools": [{}]}, GOOD]}]) as server, ResponseCache(tmp_path / "c.sqlite") as cache:
        for _ in range(2):
            with ModelClient(ModelSettings("m", base_url=server.url), cache=cache) as client:
                assert ask(client, asking(), Tools) == Tools.model_validate(GOOD)
        assert len(server.requests) == 3
        assert client.meter.totals()["cached_calls"] == 3


def test_several_are_asked_at_once_and_come_back_in_order(asking: Asking) -> None:
    def answer(body: Any) -> Any:
        name = body["messages"][-1]["content"]
        return {"content": "no" if name == "bad" else {"tools": [{"name": name}]}, "delay": 0.1}

    with ScriptedServer([{"replies": [answer]}]) as server, ModelClient(ModelSettings("m", base_url=server.url, concurrency=3)) as client:
        results = ask_all(client, [asking(name) for name in ("x", "bad", "y", "z", "u")], Tools, attempts=1)
        assert server.most_at_once == 3
    names = [result.tools[0].name if isinstance(result, Tools) else result.problems for result in results]
    assert names == ["x", ("the reply holds no JSON object",), "y", "z", "u"]


def test_a_budget_that_is_reached_is_raised_and_what_was_answered_is_kept(asking: Asking, tmp_path: Path) -> None:
    meter = Meter(tokens=400)
    with ScriptedServer([{"replies": [GOOD]}]) as server, ResponseCache(tmp_path / "c.sqlite") as cache:
        client = ModelClient(ModelSettings("m", base_url=server.url, concurrency=1), cache=cache, meter=meter)
        with client, pytest.raises(BudgetReached):
            ask_all(client, [asking(f"{number}") for number in range(20)], Tools)
        assert 0 < len(server.requests) == len(cache) < 20


def test_a_repair_that_is_too_long_for_the_model_is_a_bad_answer(asking: Asking) -> None:
    with ScriptedServer([{"replies": ["no JSON " * 1000]}], options={"context": 1500}) as server:
        client = ModelClient(ModelSettings("m", base_url=server.url, max_tokens=200))
        with client, pytest.raises(BadAnswer) as caught:
            ask(client, asking(), Tools)
    assert "the endpoint refuses the request (HTTP 400: 'max_tokens' is too large" in caught.value.problems[0]
    assert caught.value.problems[1] == "the reply holds no JSON object"


def test_a_request_that_is_refused_leaves_the_others_alone(asking: Asking) -> None:
    def answer(body: Any) -> Any:
        return {"status": 400, "body": "not this one"} if body["messages"][0]["content"] == "bad" else GOOD

    with ScriptedServer([{"replies": [answer]}]) as server, ModelClient(ModelSettings("m", base_url=server.url)) as client:
        results = ask_all(client, [asking("bad"), asking("good")], Tools)
    assert [type(result) for result in results] == [BadAnswer, Tools]


def test_a_wrong_key_is_raised(asking: Asking) -> None:
    with ScriptedServer(options={"key": "right"}) as server, ModelClient(ModelSettings("m", base_url=server.url, concurrency=1)) as client:
        with pytest.raises(UsageError, match="the key is missing or wrong"):
            ask_all(client, [asking(f"{number}") for number in range(5)], Tools)
        assert len(server.requests) == 1  # the others are not even sent
