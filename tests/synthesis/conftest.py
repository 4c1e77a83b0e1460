"""One small bundle for the tests of what comes after the tasks."""

from pathlib import Path

import pytest

from envgen.cli.app import main


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small offline bundle of ten tasks, some of them twins."""
    out = tmp_path_factory.mktemp("offline") / "library"
    words = ["--domain", "public library", "--size", "small", "--tasks", "10", "--kinds", "do,lookup,conditional", "--jobs", "1"]
    assert main(["synthesize", *words, "--out", str(out)]) == 0
    return out
