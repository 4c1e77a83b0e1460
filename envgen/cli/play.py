"""`envgen play`: a person plays a task."""

from typing import Annotated

import typer


def play(
    bundle: Annotated[str, typer.Argument(help="A bundle folder.")],
    task: Annotated[str | None, typer.Argument(help="A task id, or the start of one; the first task when not given.")] = None,
    seed: Annotated[int, typer.Option("--seed", help="Seed of the episode.")] = 0,
) -> None:
    """Play a task yourself at a prompt.

    Call tools, undo, submit, and have the verdict explained.
    """
    from envgen.cli.common import load, pick_task, prompt
    from envgen.rollout.interactive import Game

    environment = load(bundle)
    Game(environment.start(pick_task(environment, task), seed=seed), prompt, typer.echo).play()
