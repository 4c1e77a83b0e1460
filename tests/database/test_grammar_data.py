"""Dropping what is off, and rendering the leaves."""

import pytest

from envgen.core.errors import SpecError
from envgen.database.grammar_data import all_hold, drop, read_folder, read_toml, render


def on(*names: str):  # type: ignore[no-untyped-def]
    return lambda name: name in names


def test_lines_items_and_tables_go_with_their_feature() -> None:
    value = {
        "steps": "keep\n?fee charge\n?!fee free\n",
        "ask": ["always", "?fee with fee", "?!fee without"],
        "tool": [{"key": "a", "when": "fee"}, {"key": "b"}],
    }
    assert drop(value, on("fee")) == {"steps": "keep\ncharge", "ask": ["always", "with fee"], "tool": [{"key": "a"}, {"key": "b"}]}
    assert drop(value, on()) == {"steps": "keep\nfree", "ask": ["always", "without"], "tool": [{"key": "b"}]}


def test_indented_lines_go_with_the_line_before() -> None:
    text = "first\n  goes on\n?fee second\n  goes with it\nthird\n  ?fee only then\n  always"
    assert drop({"sql": text}, on())["sql"] == "first\n  goes on\nthird\n  always"
    assert drop({"sql": text}, on("fee"))["sql"].splitlines()[2:] == ["second", "  goes with it", "third", "  only then", "  always"]


def test_dropping_leaves_the_original_alone() -> None:
    value = {"tool": [{"key": "a", "when": "fee"}]}
    drop(value, on())
    assert value == {"tool": [{"key": "a", "when": "fee"}]}


def test_a_comma_means_and() -> None:
    assert all_hold("a,!b", on("a"))
    assert not all_hold("a,!b", on("a", "b"))


def test_numbers_of_a_feature_that_is_off_are_never_looked_up() -> None:
    value = drop({"text": "fixed\n?fee [[ f.fee.cents ]]\n"}, on())
    assert render(value, {"f": {}}, "pattern x") == {"text": "fixed"}


def test_keys_and_values_are_rendered() -> None:
    assert render({"fix": {"[[ a ]]": ["[[ b ]]", 3]}}, {"a": "x", "b": "y"}, "pattern x") == {"fix": {"x": ["y", 3]}}


def test_an_unknown_word_names_the_pattern() -> None:
    with pytest.raises(SpecError, match=r"pattern x.*nothing"):
        render({"text": "[[ nothing ]]"}, {}, "pattern x")


def test_a_broken_file_is_named(tmp_path) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "broken.toml"
    path.write_text("key = [1, ", encoding="utf-8")
    with pytest.raises(SpecError, match=r"broken\.toml"):
        read_toml(path)


def test_the_library_is_read_in_a_fixed_order() -> None:
    assert list(read_folder("patterns")) == sorted(read_folder("patterns"))
    assert len(read_folder("domains")) >= 12
