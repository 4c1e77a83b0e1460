"""The road through the openai SDK: OpenAI itself and every endpoint that speaks its protocol. Works with openai 2.44 to 3.x."""

import json
import os
import threading
from typing import Any

from envgen.core.errors import InfrastructureError, UsageError
from envgen.core.types import JsonObject
from envgen.llm.failure import Failure, Scrubber, of_status
from envgen.llm.route import Route
from envgen.llm.threads import DeadlinePassed, within

KEY = "OPENAI_API_KEY"
MISSING = "the model client needs openai and tenacity, which are not installed: pip install 'envgen-rl[llm]'"
PLACEHOLDER = "no-key"
_CONNECT_SECONDS = 20.0


class OpenAISender:
    """Sends bodies to one endpoint. A call takes a client of its own from a small stock, so that cutting one leaves the others alone."""

    def __init__(self, route: Route, scrub: Scrubber) -> None:
        try:
            import openai
        except ImportError as problem:
            raise InfrastructureError(MISSING) from problem
        self._sdk: Any = openai
        self._route, self._scrub = route, scrub
        self._key = _key(route)
        self._stock: list[Any] = []
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        return f"OpenAISender({self._route.endpoint})"

    def send(self, body: JsonObject, headers: dict[str, str], timeout: float) -> Any:
        """Return the decoded JSON of the answer to `body`. Raises Failure; never the SDK's own errors, which hold the key."""
        client = self._take()
        try:
            answer = within(timeout, lambda: self._call(client, body, headers, timeout), client.close)
        except DeadlinePassed:
            raise Failure("retry", f"no complete answer within {timeout:g} seconds") from None
        self._give(client)
        if isinstance(answer, Failure):
            raise answer
        return answer

    def _take(self) -> Any:
        with self._lock:
            if self._stock:
                return self._stock.pop()
        headers = {"Authorization": self._route.basic} if self._route.basic else None
        return self._sdk.OpenAI(api_key=self._key, base_url=self._route.base_url, max_retries=0, default_headers=headers)

    def _give(self, client: Any) -> None:
        with self._lock:
            self._stock.append(client)

    def _call(self, client: Any, body: JsonObject, headers: dict[str, str], timeout: float) -> Any:
        """Return the answer, or the Failure that the SDK's error amounts to."""
        limits = self._sdk.Timeout(timeout, connect=min(timeout, _CONNECT_SECONDS))
        try:
            raw = client.chat.completions.with_raw_response.create(**body, extra_headers=headers, timeout=limits)
            content: bytes = raw.http_response.content
        except Exception as problem:
            return self._failure(problem)
        return _decoded(content)

    def _failure(self, problem: Exception) -> Failure:
        sdk = self._sdk
        if isinstance(problem, sdk.APIStatusError):
            return of_status(problem.status_code, problem.response.headers, _error_body(problem), self._scrub)
        if isinstance(problem, sdk.APITimeoutError):
            cause = type(problem.__cause__).__name__
            return Failure("unreachable" if cause == "ConnectTimeout" else "retry", f"no answer in time ({cause})")
        if isinstance(problem, sdk.APIConnectionError):
            cause = problem.__cause__ or problem
            kind = "unreachable" if type(cause).__name__ == "ConnectError" else "retry"
            return Failure(kind, self._scrub(f"the connection failed ({type(cause).__name__}: {cause})"))  # type: ignore[arg-type]
        if type(problem).__name__ == "DecodingError":
            return Failure("retry", self._scrub(f"the answer cannot be decoded ({problem})"))
        return Failure("fatal", self._scrub(f"{type(problem).__name__}: {problem}"))

    def models(self, timeout: float = 5.0) -> list[str]:
        """Return the names of the models that the endpoint serves; [] when it does not say."""
        client = self._take()
        try:
            raw = within(timeout, lambda: client.models.with_raw_response.list(timeout=timeout).http_response.content, client.close)
            self._give(client)
            return [str(model["id"]) for model in json.loads(raw)["data"]]
        except Exception:
            client.close()
            return []

    def close(self) -> None:
        """Close all connections. Idempotent."""
        with self._lock:
            while self._stock:
                self._stock.pop().close()


def _key(route: Route) -> str:
    """Return the key to send. UsageError when there is none, or none that a header can carry."""
    key = os.environ.get(KEY, "").strip()
    if not key and route.base_url is None:
        raise UsageError(f"{KEY} is not set: openai/{route.model} needs it. For an endpoint of your own give --base-url")
    if not key.isascii() or not key.isprintable() or " " in key:
        raise UsageError(
            f"{KEY} holds characters that no key has: set it again, without spaces, line breaks or quotation marks from a document"
        )
    return key or PLACEHOLDER


def _error_body(problem: Any) -> Any:
    return problem.body if problem.body is not None else problem.response.text


def _decoded(content: bytes) -> Any:
    try:
        return json.loads(content.decode("utf-8"))
    except UnicodeDecodeError:
        return Failure("retry", "the answer is no valid UTF-8")
    except (ValueError, RecursionError):
        return Failure("retry", "the answer is no JSON")
