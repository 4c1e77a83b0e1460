"""The road through litellm: every provider that is not OpenAI. Importing litellm takes seconds, so that happens with the first request."""

import inspect
import logging
import os
import threading
import warnings
from collections.abc import Iterator
from typing import Any

from envgen.core.errors import InfrastructureError
from envgen.core.types import JsonObject
from envgen.llm.failure import Failure, Scrubber, of_status
from envgen.llm.openai_sdk import KEY, MISSING, PLACEHOLDER
from envgen.llm.route import Route
from envgen.llm.threads import DeadlinePassed, within

_IMPORTING = threading.Lock()
_OPEN: list["LitellmSender"] = []
_NAMESPACES = ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy")


def _litellm() -> Any:
    """Return litellm, with its download of prices, its prints, its logging and its warnings off."""
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    with _IMPORTING:
        _hush()
        try:
            import litellm
        except ImportError as problem:
            raise InfrastructureError(MISSING.replace("openai and tenacity", "litellm")) from problem
        litellm.suppress_debug_info = True
        for name in _NAMESPACES:
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    return litellm


def _hush() -> None:
    """Ignore the warnings that litellm's own code earns. `filterwarnings` adds a filter that is there already only once."""
    warnings.filterwarnings("ignore", module=r"litellm(\..*)?$")
    warnings.filterwarnings("ignore", message=r"(?s)Pydantic serializer warnings")
    warnings.filterwarnings("ignore", message=r"(?s).*using the `ReadOnly` qualifier")
    warnings.filterwarnings("ignore", category=DeprecationWarning, module=r"(pydantic|importlib|asyncio)(\..*)?$")


class LitellmSender:
    """Sends bodies through litellm, which takes each provider's key from that provider's own variables."""

    def __init__(self, route: Route, scrub: Scrubber) -> None:
        self._litellm = _litellm()
        self._route, self._scrub = route, scrub
        # litellm keeps one HTTP client per endpoint, made by the first request: two first ones at once would make two and lose one.
        self._first, self._warm = threading.Lock(), False
        with _IMPORTING:
            _OPEN.append(self)

    def __repr__(self) -> str:
        return f"LitellmSender({self._route.endpoint})"

    def send(self, body: JsonObject, headers: dict[str, str], timeout: float) -> Any:
        """Return the answer to `body` as Chat Completions JSON. Raises Failure; never litellm's own errors, which may hold the key."""
        _hush()
        arguments: JsonObject = {**body, "timeout": timeout, "num_retries": 0, "max_retries": 0, "drop_params": False}
        if headers or self._route.basic:
            arguments["extra_headers"] = {**headers, **({"Authorization": self._route.basic} if self._route.basic else {})}
        if self._route.base_url is not None:
            arguments["api_base"] = self._route.base_url
            if self._route.model.startswith("openai/") and not os.environ.get(KEY, "").strip():
                arguments["api_key"] = PLACEHOLDER
        if not self._warm:
            with self._first:
                if not self._warm:
                    answer = self._within(arguments, timeout)
                    self._warm = True
                    return answer
        return self._within(arguments, timeout)

    def _within(self, arguments: JsonObject, timeout: float) -> Any:
        try:
            answer = within(timeout, lambda: self._call(arguments), lambda: None)
        except DeadlinePassed:
            raise Failure("retry", f"no complete answer within {timeout:g} seconds") from None
        if isinstance(answer, Failure):
            raise answer
        return answer

    def _call(self, arguments: JsonObject) -> Any:
        try:
            return self._litellm.completion(**arguments).model_dump()
        except Exception as problem:
            return self._failure(problem)

    def _failure(self, problem: Exception) -> Failure:
        """Return the failure that one of litellm's errors amounts to. It gives a failed connection the status 500, with no headers."""
        text = str(problem)
        status = getattr(problem, "status_code", None)
        names = {type(each).__name__ for each in _chain(problem)}
        if "ConnectError" in names:
            return Failure("unreachable", self._scrub(f"the connection failed ({text})"))
        if "LLM Provider NOT provided" in text:
            return Failure("model", "litellm knows no such provider")
        if not isinstance(status, int):
            return Failure("fatal", self._scrub(f"{type(problem).__name__}: {text}"))
        error = {"message": text, "code": getattr(problem, "code", None), "param": getattr(problem, "param", None)}
        return of_status(status, _headers(problem), {"error": error}, self._scrub)

    def models(self) -> list[str]:
        """Return []: litellm has no list of what an endpoint serves."""
        return []

    def close(self) -> None:
        """Close the connections that litellm keeps for the process, when this is the last sender open. Idempotent."""
        with _IMPORTING:
            if self in _OPEN:
                _OPEN.remove(self)
                if not _OPEN:
                    _close_connections(self._litellm)


def _close_connections(litellm: Any) -> None:
    cache = getattr(litellm, "in_memory_llm_clients_cache", None)
    for client in list(getattr(cache, "cache_dict", {}).values()):
        close = getattr(client, "close", None)
        if callable(close) and not inspect.iscoroutinefunction(close):
            close()
    if cache is not None:
        cache.flush_cache()


def _headers(problem: Exception) -> Any:
    found = getattr(problem, "litellm_response_headers", None) or getattr(getattr(problem, "response", None), "headers", None)
    return found if hasattr(found, "get") else {}


def _chain(problem: BaseException | None) -> Iterator[BaseException]:
    """Yield `problem` and what led to it."""
    for _ in range(20):
        if problem is None:
            return
        yield problem
        problem = problem.__cause__ or problem.__context__
