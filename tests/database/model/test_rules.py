"""The SQL derived from a rule does what its words say, in real episodes of the bicycle workshop."""

import copy
from typing import Any

import pytest
from small_author import RULES, small_parts

from envgen.core.types import JsonObject
from envgen.database.model.rules import procedure_rule
from envgen.database.model.tools import Malformed
from envgen.database.model.wire import Procedure
from envgen.database.runtime import DatabaseEnvironment
from envgen.gates.replay import neutral_task
from envgen.synthesis.trial import Findings, build


def workshop(rules: JsonObject) -> DatabaseEnvironment:
    environment = build(small_parts(rules=rules), 0, Findings())
    assert environment is not None
    return environment


def broken(environment: DatabaseEnvironment, *calls: tuple[str, JsonObject]) -> list[str]:
    with environment.start(neutral_task(environment.spec)) as session:
        assert all(session.call(name, arguments).ok for name, arguments in calls)
        return session.broken()


def one(environment: DatabaseEnvironment, where: str) -> Any:
    return environment.world.execute(f"SELECT id FROM repairs WHERE status = 'booked' AND due_on > '2026-05-12' AND {where}").fetchone()[0]


def test_a_procedure_wants_its_call_before_and_about_the_same_row() -> None:
    environment = workshop(RULES | {"prohibitions": []})
    repair, other = one(environment, "price_cents < 9000"), one(environment, "price_cents >= 9000")
    look, cancel = ("get_repair", {"repair_id": repair}), ("cancel_repair", {"repair_id": repair})
    assert broken(environment, look, cancel) == []
    assert broken(environment, cancel) == ["look_first"]
    assert broken(environment, cancel, look) == ["look_first"]
    assert broken(environment, ("get_repair", {"repair_id": other}), cancel) == ["look_first"]


def test_a_prohibition_stands_exactly_on_its_limit() -> None:
    environment = workshop(RULES | {"procedures": []})
    assert broken(environment, ("cancel_repair", {"repair_id": one(environment, "price_cents >= 9000")})) == ["dear"]
    assert broken(environment, ("cancel_repair", {"repair_id": one(environment, "price_cents < 9000")})) == []


def test_a_literal_number_is_compared_as_a_number() -> None:
    parts = small_parts()
    repair = one(workshop(RULES), "price_cents < 9000")
    rules = copy.deepcopy(RULES) | {"prohibitions": []}
    rules["procedures"][0]["arguments"] = [{"name": "repair_id", "source": f"={repair}"}]
    environment = workshop(rules)
    assert broken(environment, ("get_repair", {"repair_id": repair}), ("cancel_repair", {"repair_id": repair})) == []
    with pytest.raises(Malformed, match="does not take"):
        procedure_rule(
            Procedure.model_validate({**rules["procedures"][0], "arguments": [{"name": "repair_id", "source": "='x' OR 1=1"}]}), parts.tools
        )
