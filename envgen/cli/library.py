"""`envgen library`: what worlds are made from."""

from typing import Annotated

import typer

from envgen.cli.group import Group

app = typer.Typer(cls=Group, help="What worlds are made from: business patterns, base problems.", no_args_is_help=False)
patterns = typer.Typer(cls=Group, help="The business patterns of the offline proposer.")
app.add_typer(patterns, name="patterns")
problems_app = typer.Typer(cls=Group, help="The base problems of the family fused.")
app.add_typer(problems_app, name="problems")


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


@problems_app.command("list")
def list_problems() -> None:
    """List the base problems, one a line, with their ports and answers."""
    from envgen.view.problems import listing

    typer.echo(listing())


@problems_app.command("show")
def show_problem(
    name: Annotated[str, typer.Argument(help="A problem's name.")],
    level: Annotated[int, typer.Option("--level", min=0, max=50, help="Difficulty of the instance shown.")] = 1,
    seed: Annotated[int, typer.Option("--seed", help="Another instance.")] = 0,
) -> None:
    """Show one problem: ports, an instance with its answer, and its wordings."""
    from envgen.view.problems import problem_text

    typer.echo(problem_text(name, level=level, seed=seed))


@problems_app.command("check")
def check_problems(name: Annotated[str | None, typer.Argument(help="A problem's name; all without.")] = None) -> None:
    """Run every contract test on one problem or all; exit 1 when something is wrong."""
    from envgen.core.errors import UnsoundError
    from envgen.view.problems import checked

    lines, wrong = checked(name)
    typer.echo("\n".join(lines))
    if wrong:
        raise UnsoundError(f"{wrong} problems do not fit the library")


@problems_app.command("pairs")
def pairs(write: Annotated[bool, typer.Option("--write", help="Audit all pairs and write the table anew.")] = False) -> None:
    """Show how many edges the pair table has, or build it anew."""
    from envgen.view.problems import pair_table

    typer.echo(pair_table(write=write))
