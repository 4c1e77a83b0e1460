"""What `envgen demo` does, step by step."""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import typer

from envgen.bundle.read import read_bundle
from envgen.cli import making
from envgen.cli.common import load
from envgen.cli.output import Reporter
from envgen.core.errors import UnsoundError
from envgen.core.types import Task
from envgen.gates.validate import validate_bundle
from envgen.rollout.policies import scripted
from envgen.rollout.runs import rollout
from envgen.view.report import report_text
from envgen.view.text import task_text

TASKS = 6
DOMAIN = "public library"


def tour(out: Path | None, seed: int) -> None:
    """Make, validate, show, play. UnsoundError when a step does not come out as it must."""
    with _folder(out) as folder, Reporter() as report:
        target = folder / "demo-library"
        options: dict[str, Any] = {"size": "small", "tasks": TASKS, "difficulty": None, "seed": seed, "jobs": 0, "resume": False}
        options["force"] = out is not None
        made = making.run(making.options(DOMAIN, kinds=None, out=target, strict=False, **options), report)
        typer.echo(f"\n1. made: {DOMAIN}, {made.headline()}")
        checked = validate_bundle(target, events=report)
        typer.echo(f"\n2. every gate again, from the bundle alone:\n{report_text(checked)}")
        environment = load(str(target))
        typer.echo(f"\n3. one of the tasks:\n{_indent(task_text(read_bundle(target), _readable(environment.tasks()), gold=False))}")
        rewards = {}
        for name in ("oracle", "noop"):
            _, summary = rollout(environment, scripted(name), seed=seed, root=folder / "runs")
            rewards[name] = summary.to_json()["mean_reward"]
        typer.echo(f"\n4. played: the oracle earns {rewards['oracle']:g}, doing nothing earns {rewards['noop']:g}")
        if not checked.sound or rewards != {"oracle": 1.0, "noop": 0.0}:
            raise UnsoundError("the demo bundle is not sound; please report this with the output above")
    kept = f"kept in {target}" if out else "thrown away; --out keeps it"
    typer.echo(f'   ({kept})\n\nnext:\n  envgen synthesize --domain "veterinary clinic" --tasks 20')


def _readable(tasks: Sequence[Task]) -> Task:
    """The task that shows most in few words: the one with the most kinds of goal, then the shortest."""
    return min(tasks, key=lambda task: (-len(set(task.kinds)), len(task.instruction)))


def _indent(text: str) -> str:
    return "\n".join(f"   {line}".rstrip() for line in text.splitlines())


@contextmanager
def _folder(out: Path | None) -> Iterator[Path]:
    if out is not None:
        yield out
        return
    with tempfile.TemporaryDirectory(prefix="envgen-demo-") as folder:
        yield Path(folder)
