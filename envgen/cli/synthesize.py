"""`envgen synthesize`: from a domain phrase to a proven environment."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

MOST_TASKS = 5_000


class Size(StrEnum):
    """How big the world is."""

    small = "small"
    medium = "medium"
    large = "large"


class Level(StrEnum):
    """How hard the tasks are to be."""

    easy = "easy"
    medium = "medium"
    hard = "hard"


def synthesize(
    domain: Annotated[str | None, typer.Option("--domain", help='The business in a few words, such as "veterinary clinic".')] = None,
    size: Annotated[Size, typer.Option("--size", help="How big the world is.")] = Size.medium,
    tasks: Annotated[int, typer.Option("--tasks", min=1, max=MOST_TASKS, help="How many tasks to make.")] = 20,
    kinds: Annotated[str | None, typer.Option("--kinds", help="Only these kinds of goal, with commas, such as do,aggregate.")] = None,
    difficulty: Annotated[Level | None, typer.Option("--difficulty", help="Only tasks measured to be this hard.")] = None,
    seed: Annotated[int, typer.Option("--seed", help="The same seed gives the same bundle.")] = 0,
    out: Annotated[Path | None, typer.Option("--out", help="Folder of the bundle; generated/<domain> when not given.")] = None,
    jobs: Annotated[int, typer.Option("--jobs", min=0, max=256, help="Processes to use; 0 means one per core.")] = 0,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with a run that was stopped.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace the bundle that is there.")] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Exit 1 when fewer tasks are kept than were asked for.")] = False,
    list_domains: Annotated[bool, typer.Option("--list-domains", help="List the domains that have a lexicon, and exit.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Events as JSON lines; the last one is the report.")] = False,
) -> None:
    """Make an environment with tasks from a domain phrase.

    Only tasks that every gate passes are kept. Needs no model, no key and no network.
    """
    from envgen.cli import making

    if list_domains:
        typer.echo(making.domains())
        return
    options = making.options(
        domain,
        size=size.value,
        tasks=tasks,
        kinds=kinds,
        difficulty=difficulty.value if difficulty else None,
        seed=seed,
        out=out,
        jobs=jobs,
        resume=resume,
        force=force,
        strict=strict,
    )
    making.make(options, as_json=as_json)
