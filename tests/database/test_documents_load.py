import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from envgen.core.errors import InfrastructureError, UsageError
from envgen.database import documents_load
from envgen.database.documents_load import MAX_ALIASES, MAX_BYTES, MAX_DEPTH, load_data, load_text


@pytest.fixture(autouse=True, params=["libyaml", "python"])
def parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """PyYAML parses by libyaml where it was built with it, else in Python: both must hold."""
    if request.param == "python":
        monkeypatch.delattr("yaml.CSafeLoader", raising=False)


def yaml_of(text: str) -> Any:
    return load_data(text, "a.yaml", yaml=True)


def refusal(text: str, *, yaml: bool) -> str:
    with pytest.raises(UsageError) as caught:
        load_data(text, "a.file", yaml=yaml)
    return str(caught.value)


def test_yaml_scalars_are_those_of_its_core_schema() -> None:
    text = """
    dates: [2026-01-15, 2026-01-15 10:00:00, 12:30:00]
    words: [no, off, yes, y, NO]
    logic: [true, False, null, ~, ]
    numbers: [0, -12, +3, 1.5, .5, 2e3, 010, 0x1f, 1_000, 1e999, .inf, .nan]
    quoted: ['12', "true", !!str 12, !!int "12"]
    200: key
    """
    assert yaml_of(text) == {
        "dates": ["2026-01-15", "2026-01-15 10:00:00", "12:30:00"],
        "words": ["no", "off", "yes", "y", "NO"],
        "logic": [True, False, None, None],
        "numbers": [0, -12, 3, 1.5, 0.5, 2000.0, "010", "0x1f", "1_000", "1e999", ".inf", ".nan"],
        "quoted": ["12", "true", "12", 12],
        "200": "key",
    }


def test_tags_make_no_objects() -> None:
    assert yaml_of("a: !!python/object/apply:os.system ['true']\nb: !!set {x, y}\nc: !mine 3") == {
        "a": ["true"],
        "b": {"x": None, "y": None},
        "c": "3",
    }


def test_aliases_and_merge_keys_are_followed() -> None:
    text = "base: &base {a: 1, b: 2}\nlist: &list [1, *base]\none: {<<: *base, b: 3}\ntwo: {<<: [*base, {c: 4}], d: *list}\n"
    value = yaml_of(text)
    assert value["one"] == {"a": 1, "b": 3}
    assert value["two"] == {"a": 1, "b": 2, "c": 4, "d": [1, {"a": 1, "b": 2}]}


def test_an_alias_bomb_is_refused_before_it_expands() -> None:
    lines = ["a0: &a0 [" + ", ".join(["x"] * 9) + "]"]
    lines += [f"a{n}: &a{n} [" + ", ".join([f"*a{n - 1}"] * 9) + "]" for n in range(1, 12)]
    assert "line 7: at most 1000 aliases are followed, and 5 MB of what they stand for" in refusal("\n".join(lines), yaml=True)
    merging = ["b0: &b0 {k: " + "x" * 3_000 + "}"] + [f"b{n}: &b{n} {{<<: [*b{n - 1}, *b{n - 1}]}}" for n in range(1, 40)]
    assert "at most 1000 aliases" in refusal("\n".join(merging), yaml=True)


def test_many_aliases_and_circles_are_refused() -> None:
    assert yaml_of("a: &a x\nb: [" + "*a, " * MAX_ALIASES + "]")["b"] == ["x"] * MAX_ALIASES
    assert "at most 1000 aliases" in refusal("a: &a x\nb: [" + "*a, " * (MAX_ALIASES + 1) + "]", yaml=True)
    assert "line 1: the alias *a names nothing, or something that it is part of" in refusal("a: &a [1, *a]", yaml=True)
    assert "the alias *a names" in refusal("x: &a 1\na: &a {b: [*a]}", yaml=True)


def test_chained_aliases_count_as_depth() -> None:
    chain = ["a0: &a0 [1]"] + [f"a{n}: &a{n} [[[*a{n - 1}]]]" for n in range(1, 100)]
    assert f"nested more than {MAX_DEPTH} levels deep" in refusal("\n".join(chain), yaml=True)


@pytest.mark.parametrize("yaml", [False, True])
@pytest.mark.parametrize("text", ["[" * 500_000, "[" * 201 + "]" * 201, '{"a":' * 5_000 + "1" + "}" * 5_000])
def test_deep_nesting_is_refused(text: str, yaml: bool) -> None:
    message = refusal(text, yaml=yaml)
    assert f"nested more than {MAX_DEPTH} levels deep" in message or "maximum nesting depth" in message


def test_what_is_nested_as_deep_as_allowed_is_read() -> None:
    for yaml in (False, True):
        assert load_data("[" * MAX_DEPTH + "]" * MAX_DEPTH, "a", yaml=yaml) != 0


@pytest.mark.parametrize(
    ("text", "yaml", "message"),
    [
        ('{"a": 1, "b": {"c": 1, "c": 2}}', False, "the key 'c' stands twice in one object"),
        ("a: 1\nb: {c: 1, c: 2}", True, "the key 'c' stands twice in one mapping"),
        ('{"a": NaN}', False, "NaN is not JSON"),
        ("[1" + "0" * 5_000 + "]", False, "Exceeds the limit"),
        ("a: 1\n---\nb: 2", True, "it holds several documents: keep one in a file"),
        ("? [a]\n: b", True, "a key is a text, not a list or mapping"),
        ("a: &a x\nb: {*a : 1}", True, "a key is a text, not an alias"),
        ("a: {<<: 3}", True, "'<<' merges mappings only"),
        ("a: \x07", True, "not allowed"),
        ("", False, "line 1, column 1"),
    ],
)
def test_what_is_no_plain_data_is_refused(text: str, yaml: bool, message: str) -> None:
    assert message in refusal(text, yaml=yaml)


def test_large_and_foreign_files_are_refused(tmp_path: Path) -> None:
    large = tmp_path / "large.md"
    large.write_bytes(b"x" * MAX_BYTES)
    assert len(load_text(large, "large.md")) == MAX_BYTES
    large.write_bytes(b"x" * (MAX_BYTES + 1))
    with pytest.raises(UsageError, match=r"large\.md is larger than 5 MB"):
        load_text(large, "large.md")
    (tmp_path / "latin.md").write_bytes("Größe".encode("latin-1"))
    with pytest.raises(UsageError, match=r"latin\.md is not UTF-8 text \(byte 2\): save it as UTF-8"):
        load_text(tmp_path / "latin.md", "latin.md")
    with pytest.raises(UsageError, match="folder cannot be read"):
        load_text(tmp_path, "folder")


def test_without_pyyaml_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "yaml", None)
    with pytest.raises(InfrastructureError, match=r"pip install 'envgen-rl\[llm\]', or give the document as JSON"):
        yaml_of("a: 1")


def test_yaml_is_imported_only_when_a_yaml_file_is_read() -> None:
    code = "import sys, envgen.database.documents as d; d.load_data('{}', 'a', yaml=False); print('yaml' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "False"


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers(-(10**6), 10**6) | st.text(max_size=10),
        lambda c: st.lists(c) | st.dictionaries(st.text(), c),
    )
)
def test_yaml_reads_what_json_writes(value: Any) -> None:
    text = json.dumps(value, ensure_ascii=False)
    assert documents_load.load_data(text, "a", yaml=False) == value
    try:
        found = yaml_of(text)
    except UsageError:  # YAML refuses a few characters and long keys that JSON takes
        return
    if "<<" not in text:
        assert found == value
