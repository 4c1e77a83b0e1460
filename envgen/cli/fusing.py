"""The parts of `envgen synthesize` that concern the family `fused`."""

import shlex
from pathlib import Path

import typer

from envgen.cli.common import comma_separated
from envgen.cli.output import Reporter, emit, table
from envgen.core.errors import UnsoundError, UsageError
from envgen.fused.compose import FusedOptions
from envgen.synthesis.fusing import FusedReport, synthesize_fused

DEEPEST, HIGHEST = 12, 50


def make(
    *,
    tasks: int,
    depth: int,
    level: int | None,
    operators: str | None,
    seed: int,
    out: Path | None,
    tools: bool,
    others: list[Path],
    force: bool,
    strict: bool,
    as_json: bool,
) -> None:
    """Make a fused bundle and print what came of it. UsageError for numbers out of range."""
    if not 1 <= depth <= DEEPEST or (level is not None and not 0 <= level <= HIGHEST):
        raise UsageError(f"--depth is 1 to {DEEPEST}, and --level 0 to {HIGHEST}")
    chosen = comma_separated(operators)
    options = FusedOptions(tasks=tasks, depth=depth, level=level, seed=seed)
    if chosen is not None:
        options = FusedOptions(tasks=tasks, depth=depth, level=level, seed=seed, operators=tuple(chosen))
    target = out or Path("generated") / f"composed-{depth}-{seed}"
    with Reporter(json=as_json) as report:
        result = synthesize_fused(options, target, tools=tools, force=force, events=report, others=others)
    if as_json:
        emit({"event": "result", "seed": seed, **result.to_json()})
    else:
        typer.echo(summary(result, seed))
    if strict and result.kept < result.asked:
        raise UnsoundError(f"--strict: {result.headline()}")


def summary(result: FusedReport, seed: int) -> str:
    """Return the table of what was made and rejected, and the commands to type next."""
    counts = result.manifest.counts
    rows: list[tuple[str, int]] = [(name, counts[name]) for name in ("programs", "problems", "tasks") if name in counts]
    rows += [(f"{name} tasks", number) for name, number in result.manifest.splits.items()]
    path = shlex.quote(str(result.path))
    follow = [f"envgen show {path}", f"envgen validate {path}"]
    head = ["", f"{result.path}  seed {seed}  {result.manifest.digest[:12]}", table(("what", "number"), rows), "", result.headline()]
    return "\n".join([*head, f"seconds: {result.seconds:.1f}", "", "next:", *(f"  {line}" for line in follow)])
