"""The line languages of pattern files."""

from textwrap import dedent

import pytest

from envgen.core.errors import SpecError
from envgen.database.grammar_lines import joined, parse_arguments, parse_column, parse_steps, refusal
from envgen.database.spec import Column


def test_columns_say_kind_and_flags() -> None:
    assert Column(**parse_column("id key")).primary_key
    column = Column(**parse_column("left_cents money default 0 check (left_cents >= 0)"))
    assert (column.type, column.format, column.default, column.check) == ("INTEGER", "money", 0, "left_cents >= 0")
    reference = Column(**parse_column("staff_id ref:staff null"))
    assert (reference.references, reference.not_null) == ("staff.id", False)
    assert Column(**parse_column("status enum:open|closed default open")).values == ("open", "closed")
    assert Column(**parse_column("email text unique policy text")).policy == "text"


def test_an_unknown_kind_of_column_is_named() -> None:
    with pytest.raises(SpecError, match=r"colour.*varchar"):
        parse_column("colour varchar")


def test_arguments_become_a_closed_schema() -> None:
    schema = parse_arguments(
        dedent("""
        loan_id ref loans.id
        due_on date 1 30 ; The new day.
        places int 1 4 = 1
        status? enum open|closed
        limit limit
        """),
        {"loans.id": "Id of the loan."},
    )
    assert schema["required"] == ["loan_id", "due_on"]
    properties = schema["properties"]
    assert properties["loan_id"]["x-column"] == "loans.id" and properties["loan_id"]["description"] == "Id of the loan."
    assert properties["due_on"]["format"] == "date" and properties["due_on"]["description"] == "The new day."
    assert properties["places"]["default"] == 1
    assert properties["status"]["enum"] == ["open", "closed"]
    assert (properties["limit"]["minimum"], properties["limit"]["maximum"]) == (1, 50)
    assert schema["additionalProperties"] is False


def test_every_argument_says_what_to_draw() -> None:
    lines = [
        "a ref t.id",
        "a like t.name",
        "a int 1 2",
        "a money 100 900 50",
        "a share t.cents",
        "a text pool",
        "a date 0 9",
        "a limit limit",
    ]
    for line in lines:
        child = parse_arguments(line.replace("a limit", "limit"), {})["properties"].popitem()[1]
        assert {"x-column", "x-domain", "enum"} & set(child), line


def test_steps_are_read_line_by_line() -> None:
    steps = parse_steps(
        """
        # a comment
        require SELECT 1 FROM t WHERE id = :id -> not_found: No row {id}.
        gates
        bind SELECT a->>'$.b' AS b FROM t
        new_id x=t.id y=u.id
        run[0,2] UPDATE t SET a = 1
          WHERE id = :id
        return object
        part t one SELECT 1 AS one
        part rows many[7] SELECT id FROM t ORDER BY id
        """.replace("\n        ", "\n"),
        [{"forbid": "SELECT 2", "else": ["gate", "Closed."]}],
        "tool x",
    )
    assert [next(iter(step)) for step in steps] == ["require", "forbid", "bind", "new_id", "run", "return"]
    assert steps[0]["else"] == ["not_found", "No row {id}."]
    assert steps[3]["new_id"] == {"x": "t.id", "y": "u.id"}
    assert steps[4] == {"run": "UPDATE t SET a = 1 WHERE id = :id", "rows": [0, 2]}
    assert steps[5]["return"]["object"]["rows"] == {"many": "SELECT id FROM t ORDER BY id", "max": 7}


def test_an_arrow_inside_json_is_no_end_of_the_sql() -> None:
    step = refusal("forbid", "SELECT a->>'$.b' AS b FROM t -> code: Text: with colon.", "tool x")
    assert step == {"forbid": "SELECT a->>'$.b' AS b FROM t", "else": ["code", "Text: with colon."]}


@pytest.mark.parametrize("line", ["demand SELECT 1", "require SELECT 1", "return SELECT 1", "forbid SELECT 1 -> no colon"])
def test_a_line_that_is_no_step_is_refused(line: str) -> None:
    with pytest.raises(SpecError, match="tool x"):
        parse_steps(line, [], "tool x")


def test_blank_lines_and_comments_are_skipped() -> None:
    assert joined("\n# note\na\n  b\n\nc\n") == ["a b", "c"]
