"""Programs that begin with the answer to a database task: played with that environment's tools, judged by both."""

import json
from pathlib import Path

import pytest

import envgen
from envgen.cli.app import main
from envgen.core.errors import BundleError, UsageError
from envgen.database.runtime import DatabaseEnvironment
from envgen.fused.compose import FusedOptions
from envgen.fused.environment import FusedEnvironment
from envgen.gates.composition import validate_fused
from envgen.synthesis.fusing import given_from, synthesize_fused
from envgen.synthesis.options import SynthesisOptions
from envgen.synthesis.pipeline import synthesize


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("across") / "public-library"
    synthesize(SynthesisOptions("public library", out, size="small", tasks=10, kinds=("lookup", "aggregate", "quiz"), seed=5, jobs=1))
    return out


@pytest.fixture(scope="module")
def across(library: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("fused") / "across"
    synthesize_fused(FusedOptions(tasks=6, depth=2, seed=1), out, others=[library])
    return out


def test_the_bundle_carries_the_other_and_is_sound(across: Path) -> None:
    assert validate_fused(across).sound
    environment = envgen.load(across)
    assert isinstance(environment, FusedEnvironment)
    assert isinstance(environment.inner["public-library"], DatabaseEnvironment)


def test_an_episode_has_the_tools_of_the_other_and_is_judged_by_both(across: Path) -> None:
    environment = envgen.load(across)
    assert isinstance(environment, FusedEnvironment)
    inner = environment.inner["public-library"]
    assert isinstance(inner, DatabaseEnvironment)
    for task in environment.tasks():
        gold = environment.gold(task.id)
        assert gold.answer is not None
        with environment.start(task) as session:
            names = [tool["function"]["name"] for tool in session.tools]
            assert names.count("submit") == 1 and len(names) > 5
            assert "quoted" in session.messages[0].content
            origin = gold.answer_origin["inner"]
            for call in inner.gold(origin["task"]).calls:
                assert session.call(call.tool, call.arguments).ok
            fork = session.fork()
            assert session.submit(gold.answer.value).reward == 1.0
            assert fork.submit(origin["answer"] if origin["answer"] != gold.answer.value else None).reward == 0.0
            fork.close()


def test_a_change_that_nobody_asked_for_scores_nothing(across: Path) -> None:
    environment = envgen.load(across)
    assert isinstance(environment, FusedEnvironment)
    inner = environment.inner["public-library"]
    assert isinstance(inner, DatabaseEnvironment)
    task = environment.tasks()[0]
    gold = environment.gold(task.id)
    assert gold.answer is not None
    writer, example = next(
        (tool, example)
        for tool in inner.spec.tools
        if inner.compiled[tool.name].writes
        for example in tool.examples
        if "error" not in example.expect
    )
    with environment.start(task) as session:
        assert session.inner is not None
        for statement in inner.spec.setup(example):
            session.inner.connection.execute(statement)  # type: ignore[attr-defined]
        assert session.call(writer.name, example.args).ok
        verdict = session.submit(gold.answer.value)
        assert verdict.reward == 0.0
        assert verdict.failure_kind == "request:state"


def test_what_cannot_be_begun_with_is_refused(library: Path, across: Path, tmp_path: Path, shelter: Path) -> None:
    name, pool = given_from(library)
    assert name == "public-library" and len(pool) >= 6
    with pytest.raises(UsageError, match="answered by an integer"):
        given_from(shelter)
    alone = FusedEnvironment.load(across)
    with pytest.raises(BundleError, match="not in its folder"):
        alone.start(alone.tasks()[0])


def test_the_command(library: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "c"
    command = ["synthesize", "--family", "fused", "--with", str(library), "--tasks", "4", "--depth", "2", "--out", str(out)]
    assert main(command) == 0
    assert "4 of 4 kept" in capsys.readouterr().out
    assert json.loads((out / "environment.json").read_text())["with"].keys() == {"public-library"}
    assert main(["rollout", str(out), "--policy", "oracle", "--runs", str(tmp_path / "runs")]) == 0
    assert "4 valid and 4 solved" in capsys.readouterr().out
