"""The benchmarks run: small, on the shelter, with the server process replaced by figures (it is started in one test of its own)."""

import importlib
from pathlib import Path
from types import ModuleType

import pytest

from envgen.database.runtime import DatabaseEnvironment

FOLDER = Path(__file__).resolve().parents[1] / "benchmarks"


@pytest.fixture
def peer_server(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(FOLDER))
    return importlib.import_module("peer_server")


@pytest.fixture
def session(peer_server: ModuleType, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.setattr(peer_server, "measure", lambda episodes=3: peer_server.PeerCost(1.0, 0.1, 0.2))
    module = importlib.import_module("session")
    monkeypatch.setattr(module, "EPISODES", 20)
    return module


def test_the_session_benchmark_measures_what_it_says(session: ModuleType, shelter: Path, capsys: pytest.CaptureFixture[str]) -> None:
    environment = DatabaseEnvironment.load(shelter)
    figures = session.measure(environment)
    assert figures["fork_carries_base"] is True
    assert figures["server_episode_s"] == pytest.approx(1.3)
    assert figures["server_against_session"] == pytest.approx(1.3 * figures["episodes_per_second"])
    assert set(session.LIMITS) <= set(figures)
    session.report(figures)
    assert "call_ratio" in capsys.readouterr().out


def test_the_bare_statements_do_the_same_work_as_the_session(session: ModuleType, shelter: Path) -> None:
    environment = DatabaseEnvironment.load(shelter)
    bare = session.Bare(environment)
    task, calls = session.plans(environment)[0]
    tools = {tool.name: tool for tool in environment.spec.tools}
    played = environment.start(task)
    for call in calls:
        result = played.call(call.tool, call.arguments)
        rows = bare._steps(tools[call.tool], bare._binds(tools[call.tool], call, task))[0]
        expected = result.value if isinstance(result.value, list) else [result.value]
        assert [list(row) for row in rows] == [list(row.values()) for row in expected]
    played.close()


def test_six_calls_make_an_episode(session: ModuleType, shelter: Path) -> None:
    for _, calls in session.plans(DatabaseEnvironment.load(shelter)):
        assert len(session._six(calls)) == 6


def test_the_peer_server_starts_answers_and_stops(peer_server: ModuleType) -> None:
    cost = peer_server.measure(episodes=1)
    assert 0 < cost.calls < cost.start
    assert cost.episode == cost.start + cost.calls + cost.stop


def test_the_worlds_benchmark_builds_and_checks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(FOLDER))
    worlds = importlib.import_module("worlds")
    assert len(worlds._subjects("hotel,museum", 2, "large,small")) == 2 * (2 + 1)
    row = worlds.check(("food-cooperative", 1, "small"))
    assert row["problems"] == [] and row["tools"] > 10 and set(row["seconds"]) == {"build", "E1", "E2", "E3", "E5"}
    assert worlds.line(row).startswith("food-cooperative 1 small")
    assert worlds.line({**row, "problems": ["E5: nothing"]}).endswith("\n    E5: nothing")
