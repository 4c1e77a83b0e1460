"""Each planted defect is rejected by exactly the gate it names, and no gate could be missed."""

import pytest
from defects import DEFECTS, Defect
from desk_tasks import make_environment
from planting import Data, desk, reading

from envgen.core.errors import SpecError
from envgen.database.runtime import DatabaseEnvironment
from envgen.gates import procedural
from envgen.gates.registry import ENVIRONMENT_GATES, TASK_GATES, TITLES, bundle_task_gates, environment_gates
from envgen.gates.replay import replay_elsewhere, replay_here
from envgen.gates.report import GateReport

ALL = [*ENVIRONMENT_GATES, *TASK_GATES]


@pytest.fixture(autouse=True)
def shorter_exploration(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(procedural, "EPISODES", 8)


def run(
    environment: DatabaseEnvironment, gates: list[str], recorded: dict[str, str] | None = None, *, elsewhere: bool = True
) -> GateReport:
    """Run `gates` as a validation does; `elsewhere` in a process of its own, else under the same wrong clock and scan order here."""
    evidence = environment_gates(environment, gates=[gate for gate in gates if gate in ("E1", "E2")])
    if all(item.status == "pass" for item in evidence):
        gold = {task.id: environment.gold(task.id) for task in environment.tasks()}
        replay = (replay_elsewhere if elsewhere else replay_here)(environment, environment.tasks(), gold)
        evidence += environment_gates(environment, gates=[gate for gate in gates if gate in ("E3", "E4", "E5")], replay=replay)
        evidence += bundle_task_gates(environment, environment.tasks(), gold, gates=gates, replay=replay, recorded=recorded)
    return GateReport("desk", evidence, TITLES)


def test_the_desk_without_a_defect_is_sound() -> None:
    report = run(make_environment(), ALL)
    assert report.problems() == []
    assert report.gates() == ALL


@pytest.mark.parametrize("defect", DEFECTS, ids=lambda defect: f"{defect.gate}-{defect.name}")
def test_each_defect_is_rejected_by_the_gate_it_names(defect: Defect) -> None:
    report = run(defect.build(), ALL, defect.recorded, elsewhere=defect.gate in ("E4", "T9"))
    assert report.failing() == {defect.gate}, report.problems()


def test_there_are_enough_defects_and_one_for_each_gate() -> None:
    assert len(DEFECTS) >= 25
    assert {defect.gate for defect in DEFECTS} == set(ALL)


@pytest.mark.parametrize("gate", ALL)
def test_no_gate_can_be_left_out(gate: str) -> None:
    """The first defect of a gate passes every other gate: without that gate it would be kept."""
    defect = next(item for item in DEFECTS if item.gate == gate)
    report = run(defect.build(), [other for other in ALL if other != gate], defect.recorded, elsewhere=False)
    assert report.problems() == []


def test_memory_between_episodes_does_not_even_compile() -> None:
    """`changes()` tells what the last episode on the same connection wrote."""

    def change(data: Data) -> None:
        data["tools"].append(reading("last_count", {"value": "SELECT changes()"}))

    with pytest.raises(SpecError, match="last_count"):
        desk(change)
