from envgen.cli.app import app

if __name__ == "__main__":  # processes that envgen starts import this file again
    app()
