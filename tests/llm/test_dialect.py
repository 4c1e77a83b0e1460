import threading
from typing import Any

import pytest

from envgen.llm.dialect import Dialect, prompt_estimate
from envgen.llm.failure import Failure
from envgen.llm.types import ModelRequest, ModelSettings

SCHEMA: dict[str, Any] = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"], "additionalProperties": False}
SETTINGS = ModelSettings("m", temperature=0.5, seed=3, reasoning_effort="low", max_tokens=1000)
REQUEST = ModelRequest("schema", ({"role": "user", "content": "hello"},), schema=SCHEMA, schema_name="reply")


def refusal(text: str, param: str = "") -> Failure:
    return Failure("refused", text, 400, param=param)


def body(dialect: Dialect, request: ModelRequest = REQUEST, **rest: Any) -> dict[str, Any]:
    return dialect.draft("m", SETTINGS, request, **rest).body


def learn(dialect: Dialect, text: str, param: str = "", request: ModelRequest = REQUEST) -> str | None:
    change = dialect.adapt(refusal(text, param), dialect.draft("m", SETTINGS, request), 10)
    return None if change is None else change.note


def test_a_request_has_what_the_settings_say() -> None:
    assert body(Dialect()) == {
        "model": "m",
        "messages": [{"role": "user", "content": "hello"}],
        "max_tokens": 1000,
        "temperature": 0.5,
        "seed": 3,
        "reasoning_effort": "low",
        "response_format": {"type": "json_schema", "json_schema": {"name": "reply", "strict": True, "schema": SCHEMA}},
    }


def test_a_request_has_nothing_that_was_not_asked_for() -> None:
    plain = Dialect().draft("m", ModelSettings("m"), ModelRequest("a", ({"role": "user", "content": "x"},))).body
    assert plain.keys() == {"model", "messages", "max_tokens"}


def test_a_request_overrides_the_settings() -> None:
    own = ModelRequest("a", (), max_tokens=7, temperature=0.0, tools=({"type": "function"},))
    assert body(Dialect(), own)["max_tokens"] == 7
    assert body(Dialect(), own)["temperature"] == 0.0
    assert body(Dialect(), own)["tools"] == [{"type": "function"}]


def test_an_open_schema_is_not_sent_as_strict() -> None:
    own = ModelRequest("a", (), schema={"type": "object"})
    assert body(Dialect(), own)["response_format"]["json_schema"]["strict"] is False


def test_halves_of_surrogate_pairs_are_replaced() -> None:
    own = ModelRequest("a", ({"role": "user", "content": "a\ud800b"},))
    assert body(Dialect(), own)["messages"] == [{"role": "user", "content": "a?b"}]


@pytest.mark.parametrize(
    "text",
    [
        "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.",
        "guided decoding is unavailable",
        "[{'type': 'extra_forbidden', 'loc': ('body', 'response_format')}]",
        "This server has no grammar backend",
        "structured output is not supported",
        "unknown field",
    ],
)
def test_an_endpoint_without_structured_output_is_asked_for_json_and_then_for_text(text: str) -> None:
    dialect = Dialect()
    assert learn(dialect, text) == "the endpoint does not take response_format json_schema: answers are asked for as json_object"
    sent = body(dialect)
    assert sent["response_format"] == {"type": "json_object"}
    assert '"additionalProperties": false' in sent["messages"][0]["content"] and "JSON" in sent["messages"][0]["content"]
    assert learn(dialect, text) == "the endpoint does not take response_format json_object: answers are asked for as text"
    assert "response_format" not in body(dialect)
    assert body(dialect)["messages"] == sent["messages"]
    assert learn(dialect, text) is None


@pytest.mark.parametrize(
    ("messages", "place"),
    [
        (({"role": "system", "content": "s"}, {"role": "user", "content": "u"}), 0),
        (({"role": "user", "content": [{"type": "text", "text": "u"}]},), 0),
        ((), 0),
    ],
)
def test_the_schema_is_written_into_the_first_message(messages: Any, place: int) -> None:
    dialect = Dialect(mode="text")
    sent = body(dialect, ModelRequest("a", messages, schema=SCHEMA))["messages"]
    assert "It must fit this JSON Schema" in sent[place]["content"]
    assert messages == messages and all("JSON Schema" not in str(message) for message in messages)


def test_a_refused_schema_changes_the_way_for_that_schema_alone() -> None:
    dialect = Dialect()
    other = ModelRequest("a", (), schema={"type": "object", "properties": {}, "required": [], "additionalProperties": False})
    assert learn(dialect, "Invalid schema for response_format 'reply': too many levels of nesting") is not None
    assert body(dialect)["response_format"] == {"type": "json_object"}
    assert body(dialect, other)["response_format"]["type"] == "json_schema"


def test_free_text_is_asked_for_without_a_format() -> None:
    assert learn(Dialect(), "response_format is unsupported", request=ModelRequest("a", ())) is None


@pytest.mark.parametrize(
    ("text", "param"),
    [
        ("Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.", "max_tokens"),
        ("Unsupported parameter: 'max_tokens'", ""),
        ("[{'type': 'extra_forbidden', 'loc': ('body', 'max_tokens')}]", ""),
    ],
)
def test_the_length_limit_is_sent_under_the_name_that_is_taken(text: str, param: str) -> None:
    dialect = Dialect()
    assert learn(dialect, text, param) == "the endpoint does not take max_tokens: sent as max_completion_tokens"
    assert body(dialect)["max_completion_tokens"] == 1000 and "max_tokens" not in body(dialect)
    assert learn(dialect, "max_completion_tokens is not supported") == "the endpoint does not take max_completion_tokens: left out"
    assert not {"max_tokens", "max_completion_tokens"} & body(dialect).keys()


@pytest.mark.parametrize(
    ("name", "text", "param"),
    [
        (
            "temperature",
            "Unsupported value: 'temperature' does not support 0.5. Only the default (1) is.",
            "temperature",
        ),
        ("seed", "litellm.UnsupportedParamsError: m does not support parameters: ['seed']", ""),
        ("reasoning_effort", "Unrecognized request argument supplied: reasoning_effort", ""),
    ],
)
def test_a_refused_parameter_is_left_out(name: str, text: str, param: str) -> None:
    dialect = Dialect()
    note = learn(dialect, text, param)
    assert note is not None and note.startswith(f"the endpoint does not take {name}=")
    assert name not in body(dialect)
    assert {"temperature", "seed", "reasoning_effort", "max_tokens", "response_format"} - {name} <= body(dialect).keys()


@pytest.mark.parametrize(
    ("text", "cap"),
    [
        ("This model's maximum context length is 800 tokens and your request has 300 input tokens.", 500),
        (
            "This model's maximum context length is 800 tokens. You requested 1,300 tokens (300 in the messages, 1000 in the completion).",
            500,
        ),
        ("maximum context length is 800 tokens; your prompt contains at least 1 input tokens", 790),
        ("max_model_len=800 is too small", 790),
        ("the request exceeds the available context size (800 tokens)", 790),
        ("prompt is too long; maximum context length is 8000 tokens", 500),  # it does not say why: half of what was asked for
    ],
)
def test_an_answer_is_made_to_fit_the_context(text: str, cap: int) -> None:
    dialect = Dialect()
    change = dialect.adapt(refusal(text), dialect.draft("m", SETTINGS, REQUEST), 10)
    assert change is not None and change.cap == cap
    assert body(dialect, cap=cap)["max_tokens"] == cap
    assert body(dialect)["max_tokens"] == 1000


@pytest.mark.parametrize("used", ["your request has 790 input tokens.", "However, your messages resulted in 1,790 tokens."])
def test_a_prompt_that_leaves_no_room_is_refused(used: str) -> None:
    assert learn(Dialect(), f"This model's maximum context length is 800 tokens. {used}") is None


@pytest.mark.parametrize(
    "text",
    [
        "max_tokens is too large: 1000. This model supports at most 400 completion tokens",
        "max_tokens: 1000 > 400, which is the maximum allowed number of output tokens",
        "max_tokens must be less than or equal to 400",
    ],
)
def test_the_longest_answer_of_a_model_is_remembered(text: str) -> None:
    dialect = Dialect()
    assert learn(dialect, text) == "the model's longest answer is 400 tokens: --max-tokens is lowered to it"
    assert body(dialect)["max_tokens"] == 400


def test_a_refusal_of_something_else_teaches_nothing() -> None:
    dialect = Dialect()
    for text in ("The messages are in the wrong order", "content filter", ""):
        assert learn(dialect, text, request=ModelRequest("a", ({"role": "user", "content": "x"},))) is None


def test_requests_under_way_at_once_learn_a_thing_once() -> None:
    dialect = Dialect()
    drafts = [dialect.draft("m", SETTINGS, REQUEST) for _ in range(4)]
    notes: list[str] = []

    def adapt(draft: Any, text: str) -> None:
        change = dialect.adapt(refusal(text), draft, 10)
        assert change is not None
        notes.append(change.note)

    for text in ("json_schema is unsupported", "max_tokens is unsupported", "seed is unsupported"):
        threads = [threading.Thread(target=adapt, args=(draft, text)) for draft in drafts]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(note != "" for note in notes) == [False, False, False, True]
        notes.clear()
    assert (dialect.mode, dialect.length_name) == ("json_object", "max_completion_tokens")


def test_the_estimate_of_a_prompt_counts_tools_and_schema() -> None:
    plain = ModelRequest("a", ({"role": "user", "content": "x" * 400},))
    assert 100 <= prompt_estimate(plain) <= 115
    assert prompt_estimate(ModelRequest("a", plain.messages, schema={"x": "y" * 400})) > prompt_estimate(plain) + 100
    assert prompt_estimate(ModelRequest("a", plain.messages, tools=({"x": "y" * 400},))) > prompt_estimate(plain) + 100
