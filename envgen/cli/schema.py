"""`envgen schema`: the JSON Schemas of everything that is stored."""

from pathlib import Path
from typing import Annotated

import typer


def schema(
    out: Annotated[Path | None, typer.Option("--out", help="Folder to write to; schemas/ when not given.")] = None,
    check: Annotated[bool, typer.Option("--check", help="Write nothing; exit 1 when a file differs from the types.")] = False,
) -> None:
    """Write the JSON Schemas of what is stored, or check them."""
    from envgen.bundle import schemas
    from envgen.core.data import data_path
    from envgen.core.errors import UnsoundError
    from envgen.database.language import Proposal
    from envgen.database.spec import EnvironmentSpec

    types = {**schemas.CORE, "environment": EnvironmentSpec, "proposal": Proposal}
    folder = out or data_path("schemas")
    if check:
        stale = schemas.stale(types, folder)
        if stale:
            raise UnsoundError(f"{folder}: {', '.join(stale)} differ from the types; run `envgen schema`")
        typer.echo(f"{folder}: {len(types)} schemas are in step with the types")
        return
    for path in schemas.write(types, folder):
        typer.echo(path)
