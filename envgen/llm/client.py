"""The model client: one request in, one answer out, whatever stands between.

Order of work for a request: response cache, budget, a free place among `concurrency`, then attempts until one is answered. A passing
failure is tried again (tenacity), a refused parameter changes the dialect, anything else ends in one clear error.
"""

import threading
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any, NoReturn, Protocol, Self
from weakref import WeakValueDictionary

from envgen.core.errors import EnvgenError, InfrastructureError, UsageError
from envgen.core.events import Event, Events, silent
from envgen.core.types import JsonObject
from envgen.llm.budget import Meter
from envgen.llm.cache import ResponseCache, request_key
from envgen.llm.complaint import complaint
from envgen.llm.dialect import Dialect, prompt_estimate
from envgen.llm.failure import LONGEST_WAIT, Failure, Scrubber
from envgen.llm.litellm_sdk import LitellmSender
from envgen.llm.openai_sdk import MISSING, OpenAISender
from envgen.llm.reply import from_json, read_body, to_json
from envgen.llm.route import Route, route_of
from envgen.llm.threads import in_parallel
from envgen.llm.types import ModelReply, ModelRequest, ModelSettings, ModelUsage

STAGE_HEADER = "X-Envgen-Stage"
_MOST_CHANGES = 10


class Sender(Protocol):
    """What a road does: send one body and return the decoded answer, or raise Failure."""

    def send(self, body: JsonObject, headers: dict[str, str], timeout: float) -> Any: ...

    def models(self) -> list[str]: ...

    def close(self) -> None: ...


class _Twin:
    """What equal requests under way share."""

    def __init__(self) -> None:
        self.lock = threading.Lock()


class ModelClient:
    """Asks one model. Safe to use from several threads; use it as a context manager, or call `close`.

    cache: answers found there are not paid for again. meter: the accounts and the budget. events: told of every retry and change.
    pause: waits between attempts, in seconds; for tests.
    Errors of every call: UsageError (wrong key, no such model), InfrastructureError (nothing answers at the endpoint), ModelError (the
    endpoint keeps failing; RequestRefused: it refuses this request), BudgetReached.
    """

    def __init__(
        self,
        settings: ModelSettings,
        *,
        cache: ResponseCache | None = None,
        meter: Meter | None = None,
        events: Events = silent,
        pause: Callable[[float], None] | None = None,
    ) -> None:
        _check(settings)
        self.settings = settings
        self.route = route_of(settings)
        self.meter = meter if meter is not None else Meter()
        self.meter.require_price(settings.model, local=self.route.local)
        self.events = events
        self._cache = cache
        self._closed = threading.Event()
        self._pause = pause or self._rest
        self._scrub = Scrubber(settings.base_url)
        self._dialect = Dialect(length_name="max_tokens" if self.route.local or self.route.sdk == "litellm" else "max_completion_tokens")
        self._places = threading.BoundedSemaphore(settings.concurrency)
        self._lock, self._telling = threading.Lock(), threading.RLock()
        self._twins: WeakValueDictionary[str, _Twin] = WeakValueDictionary()
        self._sender: Sender | None = None
        self._answered = False
        self._fatal: EnvgenError | None = None

    def __repr__(self) -> str:
        return f"ModelClient({self.settings.model} at {self.route.endpoint})"

    def complete(self, request: ModelRequest) -> ModelReply:
        """Return the answer to `request`, from the cache when it is there."""
        key = request_key(self.settings, request)
        twin = self._twin(key)
        with twin.lock:  # equal requests under way at once are paid for once
            stored = self._stored(key)
            if stored is not None:
                self.meter.add(request.stage, ModelUsage(), cached=True)
                return stored
            reply = self._paid(request)
            if self._cache is None:
                return reply
            kept = self._cache.put(key, request.stage, self.settings.model, to_json(reply))
            return from_json(kept, from_cache=False) or reply

    def complete_all(self, requests: Sequence[ModelRequest]) -> list[ModelReply | EnvgenError]:
        """Return the answers to `requests` in their order, an error in the place of one that failed. At most `concurrency` at once."""

        def one(request: ModelRequest) -> ModelReply | EnvgenError:
            try:
                return self.complete(request)
            except EnvgenError as problem:
                return problem

        return in_parallel(one, requests, self.settings.concurrency)

    def _rest(self, seconds: float) -> None:
        self._closed.wait(seconds)

    def note(self, stage: str, message: str) -> None:
        """Tell the user something about `stage`, without secrets; one thing at a time."""
        with self._telling:
            self.events(Event("note", stage, self._scrub(message, longest=500)))

    def _twin(self, key: str) -> "_Twin":
        with self._lock:
            return self._twins.setdefault(key, _Twin())

    def _stored(self, key: str) -> ModelReply | None:
        stored = self._cache.get(key) if self._cache is not None else None
        return from_json(stored, from_cache=True) if stored is not None else None

    def _paid(self, request: ModelRequest) -> ModelReply:
        """Send `request` within the budget. The error that ended an earlier request for good ends this one at once."""
        tokens = prompt_estimate(request)
        price = self.meter.prices.of(self.settings.model, local=self.route.local)
        with self._places, self.meter.before(tokens, price.cost(ModelUsage(tokens)) if price else None):
            if self._fatal is not None:
                raise self._fatal
            try:
                reply = self._with_retries(request, tokens)
                self.meter.add(request.stage, reply.usage)
                return reply
            except Failure as problem:
                failure = problem
        self._give_up(failure)

    def _with_retries(self, request: ModelRequest, tokens: int) -> ModelReply:
        try:
            import tenacity
        except ImportError as problem:
            raise InfrastructureError(MISSING) from problem
        growing = tenacity.wait_random_exponential(multiplier=0.5, max=60)

        def wait(state: tenacity.RetryCallState) -> float:
            failure = state.outcome.exception() if state.outcome else None
            asked = failure.wait if isinstance(failure, Failure) else None
            return growing(state) if asked is None else min(asked, LONGEST_WAIT)

        retrying = tenacity.Retrying(
            retry=tenacity.retry_if_exception(lambda problem: self._passes(problem)),
            stop=tenacity.stop_after_attempt(self.settings.retries + 1),
            wait=wait,
            sleep=self._pause,
            before_sleep=lambda state: self._say_retry(request.stage, state),
            reraise=True,
        )
        return retrying(lambda: self._attempt(request, tokens))

    def _passes(self, problem: BaseException) -> bool:
        """Return whether trying again may help. An endpoint that never answered is wrongly named rather than restarting."""
        if not isinstance(problem, Failure) or self._closed.is_set():
            return False
        return problem.kind == "retry" or (problem.kind == "unreachable" and self._answered)

    def _say_retry(self, stage: str, state: Any) -> None:
        failure, seconds = state.outcome.exception(), state.next_action.sleep
        asked = (
            f" (it asks for {failure.wait:.0f} s; envgen waits {LONGEST_WAIT:.0f} s at most)" if (failure.wait or 0) > LONGEST_WAIT else ""
        )
        self.note(
            stage,
            f"{self.settings.model}: {failure}; trying again in {seconds:.1f} s{asked}, {state.attempt_number} of {self.settings.retries}",
        )

    def _attempt(self, request: ModelRequest, tokens: int) -> ModelReply:
        """Send `request`, as often as the dialect has to learn from a refusal."""
        price = self.meter.prices.of(self.settings.model, local=self.route.local)
        headers = {STAGE_HEADER: request.stage} if self.route.local else {}
        cap: int | None = None
        for _ in range(_MOST_CHANGES):
            draft = self._dialect.draft(self.route.model, self.settings, request, cap)
            try:
                body = self._open().send(draft.body, headers, self.settings.timeout)
                self._answered = True
                return read_body(body, self._scrub, estimate=tokens, price=price)
            except Failure as failure:
                self._answered = self._answered or failure.status > 0
                change = self._dialect.adapt(failure, draft, tokens) if failure.kind == "refused" else None
                if change is None:
                    raise
            if change.note:
                self.note(request.stage, f"{self.settings.model}: {change.note}")
            cap = change.cap or cap
        raise Failure("fatal", f"the endpoint refused the request in {_MOST_CHANGES} forms")

    def _open(self) -> Sender:
        with self._lock:
            if self._sender is None:
                self._sender = _sender(self.route, self._scrub)
            return self._sender

    def _give_up(self, failure: Failure) -> NoReturn:
        """Raise the error that `failure` is to the user; one that holds for every request is kept for the next ones."""
        served = self._open().models() if failure.kind == "model" else []
        problem = complaint(failure, self.route, served=served, attempts=self.settings.retries + 1)
        if failure.kind in ("key", "model", "unreachable") or (failure.kind == "fatal" and failure.status in (402, 429)):
            self._fatal = problem
        raise problem

    def close(self) -> None:
        """Close all connections and end all waiting between attempts. Idempotent; the cache and the meter are the caller's."""
        self._closed.set()
        if self._sender is not None:
            self._sender.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


def _sender(route: Route, scrub: Scrubber) -> Sender:
    return LitellmSender(route, scrub) if route.sdk == "litellm" else OpenAISender(route, scrub)


def _check(settings: ModelSettings) -> None:
    """UsageError for numbers that cannot be."""
    wrong: Mapping[str, bool] = {
        "max_tokens": settings.max_tokens < 1,
        "timeout": not 0 < settings.timeout < float("inf"),
        "retries": settings.retries < 0,
        "concurrency": settings.concurrency < 1,
        "temperature": settings.temperature is not None and not 0 <= settings.temperature <= 2,
    }
    for name, is_wrong in wrong.items():
        if is_wrong:
            raise UsageError(f"--{name.replace('_', '-')} {getattr(settings, name)} cannot be: see envgen synthesize --help for its range")
