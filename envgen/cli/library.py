"""`envgen library`: what worlds are made from."""

from typing import Annotated

import typer

from envgen.cli.group import Group

app = typer.Typer(cls=Group, help="What worlds are made from: business patterns.", no_args_is_help=False)
patterns = typer.Typer(cls=Group, help="The business patterns of the offline proposer.")
app.add_typer(patterns, name="patterns")


@patterns.command("list")
def list_patterns() -> None:
    """List the patterns, one a line, with what each is about."""
    from envgen.view.patterns import listing

    typer.echo(listing())


@patterns.command("show")
def show_pattern(name: Annotated[str, typer.Argument(help="A pattern's name.")]) -> None:
    """Show one pattern as it is written."""
    from envgen.view.patterns import source

    typer.echo(source(name), nl=False)


@patterns.command("check")
def check_patterns() -> None:
    """Check that every pattern and lexicon reads well; exit 1 when one does not."""
    from envgen.core.errors import UnsoundError
    from envgen.view.patterns import problems

    found = problems()
    for line in found:
        typer.echo(line)
    if found:
        raise UnsoundError(f"{len(found)} problems in templates/")
    typer.echo("every pattern and lexicon reads well")
