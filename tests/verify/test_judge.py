"""The verdict: reward only when every check passes."""

from typing import Any

import pytest

from envgen.core.types import Answer, Expectation, Goal, Gold, UpdateExpectation
from envgen.verify.changes import ChangeSet, TableInfo
from envgen.verify.judge import judge

REFUSE = {"expect": Expectation(), "outcome": "refused", "reason": "r1"}
INFOS = {"claim": TableInfo("claim", ("id", "status"), (0,), ("generated", "exact"))}
PAID = ChangeSet(update=[("claim", {"id": 1}, {"status": ("open", "paid")})])
EXPECT = Expectation(update=(UpdateExpectation(table="claim", key={"id": 1}, set={"status": "paid"}),))


def verdict(gold: dict[str, Any], changes: ChangeSet, broken: tuple[str, ...] = (), **submitted: Any) -> Any:
    record = Gold(task="t", goals=(Goal(kind="do", template="x"),), calls=(), **{"expect": EXPECT, **gold})
    given = {"answer": None, "outcome": "done", "reason": None, **submitted}
    return judge(record, changes, [], INFOS, broken=broken, rule_ids=["r1", "r2"], **given)


def test_all_right() -> None:
    found = verdict({}, PAID)
    assert (found.status, found.reward, found.solved, found.failure_kind) == ("valid", 1.0, True, None)
    assert [check.name for check in found.checks] == ["state", "answer", "outcome", "rule:r1", "rule:r2"]
    assert found.components == {"state": 1.0, "answer": 0.0, "outcome": 0.0, "rules": 0.0}


@pytest.mark.parametrize(
    ("gold", "changes", "broken", "submitted", "failed"),
    [
        ({}, ChangeSet(), (), {}, ["state"]),
        ({}, PAID, ("r2",), {}, ["rule:r2"]),
        ({}, PAID, (), {"outcome": "refused"}, ["outcome"]),
        ({}, PAID, (), {"answer": 3}, ["answer"]),
        ({"answer": Answer(type="integer", value=2)}, PAID, (), {"answer": 3}, ["answer"]),
        (REFUSE, ChangeSet(), (), {"outcome": "refused", "reason": "r2"}, ["reason"]),
        (REFUSE, ChangeSet(), (), {}, ["outcome", "reason"]),
        (REFUSE, PAID, (), {"outcome": "refused", "reason": "r1"}, ["state"]),
    ],
)  # fmt: skip
def test_each_check_alone_loses_the_reward(gold: Any, changes: Any, broken: Any, submitted: Any, failed: list[str]) -> None:
    found = verdict(gold, changes, broken, **submitted)
    assert found.failed() == failed
    assert (found.reward, found.solved) == (0.0, False)
    assert found.failure_kind == failed[0].split(":")[0]


@pytest.mark.parametrize("gold", [{}, REFUSE, {"answer": Answer(type="integer", value=2)}])
def test_doing_nothing_earns_nothing(gold: dict[str, Any]) -> None:
    assert all(value <= 0 for value in verdict(gold, ChangeSet()).components.values())
