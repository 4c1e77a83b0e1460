"""What model calls cost: prices per model, accounts per stage, and a budget that stops before the next call.

A price that is not known stays unknown: no sum treats it as 0.
"""

import os
import re
import threading
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from envgen.core.data import data_path
from envgen.core.errors import BudgetReached, UsageError
from envgen.core.types import JsonObject
from envgen.llm.types import ModelUsage

__all__ = ["BudgetReached", "Meter", "Price", "Prices", "estimate_tokens", "load_prices"]

OWN_PRICES = "ENVGEN_PRICES"
_DATED = re.compile(r"-(\d{4}-\d{2}-\d{2}|\d{8})$")
_CHARACTERS_PER_TOKEN = 4


def estimate_tokens(text: str) -> int:
    """Return about how many tokens `text` is, at four characters each; never under 1."""
    return max(1, len(text) // _CHARACTERS_PER_TOKEN)


@dataclass(frozen=True, slots=True)
class Price:
    """USD per million tokens: of the prompt, of the part of it in the provider's cache, of the answer."""

    input: float
    cached: float
    output: float

    def cost(self, usage: ModelUsage) -> float:
        """Return what `usage` costs, in USD."""
        fresh = usage.prompt_tokens - usage.cached_tokens
        return (fresh * self.input + usage.cached_tokens * self.cached + usage.completion_tokens * self.output) / 1_000_000


@dataclass(frozen=True, slots=True)
class Prices:
    """`public`: the prices at the providers' own endpoints. `own`: the user's, which come first and hold for any endpoint."""

    public: Mapping[str, Price] = field(default_factory=dict)
    own: Mapping[str, Price] = field(default_factory=dict)

    def of(self, model: str, *, local: bool = False) -> Price | None:
        """Return the price of `model` (with or without provider and date), None when unknown. `local`: at an endpoint of the user's."""
        name = model.removeprefix("litellm/")
        tables = [self.own] if local else [self.own, self.public]
        return next((price for table in tables for price in _matches(table, name)), None)


def _matches(table: Mapping[str, Price], name: str) -> Iterator[Price]:
    for candidate in (name, _DATED.sub("", name)):
        names = (candidate, candidate.removeprefix("openai/")) if "/" in candidate else (candidate, f"openai/{candidate}")
        yield from (table[each] for each in names if each in table)


def load_prices(path: str | Path | None = None) -> Prices:
    """Return the table that ships with envgen, or `path`, and the user's own from the TOML file that ENVGEN_PRICES names.

    UsageError when a file cannot be read or a price is not a number of USD per million tokens.
    """
    own = os.environ.get(OWN_PRICES, "").strip()
    return Prices(_read(Path(path) if path else data_path("templates/prices.toml")), _read(Path(own)) if own else {})


def _read(path: Path) -> dict[str, Price]:
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as problem:
        raise UsageError(f"the price table {path} cannot be read: {problem}") from problem
    return {name: _price(path, name, entry) for name, entry in document.get("models", {}).items()}


def _price(path: Path, name: str, entry: Any) -> Price:
    wanted = 'expected "name" = { input = 0.25, cached = 0.025, output = 2.0 } (USD per million tokens) below [models]'
    if not isinstance(entry, dict) or not {"input", "output"} <= entry.keys() <= {"input", "cached", "output"}:
        raise UsageError(f"{path}: {name}: {wanted}")
    numbers = {key: value for key, value in entry.items() if type(value) in (int, float) and 0 <= value < float("inf")}
    if len(numbers) != len(entry):
        raise UsageError(f"{path}: {name}: a price is not a number of at least 0; {wanted}")
    return Price(float(numbers["input"]), float(numbers.get("cached", numbers["input"])), float(numbers["output"]))


@dataclass(slots=True)
class _Account:
    calls: int = 0
    cached_calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    usd: float | None = 0.0

    def add(self, usage: ModelUsage, *, cached: bool) -> None:
        if cached:
            self.cached_calls += 1
            return
        self.calls += 1
        self.prompt_tokens += usage.prompt_tokens
        self.completion_tokens += usage.completion_tokens
        self.usd = None if self.usd is None or usage.usd is None else self.usd + usage.usd

    def to_json(self) -> JsonObject:
        return {
            "calls": self.calls,
            "cached_calls": self.cached_calls,
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": self.completion_tokens,
            "usd": None if self.usd is None else round(self.usd, 9),
        }


class Meter:
    """The accounts of one run, and its budget. Safe to use from several threads.

    usd, tokens: the budget, None for none. It is checked before each call against what is spent and an estimate of the prompts under
    way, so that a run can pass it by the answers that were under way at that moment, and by no more.
    """

    def __init__(self, *, usd: float | None = None, tokens: int | None = None, prices: Prices | None = None) -> None:
        if (usd is not None and not 0 <= usd < float("inf")) or (tokens is not None and tokens < 0):
            raise UsageError("a budget is a number of at least 0")
        self.usd, self.tokens = usd, tokens
        self.prices = prices if prices is not None else load_prices()
        self._stages: dict[str, _Account] = {}
        self._flight_tokens, self._flight_usd = 0, 0.0
        self._lock = threading.Lock()

    def require_price(self, model: str, *, local: bool) -> None:
        """Raise UsageError when there is a budget in USD and the price of `model` is unknown."""
        if self.usd is not None and self.prices.of(model, local=local) is None:
            raise UsageError(
                f"--budget-usd needs the price of {model}, which is unknown{' at an endpoint of your own' if local else ''}: "
                f"use --budget-tokens, or give the price in a TOML file that {OWN_PRICES} names"
            )

    @contextmanager
    def before(self, tokens: int, usd: float | None = None) -> Iterator[Self]:
        """Hold `tokens` (and `usd`) of the budget while a call is under way. BudgetReached when they do not fit any more."""
        with self._lock:
            self._check(tokens, usd or 0.0)
            self._flight_tokens += tokens
            self._flight_usd += usd or 0.0
        try:
            yield self
        finally:
            with self._lock:
                self._flight_tokens -= tokens
                self._flight_usd -= usd or 0.0

    def _check(self, tokens: int, usd: float) -> None:
        total = self._total()
        spent = total.prompt_tokens + total.completion_tokens
        if self.tokens is not None and spent + self._flight_tokens + tokens > self.tokens:
            raise BudgetReached(
                f"the budget of {self.tokens:,} tokens is reached: {spent:,} are used and the next prompt has about {tokens:,}. "
                "What is done is kept; run again with a larger --budget-tokens to go on"
            )
        if self.usd is not None and (total.usd or 0.0) + self._flight_usd + usd > self.usd:
            raise BudgetReached(
                f"the budget of {self.usd:.2f} USD is reached: {total.usd or 0.0:.4f} are spent and the next prompt costs about "
                f"{usd:.4f}. What is done is kept; run again with a larger --budget-usd to go on"
            )

    def add(self, stage: str, usage: ModelUsage, *, cached: bool = False) -> None:
        """Enter one answered call of `stage`. One from the response cache counts as a cached call and costs nothing."""
        with self._lock:
            self._stages.setdefault(stage, _Account()).add(usage, cached=cached)

    def stages(self) -> dict[str, JsonObject]:
        """Return the accounts per stage: calls, cached_calls, prompt_tokens, completion_tokens, usd (None: unknown)."""
        with self._lock:
            return {stage: account.to_json() for stage, account in sorted(self._stages.items())}

    def totals(self) -> JsonObject:
        """Return the sum of all stages, in the same fields. `usd` is None as soon as the price of one paid call is unknown."""
        with self._lock:
            return self._total().to_json()

    def _total(self) -> _Account:
        total = _Account()
        for account in self._stages.values():
            total.calls += account.calls
            total.cached_calls += account.cached_calls
            total.prompt_tokens += account.prompt_tokens
            total.completion_tokens += account.completion_tokens
            total.usd = None if total.usd is None or account.usd is None else total.usd + account.usd
        return total
