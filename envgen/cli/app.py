"""The `envgen` command: what it is made of, and how every error becomes one line and an exit code.

Exit codes: 0 ok, 1 what was checked is not sound, 2 wrong usage, 3 the machine failed, 130 stopped by Ctrl-C.
Importing this module loads typer and the standard library only; each command fetches what it needs when it runs.
"""

import os
import sys
import traceback
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from envgen import __version__
from envgen.cli import demo, doctor, library, play, rollout, schema, show, synthesize, validate
from envgen.cli.group import Group
from envgen.core.errors import EnvgenError


class App(typer.Typer):
    """The application; calling it runs the command line and exits."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run with the process's arguments and exit with the right code."""
        sys.exit(main())


app = App(
    name="envgen",
    cls=Group,
    help="Make training environments for language-model agents, prove them sound, play them.",
    epilog="First steps: envgen demo, then envgen synthesize --domain 'veterinary clinic' --tasks 20",
    context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode=None,
    add_completion=False,
)
for name, command in (
    ("demo", demo.demo),
    ("synthesize", synthesize.synthesize),
    ("validate", validate.validate),
    ("show", show.show),
    ("play", play.play),
    ("rollout", rollout.rollout),
    ("schema", schema.schema),
    ("doctor", doctor.doctor),
):
    app.command(name)(command)
app.add_typer(library.app, name="library")


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"envgen {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _root(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.", callback=_version, is_eager=True)] = False,
) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line on `arguments` (the process's own when None) and return the exit code. Prints errors as one line."""
    argv = list(sys.argv[1:] if arguments is None else arguments)
    try:
        code = typer.main.get_command(app).main(args=argv, prog_name="envgen", standalone_mode=False)
        code = code if isinstance(code, int) else 0
        return _say("stopped", 130) if code == 130 else code
    except EnvgenError as problem:
        return _say(str(problem), problem.exit_code)
    except BrokenPipeError:
        # The reader of a pipe has gone (`envgen show | head`): no error, and nothing more to print.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (Exception, KeyboardInterrupt) as problem:
        return _other(problem)


def _other(problem: BaseException) -> int:
    # typer brings click's exceptions from one of two packages, so they are told apart by what they can do.
    if hasattr(problem, "format_message"):
        return _say(problem.format_message(), getattr(problem, "exit_code", 2))
    if isinstance(problem, KeyboardInterrupt) or type(problem).__name__ == "Abort":
        return _say("stopped", 130)
    if isinstance(problem, ModuleNotFoundError) and problem.name and not problem.name.startswith("envgen"):
        return _say(f"{problem.name} is not installed. This command needs more: pip install 'envgen-rl[synth]'", 3)
    if isinstance(problem, OSError):
        where = f"{problem.filename}: " if problem.filename else ""
        return _say(f"{where}{problem.strerror or problem}", 3)
    if os.environ.get("ENVGEN_TRACEBACK"):
        traceback.print_exception(problem)
    return _say(f"unexpected {type(problem).__name__}: {problem}. ENVGEN_TRACEBACK=1 shows where; please report it", 3)


def _say(text: str, code: int) -> int:
    sys.stderr.write(f"envgen: {' '.join(text.split())}\n")
    return code
