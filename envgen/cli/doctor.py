"""`envgen doctor`: what is installed here, and what is missing for what."""

import typer


def doctor() -> None:
    """Say what is installed here, and what is missing.

    Exit 3 when the base is incomplete.
    """
    from envgen.cli.installed import extras, versions

    lacking = []
    for name, version in versions().items():
        typer.echo(f"{name:<24} {version or 'missing'}")
        lacking += [] if version else [name]
    for extra, missing in extras().items():
        state = "installed" if not missing else f"lacks {', '.join(missing)}: pip install 'envgen-rl[{extra}]'"
        typer.echo(f"extra {extra:<18} {state}")
    if lacking:
        from envgen.core.errors import InfrastructureError

        raise InfrastructureError(f"the base is incomplete ({', '.join(lacking)}): pip install --upgrade envgen-rl")
