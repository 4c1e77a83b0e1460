from envgen.cli.app import app

app()
