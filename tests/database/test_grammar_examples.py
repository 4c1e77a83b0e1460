"""Examples: written cases, samples that name others, facts that block a tool, and setups that are shared."""

import pytest

from envgen.core.errors import SpecError
from envgen.database.grammar import list_domains, propose
from envgen.database.grammar_examples import examples, share_setups
from envgen.database.spec import Tool

SAMPLES = {"one": "INSERT INTO t (id)   VALUES (900001)", "two": ["@one", "INSERT INTO u (id) VALUES (900001)"]}
OK = {"given": "as it is", "args": '{"t_id": 900001}', "expect": '{"status": "done"}', "setup": ["@one"]}


def made(cases: str, **fields: object) -> list[dict[str, object]]:
    return examples({"cases": cases, **fields}, SAMPLES, [], "tool t")


def test_a_case_is_a_line() -> None:
    case = "gone it is gone | @one; t: status = 'gone'; u 900002: n = 3 | t_id=900001, text=\"a, b\", n=2"
    setup = ["INSERT INTO t (id) VALUES (900001)", "UPDATE t SET status = 'gone' WHERE id = 900001", "UPDATE u SET n = 3 WHERE id = 900002"]
    args = {"t_id": 900001, "text": "a, b", "n": 2}
    assert made(case) == [{"given": "it is gone", "args": args, "setup": setup, "expect": {"error": "gone"}}]


def test_a_case_that_succeeds_expects_no_field() -> None:
    assert made("ok it is there | @one | t_id=900001")[0]["expect"] == {}


def test_samples_name_others_and_none_is_run_twice() -> None:
    assert made("ok x | @one; @two | t_id=1")[0]["setup"] == ["INSERT INTO t (id) VALUES (900001)", "INSERT INTO u (id) VALUES (900001)"]


@pytest.mark.parametrize(
    ("case", "problem"),
    [
        ("gone | @one | t_id=1", "a case is"),
        ("gone it is gone | @one", "a case is"),
        ("ok x | @nobody | t_id=1", "uses a sample that no pattern has"),
        ("ok x | @one | t_id=", "is not JSON"),
    ],
)
def test_a_malformed_case_is_named(case: str, problem: str) -> None:
    with pytest.raises(SpecError, match=problem):
        made(case)


def test_a_fact_blocks_what_would_succeed() -> None:
    fact = {"name": "owes", "code": "owes_money", "given": "money is owed", "setup": ["@two"]}
    told = examples({"example": [{**OK, "expect": '{"error": "x"}'}, OK]}, SAMPLES, [fact, {"name": "no_setup", "code": "c"}], "tool t")
    assert len(told) == 3
    assert told[2]["expect"] == {"error": "owes_money"} and told[2]["args"] == {"t_id": 900001} and len(told[2]["setup"]) == 2


def test_a_fact_needs_an_example_to_build_on() -> None:
    with pytest.raises(SpecError, match="no example succeeds"):
        examples({}, SAMPLES, [{"name": "owes", "setup": []}], "tool t")


def tool(*setups: tuple[str, ...]) -> Tool:
    told = [{"given": "x", "args": {}, "expect": {}, "setup": setup} for setup in setups]
    return Tool.model_validate({"name": "t", "description": "d", "parameters": {}, "steps": [], "examples": told})


def test_shared_setups_are_named_by_their_table() -> None:
    tools, samples = share_setups(
        [tool(("INSERT INTO t (a) VALUES (1)", "once")), tool(("INSERT INTO t (a) VALUES (1)",), ("UPDATE t SET a = 2",) * 2)]
    )
    assert samples == {"t": "INSERT INTO t (a) VALUES (1)", "t_2": "UPDATE t SET a = 2"}
    assert [example.setup for each in tools for example in each.examples] == [("@t", "once"), ("@t",), ("@t_2", "@t_2")]


@pytest.mark.parametrize("key", [info.key for info in list_domains()])
def test_every_setup_of_a_specification_is_sql(key: str) -> None:
    spec = propose(key, seed=3, size="small", lexicon=key).spec
    told = [sql for each in spec.tools for example in each.examples for sql in spec.setup(example)]
    assert told and all(sql.startswith(("INSERT INTO ", "UPDATE ", "DELETE ")) for sql in told)
    assert all(any(f"@{name}" in example.setup for each in spec.tools for example in each.examples) for name in spec.samples)
