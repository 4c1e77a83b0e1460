"""`python -m envgen` is the same as the `envgen` command."""

from envgen.cli.app import app

app()
