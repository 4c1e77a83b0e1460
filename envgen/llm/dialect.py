"""What an endpoint understands, learned from its refusals: how to ask for JSON, and which parameters to send under which name.

A Chat Completions endpoint answers 400 or 422 to what it does not know. Such an answer changes the dialect once, for the whole
client, and the request is sent again. Sources: the error texts of OpenAI, vLLM 0.32, llama.cpp and of litellm's adapters.
"""

import json
import re
import threading
from dataclasses import dataclass, field

from envgen.core.digest import digest
from envgen.core.types import JsonObject
from envgen.llm.budget import estimate_tokens
from envgen.llm.failure import Failure
from envgen.llm.types import ModelRequest, ModelSettings, StructuredMode
from envgen.llm.wire import is_strict

_NEXT: dict[StructuredMode, StructuredMode] = {"json_schema": "json_object", "json_object": "text"}
_OPTIONAL = ("temperature", "seed", "reasoning_effort")
_LENGTHS = ("max_tokens", "max_completion_tokens")
_REFUSING = re.compile(
    r"unsupported|not support|unrecogni[sz]ed|extra|unknown|not permitted|not allowed|unexpected|invalid|must be|only the default",
    re.IGNORECASE,
)
_FORMAT = re.compile(r"response.?format|json.?schema|json.?object|json.?mode|guided|grammar|structured|\bschema\b", re.IGNORECASE)
_THIS_SCHEMA = re.compile(r"invalid schema|schema is (too|not)|too (complex|many|deep|large)|nesting", re.IGNORECASE)
_CONTEXT = re.compile(
    r"(?:maximum|max)[ _](?:context|model)[ _]len(?:gth)?\D{0,20}(\d+)|context (?:size|window|length)\D{0,30}(\d+)", re.IGNORECASE
)
_INPUT = re.compile(
    r"(\d+) (?:input|prompt) tokens|(\d+) (?:tokens )?in the (?:messages|prompt)|resulted in (\d+) tokens|prompt \((\d+) tokens",
    re.IGNORECASE,
)
_OUTPUT = re.compile(
    r"at most (\d+) (?:completion|output)|> (\d+), which is the maximum allowed|(?:less than or equal to|<=) (\d+)", re.IGNORECASE
)
_SMALLEST_ANSWER = 64
_SCHEMA_PROMPT = "Answer with one JSON object and nothing else: no prose, no code fence. It must fit this JSON Schema:\n{schema}"


@dataclass(frozen=True)
class Draft:
    """One body as it was sent, so that a refusal is laid to what was in it, not to what another thread has changed since."""

    body: JsonObject
    mode: StructuredMode
    schema_key: str


@dataclass
class Change:
    """What a refusal led to. note: for the user, empty when there is nothing new. cap: the longest answer of this one request."""

    note: str = ""
    cap: int | None = None


@dataclass
class Dialect:
    """The dialect of one client. `length_name` is the parameter for the longest answer, "" when the endpoint takes none."""

    length_name: str = "max_tokens"
    mode: StructuredMode = "json_schema"
    output_cap: int | None = None
    dropped: set[str] = field(default_factory=set)
    _modes: dict[str, StructuredMode] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def draft(self, model: str, settings: ModelSettings, request: ModelRequest, cap: int | None = None) -> Draft:
        """Return the body of `request` in this dialect. cap: a lower limit for this answer than the settings give."""
        key = digest(request.schema) if request.schema is not None else ""
        mode = self._modes.get(key, self.mode) if key else "text"
        body: JsonObject = {"model": model, "messages": _messages(request, mode)}
        limits = [request.max_tokens or settings.max_tokens, self.output_cap, cap]
        if self.length_name:
            body[self.length_name] = min(limit for limit in limits if limit is not None)
        temperature = settings.temperature if request.temperature is None else request.temperature
        wanted = {"temperature": temperature, "seed": settings.seed, "reasoning_effort": settings.reasoning_effort}
        body |= {name: value for name, value in wanted.items() if value is not None and name not in self.dropped}
        if request.tools:
            body["tools"] = [dict(tool) for tool in request.tools]
        if request.schema is not None and mode != "text":
            body["response_format"] = _format(request, mode)
        return Draft(body, mode, key)

    def adapt(self, failure: Failure, draft: Draft, estimate: int) -> Change | None:
        """Learn from the refusal of `draft`; None when nothing in it explains the refusal. estimate: tokens of the prompt, roughly."""
        with self._lock:
            return (
                self._shorten(failure, draft, estimate)
                or self._rename(failure, draft)
                or self._drop(failure, draft)
                or self._lower(failure, draft)
            )

    def _shorten(self, failure: Failure, draft: Draft, estimate: int) -> Change | None:
        asked = next((int(draft.body[name]) for name in _LENGTHS if name in draft.body), None)
        if asked is None or asked <= _SMALLEST_ANSWER:
            return None
        context, used, most = _number(_CONTEXT, failure.text), _number(_INPUT, failure.text), _number(_OUTPUT, failure.text)
        if context is not None:
            room = context - max(used or 0, estimate if used is None or used < 2 else 0)
            if room < _SMALLEST_ANSWER:
                return None
            cap = room if room < asked else max(asked // 2, _SMALLEST_ANSWER)
            return Change(f"the model's context is {context} tokens: the answer is limited to {cap}", cap)
        if most is not None and most < asked:
            self.output_cap = most
            return Change(f"the model's longest answer is {most} tokens: --max-tokens is lowered to it")
        return None

    def _rename(self, failure: Failure, draft: Draft) -> Change | None:
        name = next((name for name in _LENGTHS if name in draft.body and _blames(failure, name)), None)
        if name is None:
            return None
        other = _LENGTHS[1 - _LENGTHS.index(name)]
        if self.length_name != name:
            return Change()
        self.length_name = "" if f"!{name}" in self.dropped or f"!{other}" in self.dropped else other
        self.dropped.add(f"!{name}")
        return Change(f"the endpoint does not take {name}: " + (f"sent as {other}" if self.length_name else "left out"))

    def _drop(self, failure: Failure, draft: Draft) -> Change | None:
        name = next((name for name in _OPTIONAL if name in draft.body and _blames(failure, name)), None)
        if name is None:
            return None
        known = name in self.dropped
        self.dropped.add(name)
        return Change() if known else Change(f"the endpoint does not take {name}={draft.body[name]}: left out")

    def _lower(self, failure: Failure, draft: Draft) -> Change | None:
        if draft.mode == "text" or not (
            failure.param == "response_format" or _FORMAT.search(failure.text) or _REFUSING.search(failure.text)
        ):
            return None
        lower = _NEXT[draft.mode]
        if _THIS_SCHEMA.search(failure.text):
            self._modes[draft.schema_key] = lower
            return Change(f"the endpoint refuses this schema as {draft.mode}: asked for as {lower}")
        if self.mode != draft.mode:
            return Change()
        self.mode = lower
        return Change(f"the endpoint does not take response_format {draft.mode}: answers are asked for as {lower}")


def _number(pattern: re.Pattern[str], text: str) -> int | None:
    found = pattern.search(re.sub(r"(?<=\d),(?=\d{3})", "", text))
    return next((int(group) for group in found.groups() if group), None) if found else None


def _blames(failure: Failure, name: str) -> bool:
    return failure.param == name or (re.search(rf"\b{name}\b", failure.text) is not None and _REFUSING.search(failure.text) is not None)


def _messages(request: ModelRequest, mode: StructuredMode) -> list[JsonObject]:
    """Return the messages to send: text that UTF-8 can carry, with the schema in the first one when the endpoint does not take it."""
    messages = [{key: _carried(value) for key, value in message.items()} for message in request.messages]
    if request.schema is None or mode == "json_schema":
        return messages
    words = _SCHEMA_PROMPT.format(schema=json.dumps(request.schema, ensure_ascii=False))
    if messages and messages[0].get("role") in ("system", "user") and isinstance(messages[0].get("content"), str):
        messages[0]["content"] = f"{messages[0]['content']}\n\n{words}"
        return messages
    return [{"role": "system", "content": words}, *messages]


def _carried(value: object) -> object:
    return value.encode("utf-8", "replace").decode("utf-8") if isinstance(value, str) else value


def _format(request: ModelRequest, mode: StructuredMode) -> JsonObject:
    if mode == "json_object":
        return {"type": "json_object"}
    schema = request.schema or {}
    return {"type": "json_schema", "json_schema": {"name": request.schema_name, "strict": is_strict(schema), "schema": schema}}


def prompt_estimate(request: ModelRequest) -> int:
    """Return about how many tokens the prompt of `request` has, its tools and schema included."""
    return estimate_tokens(json.dumps([list(request.messages), list(request.tools), request.schema or ""], ensure_ascii=False))
