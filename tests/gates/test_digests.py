"""The independent digest: equal up to the names of new rows, different otherwise; it agrees with the verifier."""

import apsw
import pytest
from desk import NOW, make_spec, make_world
from desk_tasks import make_environment
from hypothesis import given, settings
from hypothesis import strategies as st

from envgen.database.runtime import DatabaseSession
from envgen.gates.digests import StateDigest
from envgen.gates.play import world_tables
from envgen.gates.replay import neutral_task
from envgen.verify.expectation import derive
from envgen.verify.state import match

ENVIRONMENT = make_environment(tasks=[])
DIGEST = StateDigest(ENVIRONMENT.spec, world_tables(ENVIRONMENT.world))
calls = st.sampled_from(
    [
        ("open_claim", {"policy_id": 2, "title": "a", "amount_cents": 900}),
        ("open_claim", {"policy_id": 2, "title": "b", "amount_cents": 900}),
        ("add_note", {"claim_id": 55, "body": "one"}),
        ("add_note", {"claim_id": 56, "body": "one"}),
        ("add_note", {"claim_id": 1, "body": "two"}),
        ("deny_claim", {"claim_id": 24, "clause": "wear"}),
        ("deny_claim", {"claim_id": 55, "clause": "wear"}),
        ("set_email", {"holder_id": 1, "email": "x@y.example"}),
        ("set_email", {"holder_id": 1, "email": "ana.costa@example.org"}),
    ]
)


def play(steps: list[tuple[str, dict[str, object]]]) -> DatabaseSession:
    session = ENVIRONMENT.start(neutral_task(ENVIRONMENT.spec))
    for tool, arguments in steps:
        session.call(tool, arguments)
    return session


def digest(session: DatabaseSession, texts: frozenset[str] = frozenset()) -> str:
    return DIGEST(session.connection, start="", now=NOW, texts=texts)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.lists(calls, max_size=6), st.data())
def test_it_agrees_with_the_verifier(steps: list[tuple[str, dict[str, object]]], data: st.DataObject) -> None:
    others = data.draw(st.permutations(steps) | st.lists(calls, max_size=6))
    with play(steps) as one, play(others) as other:
        expect = derive(one.changes(), ENVIRONMENT.infos, quoted=lambda value: False, now=NOW)
        verdict = match(expect, other.changes(), ENVIRONMENT.infos).passed
        assert (digest(one) == digest(other)) == verdict


def test_swapped_names_are_the_same_state() -> None:
    first, second = ({"policy_id": 2, "title": title, "amount_cents": 900} for title in "ab")
    one = [("open_claim", first), ("open_claim", second), ("add_note", {"claim_id": 55, "body": "n"})]
    same = [("open_claim", second), ("open_claim", first), ("add_note", {"claim_id": 56, "body": "n"})]
    other = [("open_claim", second), ("open_claim", first), ("add_note", {"claim_id": 55, "body": "n"})]
    with play(one) as a, play(same) as b, play(other) as c:
        assert digest(a) == digest(b) != digest(c)


def test_texts_count_only_when_quoted() -> None:
    with play([("add_note", {"claim_id": 1, "body": "p"})]) as a, play([("add_note", {"claim_id": 1, "body": "q"})]) as b:
        assert digest(a) == digest(b)
        assert digest(a, frozenset("p")) != digest(b, frozenset("p"))


@pytest.mark.parametrize(("sql", "same"), [("UPDATE other SET x = 2", False), ("UPDATE other SET x = 1", True)])
def test_a_table_that_the_specification_forgets_counts(sql: str, same: bool) -> None:
    connection = apsw.Connection(":memory:")
    connection.execute("ATTACH ':memory:' AS before")
    for schema in ("main", "before"):
        connection.execute(f"CREATE TABLE {schema}.other(x); INSERT INTO {schema}.other VALUES(1)")
    found = StateDigest(make_spec(), {"other": ["x"]})
    start = found(connection, start="", now=NOW, texts=frozenset())
    connection.execute(sql)
    assert (found(connection, start="", now=NOW, texts=frozenset()) == start) is same


def test_the_worlds_tables_are_read_from_the_world() -> None:
    world = make_world(make_spec())
    assert set(world_tables(world)) == {"holders", "policies", "claims", "notes", "payments"}
