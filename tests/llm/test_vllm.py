"""The whole command against a real small model on a real vLLM with structured output: poor as the result may be, it ends with a report."""

import importlib.util
import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import smollm2

pytestmark = [pytest.mark.needs("vllm"), pytest.mark.slow]
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The base URL of SmolLM2-135M behind `vllm serve`. The converted model is kept between runs where ENVGEN_SMOLLM2 says."""
    if importlib.util.find_spec("vllm") is None:
        pytest.skip("vLLM is not installed: install constraints/train-cpu.txt into an environment of Python 3.11")
    try:
        smollm2.gguf()
    except LookupError as problem:
        pytest.skip(str(problem))
    folder = Path(os.environ.get("ENVGEN_SMOLLM2") or tmp_path_factory.mktemp("smollm2") / "model")
    if not (folder / "model.safetensors").exists():
        subprocess.run([sys.executable, str(ROOT / "tests" / "smollm2.py"), str(folder)], check=True, timeout=300)
    with smollm2.served(folder, tmp_path_factory.mktemp("vllm") / "log") as found:
        yield found


def synthesize(url: str, folder: Path, *flags: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, str(ROOT / "cli.py"), "synthesize", "--domain", "night-shift pharmacy", "--size", "small", "--tasks", "4"]
    command += ["--model", "smollm2", "--base-url", url, "--out", str(folder / "bundle"), "--cache", str(folder / "replies.sqlite")]
    environment = {**os.environ, "ENVGEN_TRACEBACK": "1"}
    return subprocess.run([*command, *flags], capture_output=True, text=True, timeout=280, env=environment, cwd=folder)


def replies(folder: Path) -> list[dict[str, object]]:
    with sqlite3.connect(folder / "replies.sqlite") as connection:
        found = [json.loads(text) for (text,) in connection.execute("SELECT reply FROM responses ORDER BY made_at, key")]
    connection.close()
    return found


FLAGS = ("--max-tokens", "120", "--temperature", "0", "--repairs", "1", "--timeout", "120")


def test_a_small_model_on_vllm_is_asked_in_json_schema_and_the_run_ends_with_a_report(url: str, tmp_path: Path) -> None:
    result = synthesize(url, tmp_path, *FLAGS)
    assert result.returncode in (0, 1), result.stderr
    assert "Traceback" not in result.stderr
    if result.returncode:
        assert "the model's answer is unusable" in result.stderr or "nothing was written" in result.stderr
        assert "calls paid for" in result.stdout + result.stderr
    answers = replies(tmp_path)
    assert answers
    # Guided decoding: every answer begins as the object that the schema asks for, which this model does not do by itself.
    assert all(str(answer["text"]).lstrip().startswith("{") and '"title"' in str(answer["text"]) for answer in answers)
    again = synthesize(url, tmp_path, *FLAGS, "--force")
    assert (result.returncode, len(answers)) == (again.returncode, len(replies(tmp_path))), "the same run asks nothing anew"
    assert result.stderr.splitlines()[-1:] == again.stderr.splitlines()[-1:]
