import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from envgen import __version__
from envgen.cli import app as application
from envgen.cli.app import main
from envgen.core.errors import BundleError, InfrastructureError, UsageError

HEAVY = {
    "apsw", "faker", "hypothesis", "inflect", "jinja2", "jsonschema", "jsonschema_rs", "networkx", "numpy", "pandas",
    "rapidfuzz", "sqlalchemy", "sqlglot", "sqlite_utils",
}  # fmt: skip
ROOT = Path(__file__).resolve().parents[2]
COMMANDS = ("demo", "synthesize", "validate", "show", "play", "rollout", "schema", "doctor", "library")


def run(*arguments: str, **options: object) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "NO_COLOR": "1", "COLUMNS": "100"}
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, env=environment, timeout=60, **options)  # type: ignore[call-overload, no-any-return]


@pytest.mark.parametrize("arguments", [["--help"], [], ["synthesize", "--help"], ["--version"], ["nonsense"]])
def test_help_and_errors_load_nothing_heavy(arguments: list[str]) -> None:
    code = f"import sys, json\nfrom envgen.cli.app import main\nmain({arguments!r})\nprint('|' + json.dumps(sorted(sys.modules)))"
    modules = {name.partition(".")[0] for name in json.loads(run("-c", code).stdout.rpartition("|")[2])}
    assert modules & HEAVY == set()


def test_help_names_every_command_and_each_has_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    text = capsys.readouterr().out
    assert re.findall(r"^  (\w+) ", text.split("Commands:")[1], re.M)[: len(COMMANDS)] == list(COMMANDS)
    for command in COMMANDS:
        assert main([command, "--help"]) == 0
        assert "--help" in capsys.readouterr().out


def test_no_arguments_print_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    assert "Commands:" in capsys.readouterr().out


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"envgen {__version__}\n"


@pytest.mark.parametrize("start", [["cli.py"], ["-m", "envgen"]])
def test_other_ways_in(start: list[str]) -> None:
    assert run(*start, "--version", cwd=ROOT).stdout == f"envgen {__version__}\n"
    failed = run(*start, "rolout", cwd=ROOT)
    assert failed.returncode == 2
    assert failed.stderr == "envgen: there is no command 'rolout'. Did you mean `envgen rollout`?\n"


@pytest.mark.parametrize(
    ("arguments", "answer"),
    [
        (["synthesise"], "Did you mean `envgen synthesize`?"),
        (["generate"], "Did you mean `envgen synthesize`?"),
        (["Validate"], "Did you mean `envgen validate`?"),
        (["check"], "Did you mean `envgen validate`?"),
        (["eval"], "Did you mean `envgen rollout`?"),
        (["library", "pattern"], "Did you mean `envgen library patterns`?"),
        (["xyzzy"], "The commands are: demo, synthesize"),
        (["show"], "Missing argument 'bundle'"),
        (["rollout", "x"], "Missing option '--policy'"),
        (["synthesize", "--domian", "library"], "--domain"),
        (["synthesize", "--domain", "library", "--size", "huge"], "small"),
        (["show", "x", "--gold", "a", "b"], "extra argument"),
    ],
)
def test_wrong_usage_is_one_line_that_helps(arguments: list[str], answer: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("envgen: ")
    assert err.count("\n") == 1
    assert answer in err


@pytest.mark.parametrize(
    ("problem", "code", "text"),
    [
        (UsageError("a"), 2, "a"),
        (BundleError("b\nc"), 1, "b c"),
        (InfrastructureError("d"), 3, "d"),
        (OSError(28, "No space left on device", "/x/y"), 3, "/x/y: No space left on device"),
        (ModuleNotFoundError("No module named 'sqlglot'", name="sqlglot"), 3, "pip install 'envgen-rl[synth]'"),
        (KeyboardInterrupt(), 130, "stopped"),
        (ZeroDivisionError("division by zero"), 3, "unexpected ZeroDivisionError"),
    ],
)
def test_every_error_is_one_line_and_its_code(
    problem: BaseException, code: int, text: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*arguments: object, **options: object) -> None:
        raise problem

    monkeypatch.setattr("envgen.view.text.show", fail)
    assert main(["show", "anything"]) == code
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert text in err
    assert "Traceback" not in err


def test_a_traceback_is_printed_when_asked_for(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENVGEN_TRACEBACK", "1")
    assert application._other(ZeroDivisionError("division by zero")) == 3
    assert "ZeroDivisionError" in capsys.readouterr().err


def test_a_reader_that_has_gone_is_no_error(shelter: Path) -> None:
    command = f"{sys.executable} -m envgen show {shelter} --as-agent | head -n 1"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True, env=environment, timeout=60)
    assert done.stdout == "--- system\n"
    assert done.stderr == ""
    assert done.returncode == 0
