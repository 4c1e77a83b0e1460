"""What synthesis is asked for and what it reports: the contract between the command line and the pipeline."""

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

from envgen.core.types import JsonObject, Manifest

Size = Literal["small", "medium", "large"]
Level = Literal["easy", "medium", "hard"]


@dataclass(frozen=True)
class ModelOptions:
    """A model that proposes the environment, and what may be spent on it.

    model, base_url, temperature, reasoning_effort, max_tokens, timeout, concurrency: see `envgen.llm.types.ModelSettings`.
    tools: how many are asked for (None: by size). repairs: rounds of repair. reword: a model says the requests anew.
    check_ambiguity: independent attempts at each task. documents: a file or folder with material. branch: sector, role and workflow.
    cache: file of the response cache (None: the user's own). budget_usd, budget_tokens: the run stops before it passes them.
    """

    model: str
    base_url: str | None = None
    temperature: float | None = None
    reasoning_effort: str | None = None
    max_tokens: int = 16_000
    timeout: float = 300.0
    concurrency: int = 4
    tools: int | None = None
    repairs: int = 2
    reword: bool = False
    check_ambiguity: int = 0
    documents: Path | None = None
    branch: tuple[str, str, str] | None = None
    cache: Path | None = None
    budget_usd: float | None = None
    budget_tokens: int | None = None

    def identity(self) -> JsonObject:
        """Return what decides the outcome: neither places, nor budgets, nor how fast it goes. A base URL is a place."""
        chosen: dict[str, Any] = asdict(self)
        for name in ("base_url", "timeout", "concurrency", "cache", "budget_usd", "budget_tokens"):
            del chosen[name]
        chosen["documents"] = str(self.documents) if self.documents else None
        chosen["branch"] = list(self.branch) if self.branch else None
        return {name: value for name, value in chosen.items() if value not in (None, False, 0)}


@dataclass(frozen=True)
class SynthesisOptions:
    """One run. The domain is a checked phrase; `kinds` empty means all; `jobs` 0 means one process per core.

    proposer: the model that writes the environment (None: the offline grammar). resume: go on with a stopped run. force: replace the
    bundle at `out`. strict: the caller wants fewer kept than asked to be a failure.
    """

    domain: str
    out: Path
    size: Size = "medium"
    tasks: int = 20
    kinds: tuple[str, ...] = ()
    difficulty: Level | None = None
    seed: int = 0
    jobs: int = 0
    resume: bool = False
    force: bool = False
    strict: bool = False
    proposer: ModelOptions | None = None

    def identity(self) -> JsonObject:
        """Return the flags that decide what comes out, for the run ledger: without places, processes and modes."""
        chosen = asdict(self)
        for name in ("out", "jobs", "resume", "force", "strict", "seed", "proposer"):
            del chosen[name]
        model: JsonObject = {"model": self.proposer.identity()} if self.proposer else {}
        return chosen | {"kinds": list(self.kinds)} | model


@dataclass(frozen=True)
class SynthesisReport:
    """What came of a run. `rejected` counts tasks by the gate or reason that refused them; `seconds` is per stage.

    dropped: (kind, name, reason) of the parts of a model's proposal that were left out. usage: its calls, tokens and cost, per stage.
    """

    path: Path
    manifest: Manifest
    asked: int
    kept: int
    rejected: dict[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    seconds: dict[str, float] = field(default_factory=dict)
    dropped: tuple[tuple[str, str, str], ...] = ()
    usage: JsonObject = field(default_factory=dict)

    def headline(self) -> str:
        """Return "43 of 50 kept: 5 T8, 2 T11"."""
        reasons = ", ".join(f"{number} {reason}" for reason, number in self.rejected.items())
        return f"{self.kept} of {self.asked} kept" + (f": {reasons} rejected" if reasons else "")

    def to_json(self) -> JsonObject:
        """Return the report as JSON data."""
        return {
            "path": str(self.path),
            "digest": self.manifest.digest,
            "counts": dict(self.manifest.counts),
            "asked": self.asked,
            "kept": self.kept,
            "rejected": dict(self.rejected),
            "notes": list(self.notes),
            "seconds": {name: round(value, 3) for name, value in self.seconds.items()},
            **({"dropped": [dict(zip(("kind", "name", "reason"), item, strict=True)) for item in self.dropped]} if self.dropped else {}),
            **({"usage": self.usage} if self.usage else {}),
        }
