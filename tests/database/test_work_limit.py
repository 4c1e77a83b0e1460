from pathlib import Path

import pytest
import toy

import envgen
from envgen.core.types import RowPatch
from envgen.database.engine import open_world
from envgen.database.runtime import DatabaseEnvironment
from envgen.database.spec import EnvironmentSpec

ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) AS found FROM n"


def test_a_call_that_would_run_for_ever_is_stopped_and_the_session_goes_on(shelter: Path) -> None:
    tool = {
        "name": "hang",
        "description": "Never ends.",
        "parameters": {"type": "object", "properties": {}},
        "steps": [{"return": {"one": ENDLESS}}],
    }
    spec = EnvironmentSpec.model_validate({**toy.SPEC, "tools": [*toy.SPEC["tools"], tool]})
    environment = DatabaseEnvironment(spec, open_world(str(shelter / "world.sqlite")), tasks=toy.tasks())
    with environment.start(toy.tasks()[0]) as session:
        refused = session.call("hang", {})
        assert refused.error is not None
        assert refused.error.code == "too_expensive"
        assert session.call("list_animals", {}).ok


def test_many_cheap_calls_are_never_taken_for_an_expensive_one(shelter: Path) -> None:
    # SQLite counts the steps of a cached statement over all its runs.
    environment = envgen.load(shelter)
    for _ in range(40):
        session = environment.start(environment.tasks()[0])
        assert all(session.call("list_animals", {}).ok for _ in range(999))
        session.close()


WRITE = "UPDATE animals SET name = (WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n) WHERE id = 2"


@pytest.fixture
def stuck(shelter: Path) -> DatabaseEnvironment:
    """A shelter with a tool whose write never ends: SQLite gives up the whole transaction when it stops one."""
    steps = [{"run": "UPDATE animals SET status = 'adopted' WHERE id = 1"}, {"run": WRITE}, {"return": {"value": "SELECT 1"}}]
    tool = {"name": "hang", "description": "Never ends.", "parameters": {"type": "object", "properties": {}}, "steps": steps}
    spec = EnvironmentSpec.model_validate({**toy.SPEC, "tools": [*toy.SPEC["tools"], tool]})
    gold = {item.task: item for item in toy.gold()}
    return DatabaseEnvironment(spec, open_world(str(shelter / "world.sqlite")), tasks=toy.tasks(), gold=gold)


PATCH = (RowPatch(op="update", table="animals", key={"id": 1}, row={"name": "Thomas"}),)


@pytest.mark.parametrize("forked", [False, True])
def test_a_write_that_would_run_for_ever_changes_nothing_of_the_episode(stuck: DatabaseEnvironment, forked: bool) -> None:
    task = stuck.task("t-adopt")
    task = task.model_copy(update={"start": task.start.model_copy(update={"patch": PATCH})})
    first = stuck.start(task)
    assert first.call("adopt", {"animal_id": 3, "person": "Eve"}).ok
    session = first.fork() if forked else first
    before, changes = session.snapshot().digest, session.changes()
    refused = session.call("hang", {})
    assert refused.error is not None
    assert refused.error.code == "too_expensive"
    assert (session.snapshot().digest, session.changes()) == (before, changes)
    assert session.probe("hang", {}).error is not None
    assert (session.snapshot().digest, session.changes()) == (before, changes)
    assert session.submit().reward == 1.0
    session.close()
    first.close()
    with stuck.start(stuck.task("t-adopt")) as clean, stuck.start(stuck.task("t-adopt")) as other:
        assert clean.changes().empty()
        assert clean.snapshot().digest == other.snapshot().digest
        assert clean.connection.execute("SELECT name FROM animals WHERE id = 1").fetchone() == ("Tom",)
