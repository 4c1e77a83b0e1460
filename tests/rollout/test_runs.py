import json
from pathlib import Path

import pytest

import envgen
from envgen.bundle.ledger import RunLedger
from envgen.core.errors import InfrastructureError, UsageError
from envgen.rollout.policies import scripted
from envgen.rollout.runs import find_run, new_run, read_run, rollout


def test_a_run_folder_holds_every_episode_and_the_summary(shelter: Path, tmp_path: Path) -> None:
    environment = envgen.load(shelter)
    told: list[tuple[int, int]] = []
    folder, summary = rollout(
        environment, scripted("oracle"), root=tmp_path / "runs", on_episode=lambda done, total, episode: told.append((done, total))
    )
    assert {path.name for path in folder.iterdir()} == {"run.json", "episodes.jsonl", "ledger.sqlite"}
    episodes = [json.loads(line) for line in (folder / "episodes.jsonl").read_text().splitlines()]
    assert [episode["task"] for episode in episodes] == ["t-adopt", "t-count"]
    assert [episode["verdict"]["reward"] for episode in episodes] == [1.0, 1.0]
    assert read_run(folder)["summary"] == summary.to_json()
    assert summary.to_json()["mean_reward"] == 1.0
    assert told == [(1, 2), (2, 2)]
    identity = {"bundle": "shelter", "digest": environment.manifest.digest, "policy": "oracle", "split": None}
    with RunLedger.open(folder / "ledger.sqlite", command="rollout", seed=0, flags=identity) as ledger:
        assert ledger.finished
        assert [item.payload for item in ledger.items("rollout")] == [
            {"task": "t-adopt", "reward": 1.0},
            {"task": "t-count", "reward": 1.0},
        ]


def test_a_split_and_a_limit_choose_tasks(shelter: Path, tmp_path: Path) -> None:
    environment = envgen.load(shelter)
    _, summary = rollout(environment, scripted("noop"), split="test", root=tmp_path)
    assert summary.episodes == 1
    assert summary.failures == {"answer": 1}
    _, summary = rollout(environment, scripted("noop"), limit=1, root=tmp_path)
    assert summary.failures == {"state": 1}
    with pytest.raises(UsageError, match="0 tasks in split 'dev'; splits are test 1, train 1"):
        rollout(environment, scripted("noop"), split="dev", root=tmp_path)


def test_last_is_the_newest_finished_run(shelter: Path, tmp_path: Path) -> None:
    environment = envgen.load(shelter)
    with pytest.raises(UsageError, match="no finished run"):
        find_run("@last", tmp_path)
    for _ in range(3):
        folder, _ = rollout(environment, scripted("noop"), root=tmp_path)
    (tmp_path / "zzz-unfinished").mkdir()
    assert find_run("@last", tmp_path) == folder
    assert find_run(folder.name, tmp_path) == folder
    assert find_run(str(folder)) == folder
    with pytest.raises(UsageError, match="is not a run folder"):
        find_run("zzz-unfinished", tmp_path)


def test_names_never_collide_and_a_bad_root_is_named(tmp_path: Path) -> None:
    assert len({new_run(tmp_path, "b", "p") for _ in range(5)}) == 5
    (tmp_path / "file").write_text("x")
    with pytest.raises(InfrastructureError, match="--runs"):
        new_run(tmp_path / "file", "b", "p")
