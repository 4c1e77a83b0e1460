"""Whole runs with a model against a scripted server: reports, caches, budgets, kills, faults. The replies were written for the tests."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from scripted_server import ScriptedServer, Seen
from small_author import SmallAuthor, faulty

from envgen.bundle.ledger import ledger_path
from envgen.bundle.read import read_bundle
from envgen.cli.app import main

ROOT = Path(__file__).resolve().parents[2]
KEY = "sk-0123456789-never-to-be-seen"
STAGES = [
    "brief",
    "schema",
    "tools",
    "rules",
    "content",
    "repair_tools",
    "repair_rules",
    "examples",
    "words",
    "acts",
    "reword",
    "ambiguity",
]
# Enough for the first stages and a good part of the later ones, with what an answer is reckoned at beforehand.
BUDGET = 2_000
WORDS = [
    "synthesize", "--domain", "bicycle workshop", "--model", "openai/scripted", "--size", "small", "--tools", "7", "--tasks", "6",
    "--jobs", "1", "--reword", "--check-ambiguity", "1", "--concurrency", "1",
]  # fmt: skip


def words(server: ScriptedServer | str, folder: Path, *more: str, cache: Path | None = None) -> list[str]:
    url = server if isinstance(server, str) else server.url
    return [*WORDS, "--base-url", url, "--out", str(folder / "workshop"), "--cache", str(cache or folder / "cache.sqlite"), *more]


@pytest.fixture(autouse=True, scope="module")
def _key() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENAI_API_KEY", KEY)
        yield


@dataclass
class Whole:
    """A run that nobody stops."""

    folder: Path
    port: int
    requests: list[Seen]
    report: dict[str, Any]
    out: str

    @property
    def digest(self) -> str:
        return read_bundle(self.folder / "workshop").manifest.digest


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Whole:
    folder = tmp_path_factory.mktemp("whole")
    with ScriptedServer(SmallAuthor(**faulty()).rules()) as server:
        ended = started(words(server, folder, "--json"))
        out, err = ended.communicate(timeout=120)
    assert ended.returncode == 0, err
    return Whole(folder, port_of(server), server.requests, json.loads(out.splitlines()[-1]), out + err)


def port_of(server: ScriptedServer) -> int:
    """Answers are kept by endpoint, so a later server that goes on stands where the first one stood."""
    return int(server.url.rsplit(":", 1)[1].partition("/")[0])


def started(arguments: list[str]) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OPENAI_API_KEY": KEY}
    command = [sys.executable, "-m", "envgen", *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)


def bodies(requests: list[Seen]) -> list[str]:
    return sorted(json.dumps(seen.body, sort_keys=True) for seen in requests)


def test_the_run_goes_through_every_stage_and_lists_what_was_dropped(whole: Whole) -> None:
    assert [stage for stage in dict.fromkeys(seen.stage for seen in whole.requests)] == STAGES
    assert len(bodies(whole.requests)) == len(set(bodies(whole.requests)))
    dropped = [(item["kind"], item["name"]) for item in whole.report["dropped"]]
    assert ("rule", "hopeless") in dropped
    rejects = json.loads((whole.folder / "workshop" / "ledger.json").read_text(encoding="utf-8"))["rejects"]
    assert [item["payload"]["detail"] for item in rejects if item["reason"] == "rule_dropped"] == [
        f"{item['name']}: {item['reason']}" for item in whole.report["dropped"] if item["kind"] == "rule"
    ]
    assert len([item for item in rejects if item["reason"].endswith("_dropped")]) == len(dropped)
    assert main(["validate", str(whole.folder / "workshop")]) == 0


def test_accounts_hold_every_call_of_every_stage(whole: Whole) -> None:
    stages = whole.report["usage"]["stages"]
    assert {name: account["calls"] for name, account in stages.items()} == {
        stage: len([seen for seen in whole.requests if seen.stage == stage]) for stage in STAGES
    }
    assert whole.report["usage"]["totals"]["usd"] is None
    assert whole.report["usage"]["per_kept_task"]["tokens"] > 0


def test_the_key_is_nowhere(whole: Whole) -> None:
    assert KEY not in whole.out
    assert written(whole.folder, KEY) == []


def written(folder: Path, text: str) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file() and text.encode() in path.read_bytes()]


def test_the_same_cache_and_seed_give_the_same_bundle_in_another_process_for_nothing(whole: Whole, tmp_path: Path) -> None:
    with ScriptedServer([{"replies": [{"status": 400, "body": "no"}]}], port=whole.port) as server:
        again = started(words(server, tmp_path, "--json", cache=whole.folder / "cache.sqlite"))
        out, err = again.communicate(timeout=120)
    assert again.returncode == 0, err
    assert server.requests == []
    assert read_bundle(tmp_path / "workshop").manifest.digest == whole.digest
    totals = json.loads(out.splitlines()[-1])["usage"]["totals"]
    assert (totals["calls"], totals["cached_calls"]) == (0, len(whole.requests))


@pytest.mark.slow
def test_kill_9_at_the_first_request_of_each_stage_repeats_no_paid_call(whole: Whole, tmp_path: Path) -> None:
    answered: list[Seen] = []
    for number, stage in enumerate(STAGES):
        requests, code, _ = killed(tmp_path, whole.port, lambda seen, stage=stage: seen.stage == stage, resume=number > 0)  # type: ignore[misc]
        assert code == -signal.SIGKILL, stage
        assert requests[-1].stage == stage
        answered += requests[:-1]
        assert ledger_path(tmp_path / "workshop").exists()
    requests, code, err = killed(tmp_path, whole.port, lambda seen: False, resume=True)
    assert code == 0, err
    assert bodies(answered + requests) == bodies(whole.requests)
    assert read_bundle(tmp_path / "workshop").manifest.digest == whole.digest


def killed(folder: Path, port: int, when: Callable[[Seen], bool], *, resume: bool) -> tuple[list[Seen], int, str]:
    """Run until `when` holds of a request, which then is not answered; return the requests, the exit code and what was printed."""
    process: list[subprocess.Popen[str]] = []

    def hook(seen: Seen) -> None:
        if when(seen):
            process[0].send_signal(signal.SIGKILL)
            process[0].wait()

    with ScriptedServer(SmallAuthor(**faulty()).rules(), hook=hook, port=port) as server:
        process.append(started(words(server, folder, *(["--resume"] if resume else []))))
        _, err = process[0].communicate(timeout=120)
    return server.requests, process[0].returncode, err


@pytest.mark.slow
def test_kill_9_among_the_tasks_repeats_no_paid_call(whole: Whole, tmp_path: Path) -> None:
    with ScriptedServer(SmallAuthor(**faulty()).rules()) as server:
        with started(words(server, tmp_path, "--json")) as process:
            assert process.stdout is not None
            for line in process.stdout:
                event = json.loads(line)
                if event["event"] == "progress" and event["stage"] == "tasks" and event["done"] >= 1:
                    process.send_signal(signal.SIGKILL)
                    break
            process.communicate(timeout=60)
        assert process.returncode == -signal.SIGKILL
        assert not (tmp_path / "workshop").exists()
        assert main(words(server, tmp_path, "--resume")) == 0
    assert bodies(server.requests) == bodies(whole.requests)
    assert read_bundle(tmp_path / "workshop").manifest.digest == whole.digest


@pytest.mark.slow
def test_a_budget_that_is_reached_again_and_again_pays_for_nothing_twice(
    whole: Whole, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stops = []
    with ScriptedServer(SmallAuthor(**faulty()).rules()) as server:
        for turn in range(40):
            before = len(server.requests)
            more = ["--resume"] if turn else []
            code = main(words(server, tmp_path, "--budget-tokens", str(BUDGET + 3_000 * turn), *more))
            text = capsys.readouterr()
            assert "Traceback" not in text.err
            if code == 0:
                break
            assert code == 1
            assert "Go on with: envgen synthesize --domain" in text.err
            assert text.err.rstrip().endswith("--resume")
            stops.append(server.requests[-1].stage if len(server.requests) > before else "")
    assert len(set(stops)) >= 2
    assert code == 0
    assert len(bodies(server.requests)) == len(set(bodies(server.requests)))


def test_a_wrong_key_is_told_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with ScriptedServer(SmallAuthor().rules(), options={"key": "another"}) as server:
        assert main(words(server, tmp_path)) == 2
    text = capsys.readouterr()
    last = text.err.strip().splitlines()[-1]
    assert "key" in last
    assert "Traceback" not in text.err
    assert KEY not in text.out + text.err
    assert written(tmp_path, KEY) == []
    assert len(server.requests) == 1


def test_a_wrong_model_is_told_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with ScriptedServer(SmallAuthor().rules(), options={"models": ["other-model"]}) as server:
        assert main(words(server, tmp_path)) == 2
    err = capsys.readouterr().err
    assert "scripted" in err.strip().splitlines()[-1]
    assert "Traceback" not in err
    assert len(server.requests) == 1


def test_an_endpoint_that_is_gone_exits_3(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words("http://127.0.0.1:9/v1", tmp_path)) == 3
    err = capsys.readouterr().err
    assert "127.0.0.1:9" in err
    assert "Traceback" not in err


def test_a_dry_run_sends_nothing_and_counts_what_a_run_makes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plain = [word for word in WORDS if word not in ("--reword", "--check-ambiguity", "1")]
    with ScriptedServer(SmallAuthor().rules()) as server:
        arguments = [*plain, "1", "--base-url", server.url, "--out", str(tmp_path / "b"), "--cache", str(tmp_path / "c")]
        arguments = [word if word != "--jobs" else "--jobs" for word in arguments]
        dry = [*_without_jobs(arguments), "--dry-run", "--json"]
        assert main(dry) == 0
        planned = json.loads(capsys.readouterr().out.splitlines()[-1])
        assert server.requests == []
        assert list(tmp_path.iterdir()) == []
        assert main(_without_jobs(arguments)) == 0
    made = {
        stage: len([seen for seen in server.requests if seen.stage == stage]) for stage in dict.fromkeys(s.stage for s in server.requests)
    }
    assert {row["stage"]: row["calls"] for row in planned["stages"]} == made
    assert len(planned["prompts"]) == len(server.requests)


def _without_jobs(arguments: list[str]) -> list[str]:
    """The fixture's words, with one process and one request at a time."""
    return [word for word in arguments if word not in ("--jobs", "--concurrency", "1")] + ["--jobs", "1", "--concurrency", "1"]


GARBAGE = {"prose": "I would rather write a poem.", "another": '{"something": [1, 2, 3]}', "empty": "", "cut": '{"tables": [{"na'}


@pytest.mark.parametrize("stage", [stage for stage in STAGES if not stage.startswith(("repair", "ambiguity"))])
def test_garbage_at_one_stage_ends_in_a_clear_report(stage: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kind = list(GARBAGE.values())[STAGES.index(stage) % len(GARBAGE)]
    rules = [{"when": {"stage": stage}, "replies": [{"content": kind}]}, *SmallAuthor().rules()]
    with ScriptedServer(rules) as server:
        code = main(words(server, tmp_path))
    text = capsys.readouterr()
    assert "Traceback" not in text.err
    assert stage in text.out + text.err
    if stage in ("brief", "schema", "tools", "words"):
        assert code == 1
        assert not (tmp_path / "workshop").exists()
        assert len(text.err.strip().splitlines()[-1]) < 1_000
    else:
        assert code == 0
        assert main(["validate", str(tmp_path / "workshop")]) == 0


def test_garbage_in_repairs_costs_the_faulty_parts_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    garbage = [{"when": {"stage": stage}, "replies": [{"content": "No."}]} for stage in ("repair_tools", "repair_rules")]
    with ScriptedServer([*garbage, *SmallAuthor(**faulty()).rules()]) as server:
        assert main(words(server, tmp_path, "--json")) == 0
    report = json.loads(capsys.readouterr().out.splitlines()[-1])
    dropped = {item["name"] for item in report["dropped"] if item["kind"] in ("tool", "rule")}
    assert dropped == {"finish_repair", "one_repair", "hopeless"}
