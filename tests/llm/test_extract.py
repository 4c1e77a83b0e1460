import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from envgen.llm.extract import LARGEST, extract_json


def value(text: str) -> Any:
    found = extract_json(text)
    assert found.problem == "" and not found.salvaged, found
    return found.value


ANSWER = {"tools": [{"name": "list_shifts", "sql": "SELECT '{' || \"a\" FROM t -- ```"}], "note": "a } b"}
TEXT = json.dumps(ANSWER)


@pytest.mark.parametrize(
    "reply",
    [
        TEXT,
        f"\ufeff \n{TEXT}\n",
        f"Here is the JSON you asked for:\n{TEXT}\nLet me know!",
        f"```json\n{TEXT}\n```",
        f"```\n{TEXT}\n```",
        f"~~~JSON\r\n{TEXT}\r\n~~~",
        f"Sure.\n\n```json\n{TEXT}",  # a fence that is never closed
        f'<think>Maybe {{"tools": []}}? No.</think>{TEXT}',
        f"<think>\nI need {{tools}}\n</think>\n```json\n{TEXT}\n```",
        f'Let me think about {{"tools": [1]}}\n</think>\n\n{TEXT}',  # the template opened the reasoning
        f"<thinking>a</thinking>\n<think>b</think>\n{TEXT}",
        f"<think>I shall answer with tools.\n{TEXT}",  # never closed
        f'Use {{x}} and {{ }} as placeholders, {{"like" this}}. {TEXT}',
        f'The form is {{"a": b}} where b is a value. {TEXT}',  # a broken one before
        f'For example:\n`{{"tools": [1]}}`\n\n```json\n{TEXT}\n```',  # the fenced one is meant
        f"{{}} is what I began with. {TEXT}",
    ],
)
def test_finds_the_object(reply: str) -> None:
    assert value(reply) == ANSWER


def test_a_reasoning_tag_inside_the_object_belongs_to_it() -> None:
    assert value('Text: {"a": "<think>x</think>", "b": {"c": 1}}') == {"a": "<think>x</think>", "b": {"c": 1}}


def test_an_answer_given_only_within_the_reasoning_counts() -> None:
    assert value('<think>{"a": 1}</think>\nDone.') == {"a": 1}


def test_an_empty_object_counts_when_there_is_no_other() -> None:
    assert value("Nothing to add: {}") == {}


@pytest.mark.parametrize("text", ["", "   ", "I cannot do that.", "{", "}{", "{ not json }", '"text"', "12"])
def test_says_when_there_is_none(text: str) -> None:
    found = extract_json(text)
    assert (found.value, found.problem) == (None, "the reply holds no JSON object")


def test_a_list_is_not_taken_for_its_first_element() -> None:
    assert extract_json('```json\n[{"a": 1}, {"a": 2}]\n```').value is None
    assert extract_json('[{"a": 1}, {"a": 2}]').problem == "the reply is a list; one JSON object is wanted"


def test_a_broken_object_is_not_taken_for_one_of_its_parts() -> None:
    found = extract_json('{"a": {"b": 1} "c": {"d": 2}}')
    assert found.value is None
    assert found.problem == "line 1, column 16, in the object: expected ',' or '}', not '\"'"


def test_a_later_answer_counts_when_the_first_is_broken() -> None:
    assert value('{"a": {"b": 1} "c": 2} Sorry, again: {"a": 1}') == {"a": 1}


def test_duplicate_keys_are_a_problem_named_by_path() -> None:
    found = extract_json('{"t": [{"n": 1, "n": 2}]}')
    assert found.value is None
    assert "in t[0].n: the key is given twice" in found.problem


def test_a_reply_that_is_too_large_is_not_read() -> None:
    found = extract_json('{"a": "' + "x" * LARGEST + '"}')
    assert found.value is None
    assert "at most 2,000,000 are read" in found.problem


def test_a_reply_of_many_braces_is_read_in_linear_time() -> None:
    assert extract_json("{ " * 200_000).value is None
    assert extract_json('{"' * 100_000).value is None
    assert extract_json('{"a":' * 100_000).problem.endswith("nested more than 200 levels deep")


@pytest.mark.parametrize("wrapped", ["{}", "```json\n{}", "<think>hm</think>{}", "Here: {}"])
def test_a_cut_off_object_keeps_the_complete_elements_of_its_list(wrapped: str) -> None:
    found = extract_json(wrapped.replace("{}", '{"name": "x", "tools": [{"a": 1}, {"a": 2}, {"a": '))
    assert found.value == {"name": "x", "tools": [{"a": 1}, {"a": 2}]}
    assert found.salvaged and found.problem == ""


def test_a_cut_off_object_without_a_list_says_where_it_breaks_off() -> None:
    found = extract_json('{"name": "x", "text": "half a sent')
    assert (found.value, found.salvaged) == (None, False)
    assert found.problem == "the text breaks off inside text"


# Text without halves of surrogate pairs and NUL, which a reply may not hold.
texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=20)
scalars = st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats(allow_nan=False, allow_infinity=False) | texts
values = st.recursive(scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4), max_leaves=20)
objects = st.dictionaries(texts, values, min_size=1, max_size=5)
# Prose with braces, quotes and brackets, only not what itself begins an object or a list with one.
prose = texts.map(lambda text: text.replace('"', "'").replace("{", "{.").rstrip("[ \t\r\n"))
fences = st.sampled_from(
    [("", ""), ("```json\n", "\n```"), ("```\n", "\n```"), ("~~~\n", "\n~~~"), ("<think>well</think>", ""), ("<think>", "")]
)
spaces = st.sampled_from([None, 2])


@given(objects, prose, prose, fences, spaces, st.booleans())
def test_any_object_is_found_in_any_prose_or_fence(answer: Any, before: str, after: str, fence: Any, indent: Any, ascii_only: bool) -> None:
    opening, closing = fence
    text = json.dumps(answer, ensure_ascii=ascii_only, indent=indent)
    lines = "\n" if opening.startswith(("`", "~")) else ""
    assert value(f"{before}{lines}{opening}{text}{closing}{after}") == answer


def is_prefix(part: Any, whole: Any) -> bool:
    """Return whether `part` is `whole` with lists shortened at the end and members left out at the end."""
    if isinstance(part, dict) and isinstance(whole, dict):
        return list(part) == list(whole)[: len(part)] and all(is_prefix(part[key], whole[key]) for key in part)
    if isinstance(part, list) and isinstance(whole, list):
        return part == whole[: len(part)]
    return part == whole and type(part) is type(whole)


@given(objects, st.data())
@example({"a": [{"b": [1]}, {"b": [2, 3]}]}, None)
def test_any_truncation_keeps_a_prefix_or_says_why_not(answer: Any, data: Any) -> None:
    text = json.dumps(answer)
    cuts = range(len(text)) if data is None else [data.draw(st.integers(0, len(text) - 1))]
    for cut in cuts:
        found = extract_json(text[:cut])
        assert (found.value is None) == bool(found.problem)
        if found.value is not None:
            assert found.salvaged
            assert is_prefix(found.value, answer)


@given(st.text(st.sampled_from('{}[]":,\\u0a1 \n`<think>/-.eE'), max_size=60) | st.text(max_size=60))
def test_never_raises(text: str) -> None:
    found = extract_json(text)
    assert (found.value is None) == bool(found.problem)
