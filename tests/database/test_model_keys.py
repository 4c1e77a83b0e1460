import pytest

from envgen.database.model.keys import key_problems
from envgen.database.spec import Column, Table, Tool

COLUMNS = (Column(name="id", type="INTEGER", primary_key=True, policy="generated"), Column(name="day"))
TABLES = (Table(name="jobs", columns=COLUMNS), Table(name="visits", columns=COLUMNS))


def tool(*steps: dict[str, object]) -> Tool:
    return Tool.model_validate({"name": "plan", "description": "Plan.", "parameters": {"type": "object", "properties": {}}, "steps": steps})


@pytest.mark.parametrize(
    "sql",
    [
        "INSERT INTO jobs (id, day) VALUES (:job_id, date(:now))",
        "INSERT INTO jobs (day, id) SELECT v.day, :job_id FROM visits v WHERE v.id = 3",
        "INSERT INTO jobs VALUES (:job_id, date(:now))",
        "UPDATE jobs SET day = date(:now) WHERE id = 1",
    ],
)
def test_ids_of_the_allocator_are_fine(sql: str) -> None:
    assert not list(key_problems(tool({"new_id": {"job_id": "jobs.id"}}, {"run": sql}), TABLES))


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("INSERT INTO jobs (id, day) VALUES ((SELECT max(id) + 1 FROM jobs), date(:now))", "comes from (SELECT MAX(id) + 1 FROM jobs)"),
        ("INSERT INTO jobs (id, day) SELECT max(v.id), v.day FROM visits v", "comes from MAX(v.id)"),
        ("INSERT INTO jobs (day) VALUES (date(:now))", "is left out"),
        ("INSERT INTO visits (id, day) VALUES (:job_id, date(:now))", "the new row of visits comes from :job_id"),
    ],
)
def test_ids_from_elsewhere_are_named(sql: str, said: str) -> None:
    (problem,) = key_problems(tool({"new_id": {"job_id": "jobs.id"}}, {"run": sql}), TABLES)
    assert said in problem
    assert problem.startswith("step 2:")
    assert problem.endswith("take it with a new_id step")


def test_an_id_that_is_taken_afterwards_does_not_count() -> None:
    late = tool({"run": "INSERT INTO jobs (id, day) VALUES (:job_id, '2026-01-01')"}, {"new_id": {"job_id": "jobs.id"}})
    assert list(key_problems(late, TABLES))
