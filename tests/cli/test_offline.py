"""Nothing leaves the machine: the commands run in processes in which no network socket can be opened."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BLOCK = """
import socket

class Blocked(socket.socket):
    def __init__(self, family=-1, *rest, **options):
        if family in (-1, socket.AF_INET, socket.AF_INET6):
            raise AssertionError("a network socket was opened")
        super().__init__(family, *rest, **options)

socket.socket = Blocked
socket.getaddrinfo = lambda *rest, **options: (_ for _ in ()).throw(AssertionError("a name was looked up"))
"""


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": f"{folder}{os.pathsep}{ROOT}"}
    return subprocess.run([sys.executable, *words], capture_output=True, text=True, env=environment, cwd=folder)


def test_making_proving_and_playing_open_no_socket(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(BLOCK)
    blocked = run(tmp_path, "-c", "import socket; socket.socket()")
    assert "a network socket was opened" in blocked.stderr
    for words in (
        ["synthesize", "--domain", "public library", "--size", "small", "--tasks", "3", "--seed", "3", "--out", "made", "--jobs", "2"],
        ["validate", "made", "--jobs", "2"],
        ["show", "made", "--as-agent"],
        ["rollout", "made", "--policy", "random"],
    ):
        done = run(tmp_path, "-m", "envgen", *words)
        assert done.returncode == 0, done.stderr
