"""`envgen demo`: the whole road in one command."""

from pathlib import Path
from typing import Annotated

import typer


def demo(
    out: Annotated[Path | None, typer.Option("--out", help="Keep the bundle in this folder; a temporary one when not given.")] = None,
    seed: Annotated[int, typer.Option("--seed", help="Another seed, another library.")] = 0,
) -> None:
    """Make a small world, prove it sound, show one of its tasks, and play it with a policy that knows and one that does nothing."""
    from envgen.cli.tour import tour

    tour(out, seed)
