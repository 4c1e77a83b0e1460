"""A model as the proposer of one run: its client, cache and accounts, the environment that it writes, and the review of the requests."""

import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self

from envgen.bundle.ledger import RunLedger
from envgen.core.errors import UnsoundError
from envgen.core.events import Event, Events
from envgen.core.names import slug
from envgen.core.types import Evidence, JsonObject
from envgen.database.runtime import DatabaseEnvironment
from envgen.database.spec import EnvironmentSpec
from envgen.llm.budget import Meter
from envgen.llm.cache import ResponseCache
from envgen.llm.client import ModelClient
from envgen.llm.types import ModelSettings
from envgen.synthesis.author import Job
from envgen.synthesis.modelled import Built, propose_and_build
from envgen.synthesis.options import ModelOptions, SynthesisOptions
from envgen.synthesis.select import Selection
from envgen.synthesis.talk import Talk


def cache_path(options: ModelOptions) -> Path:
    """Return the file of the response cache: the one given, else replies.sqlite under ENVGEN_HOME or the user's cache folder."""
    if options.cache is not None:
        return options.cache
    home = os.environ.get("ENVGEN_HOME")
    base = Path(home) if home else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "envgen"
    return base / "replies.sqlite"


def settings_of(options: ModelOptions) -> ModelSettings:
    """Return how the model is reached."""
    return ModelSettings(
        model=options.model, base_url=options.base_url, temperature=options.temperature, max_tokens=options.max_tokens,
        reasoning_effort=options.reasoning_effort, timeout=options.timeout, concurrency=options.concurrency,
    )  # fmt: skip


def job_of(options: SynthesisOptions, model: ModelOptions) -> Job:
    """Return what the model is asked for, documents read. UsageError for documents that cannot be read."""
    found = None
    if model.documents is not None:
        from envgen.database.documents import read_documents

        found = read_documents(model.documents)
    branch = dict(zip(("sector", "role", "workflow"), model.branch, strict=True)) if model.branch else None
    return Job(
        domain=options.domain, name=slug(options.domain), size=options.size, seed=options.seed, tools=model.tools, branch=branch,
        documents=found,
    )  # fmt: skip


class Proposer:
    """The model of one run. Use it as a context manager: it holds connections and the cache."""

    def __init__(
        self,
        options: SynthesisOptions,
        model: ModelOptions,
        ledger: RunLedger,
        events: Events,
        accept: Callable[[EnvironmentSpec], str] | None = None,
    ) -> None:
        self.run, self.options, self._accept, self._events = options, model, accept, events
        self.job = job_of(options, model)
        self._meter = Meter(usd=model.budget_usd, tokens=model.budget_tokens)
        self._cache = ResponseCache(cache_path(model), events=events)
        try:
            self._client = ModelClient(settings_of(model), cache=self._cache, meter=self._meter, events=events)
        except BaseException:
            self._cache.close()
            raise
        self.talk = Talk(self._client, ledger, events, repairs=model.repairs)

    @property
    def dropped(self) -> list[tuple[str, str, str]]:
        """(kind, name, reason) of the parts that were left out."""
        return self.talk.dropped

    def build(self, seconds: dict[str, float]) -> Built:
        """Have the environment written, and build its world. UnsoundError when too little passes, or it is not wanted."""
        built = propose_and_build(self.talk, self.job, seconds)
        unwanted = self._accept(built.proposal.spec) if self._accept else ""
        if unwanted:
            raise UnsoundError(f"nothing was written: {unwanted}")
        return built

    def review(
        self, environment: DatabaseEnvironment, selection: Selection, evidence: list[Evidence], rejected: Counter[str]
    ) -> list[Evidence]:
        """Have the chosen requests said anew and tried, as the options ask; return the evidence that then holds."""
        if self.options.reword:
            from envgen.synthesis.reword import reword

            evidence = reword(self.talk, environment, selection, evidence)
        if self.options.check_ambiguity:
            from envgen.synthesis.ambiguity import check_ambiguity

            check_ambiguity(self.talk, environment, selection, self.options.check_ambiguity, rejected)
        return evidence

    def usage(self, kept: int) -> JsonObject:
        """Return calls, tokens and cost, per stage, in all and per kept task. A cost that is not known is null, never 0."""
        totals = self._meter.totals()
        usd, tokens = totals.get("usd"), totals.get("prompt_tokens", 0) + totals.get("completion_tokens", 0)
        each: JsonObject = {
            "tokens": round(tokens / kept) if kept else None,
            "usd": round(usd / kept, 6) if kept and usd is not None else None,
        }
        return {"stages": self._meter.stages(), "totals": totals, "per_kept_task": each}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if error is not None and not isinstance(error, GeneratorExit):
            spent = self._meter.totals()
            tokens = spent["prompt_tokens"] + spent["completion_tokens"]
            usd = "cost unknown" if spent["usd"] is None else f"${spent['usd']:.4f}"
            text = f"{spent['calls']} calls paid for, {spent['cached_calls']} from the cache; {tokens} tokens, {usd}"
            self._events(Event("note", "model", f"{text}. The answers are kept in {self._cache.path}"))
        self._client.close()
        self._cache.close()
