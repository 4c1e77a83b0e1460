import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from envgen.bundle.ledger import RunLedger, ledger_path, unfinished
from envgen.cli import making
from envgen.cli.app import main
from envgen.core.errors import UnsoundError, UsageError
from envgen.core.events import Event, Events
from envgen.core.types import Manifest
from envgen.synthesis.options import SynthesisOptions, SynthesisReport

Capture = pytest.CaptureFixture[str]
Pipeline = Callable[[SynthesisOptions, Events], SynthesisReport]


def use(monkeypatch: pytest.MonkeyPatch, pipeline: Pipeline) -> None:
    """Put a pipeline in the place of the real one."""
    monkeypatch.setitem(sys.modules, "envgen.synthesis.pipeline", SimpleNamespace(synthesize=pipeline))


def report(options: SynthesisOptions, events: Events) -> SynthesisReport:
    events(Event("stage", "world"))
    events(Event("progress", "tasks", done=1, total=2))
    events(Event("progress", "tasks", done=2, total=2))
    events(Event("note", "domain", "nearest is library"))
    manifest = Manifest(name="x", family="database", digest="d" * 64, counts={"tasks": 18, "tools": 9})
    kept = options.tasks - 2
    return SynthesisReport(options.out, manifest, options.tasks, kept, {"T8": 1, "T11": 1}, ("nearest is library",), {"world": 0.5})


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("arguments", "answer"),
    [
        ([], "say what business"),
        (["--domain", ""], "--domain is empty"),
        (["--domain", "x"], "too short"),
        (["--domain", "ab " * 5_000], "at most 200 make a phrase"),
        (["--domain", "../../etc/passwd"], "looks like a path"),
        (["--domain", "C:\\data\\shop.db"], "looks like a path"),
        (["--domain", "library", "--tasks", "0"], "--tasks"),
        (["--domain", "library", "--tasks", "-5"], "--tasks"),
        (["--domain", "library", "--tasks", "1000000000"], "--tasks"),
        (["--domain", "library", "--tasks", "many"], "--tasks"),
        (["--domain", "library", "--jobs", "-1"], "--jobs"),
        (["--domain", "library", "--jobs", "100000"], "--jobs"),
        (["--domain", "library", "--seed", "1.5"], "--seed"),
        (["--domain", "library", "--size", "huge"], "--size"),
        (["--domain", "library", "--difficulty", "extreme"], "--difficulty"),
        (["--domain", "library", "--kinds", "do,dance"], "dance is not a kind of goal; the kinds are do, lookup"),
        (["--domain", "library", "--kinds", ","], "nothing is not a kind of goal"),
        (["--domain", "library", "--resume", "--force"], "give one of them"),
    ],
)
def test_bad_input_is_refused_before_any_work(arguments: list[str], answer: str, capsys: Capture, tmp_path: Path) -> None:
    assert main(["synthesize", *arguments]) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert answer in err
    assert list(tmp_path.iterdir()) == []


def test_options_reach_the_pipeline(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[SynthesisOptions] = []
    use(monkeypatch, lambda options, events: seen.append(options) or report(options, events))  # type: ignore[func-returns-value]
    words = ["--size", "small", "--tasks", "7", "--kinds", "quiz,do", "--difficulty", "hard", "--seed", "5", "--jobs", "2"]
    assert main(["synthesize", "--domain", " Veterinary  clinic ", *words]) == 0
    assert seen == [
        SynthesisOptions("Veterinary clinic", Path("generated/veterinary-clinic"), "small", 7, ("do", "quiz"), "hard", seed=5, jobs=2)
    ]


def test_a_phrase_in_another_script_gets_a_safe_folder() -> None:
    chosen = making.options("городская библиотека", kinds=None, out=None, resume=False, force=False)
    assert chosen.out.parent == Path("generated")
    assert chosen.out.name.startswith("gorodskaya-biblioteka-")


def test_the_summary_says_what_was_rejected_and_what_to_type_next(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    use(monkeypatch, report)
    assert main(["synthesize", "--domain", "library", "--tasks", "20", "--seed", "3"]) == 0
    out, err = capsys.readouterr()
    assert "18 of 20 kept: 1 T8, 1 T11 rejected" in out
    assert "seed 3" in out
    assert "note: nearest is library" in out
    assert "envgen validate generated/library" in out
    assert "tasks 2/2" in err


def test_strict_makes_fewer_kept_a_failure(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    use(monkeypatch, report)
    assert main(["synthesize", "--domain", "library", "--strict"]) == 1
    assert "--strict: 18 of 20 kept: 1 T8, 1 T11 rejected" in capsys.readouterr().err


def test_json_events_end_with_the_report(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    use(monkeypatch, report)
    assert main(["synthesize", "--domain", "library", "--json"]) == 0
    events = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [event["event"] for event in events] == ["stage", "progress", "progress", "note", "result"]
    assert events[-1]["kept"] == 18
    assert events[-1]["rejected"] == {"T11": 1, "T8": 1}


def test_control_c_says_how_to_go_on(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    def interrupted(options: SynthesisOptions, events: Events) -> SynthesisReport:
        raise KeyboardInterrupt

    use(monkeypatch, interrupted)
    assert main(["synthesize", "--domain", "public library", "--tasks", "9", "--seed", "4", "--kinds", "do"]) == 130
    err = capsys.readouterr().err
    expected = (
        'envgen synthesize --domain "public library" --size medium --tasks 9 --seed 4 --kinds do --out generated/public-library --resume'
    )
    assert err == f"envgen: stopped; what is done is kept. Go on with: {expected}\n"


def test_an_existing_folder_is_refused_with_the_ways_out(shelter: Path, capsys: Capture) -> None:
    assert main(["synthesize", "--domain", "library", "--out", str(shelter)]) == 2
    err = capsys.readouterr().err
    for flag in ("--out", "--resume", "--force"):
        assert flag in err


def test_a_run_that_came_to_nothing_stands_in_nobodys_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    def hopeless(options: SynthesisOptions, events: Events) -> SynthesisReport:
        path = ledger_path(options.out)
        with RunLedger.open(path, command="synthesize", seed=options.seed, flags=options.identity()) as ledger:
            ledger.begin("tasks", 0)
            ledger.add("tasks", "candidate", 0, "rejected", reason="T2")
        raise UnsoundError("no task was kept: 1 T2")

    use(monkeypatch, hopeless)
    assert main(["synthesize", "--domain", "library"]) == 1
    assert ledger_path("generated/library").exists()
    assert not unfinished(ledger_path("generated/library"))
    assert main(["synthesize", "--domain", "library"]) == 1
    assert capsys.readouterr().err.count("no task was kept: 1 T2") == 2


def test_going_on_with_a_finished_bundle_changes_nothing(shelter: Path, capsys: Capture) -> None:
    before = (shelter / "bundle.json").read_bytes()
    assert main(["synthesize", "--domain", "library", "--out", str(shelter), "--resume"]) == 2
    assert "is a finished bundle of another run: domain None, not 'library'" in capsys.readouterr().err
    manifest = json.loads(before)
    identity = SynthesisOptions("library", shelter).identity() | {"seed": 0}
    (shelter / "bundle.json").write_text(json.dumps({**manifest, "provenance": identity}))
    assert main(["synthesize", "--domain", "library", "--out", str(shelter), "--resume"]) == 2
    assert "is finished: there is nothing to go on with" in capsys.readouterr().err


def test_force_does_not_delete_what_is_no_bundle(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "chapter.tex").write_text("x")
    assert main(["synthesize", "--domain", "library", "--out", "thesis", "--force"]) == 2
    assert "is not a bundle, so --force does not delete it" in capsys.readouterr().err


def test_a_read_only_folder(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # root may write anywhere, so the answer is set here
    assert main(["synthesize", "--domain", "library"]) == 3
    assert "cannot be written: choose another folder with --out" in capsys.readouterr().err


def test_the_identity_of_a_run_leaves_out_places_and_modes() -> None:
    one = SynthesisOptions("library", Path("a"), seed=1, jobs=4, resume=True)
    other = SynthesisOptions("library", Path("b"), seed=2, jobs=1, strict=True)
    assert one.identity() == other.identity()
    assert one.identity() != SynthesisOptions("library", Path("a"), tasks=21).identity()


def test_kinds_keep_their_order() -> None:
    assert making.parse_kinds(None) == ()
    assert making.parse_kinds("quiz, do ,do") == ("do", "quiz")
    with pytest.raises(UsageError):
        making.parse_kinds("")
