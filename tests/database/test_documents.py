import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from envgen.core.errors import UsageError
from envgen.database.analysis import _NAME
from envgen.database.documents import MAX_FILES, prompt_text, read_documents
from envgen.database.prompt import RESERVED

EXAMPLES = Path(__file__).resolve().parents[1] / "documents"


def write(folder: Path, name: str, content: Any) -> Path:
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return file


def test_a_folder_gives_tools_texts_and_the_title_of_its_description() -> None:
    documents = read_documents(EXAMPLES / "marina")
    assert documents.title == "Harbour office"
    assert [name for name, _ in documents.texts] == ["openapi.json", "policy.md"]
    assert len(documents.tools) == 15
    assert {tool.source for tool in documents.tools} == {"openapi.json"}
    assert "at least half a metre longer" in dict(documents.texts)["policy.md"]


def test_yaml_and_tool_lists_are_read_as_well() -> None:
    desk = read_documents(EXAMPLES / "repair-desk" / "openapi.yaml")
    assert (desk.title, len(desk.tools)) == ("Repair desk", 14)
    shop = read_documents(EXAMPLES / "parcel-shop")
    assert [tool.name for tool in shop.tools] == ["find_parcel", "receive_parcel", "hand_over_parcel", "do_reset"]
    assert shop.title == "parcel-shop"


def test_folders_are_read_in_the_order_of_names_and_hidden_files_are_passed_over(tmp_path: Path) -> None:
    write(tmp_path, "b.txt", "second")
    write(tmp_path, "a/z.md", "# Bakery\nfirst")
    write(tmp_path, ".git/config.json", "no JSON")
    write(tmp_path, ".hidden.json", "no JSON")
    documents = read_documents(tmp_path)
    assert documents.texts == (("a/z.md", "# Bakery\nfirst"), ("b.txt", "second"))
    assert documents.title == "Bakery"


def test_files_of_other_kinds_are_noted(tmp_path: Path) -> None:
    write(tmp_path, "policy.md", "Be kind.")
    for number in range(7):
        write(tmp_path, f"scan{number}.png", "x")
    assert read_documents(tmp_path).notes == (
        "7 files of other kinds are left out: scan0.png, scan1.png, scan2.png, scan3.png, scan4.png, …",
    )


def test_the_same_operation_in_two_files_is_taken_once_and_names_that_collide_are_numbered(tmp_path: Path) -> None:
    write(tmp_path, "a.json", [{"name": "find_room"}, {"name": "findRoom"}])
    write(tmp_path, "b.json", {"tools": [{"name": "find_room"}, {"name": "find-room"}]})
    documents = read_documents(tmp_path)
    assert [(tool.name, tool.original, tool.source) for tool in documents.tools] == [
        ("find_room", "find_room", "a.json"),
        ("find_room_2", "findRoom", "a.json"),
        ("find_room_3", "find-room", "b.json"),
    ]
    assert "'find_room' stands in a.json and in b.json: the first is used" in documents.notes


def test_texts_lose_invisible_characters_only(tmp_path: Path) -> None:
    file = write(tmp_path, "a.md", "\ufeffOne\u202e two\r\nthree\u00a0four\u200b\tfive\x07\rsix")
    assert read_documents(file).texts == (("a.md", "One two\nthree four\tfive\nsix"),)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.pdf", "x", r"a\.pdf is of a kind that is not read \(\.pdf\)\. Accepted is an OpenAPI 3"),
        ("a.json", '{"openapi": "3.0.0",\n "paths": {,}}', r"a\.json is not JSON that can be read: line 2, column 12: "),
        ("a.yaml", "openapi: 3.1.0\npaths: [a: b: c]\n", r"a\.yaml is not YAML that can be read: line 2, column \d+: "),
        ("a.json", {"name": "package", "version": "1"}, r"a\.json is neither an API description nor a tool list\. Accepted is"),
        ("a.yml", "just a text", r"a\.yml is neither an API description nor a tool list"),
        ("a.json", [], r"a\.json is neither"),
        ("a.json", {"tools": []}, r"a\.json: the tool list is empty"),
        ("a.json", {"tools": [{"name": "find"}, {"description": "?"}]}, r'a\.json: tool 2 of the list has no "name"'),
        ("a.txt", " \n", r"there is nothing to read in .*a\.txt"),
        ("a.json", {"openapi": "3.0.0"}, r"there is nothing to read in .*a\.json: no operations, no tools and no text"),
    ],
)
def test_errors_name_the_file_what_is_wrong_and_what_is_accepted(tmp_path: Path, name: str, content: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        read_documents(write(tmp_path, name, content))


def test_paths_that_hold_no_documents_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="none is neither a file nor a folder"):
        read_documents(tmp_path / "none")
    with pytest.raises(UsageError, match=r"holds no documents\. Accepted is"):
        read_documents(tmp_path)
    write(tmp_path, "a.png", "x")
    with pytest.raises(UsageError, match=r"holds no documents \(1 files of other kinds\)"):
        read_documents(tmp_path)
    # Newer Pythons take a name that is too long for one that is not there.
    with pytest.raises(UsageError, match=r"cannot be read|is neither"):
        read_documents(tmp_path / ("x" * 5_000))
    for number in range(MAX_FILES + 1):
        write(tmp_path, f"{number}.md", "x")
    with pytest.raises(UsageError, match=f"more than {MAX_FILES} documents"):
        read_documents(tmp_path)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda children: st.lists(children, max_size=4) | st.dictionaries(st.text(max_size=6), children, max_size=4),
    max_leaves=12,
)
# Words of the formats, so that generated documents reach the code behind the outline.
KEYS = st.sampled_from(
    "openapi swagger info title paths /a/{b} get post parameters name in query path body schema type properties required allOf oneOf "
    "anyOf items enum const requestBody content application/json $ref components schemas A tools function inputSchema readOnly".split()
)
VALUES = st.sampled_from(
    ["#/components/schemas/A", "#/", "#", "object", "array", "string", "query", "body", "A", "x.yaml#/B", "\ud800", "", 3]
)
SHAPED = st.recursive(
    VALUES | st.none() | st.booleans(),
    lambda children: st.lists(children, max_size=3) | st.dictionaries(KEYS, children, max_size=5),
    max_leaves=30,
)
OPENAPI = st.builds(
    lambda paths, schemas: {"openapi": "3.1.0", "info": {"title": "x"}, "paths": paths, "components": {"schemas": schemas}},
    st.dictionaries(st.just("/a"), st.dictionaries(st.sampled_from(["get", "post", "parameters"]), SHAPED, max_size=3), max_size=1),
    st.dictionaries(st.sampled_from(["A", "B"]), SHAPED, max_size=2),
)
SUFFIX = st.sampled_from([".json", ".yaml", ".md", ".txt"])


def check(folder: Path, suffix: str, data: bytes) -> None:
    file = folder / f"any{suffix}"
    file.write_bytes(data)
    try:
        documents = read_documents(file)
    except UsageError as problem:
        assert f"any{suffix}" in str(problem)
        return
    prompt_text(documents).encode("utf-8")
    for tool in documents.tools:
        assert _NAME.fullmatch(tool.name)
        assert tool.name not in RESERVED
    assert len({tool.name for tool in documents.tools}) == len(documents.tools)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(suffix=SUFFIX, data=st.binary(max_size=200) | st.text(max_size=200).map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_no_text_raises_anything_but_a_usage_error(tmp_path: Path, suffix: str, data: bytes) -> None:
    check(tmp_path, suffix, data)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(suffix=st.sampled_from([".json", ".yaml"]), value=JSON | SHAPED | OPENAPI | OPENAPI)
def test_no_data_raises_anything_but_a_usage_error(tmp_path: Path, suffix: str, value: Any) -> None:
    check(tmp_path, suffix, json.dumps(value).encode())


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(alphabet="&*a: \n-[]{}!<'\"|>#,?@%`~0x.eE+\t", max_size=60))
def test_no_yaml_raises_anything_but_a_usage_error(tmp_path: Path, text: str) -> None:
    check(tmp_path, ".yaml", text.encode())
