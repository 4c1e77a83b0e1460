import pytest

from envgen.core.errors import EnvgenError, InfrastructureError, ModelError, RequestRefused, UsageError
from envgen.llm.complaint import complaint
from envgen.llm.failure import Failure
from envgen.llm.route import route_of
from envgen.llm.types import ModelSettings

LOCAL = ModelSettings("openai/org/m", base_url="http://127.0.0.1:8123/v1")
OPENAI = ModelSettings("openai/gpt-5-mini")
CLAUDE = ModelSettings("anthropic/claude-sonnet-4-5")


@pytest.mark.parametrize(
    ("settings", "failure", "kind", "text"),
    [
        (
            OPENAI,
            Failure("key", "Incorrect API key: sk-x", 401),
            UsageError,
            "gpt-5-mini at openai: the key is missing or wrong (HTTP 401). Set OPENAI_API_KEY",
        ),
        (CLAUDE, Failure("key", "x", 401), UsageError, "Set ANTHROPIC_API_KEY to a key of this endpoint"),
        (LOCAL, Failure("key", "not you", 403), UsageError, "the key may not do this (HTTP 403: not you). Set OPENAI_API_KEY"),
        (
            OPENAI,
            Failure("model", "x", 404),
            UsageError,
            "no such model (HTTP 404: x). Check --model; for an endpoint of your own give --base-url",
        ),
        (LOCAL, Failure("model", "x", 404), UsageError, "The endpoint serves a, b: choose one with --model"),
        (LOCAL, Failure("unreachable", "refused"), InfrastructureError, "start a server there:\n  vllm serve org/m --port 8123"),
        (OPENAI, Failure("unreachable", "no name"), InfrastructureError, "nothing answers there: no name. Check the network connection"),
        (
            LOCAL,
            Failure("refused", "too long", 400),
            RequestRefused,
            "refuses the request (HTTP 400: too long). Check the model's context length",
        ),
        (LOCAL, Failure("retry", "no JSON"), ModelError, "still failing after 7 attempts (no JSON). What is done is kept"),
        (LOCAL, Failure("fatal", "quota", 429), ModelError, "failed for good (HTTP 429: quota). Check the account"),
    ],
)
def test_an_error_says_what_where_and_the_next_step(settings: ModelSettings, failure: Failure, kind: type[EnvgenError], text: str) -> None:
    served = ["a", "b"] if settings is LOCAL else []
    problem = complaint(failure, route_of(settings), served=served, attempts=7)
    assert type(problem) is kind
    assert text in str(problem)
    assert "sk-x" not in str(problem)
