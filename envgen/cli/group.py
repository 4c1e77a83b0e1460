"""A command group that answers a wrong verb with the right one."""

import difflib
from typing import Any

from typer.core import TyperGroup

from envgen.core.errors import UsageError

SYNONYMS = {
    "generate": "synthesize",
    "synthesise": "synthesize",
    "synth": "synthesize",
    "create": "synthesize",
    "make": "synthesize",
    "build": "synthesize",
    "new": "synthesize",
    "check": "validate",
    "verify": "validate",
    "test": "validate",
    "gates": "validate",
    "inspect": "show",
    "info": "show",
    "describe": "show",
    "cat": "show",
    "try": "play",
    "eval": "rollout",
    "evaluate": "rollout",
    "run": "rollout",
    "schemas": "schema",
    "patterns": "library patterns",
    "version": "--version",
}


class Group(TyperGroup):
    """As typer's group, with a suggestion in the error."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command that `args` name; UsageError with the nearest one otherwise."""
        name = args[0] if args else ""
        if name not in self.commands and not name.startswith("-"):
            raise UsageError(no_command(ctx.command_path, name, list(self.commands)))
        return super().resolve_command(ctx, args)


def no_command(path: str, name: str, known: list[str]) -> str:
    """Return the error for a command that does not exist."""
    near = difflib.get_close_matches(name.lower(), [*known, *SYNONYMS], 1)
    guess = (near[0] if near[0] in known else SYNONYMS[near[0]]) if near else ""
    if guess and (guess.split()[0] in known or guess == "--version"):
        return f"there is no command {name!r}. Did you mean `{path} {guess}`?"
    return f"there is no command {name!r}. The commands are: {', '.join(known)}"
