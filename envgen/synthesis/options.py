"""What synthesis is asked for and what it reports: the contract between the command line and the pipeline."""

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Literal

from envgen.core.types import JsonObject, Manifest

Size = Literal["small", "medium", "large"]
Level = Literal["easy", "medium", "hard"]


@dataclass(frozen=True)
class SynthesisOptions:
    """One run. The domain is a checked phrase; `kinds` empty means all; `jobs` 0 means one process per core.

    resume: go on with a stopped run. force: replace the bundle at `out`. strict: the caller wants fewer kept than asked to be a failure.
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

    def identity(self) -> JsonObject:
        """Return the flags that decide what comes out, for the run ledger: without places, processes and modes."""
        chosen = asdict(self)
        for name in ("out", "jobs", "resume", "force", "strict", "seed"):
            del chosen[name]
        return chosen | {"kinds": list(self.kinds)}


@dataclass(frozen=True)
class SynthesisReport:
    """What came of a run. `rejected` counts tasks by the gate or reason that refused them; `seconds` is per stage."""

    path: Path
    manifest: Manifest
    asked: int
    kept: int
    rejected: dict[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    seconds: dict[str, float] = field(default_factory=dict)

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
        }
