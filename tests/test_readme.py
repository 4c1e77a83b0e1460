"""The README is tested: its Python runs, its commands exist with the flags it gives them, its links lead somewhere."""

import re
import shlex
import shutil
from pathlib import Path

import pytest
import typer

from envgen.cli.app import app

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.M | re.S)


def commands() -> list[list[str]]:
    lines = [line[2:] for block in blocks("console") for line in block.splitlines() if line.startswith("$ envgen")]
    return [shlex.split(line, comments=True)[1:] for line in lines]


def test_the_python_example_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    (example,) = blocks("python")
    name = re.search(r'load\("generated/([\w-]+)"\)', example)
    assert name is not None
    golden = next(path for path in sorted((ROOT / "generated").glob("golden-*")) if path.is_dir())
    shutil.copytree(golden, tmp_path / "generated" / name[1])
    monkeypatch.chdir(tmp_path)
    assert len([line for line in example.splitlines() if line.strip()]) <= 12
    exec(compile(example, "README.md", "exec"), {"__name__": "readme"})
    assert "valid" in capsys.readouterr().out


def test_there_are_commands() -> None:
    assert {words[0] for words in commands()} >= {"demo", "synthesize", "validate", "show", "rollout"}


@pytest.mark.parametrize("words", commands(), ids=" ".join)
def test_every_command_parses(words: list[str]) -> None:
    command = typer.main.get_command(app)
    context = command.make_context("envgen", [words[0]], resilient_parsing=True)
    _, found, _ = command.resolve_command(context, words)  # type: ignore[attr-defined]
    known = {name for parameter in found.params for name in parameter.opts}
    assert {word for word in words[1:] if word.startswith("--")} <= known | {"--help"}


def test_links_to_files_exist() -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", README):
        assert (ROOT / target).exists(), target
