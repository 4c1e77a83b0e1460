"""Ask a model for a value of a pydantic type: prompt, JSON, validation, and the problems sent back until it fits."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ValidationError

from envgen.core.errors import BadAnswer, EnvgenError, RequestRefused
from envgen.core.types import JsonObject
from envgen.llm.client import ModelClient
from envgen.llm.extract import extract_json
from envgen.llm.threads import in_parallel
from envgen.llm.types import ModelReply, ModelRequest
from envgen.llm.wire import wire_schema

__all__ = ["BadAnswer", "ask", "ask_all", "wire_schema"]

T = TypeVar("T", bound=BaseModel)
MOST_PROBLEMS = 12
_LONGEST_PROBLEM = 240
_LONGEST_ECHO = 60_000
_REFUSED = "You declined. What is asked for is fictional data for a software test; nothing in it is real. Answer in the form asked for."
_EMPTY = "Your reply was empty. Answer with the JSON object that was asked for."
_TOO_LONG = "Your reply was cut off at the length limit. Answer again, complete but briefer: fewer items, shorter texts."


def _nothing(value: Any) -> Sequence[str]:
    return ()


@dataclass(frozen=True)
class _Verdict(Generic[T]):
    """What one reply came to: a value, or the problems and the message that tells the model about them."""

    value: T | None
    problems: tuple[str, ...] = ()
    message: str = ""
    salvaged: bool = False


def ask(
    client: ModelClient,
    request: ModelRequest,
    kind: type[T],
    *,
    check: Callable[[T], Sequence[str]] = _nothing,
    attempts: int = 3,
    on_salvage: Callable[[ModelRequest], None] | None = None,
) -> T:
    """Return the model's answer to `request` as a `kind`.

    Each reply is read (`extract_json`), validated, and given to `check`, which returns its problems, one line each. While there are
    any they are sent back, at most 12 at a time, `attempts` replies in all. A reply that was cut off counts when what was complete of
    it validates: `on_salvage` is told. Unknown fields are ignored and plain types converted, as `kind` has it.

    Errors: BadAnswer with the problems of the last reply, also when the endpoint refuses this one request; the client's own errors.
    """
    wanted = request if request.schema is not None else replace(request, schema=wire_schema(kind), schema_name=_name(kind))
    problems: tuple[str, ...] = ("no attempt was made",)
    lengths = 0
    for attempt in range(attempts):
        try:
            reply = client.complete(wanted)
        except RequestRefused as refused:  # often the reply shown again has made the prompt too long
            raise BadAnswer(request.stage, [str(refused), *(problems if attempt else ())]) from None
        verdict = _judge(reply, kind, check)
        if verdict.value is not None:
            if verdict.salvaged:
                client.note(request.stage, "an answer was cut off; its complete elements are used")
                if on_salvage is not None:
                    on_salvage(request)
            return verdict.value
        problems = verdict.problems
        lengths += reply.finish == "length"
        if attempt + 1 < attempts:
            client.note(request.stage, f"answer {attempt + 1} of {attempts} is sent back: {problems[0]}")
            wanted = _again(request, wanted, reply, verdict.message, double=lengths == 2, settings_max=client.settings.max_tokens)
    raise BadAnswer(request.stage, problems)


def ask_all(
    client: ModelClient,
    requests: Sequence[ModelRequest],
    kind: type[T],
    *,
    check: Callable[[T], Sequence[str]] = _nothing,
    attempts: int = 3,
    on_salvage: Callable[[ModelRequest], None] | None = None,
) -> list[T | BadAnswer]:
    """Return `ask` of each request, in their order, several at once; a BadAnswer in the place of one that stayed wrong.

    Any other error (a budget reached, a wrong key) is raised once the requests under way have ended; their answers are in the cache.
    """

    def one(request: ModelRequest) -> T | BadAnswer | EnvgenError:
        try:
            return ask(client, request, kind, check=check, attempts=attempts, on_salvage=on_salvage)
        except EnvgenError as problem:
            return problem

    results: list[T | BadAnswer] = []
    for result in in_parallel(one, requests, client.settings.concurrency):
        if isinstance(result, EnvgenError) and not isinstance(result, BadAnswer):
            raise result
        results.append(result)
    return results


def _judge(reply: ModelReply, kind: type[T], check: Callable[[T], Sequence[str]]) -> _Verdict[T]:
    """Return what `reply` comes to."""
    if reply.refusal is not None:
        return _Verdict(None, (f"the model refused: {_line(reply.refusal)}",), _REFUSED)
    if not reply.text.strip():
        return _Verdict(None, ("the reply was cut off before any text" if reply.finish == "length" else "the reply was empty",), _EMPTY)
    found = extract_json(reply.text)
    value, problems = _validated(found.value, kind) if found.value is not None else (None, [found.problem])
    if value is not None:
        problems = [_line(problem) for problem in check(value)]
    if value is not None and not problems:
        return _Verdict(value, salvaged=found.salvaged)
    if reply.finish == "length" or found.salvaged:
        return _Verdict(None, ("the reply was cut off", *problems), _TOO_LONG)
    return _Verdict(None, tuple(problems), _listed(problems))


def _validated(value: JsonObject, kind: type[T]) -> tuple[T | None, list[str]]:
    try:
        return kind.model_validate(value), []
    except ValidationError as problem:
        errors = problem.errors(include_url=False, include_context=False)
        return None, [_line(f"{_path(error['loc'])}: {error['msg']}") for error in errors]


def _path(location: tuple[int | str, ...]) -> str:
    """Return a location such as ("tools", 3, "name") as `tools[3].name`."""
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in location)
    return text.lstrip(".") or "the object"


def _line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST_PROBLEM else line[: _LONGEST_PROBLEM - 1] + "…"


def _listed(problems: Sequence[str]) -> str:
    more = [f"- and {len(problems) - MOST_PROBLEMS} more of this sort"] if len(problems) > MOST_PROBLEMS else []
    lines = [f"- {problem}" for problem in problems[:MOST_PROBLEMS]]
    return "\n".join(
        ["Your answer has these problems:", *lines, *more, "Answer again with the whole corrected JSON object and nothing else."]
    )


def _again(first: ModelRequest, last: ModelRequest, reply: ModelReply, message: str, *, double: bool, settings_max: int) -> ModelRequest:
    """Return the request that follows `last`: the first prompt, the reply, and what is wrong with it.

    Only the newest reply is shown, so that prompts do not grow. The second reply cut off doubles the length limit, once.
    """
    said = reply.text if len(reply.text) <= _LONGEST_ECHO else reply.text[:_LONGEST_ECHO] + " […]"
    shown: list[JsonObject] = [{"role": "assistant", "content": said or reply.refusal or "(empty)"}, {"role": "user", "content": message}]
    longest = (last.max_tokens or settings_max) * (2 if double else 1)
    return replace(last, messages=(*first.messages, *shown), max_tokens=longest if double else last.max_tokens)


def _name(kind: type[BaseModel]) -> str:
    """Return a name that endpoints take: at most 64 letters, digits, underscores and hyphens."""
    return re.sub(r"[^a-zA-Z0-9_-]+", "_", kind.__name__.lower())[:64]
