from pathlib import Path

import toy

import envgen
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
