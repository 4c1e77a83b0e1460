"""References: the fewest words that fit one row as a read tool shows it, and the look-ups that lead there."""

from typing import Any

import pytest
from toy import spec, world

from envgen.core.errors import PlanError
from envgen.database.engine import native
from envgen.database.language import Finder, Language, Noun, Refer
from envgen.database.plan.draft import Book, Draft
from envgen.database.plan.mention import at_path, refer, say, shown
from envgen.database.runtime import DatabaseEnvironment

ATTEMPTS = ("{name}", "the {kind} {name}", "the {kind} {name} with number {id}")


def draft(*statements: str, attempts: tuple[str, ...] = ATTEMPTS, args: dict[str, str] | None = None) -> Draft:
    connection = native(world())
    for statement in statements:
        connection.execute(statement)
    language = Language(
        nouns={"animals": Noun(one="animal", many="animals")},
        party="animals",
        finders=(Finder(table="animals", tool="list_animals", args=args or {}),),
        refers=(Refer(table="animals", attempts=attempts),),
        acts=(),
        frames=(),
    )
    return Draft.begin(Book(DatabaseEnvironment(spec(), connection), language))


def test_the_shortest_unique_attempt_is_taken() -> None:
    plain = refer(draft(), "animals", 1)
    assert (plain.level, plain.values, plain.fields) == (0, {"name": "Tom"}, {"name": "Tom"})
    assert plain.origin == {"from": "result", "step": 0, "path": "0.id"}


def test_rivals_make_it_longer_whatever_their_capitals() -> None:
    assert refer(draft("INSERT INTO animals VALUES (9, 'TOM', 'dog', 'here')"), "animals", 1).level == 1
    assert refer(draft("INSERT INTO animals VALUES (9, 'tom', 'cat', 'here')"), "animals", 1).level == 2


def test_rows_that_the_tool_does_not_show_are_no_rivals() -> None:
    assert refer(draft("INSERT INTO animals VALUES (9, 'Tom', 'cat', 'adopted')"), "animals", 1).level == 0


def test_what_stays_ambiguous_is_refused() -> None:
    twin = draft("INSERT INTO animals VALUES (9, 'Tom', 'cat', 'here')", attempts=ATTEMPTS[:2])
    with pytest.raises(PlanError, match="ambiguous"):
        refer(twin, "animals", 1)
    assert twin.calls == []


def test_a_row_that_is_not_shown_is_refused() -> None:
    with pytest.raises(PlanError, match="not_shown"):
        refer(draft(), "animals", 4)


def test_words_that_a_look_up_needs_must_be_said() -> None:
    found = refer(draft(args={"kind": "field:kind"}), "animals", 1)
    assert found.level == 1
    with pytest.raises(PlanError, match="ambiguous"):
        refer(draft(args={"kind": "field:kind"}, attempts=("{name}",)), "animals", 1)


def test_look_ups_are_made_once_and_remembered() -> None:
    work = draft()
    refer(work, "animals", 1)
    refer(work, "animals", 3)
    assert len(work.calls) == 1
    assert [mention.key for mention in work.mentions] == [{"id": 1}, {"id": 3}]


@pytest.mark.parametrize(
    ("value", "form", "text"),
    [
        ("2026-03-06 14:00:00", "day", "on Friday"), ("2026-03-06", "date", "Friday"), ("2026-03-06 14:00:00", "hour", "at 14"),
        (1650, "money", "€16.50"), ("Small Boats", "quote", '"Small Boats"'), ("past_due", "", "past due"), (7, "", "7"),
    ],
)  # fmt: skip
def test_formats(value: Any, form: str, text: str) -> None:
    assert shown(value, form, draft()) == text


@pytest.mark.parametrize(
    ("name", "child", "value", "text", "source"),
    [
        ("on", {"type": "string", "format": "date"}, "2026-03-06", "Friday", "operation"),
        ("at", {"type": "string", "format": "date-time"}, "2026-03-06 14:00:00", "Friday at 14", "operation"),
        ("kind", {"type": "string", "enum": ["past_due"]}, "past_due", "past due", "instruction"),
        ("amount_cents", {"type": "integer"}, 1650, "€16.50", "operation"),
        ("count", {"type": "integer"}, 3, "three", "operation"),
        ("note", {"type": "string"}, "as it is", "as it is", "instruction"),
    ],
)
def test_values_have_words_and_an_origin(name: str, child: dict[str, Any], value: Any, text: str, source: str) -> None:
    said = say(draft(), name, child, value)
    assert (said.text, said.origin["from"], said.origin["text"]) == (text, source, text)


def test_paths() -> None:
    assert at_path({"a": [{"b": 5}]}, "a.0.b") == 5
    with pytest.raises(PlanError, match="no_path"):
        at_path({"a": []}, "a.0.b")


def test_words_must_fit_one_row_at_the_start_as_well() -> None:
    work = draft("INSERT INTO animals VALUES (9, 'Tom', 'dog', 'here')")
    work.write("adopt", {"animal_id": 9, "person": "Eve"}, {})
    assert refer(work, "animals", 1).level == 1


def test_words_that_came_only_with_an_earlier_goal_are_not_used() -> None:
    work = draft(attempts=("{name}", "{kind}"))
    work.write("adopt", {"animal_id": 3, "person": "Eve"}, {})
    work.session.connection.execute("UPDATE animals SET name = 'Max' WHERE id = 1")
    with pytest.raises(PlanError, match="ambiguous"):
        refer(work, "animals", 1)
