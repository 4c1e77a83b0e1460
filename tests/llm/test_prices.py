"""The price table is in step with the price file of the litellm that is pinned."""

import importlib.metadata
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "benchmarks" / "prices.py"
PINNED = "1.110.2"


def test_the_table_is_in_step_with_the_pinned_litellm() -> None:
    pyproject = SCRIPT.parents[1] / "pyproject.toml"
    assert f"litellm=={PINNED}" in pyproject.read_text(encoding="utf-8")
    assert importlib.metadata.version("litellm") == PINNED, "install the pinned litellm, then run python benchmarks/prices.py"
    done = subprocess.run([sys.executable, str(SCRIPT), "--check"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, "in step")
