"""Breaches of rules: by examples first, whose setup the rule's `before` holds as well, then by search."""

from collections.abc import Callable
from typing import Any

import pytest
from desk_tasks import make_environment
from planting import desk

from envgen.database.grammar import propose
from envgen.database.runtime import DatabaseEnvironment
from envgen.database.spec import Example
from envgen.database.world import build_world
from envgen.gates import breach as module
from envgen.gates.breach import breach
from envgen.gates.witness import at_example, guards_of, run_example


def nowhere(*_: Any, **__: Any) -> Any:
    return ()


@pytest.fixture
def without_search(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "single_calls", nowhere)
    monkeypatch.setattr(module, "WALKS", 0)


@pytest.mark.usefixtures("without_search")
@pytest.mark.parametrize(("domain", "seed"), [("hotel", 1), ("museum", 2), ("coworking space", 3), ("food cooperative", 4), ("hotel", 5)])
def test_examples_break_every_rule_and_meet_every_guard_but_missing_rows(domain: str, seed: int) -> None:
    proposal = propose(domain, seed=seed, size="small")
    environment = DatabaseEnvironment(proposal.spec, build_world(proposal, seed, "small")[0])
    assert [rule.id for rule in proposal.spec.rules if rule.kind == "agent" and not breach(environment, rule)] == []
    for tool in proposal.spec.tools:
        if environment.compiled[tool.name].writes:
            codes = {result.error.code for result in (run_example(environment, tool, each) for each in tool.examples) if result.error}
            assert {guard.code for guard in guards_of([tool])} - codes <= {"not_found"}, tool.key
            assert any("error" not in example.expect for example in tool.examples), tool.key


@pytest.mark.usefixtures("without_search")
def test_a_rule_that_no_example_breaks_is_left_to_the_search() -> None:
    environment = make_environment(tasks=[])
    assert all(breach(environment, rule) == "" for rule in environment.spec.rules if rule.id == "not_suspended")


def rule_on(sql: str) -> Callable[[dict[str, Any]], None]:
    def change(data: dict[str, Any]) -> None:
        rule = next(rule for rule in data["rules"] if rule["id"] == "not_suspended")
        rule["sql"] = sql
        tool = next(tool for tool in data["tools"] if tool["name"] == "pay_claim")
        tool["examples"] = [example for example in tool.get("examples", []) if "error" not in example["expect"]]

    return change


def test_the_setup_is_no_change_of_the_episode_but_part_of_its_start() -> None:
    environment = make_environment(tasks=[])
    example = Example(
        given="another limit",
        args={},
        expect={},
        setup=("UPDATE policies SET limit_cents = 77777", "DELETE FROM payments WHERE claim_id < 0"),
    )
    with at_example(environment, example) as session:
        assert {row[0] for row in session.connection.execute("SELECT limit_cents FROM before.policies")} == {77777}
        assert session.changes().empty()
    with environment.start(session.task) as session:
        assert 77777 not in {row[0] for row in session.connection.execute("SELECT limit_cents FROM before.policies")}


@pytest.mark.usefixtures("without_search")
def test_a_rule_over_the_start_sees_the_setup() -> None:
    seen = "SELECT c.step FROM trace.calls c JOIN before.policies p ON p.limit_cents = 50000 WHERE c.tool = 'pay_claim' AND c.ok"
    environment = desk(rule_on(seen), tasks=[])
    rule = next(rule for rule in environment.spec.rules if rule.id == "not_suspended")
    assert breach(environment, rule) == "pay_claim"
