"""`envgen show`: what is in a bundle, as a person or as the agent sees it; or what a run came to."""

from typing import Annotated

import typer


def show(
    bundle: Annotated[str, typer.Argument(help="A bundle folder, or a run: a run folder or @last.")],
    task: Annotated[str | None, typer.Argument(help="A task id, or the start of one.")] = None,
    gold: Annotated[bool, typer.Option("--gold", help="Add the reference solution and what the gates saw.")] = False,
    as_agent: Annotated[bool, typer.Option("--as-agent", help="Print exactly the messages and tool schemas that a model gets.")] = False,
    split: Annotated[str | None, typer.Option("--split", help="List only the tasks of this split.")] = None,
) -> None:
    """Show a bundle, one of its tasks, or a run.

    A bundle is shown with its schema, tools, tool graph, rules and tasks.
    """
    from envgen.view import text

    typer.echo(text.show(bundle, task, gold=gold, as_agent=as_agent, split=split))
