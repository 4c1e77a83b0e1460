"""From the body of a Chat Completions answer to a `ModelReply`, and from there to the cache and back."""

from dataclasses import asdict
from typing import Any

from envgen.core.types import JsonObject
from envgen.llm.budget import Price, estimate_tokens
from envgen.llm.failure import Failure, Scrubber, of_status
from envgen.llm.types import ModelReply, ModelUsage

_FINISH = {"function_call": "tool_calls", "content_filter": "refusal", "max_tokens": "length", "end_turn": "stop", "eos": "stop"}


def read_body(body: Any, scrub: Scrubber, *, estimate: int, price: Price | None) -> ModelReply:
    """Return the reply in `body`. estimate: tokens of the prompt, used where the endpoint reports none.

    Raises Failure: for an error that came with status 200, and for a body without a usable choice (which may pass).
    """
    if not isinstance(body, dict):
        raise Failure("retry", "the answer is no JSON object")
    if body.get("error"):
        error = body["error"]
        code = error.get("code") if isinstance(error, dict) else None
        raise of_status(code if isinstance(code, int) and code >= 400 else 500, {}, body, scrub)
    choices = body.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(choice, dict) or not isinstance(message, dict):
        raise Failure("retry", "the answer holds no choice")
    text, calls = scrub.reply(_text(message.get("content"))), _calls(message, scrub)
    finish, refusal = _ending(choice.get("finish_reason"), message, calls, scrub)
    usage = _usage(body.get("usage"), estimate, text + (refusal or ""), price)
    return ModelReply(text, finish, refusal, calls, usage, model=scrub.reply(str(body.get("model") or "")))


def _text(content: Any) -> str:
    """Return the text of `content`: a string, or a list of parts of which those of type text count."""
    if isinstance(content, list):
        return "".join(str(part.get("text") or "") for part in content if isinstance(part, dict) and part.get("type", "text") == "text")
    return content if isinstance(content, str) else ""


def _calls(message: JsonObject, scrub: Scrubber) -> tuple[JsonObject, ...]:
    found = []
    for index, call in enumerate(message.get("tool_calls") or ()):
        function = call.get("function") if isinstance(call, dict) else None
        if isinstance(function, dict):
            arguments = function.get("arguments")
            raw = arguments if isinstance(arguments, str) else ""
            found.append(
                {"id": str(call.get("id") or f"call_{index}"), "name": str(function.get("name") or ""), "arguments": scrub.reply(raw)}
            )
    return tuple(found)


def _ending(reason: Any, message: JsonObject, calls: tuple[JsonObject, ...], scrub: Scrubber) -> tuple[str, str | None]:
    """Return finish and refusal."""
    said = message.get("refusal")
    finish = _FINISH.get(str(reason), str(reason or ("tool_calls" if calls else "stop")))
    if isinstance(said, str) and said:
        return "refusal", scrub.reply(said)
    return finish, "the provider's content filter stopped the answer" if finish == "refusal" else None


def _usage(usage: Any, estimate: int, text: str, price: Price | None) -> ModelUsage:
    """Return the tokens reported; where an endpoint reports none, about how many there were."""
    counts = usage if isinstance(usage, dict) else {}
    details = counts.get("prompt_tokens_details")
    prompt = _count(counts.get("prompt_tokens"), estimate)
    completion = _count(counts.get("completion_tokens"), estimate_tokens(text))
    cached = min(prompt, _count(details.get("cached_tokens") if isinstance(details, dict) else None, 0))
    plain = ModelUsage(prompt, completion, cached)
    return ModelUsage(prompt, completion, cached, price.cost(plain) if price else None)


def _count(value: Any, otherwise: int) -> int:
    return value if type(value) is int and value >= 0 else otherwise


def to_json(reply: ModelReply) -> JsonObject:
    """Return what the cache stores of `reply`."""
    stored = asdict(reply)
    del stored["from_cache"]
    return {**stored, "calls": list(reply.calls)}


def from_json(stored: JsonObject, *, from_cache: bool) -> ModelReply | None:
    """Return the reply that `to_json` stored, None when the record is of another shape."""
    try:
        usage = ModelUsage(**stored["usage"])
        rest = {name: stored[name] for name in ("text", "finish", "refusal", "model")}
        return ModelReply(**rest, calls=tuple(stored["calls"]), usage=usage, from_cache=from_cache)
    except (KeyError, TypeError):
        return None
