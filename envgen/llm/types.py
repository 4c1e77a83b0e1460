"""What the model client takes and gives. Standard library only, so that anything may import it."""

from dataclasses import dataclass, field
from typing import Literal

from envgen.core.types import JsonObject

StructuredMode = Literal["json_schema", "json_object", "text"]


@dataclass(frozen=True)
class ModelSettings:
    """How to reach a model. The key is no setting: it is read from the environment when a request is sent.

    model: `openai/gpt-5-mini` or `gpt-5-mini` (the openai SDK), `anthropic/…`, `gemini/…` (litellm), `litellm/…` (always litellm).
    base_url: an OpenAI-compatible endpoint, reached through the openai SDK whatever the prefix; a leading `openai/` is taken off the name.
    temperature, seed, reasoning_effort: sent only when given. max_tokens: the longest answer, in tokens.
    timeout: seconds for one whole request, however slowly its bytes arrive. retries: further tries after a passing failure.
    concurrency: requests under way at once.
    """

    model: str
    base_url: str | None = None
    temperature: float | None = None
    max_tokens: int = 16_000
    seed: int | None = None
    reasoning_effort: str | None = None
    timeout: float = 300.0
    retries: int = 6
    concurrency: int = 4


@dataclass(frozen=True)
class ModelRequest:
    """One thing to ask.

    stage: the part of the work it belongs to, for the accounts and for who reads the cache. messages: chat messages (`role`, `content`, …).
    schema: the JSON Schema that the answer must fit, None for free text; `schema_name` names it to the endpoint.
    sample: tells independent attempts at the same prompt apart. tools: OpenAI function tools.
    max_tokens, temperature: instead of the settings' own.
    """

    stage: str
    messages: tuple[JsonObject, ...]
    schema: JsonObject | None = None
    schema_name: str = "reply"
    sample: int = 0
    tools: tuple[JsonObject, ...] = ()
    max_tokens: int | None = None
    temperature: float | None = None


@dataclass(frozen=True)
class ModelUsage:
    """Tokens of one answer. `cached_tokens` are the prompt tokens that the provider had in its own cache; `usd` is None when unknown."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    usd: float | None = None


@dataclass(frozen=True)
class ModelReply:
    """One answer.

    finish: `stop`, `length`, `tool_calls`, `refusal`, or the endpoint's own word. refusal: the model's words when it refused.
    calls: tool calls as `{id, name, arguments}`, the arguments as the raw text. usage: what the answer cost when it was paid for;
    with `from_cache` nothing is paid now. model: the name that the endpoint gave.
    """

    text: str
    finish: str = "stop"
    refusal: str | None = None
    calls: tuple[JsonObject, ...] = ()
    usage: ModelUsage = field(default_factory=ModelUsage)
    from_cache: bool = False
    model: str = ""
