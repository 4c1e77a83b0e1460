"""`envgen demo`: the whole road in one command."""

from pathlib import Path
from typing import Annotated

import typer


def demo(
    out: Annotated[Path | None, typer.Option("--out", help="Keep the bundle in this folder; a temporary one when not given.")] = None,
    seed: Annotated[int, typer.Option("--seed", help="Another seed, another library.")] = 1,
) -> None:
    """Make a small world, prove it, show a task, play it.

    The world is thrown away afterwards, unless --out names a folder for it.
    """
    from envgen.cli.tour import tour

    tour(out, seed)
