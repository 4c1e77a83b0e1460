from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import envgen
from envgen.core.errors import UsageError
from envgen.core.outcome import Check, Verdict
from envgen.rollout.interactive import Game, describe_schema, explain, parse_arguments

SCHEMA = {"properties": {"id": {"type": "integer"}, "name": {"type": "string"}, "tags": {"type": "array"}}}


def play(shelter: Path, *lines: str, task: int = 0) -> tuple[Verdict | None, str]:
    environment = envgen.load(shelter)
    source: Iterator[str] = iter(lines)
    shown: list[str] = []

    def read(prompt: str) -> str:
        for line in source:
            return line
        raise EOFError

    return Game(environment.start(environment.tasks()[task]), read, shown.append).play(), "\n".join(shown)


def test_a_person_solves_a_task(shelter: Path) -> None:
    verdict, shown = play(shelter, "list_animals kind=cat", "adopt animal_id=3 person=Eve", "submit")
    assert verdict is not None
    assert verdict.reward == 1.0
    assert "Eve would like to adopt Mia." in shown
    assert "Reward 1: solved." in shown
    assert "pass  state" in shown


def test_a_failed_verdict_is_explained(shelter: Path) -> None:
    verdict, shown = play(shelter, "adopt animal_id=1 person=Eve", "submit")
    assert verdict is not None
    assert verdict.reward == 0.0
    assert "FAIL  state: " in shown


def test_undo_takes_back_the_call_and_its_place_in_the_trace(shelter: Path) -> None:
    verdict, shown = play(
        shelter, "undo", "adopt animal_id=1 person=Eve", "changes", "undo", "changes", "adopt animal_id=3 person=Eve", "submit"
    )
    assert verdict is not None
    assert verdict.reward == 1.0
    assert "There is no call to take back." in shown
    assert "~ animals id=1: status 'here' -> 'adopted'" in shown
    assert "Nothing has changed." in shown


def test_an_answer_is_submitted_with_its_type(shelter: Path) -> None:
    verdict, _ = play(shelter, "submit answer=2", task=1)
    assert verdict is not None
    assert verdict.reward == 1.0


def test_leaving_gives_no_verdict(shelter: Path) -> None:
    assert play(shelter, "quit", "submit")[0] is None
    assert play(shelter)[0] is None


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("adop animal_id=3", "Did you mean adopt?"),
        ("qqqqqq", "`tools` lists them"),
        ("adopt animal_id", "is not key=value"),
        ("adopt {broken", "not JSON"),
        ('adopt person="Eve', "a quote is not closed"),
        ("adopt animal_id=99 person=Eve", "refused (not_found): No animal 99."),
        ("adopt animal_id=x person=Eve", "refused (invalid_arguments)"),
        ("submit mood=good", "submit takes answer, outcome and reason, not mood"),
        ("help nothing", "there is no tool 'nothing'"),
        ("help adopt", "Give an animal to a person."),
        ("help", "NAME key=value"),
        ("tools", "list_animals"),
        ("task", "Eve would like to adopt Mia."),
    ],
)
def test_what_is_answered(shelter: Path, line: str, answer: str) -> None:
    verdict, shown = play(shelter, line)
    assert verdict is None
    assert answer in shown


def test_pairs_take_the_type_that_the_schema_asks_for() -> None:
    assert parse_arguments("""id=3 name=007 tags='["a"]' more=x""", SCHEMA) == {"id": 3, "name": "007", "tags": ["a"], "more": "x"}
    assert parse_arguments("name='by the window'", SCHEMA) == {"name": "by the window"}
    assert parse_arguments('{"id": null}', SCHEMA) == {"id": None}
    assert parse_arguments("", SCHEMA) == {}


@given(st.text(max_size=200))
def test_any_line_is_arguments_or_a_clear_refusal(text: str) -> None:
    try:
        assert isinstance(parse_arguments(text, SCHEMA), dict)
    except UsageError as problem:
        assert str(problem)


def test_a_verdict_without_reward_says_why() -> None:
    assert list(explain(Verdict("invalid", failure_kind="disk"))) == ["No reward: the episode is invalid (disk)."]
    lines = list(explain(Verdict("valid", 0.0, False, checks=(Check("state", False, "books: 1 row too many"), Check("answer", True)))))
    assert lines == ["Reward 0: not solved.", "  FAIL  state: books: 1 row too many", "  pass  answer"]


def test_rules_that_were_kept_are_counted_and_a_broken_one_is_named() -> None:
    checks = (Check("state", True), Check("rule:a", True), Check("rule:b", False), Check("rule:c", True))
    assert list(explain(Verdict("valid", 0.0, False, checks=checks)))[1:] == [
        "  pass  state",
        "  FAIL  rule:b",
        "  pass  2 rules of the policy",
    ]


def test_schemas_in_words() -> None:
    assert describe_schema({"enum": ["a", None]}) == 'one of "a", null'
    assert describe_schema({"type": "string", "format": "date", "description": "when"}) == "string, format date: when"
