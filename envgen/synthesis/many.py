"""Many domains: branches of the taxonomy drawn evenly, a new business asked for in each, near-duplicates refused."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from envgen.bundle.ledger import ledger_path, remove, unfinished
from envgen.core.digest import derive_seed
from envgen.core.errors import BadAnswer, BudgetReached, EnvgenError, ModelError, UnsoundError, UsageError
from envgen.core.events import Event, Events, silent
from envgen.core.names import check_phrase, slug
from envgen.core.types import JsonObject
from envgen.database.model.prompts import render
from envgen.database.model.wire import Wire
from envgen.llm.budget import Meter
from envgen.llm.cache import ResponseCache
from envgen.llm.client import ModelClient
from envgen.llm.structured import ask
from envgen.llm.types import ModelRequest
from envgen.synthesis.novelty import Archive, signature
from envgen.synthesis.options import ModelOptions, SynthesisOptions, SynthesisReport
from envgen.synthesis.pipeline import synthesize
from envgen.synthesis.proposer import cache_path, settings_of
from envgen.synthesis.taxonomy import Branch, Coverage

TRIES = 3
# A seed that a person can type, and that SQLite can hold.
MOST_SEED = 2**31
COVERAGE = "coverage.jsonl"


class WireDomain(Wire):
    """Reply of the stage `domain`."""

    domain: str
    about: str = ""


@dataclass
class ManyReport:
    """What came of a run: one report per environment, and (domain, why) for what was not kept."""

    folder: Path
    asked: int
    made: list[SynthesisReport] = field(default_factory=list)
    refused: list[tuple[str, str]] = field(default_factory=list)
    sectors: list[tuple[str, int]] = field(default_factory=list)
    already: int = 0

    def headline(self) -> str:
        """Return "2 of 3 environments made: 1 refused"."""
        made = len(self.made) + self.already
        return f"{made} of {self.asked} environments made" + (f": {len(self.refused)} refused" if self.refused else "")

    def to_json(self) -> JsonObject:
        """Return the report as JSON data."""
        return {
            "folder": str(self.folder), "asked": self.asked, "already": self.already, "made": [report.to_json() for report in self.made],
            "refused": [{"domain": name, "reason": why} for name, why in self.refused], "sectors": dict(self.sectors),
        }  # fmt: skip


def synthesize_many(count: int, options: SynthesisOptions, events: Events = silent) -> ManyReport:
    """Make `count` environments of different businesses below the folder `options.out`; what is there already counts.

    The folder keeps `coverage.jsonl`, by which a later run, or another process, goes on evenly. `options.domain` is not used.
    Errors: UsageError without a model; BudgetReached and the client's errors, after which what is done stays.
    """
    model = options.proposer
    if model is None:
        raise UsageError("--count asks a model for businesses: give --model")
    with _client(model, events) as client:
        return _Many(client, options, model, events).make(count)


@contextmanager
def _client(model: ModelOptions, events: Events) -> Iterator[ModelClient]:
    cache = ResponseCache(cache_path(model), events=events)
    try:
        meter = Meter(usd=model.budget_usd, tokens=model.budget_tokens)
        with ModelClient(settings_of(model), cache=cache, meter=meter, events=events) as client:
            yield client
    finally:
        cache.close()


class _Many:
    """One run: draws branches until enough environments are there, or TRIES times as many were tried."""

    def __init__(self, client: ModelClient, options: SynthesisOptions, model: ModelOptions, events: Events) -> None:
        self.client, self.options, self.model, self.events = client, options, model, events
        self.coverage = Coverage.open(options.out / COVERAGE)
        self.archive = Archive.load(options.out)

    def make(self, count: int) -> ManyReport:
        """Return what came of the run. UnsoundError when nothing did."""
        drawn = self.coverage.drawn()
        report = ManyReport(self.options.out, count, already=min(sum(1 for each in drawn if each.bundle), count))
        for number in range(len(drawn), len(drawn) + TRIES * count):
            if len(report.made) + report.already >= count:
                break
            self._one(number, report)
        report.sectors = [(name, times) for name, times in self.coverage.table() if times]
        if not report.made and not report.already:
            raise UnsoundError(f"no environment was made: {'; '.join(f'{name}: {why}' for name, why in report.refused[:3])}")
        return report

    def _one(self, number: int, report: ManyReport) -> None:
        """Draw a branch, ask for a business, make its environment, and record what became of it."""
        options, branch = self.options, self.coverage.next(self.options.seed, number)
        domain = self._domain(branch, number)
        self.events(Event("stage", "domain", f"{number + 1}: {domain} ({branch.sector})"))
        out = options.out / slug(domain)
        model = replace(self.model, branch=(branch.sector, branch.role, branch.workflow), **self._budget_left(report))
        chosen = replace(options, domain=domain, out=out, proposer=model, seed=derive_seed(options.seed, "domain", number) % MOST_SEED)
        # A run that was stopped in the middle of this very business goes on.
        chosen = replace(chosen, resume=unfinished(ledger_path(out)))
        try:
            result = synthesize(chosen, self.events, accept=lambda spec: self.archive.refuses(signature(spec)))
        except (BudgetReached, ModelError, UsageError):
            raise
        except EnvgenError as problem:
            remove(ledger_path(out))
            report.refused.append((domain, str(problem)))
            self.coverage.add(branch, domain, None)
            return
        report.made.append(result)
        self.archive = Archive.load(options.out)
        self.coverage.add(branch, domain, out.name)

    def _budget_left(self, report: ManyReport) -> JsonObject:
        """What the environments made so far and the questions for businesses have left of the budget."""
        spent = [self.client.meter.totals(), *(result.usage["totals"] for result in report.made)]
        tokens = sum(each["prompt_tokens"] + each["completion_tokens"] for each in spent)
        usd = sum(each["usd"] or 0.0 for each in spent)
        return {
            "budget_tokens": None if self.model.budget_tokens is None else max(0, self.model.budget_tokens - tokens),
            "budget_usd": None if self.model.budget_usd is None else max(0.0, self.model.budget_usd - usd),
        }

    def _domain(self, branch: Branch, number: int) -> str:
        """Ask for a business of this branch that is not among those made; the branch itself names it when no answer is of use."""
        made = [drawn.domain for drawn in self.coverage.drawn()]

        def check(reply: WireDomain) -> list[str]:
            try:
                phrase = check_phrase(reply.domain)
            except UsageError as problem:
                return [str(problem)]
            return [f"{phrase!r} was made already"] if phrase.casefold() in {name.casefold() for name in made} else []

        request = ModelRequest(stage="domain", messages=render("domain", branch=branch, made=made[-60:]), sample=number)
        try:
            return check_phrase(ask(self.client, request, WireDomain, check=check).domain)
        except BadAnswer:
            return check_phrase(f"{branch.workflow} in {branch.sector}"[:150])
