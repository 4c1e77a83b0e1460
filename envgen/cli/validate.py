"""`envgen validate`: run every gate again, from the bundle alone."""

from pathlib import Path
from typing import Annotated

import typer


def validate(
    bundle: Annotated[Path, typer.Argument(help="A bundle folder.")],
    jobs: Annotated[int, typer.Option("--jobs", min=0, max=256, help="Processes to use; 0 means one per core.")] = 0,
    gates: Annotated[str | None, typer.Option("--gates", help="Only these gates, with commas, such as E3,T10.")] = None,
    junit: Annotated[Path | None, typer.Option("--junit", help="Also write a JUnit report to this file, for CI.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Events as JSON lines; the last one is the report.")] = False,
) -> None:
    """Prove a bundle sound again, from its files alone.

    Runs every gate; exit 0 when all pass, 1 when one fails.
    """
    from envgen.bundle.read import read_manifest
    from envgen.cli.common import comma_separated, processes, write_file
    from envgen.cli.output import Reporter, emit
    from envgen.gates.composition import validate_fused
    from envgen.gates.validate import validate_bundle
    from envgen.view.report import report_text

    manifest = read_manifest(bundle)
    with Reporter(json=as_json) as report:
        if manifest.family == "fused":
            result = validate_fused(bundle, gates=comma_separated(gates), events=report)
        else:
            jobs = processes(jobs, manifest.counts.get("tasks", 0))
            result = validate_bundle(bundle, jobs=jobs, gates=comma_separated(gates), events=report)
    if junit:
        write_file(junit, result.to_junit())
    if as_json:
        emit({"event": "report", **result.to_json()})
    else:
        typer.echo(report_text(result))
    if not result.sound:
        raise typer.Exit(1)
