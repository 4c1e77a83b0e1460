"""From a seed to tasks, and the bundle that comes of it: texts, splits, an environment to play, gates that run again, defects that show."""

import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

import envgen
from envgen.bundle.read import read_bundle
from envgen.cli.app import main
from envgen.core.errors import UsageError
from envgen.core.protocols import Session
from envgen.fused.compose import Composed, FusedOptions, answer_type, check_task, compose, program_of
from envgen.fused.environment import FusedEnvironment
from envgen.fused.program import Reject, run
from envgen.fused.render import STYLES, lint, render
from envgen.gates.composition import FUSED_GATES, mix, shortcut_shares, validate_fused
from envgen.synthesis.fusing import synthesize_fused

OPTIONS = FusedOptions(tasks=40, depth=3, seed=4)


def made(options: FusedOptions) -> Composed:
    return list(compose(options))[-1]


@pytest.fixture(scope="module")
def composed() -> Composed:
    return made(OPTIONS)


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("fused") / "composed"
    report = synthesize_fused(OPTIONS, out)
    assert (report.kept, report.asked) == (40, 40)
    return out


def test_tasks_are_as_many_as_asked_for_and_the_same_twice(composed: Composed) -> None:
    other = made(OPTIONS)
    assert len(composed.tasks) == 40
    assert [task.id for task in composed.tasks] == [task.id for task in other.tasks]
    assert [gold.answer for gold in composed.gold] == [gold.answer for gold in other.gold]
    assert max(program_of(data).depth() for data in composed.programs.values()) == 3


def test_texts_name_no_intermediate_value_and_no_answer(composed: Composed) -> None:
    for task, gold in zip(composed.tasks, composed.gold, strict=True):
        assert gold.answer is not None
        assert lint(task.instruction, gold.answer.value) == ""
        program = program_of(composed.programs[gold.answer_origin["program"]])
        trace = run(program, "task", *gold.answer_origin["draw"])
        for name, value in trace.answers.items():
            shown = json.dumps(value)
            if len(shown) > 6 and name != trace.root:
                assert shown not in task.instruction


def test_every_style_tells_every_step_and_asks_for_the_root_alone(composed: Composed) -> None:
    data = next(data for data in composed.programs.values() if len(data["steps"]) == 3)
    program = program_of(data)
    trace = next(found for number in range(20) if (found := attempt(program, number)))
    texts = {style: render(program, trace, answer_type(program), "s", style=style)[0] for style in STYLES}
    assert len(set(texts.values())) == len(STYLES)
    for style, text in texts.items():
        assert text.count("<answer>") == 1, style
        assert not re.search(r"\{\w+\}", text), style
        if style != "nested":
            assert all(re.search(rf"\b{step['id']}\b", text) for step in program.steps), style


def attempt(program, number):  # type: ignore[no-untyped-def]
    try:
        return run(program, "style", number)
    except Reject:
        return None


def test_splits_are_by_structure(composed: Composed) -> None:
    sides: dict[str, set[str]] = {}
    for task, gold in zip(composed.tasks, composed.gold, strict=True):
        sides.setdefault(gold.answer_origin["program"], set()).add(task.split)
    assert all(len(splits) == 1 for splits in sides.values())


def test_the_bundle_is_an_environment(bundle: Path) -> None:
    environment = envgen.load(bundle)
    assert isinstance(environment, FusedEnvironment)
    counts = Counter(task.split for task in environment.tasks())
    assert dict(environment.manifest.splits) == dict(counts)
    for task in environment.tasks()[:10]:
        gold = environment.gold(task.id)
        assert gold.answer is not None
        with environment.start(task) as session:
            assert isinstance(session, Session)
            assert [tool["function"]["name"] for tool in session.tools] == ["submit"]
            fork = session.fork()
            assert session.call("calculate", {"expression": "1"}).error is not None
            verdict = session.submit(gold.answer.value)
            assert (verdict.status, verdict.reward, verdict.solved) == ("valid", 1.0, True)
            assert fork.submit(None).reward == 0.0
            assert session.submit("something else").reward == 1.0, "the first verdict stands"
        reply = f"<think>hm</think> It is <answer>{json.dumps(gold.answer.value)}</answer>"
        assert environment.start(task).submit(reply).reward == 1.0
    with pytest.raises(UsageError, match="splits are"):
        environment.tasks("dev")


def test_the_stand_alone_verifier_judges_a_reply(bundle: Path, tmp_path: Path) -> None:
    environment = FusedEnvironment.load(bundle)
    task = environment.tasks()[0]
    gold = environment.gold(task.id)
    assert gold.answer is not None
    for value, code in ((gold.answer.value, 0), ("no", 1)):
        command = [sys.executable, "-I", str(bundle / "verify.py"), "--task", task.id, "--answer", json.dumps(value)]
        assert subprocess.run(command, capture_output=True, check=False).returncode == code


def test_every_gate_runs_again_from_the_bundle_alone(bundle: Path) -> None:
    report = validate_fused(bundle)
    assert report.sound, report.problems()
    assert {item.gate for item in report.evidence} == set(FUSED_GATES)


def spoiled(bundle: Path, target: Path, old: str, new: str, name: str) -> Path:
    """A copy of the bundle with one text replaced, digests made to fit, so that only the gates can object."""
    from envgen.bundle.write import Content, write_bundle

    read = read_bundle(bundle)
    environment = json.loads(json.dumps(read.environment).replace(old, new)) if name == "environment" else read.environment
    tasks = [
        task.model_copy(update={"instruction": task.instruction.replace(old, new)}) if name == "tasks" else task for task in read.tasks
    ]
    gold = list(read.gold)
    if name == "gold" and gold[0].answer is not None:
        gold[0] = gold[0].model_copy(update={"answer": gold[0].answer.model_copy(update={"value": 123456})})
    content = Content(read.manifest, environment, None, read.policy, tasks, gold, read.evidence)
    write_bundle(target, content)
    return target


@pytest.mark.parametrize(
    ("name", "old", "new", "gate"),
    [("tasks", "<answer>", "< answer>", "G11"), ("gold", "", "", "G11"), ("environment", '"level": 0', '"level": 1', "G8")],
)
def test_a_spoiled_bundle_is_refused(bundle: Path, tmp_path: Path, name: str, old: str, new: str, gate: str) -> None:
    report = validate_fused(spoiled(bundle, tmp_path / "spoiled", old, new, name))
    assert not report.sound
    assert gate in {item.gate for item in report.evidence if item.status == "fail"}


def test_no_constant_or_shortcut_pays_over_the_set(composed: Composed) -> None:
    shares = shortcut_shares(composed.tasks, composed.gold)
    assert set(shares) == {"constant", "last_number", "largest", "smallest", "in_text"}
    assert max(shares.values()) <= 0.10
    same = [gold.model_copy(update={"answer": composed.gold[0].answer}) for gold in composed.gold]
    assert mix(composed.tasks, same).status == "fail"


def test_a_task_that_is_another_programs_is_noticed(composed: Composed) -> None:
    programs = [program_of(data) for data in composed.programs.values()]
    assert check_task(programs[-1], composed.tasks[0], composed.gold[0])


@pytest.fixture
def with_tools(tmp_path: Path) -> Iterator[FusedEnvironment]:
    synthesize_fused(FusedOptions(tasks=2, depth=2, seed=1), tmp_path / "b", tools=True)
    yield FusedEnvironment.load(tmp_path / "b")


def test_tools_solve_sub_problems_and_refuse_the_rest(with_tools: FusedEnvironment) -> None:
    with with_tools.start(with_tools.tasks()[0]) as session:
        names = [tool["function"]["name"] for tool in session.tools]
        assert names == ["calculate", "list_problems", "evaluate", "submit"]
        assert session.call("calculate", {"expression": "2**10 - (7 // 2) * -1 % 5"}).value == {"value": 2**10 - (7 // 2) * -1 % 5}
        inputs = {"base": 2, "exponent": 10, "modulus": 1001}
        assert session.call("evaluate", {"problem": "mod_pow", "inputs": inputs}).value == {"value": 23}
        for name, arguments, code in (
            ("calculate", {"expression": "__import__('os')"}, "bad_expression"),
            ("calculate", {"expression": "9**9**9"}, "bad_expression"),
            ("calculate", {}, "bad_expression"),
            ("calculate", [], "bad_arguments"),
            ("evaluate", {"problem": "nothing", "inputs": {}}, "unknown_problem"),
            ("evaluate", {"problem": "mod_pow", "inputs": {"base": 2}}, "bad_arguments"),
            ("evaluate", {"problem": "mod_pow", "inputs": {**inputs, "base": "2"}}, "bad_arguments"),
            ("verify", {}, "unknown_tool"),
        ):
            error = session.call(name, arguments).error
            assert error is not None and error.code == code


def test_the_command_line_makes_validates_and_shows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "c"
    assert main(["synthesize", "--family", "fused", "--tasks", "6", "--depth", "2", "--seed", "3", "--out", str(out)]) == 0
    assert "6 of 6 kept" in capsys.readouterr().out
    assert main(["validate", str(out)]) == 0
    assert "sound" in capsys.readouterr().out
    task = read_bundle(out).tasks[0]
    assert main(["show", str(out), task.id, "--gold"]) == 0
    shown = capsys.readouterr().out
    assert "PROGRAM" in shown and "AUDIT" in shown and task.instruction in shown
    assert main(["show", str(out)]) == 0
    assert main(["show", str(out), "--as-agent"]) == 0
    assert "submit" in capsys.readouterr().out


def test_policies_play_a_fused_bundle(bundle: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rollout", str(bundle), "--policy", "oracle", "--runs", str(tmp_path)]) == 0
    assert "40 valid and 40 solved" in capsys.readouterr().out
    assert main(["rollout", str(bundle), "--policy", "noop", "--runs", str(tmp_path)]) == 0
    assert "40 valid and 0 solved" in capsys.readouterr().out
    assert main(["rollout", str(bundle), "--policy", "random", "--runs", str(tmp_path)]) == 2
    assert main(["play", str(bundle)]) == 2


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--operators", "fold"], "no operator 'fold'"),
        (["--domain", "library"], "--domain is for --family database"),
        (["--depth", "99"], "depth"),
    ],
)
def test_what_cannot_be_is_refused(arguments: list[str], says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["synthesize", "--family", "fused", "--out", str(tmp_path / "x"), *arguments]) == 2
    assert says in capsys.readouterr().err


def test_the_library_commands(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["library", "problems", "list"]) == 0
    assert "mod_pow" in capsys.readouterr().out
    assert main(["library", "problems", "show", "mod_pow"]) == 0
    assert "wordings" in capsys.readouterr().out
    assert main(["library", "problems", "check", "mod_pow"]) == 0
    assert main(["library", "problems", "pairs"]) == 0
    assert "edges" in capsys.readouterr().out
    assert main(["library", "problems", "show", "nothing"]) == 2
