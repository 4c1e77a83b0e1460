import json

import pytest

from envgen.llm.lenient import DEPTH, BreaksOff, Reader, Unsound


def read(text: str) -> object:
    return Reader(text, 0).read()


def test_reads_what_the_standard_library_reads() -> None:
    text = '{"a": [1, -2.5e3, true, false, null, "x\\u00e9\\n", {}, []], "": {"b": "ä"}}'
    assert read(text) == json.loads(text)


def test_stops_behind_the_object() -> None:
    reader = Reader('{"a": 1} and more', 0)
    reader.read()
    assert reader.position == 8


@pytest.mark.parametrize("text", ['{"a": [1, 2,], "b": {"c": 1,},}', '{"a": [1, 2 , ] , "b": {"c": 1 , } , }'])
def test_takes_a_comma_before_a_closing_bracket(text: str) -> None:
    assert read(text) == {"a": [1, 2], "b": {"c": 1}}


def test_takes_a_line_break_inside_a_string() -> None:
    assert read('{"a": "one\ntwo"}') == {"a": "one\ntwo"}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"a": 1 "b": 2}', "expected ',' or '}', not '\"'"),
        ('{"a": [1 2]}', "in a: expected ',' or ']', not '2'"),
        ('{"a" 1}', "expected ':' after the key"),
        ("{a: 1}", "expected a key in double quotes, not 'a'"),
        ('{"a": x}', "in a: expected a value, not 'x'"),
        ('{"a": [,]}', "in a[0]: expected a value, not ','"),
        ('{"a": 1,,}', "expected a key in double quotes, not ','"),
        ('{"a": 01}', "expected ',' or '}', not '1'"),
        ('{"a": NaN}', "NaN and Infinity"),
        ('{"a": -Infinity}', "NaN and Infinity"),
        ('{"a": 1e999}', "the number is too large"),
        ('{"a": "\\d"}', "invalid \\escape"),
        ('{"a": {"b": "\\ud800"}}', "in a.b: the text holds a NUL or half of a surrogate pair"),
        ('{"a": "\\u0000"}', "in a: the text holds a NUL"),
        ('{"a": "\x00"}', "in a: the text holds a NUL"),
        ('{"a": "\ud800"}', "half of a surrogate pair"),
    ],
)
def test_says_where_and_why_a_text_is_no_json(text: str, words: str) -> None:
    with pytest.raises(Unsound) as caught:
        read(text)
    assert words.lower() in str(caught.value).lower()
    assert str(caught.value).startswith("line 1, column ")


def test_says_the_line_and_the_column() -> None:
    with pytest.raises(Unsound, match="line 3, column 8, in b: expected a value"):
        read('{\n  "a": 1,\n  "b": ?\n}')


def test_refuses_an_integer_that_python_will_not_convert() -> None:
    with pytest.raises(Unsound, match="too large"):
        read(f'{{"a": {"9" * 5000}}}')


def test_a_key_given_twice_with_different_values_is_named_by_its_path() -> None:
    with pytest.raises(Unsound, match=r"in tools\[1\]\.name: the key is given twice, with different values"):
        read('{"tools": [{"name": "a"}, {"name": "b", "name": "c"}]}')


@pytest.mark.parametrize("twice", ['{"a": 1, "a": 1}', '{"a": {"x": 1, "y": 2}, "a": {"y": 2, "x": 1}}'])
def test_a_key_given_twice_with_the_same_value_is_no_problem(twice: str) -> None:
    assert "a" in read(twice)  # type: ignore[operator]


@pytest.mark.parametrize("twice", ['{"a": 1, "a": true}', '{"a": 1, "a": 1.0}', '{"a": [], "a": {}}', '{"a": "1", "a": 1}'])
def test_values_of_different_types_are_different(twice: str) -> None:
    with pytest.raises(Unsound, match="given twice"):
        read(twice)


def test_the_depth_is_limited() -> None:
    def nested(levels: int) -> str:
        return '{"a": ' + "[" * (levels - 1) + "]" * (levels - 1) + "}"

    read(nested(DEPTH))
    with pytest.raises(Unsound, match="nested more than 200 levels deep"):
        read(nested(DEPTH + 1))


def salvaged(text: str) -> object:
    reader = Reader(text, 0)
    with pytest.raises(BreaksOff):
        reader.read()
    return reader.salvage()


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ('{"a": [1, 2, 3', {"a": [1, 2]}),  # more digits may have followed
        ('{"a": [1, 2, ', {"a": [1, 2]}),
        ('{"a": [{"x": 1}, {"x": 2', {"a": [{"x": 1}]}),
        ('{"n": 1, "deep": {"b": true, "a": ["x", "y', {"n": 1, "deep": {"b": True, "a": ["x"]}}),
        ('{"a": [{"b": [1, 2]}, {"b": [1, 2', {"a": [{"b": [1, 2]}]}),  # half an element is dropped, its own list too
        ('{"a": ["\\u00', None),
        ('{"a": [true, fal', {"a": [True]}),
        ('{"a": [1], ', {"a": [1]}),
        ('{"a": [1]', {"a": [1]}),
        ('{"a": {"b": [1]', {"a": {"b": [1]}}),
    ],
)
def test_a_list_that_is_cut_off_keeps_its_complete_elements(text: str, kept: object) -> None:
    if kept is None:
        with pytest.raises(Unsound, match="before the first complete element"):
            salvaged(text)
    else:
        assert salvaged(text) == kept


@pytest.mark.parametrize(
    ("text", "where"),
    [('{"a": "cut', "a"), ('{"a": 1, "b', "a key"), ('{"a": {"b": 12', "a.b"), ('{"a": [1], "b": {"c": [', "b.c")],
)
def test_nothing_is_kept_when_the_break_is_in_no_list_with_an_element(text: str, where: str) -> None:
    with pytest.raises(Unsound, match=f"breaks off inside {where}"):
        salvaged(text)
