"""Whole environments written by a scripted author, with the mistakes that capable models make. The replies were written for these tests."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from scripted_author import FOLDER, ScriptedAuthor
from scripted_server import ScriptedServer

from envgen.core.events import Event
from envgen.gates.validate import validate_bundle
from envgen.synthesis.options import ModelOptions, SynthesisOptions, SynthesisReport
from envgen.synthesis.pipeline import synthesize

pytestmark = pytest.mark.slow
DOMAINS = sorted(path.name for path in FOLDER.iterdir() if path.is_dir())
REPAIRS = {"repair_tools", "repair_rules"}
MOST_CALLS = 12


class Run:
    """One run: its report, what it told, and how often each stage was asked."""

    def __init__(self, name: str, folder: Path) -> None:
        self.told: list[Event] = []
        with ScriptedServer(ScriptedAuthor(name).rules()) as server:
            model = ModelOptions("openai/scripted", base_url=server.url, cache=folder / "replies.sqlite")
            options = SynthesisOptions(name.replace("_", " "), folder / name, tasks=50, jobs=1, proposer=model)
            self.report: SynthesisReport = synthesize(options, self.told.append)
            self.asked = Counter(seen.stage for seen in server.requests)
        self.folder = folder / name


@pytest.fixture(scope="module", params=DOMAINS)
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Run:
    name = str(request.param)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENAI_API_KEY", "sk-for-tests")
        return Run(name, tmp_path_factory.mktemp(name))


def test_there_are_four_domains() -> None:
    assert len(DOMAINS) >= 4
    assert all((FOLDER / name / "MISTAKES.md").exists() for name in DOMAINS)


def test_most_tools_and_tasks_are_kept_and_every_gate_passes(run: Run) -> None:
    report = run.report
    assert report.manifest.counts["tools"] >= 20
    assert report.kept >= 40
    checked = validate_bundle(run.folder)
    assert checked.sound, checked.problems()


def test_what_is_dropped_is_explained_in_one_line_and_in_the_ledger(run: Run) -> None:
    dropped = run.report.dropped
    assert any(kind == "tool" for kind, _, _ in dropped), "each domain has one tool beyond repair"
    assert all(reason and "\n" not in reason for _, _, reason in dropped)
    ledger: dict[str, Any] = json.loads((run.folder / "ledger.json").read_text(encoding="utf-8"))
    details = [reject["payload"]["detail"] for reject in ledger["rejects"]]
    assert all(any(name in detail and reason[:40] in detail for detail in details) for _, name, reason in dropped)


def test_a_run_without_repairs_takes_at_most_twelve_calls(run: Run) -> None:
    first = Counter({stage: number for stage, number in run.asked.items() if stage not in REPAIRS})
    # Examples, words and acts that were asked for again are repairs too.
    batches = {"tools": 2, "examples": 2, "acts": 2}
    without = sum(min(number, batches.get(stage, 1)) for stage, number in first.items())
    assert without <= MOST_CALLS
    assert run.report.usage["totals"]["prompt_tokens"] > 0


def test_the_repair_loop_earned_its_keep(run: Run) -> None:
    """Left unrepaired, more would be dropped: the tools that were sent back are kept but for those beyond repair."""
    assert run.asked["repair_tools"] >= 1
    tools = {name for kind, name, _ in run.report.dropped if kind == "tool"}
    assert 1 <= len(tools) <= 4
    repaired = json.loads((FOLDER / run.folder.name / "repairs.json").read_text(encoding="utf-8"))["tools"]
    environment = json.loads((run.folder / "environment.json").read_text(encoding="utf-8"))
    kept = {tool["name"] for tool in environment["tools"]}
    assert len(kept & set(repaired)) >= 3


def test_tasks_have_every_kind_that_the_words_allow(run: Run) -> None:
    lines = (run.folder / "tasks.jsonl").read_text(encoding="utf-8").splitlines()
    kinds = Counter(kind for line in lines for kind in json.loads(line)["kinds"])
    assert {"do", "choose", "refuse", "lookup"} <= set(kinds)
    assert "conditional" in kinds or "quiz" in kinds
