"""`envgen synthesize --family fused`: programs drawn and audited, tasks told, the whole set checked, the bundle written."""

import shutil
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import envgen
from envgen.bundle.read import read_bundle, read_manifest
from envgen.bundle.write import Content, check_target, write_bundle
from envgen.core.errors import UnsoundError, UsageError
from envgen.core.events import Event, Events, silent
from envgen.core.types import JsonObject, Manifest
from envgen.fused.compose import Composed, FusedOptions, compose
from envgen.fused.draw import Given
from envgen.fused.environment import SYSTEM
from envgen.fused.library_index import behaviour
from envgen.gates.composition import mix

TITLE = "Composed problems"
FEWEST = 6


@dataclass(frozen=True)
class FusedReport:
    """What came of a run. rejected counts programs and instances by the gate or reason that refused them."""

    path: Path
    manifest: Manifest
    asked: int
    kept: int
    programs: int
    rejected: dict[str, int] = field(default_factory=dict)
    seconds: float = 0.0

    def headline(self) -> str:
        """Return "43 of 50 kept: 5 G3 rejected"."""
        reasons = ", ".join(f"{number} {reason}" for reason, number in self.rejected.items())
        return f"{self.kept} of {self.asked} kept, of {self.programs} programs" + (f": {reasons} rejected" if reasons else "")

    def to_json(self) -> JsonObject:
        """Return the report as JSON data."""
        return {
            "path": str(self.path), "digest": self.manifest.digest, "counts": dict(self.manifest.counts), "asked": self.asked,
            "kept": self.kept, "programs": self.programs, "rejected": dict(self.rejected), "seconds": round(self.seconds, 3),
        }  # fmt: skip


def given_from(path: Path) -> Given:
    """Return the tasks of a bundle that are answered by an integer. UsageError when fewer than FEWEST are."""
    bundle = read_bundle(path)
    texts = {task.id: task.instruction for task in bundle.tasks}
    pool = [
        {"task": gold.task, "value": gold.answer.value, "text": texts[gold.task]}
        for gold in bundle.gold
        if gold.answer is not None and type(gold.answer.value) is int and gold.outcome == "done"
    ]
    if len(pool) < FEWEST:
        how = "make one with --kinds lookup,aggregate,quiz"
        raise UsageError(f"{path}: {len(pool)} tasks are answered by an integer, {FEWEST} are needed; {how}")
    return path.resolve().name, pool


def synthesize_fused(
    options: FusedOptions,
    out: Path,
    *,
    tools: bool = False,
    force: bool = False,
    events: Events = silent,
    others: Sequence[Path] = (),
) -> FusedReport:
    """Make a fused bundle at `out`. UsageError for a folder that exists; UnsoundError when no task or no sound set comes out.

    others: bundles whose integer answers the programs begin with; they are copied into the bundle.
    """
    check_target(out, force=force)
    options = replace(options, given=tuple(given_from(path) for path in others))
    started = time.perf_counter()
    events(Event("stage", "programs", f"{options.tasks} tasks of depth {options.depth}, each program through its audit"))
    made = Composed()
    for made in compose(options):
        events(Event("progress", "tasks", done=len(made.tasks), total=options.tasks))
    if not made.tasks:
        reasons = ", ".join(f"{number} {reason}" for reason, number in made.rejected.most_common(5))
        raise UnsoundError(f"no task was kept: {reasons or 'no program could be drawn'}. Try another --seed, or a smaller --depth")
    whole = mix(made.tasks, made.gold)
    if whole.status == "fail":
        raise UnsoundError(f"nothing was written: {whole.reason}. Try another --seed, or more --operators")
    events(Event("stage", "bundle", f"writing {out}"))
    digests = {path.resolve().name: read_manifest(path).digest for path in others}
    manifest = write_bundle(out, _content(options, out.name, made, tools, digests), force=force)
    for path in others:
        shutil.copytree(path, out / "with" / path.resolve().name)
    return FusedReport(
        out, manifest, options.tasks, len(made.tasks), len(made.programs), dict(made.rejected.most_common()), time.perf_counter() - started
    )


def _content(options: FusedOptions, name: str, made: Composed, tools: bool, others: dict[str, str]) -> Content:
    used = sorted({step["problem"] for program in made.programs.values() for step in program["steps"] if "problem" in step})
    environment: JsonObject = {
        "programs": list(made.programs.values()),
        "library": {each: behaviour(each) for each in used},
        "with_tools": tools,
        **({"with": others} if others else {}),
    }
    manifest = Manifest(
        name=name, family="fused", title=TITLE, counts={"programs": len(made.programs), "problems": len(used)},
        provenance={"generator": f"envgen {envgen.__version__}", "seed": options.seed, **options.identity(), "tools": tools},
    )  # fmt: skip
    ledger: JsonObject = {"command": "synthesize", "seed": options.seed, "rejected": dict(made.rejected.most_common())}
    evidence = [*made.evidence, mix(made.tasks, made.gold)]
    return Content(
        manifest=manifest, environment=environment, world=None, policy=SYSTEM + "\n", tasks=made.tasks, gold=made.gold, evidence=evidence,
        ledger=ledger,
    )  # fmt: skip
