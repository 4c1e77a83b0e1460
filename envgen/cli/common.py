"""What several commands share: loading a bundle, picking a task, reading a line."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from envgen.core.errors import InfrastructureError, UsageError

if TYPE_CHECKING:
    from envgen.core.types import Task
    from envgen.database.runtime import DatabaseEnvironment


def load(path: str) -> "DatabaseEnvironment":
    """Load a bundle of a family that can be played here."""
    import envgen
    from envgen.database.runtime import DatabaseEnvironment

    environment = envgen.load(path)
    if not isinstance(environment, DatabaseEnvironment):
        raise UsageError(f"{path}: only bundles of the family 'database' can be played")
    return environment


def pick_task(environment: "DatabaseEnvironment", name: str | None) -> "Task":
    """Return the task whose id begins with `name`, or the first one."""
    tasks = environment.tasks()
    if not tasks:
        raise UsageError(f"{environment.manifest.name} has no tasks")
    return tasks[0] if name is None else environment.task(name)


FEW_TASKS = 12


def processes(jobs: int, tasks: int) -> int:
    """Return how many processes `--jobs` means for so many tasks: 0 is one per core, or one where starting them costs more."""
    return jobs or (1 if tasks < FEW_TASKS else os.cpu_count() or 1)


def comma_separated(text: str | None) -> list[str] | None:
    """Return the parts of a list with commas; None for no list."""
    return None if text is None else [part.strip() for part in text.split(",") if part.strip()]


def write_file(path: Path, text: str) -> None:
    """Write `text` to `path`, whole or not at all. InfrastructureError when it cannot be written."""
    temporary = path.with_name(f".{path.name}.partial")
    try:
        temporary.write_text(text, encoding="utf-8")
        temporary.replace(path)
    except OSError as problem:
        raise InfrastructureError(f"{path} cannot be written ({problem.strerror})") from problem


def prompt(text: str) -> str:
    """Read one line; the prompt is shown on a terminal only. EOFError at the end of the input."""
    if sys.stdin.isatty():
        return input(text)
    line = sys.stdin.readline()
    if not line:
        raise EOFError
    typer.echo(f"{text}{line.rstrip()}")
    return line.rstrip("\n")
