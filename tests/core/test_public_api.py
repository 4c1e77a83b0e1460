import json
import subprocess
import sys
from pathlib import Path

import pytest

import envgen

LOADED = "import sys, json, envgen; print(json.dumps(sorted({name.partition('.')[0] for name in sys.modules})))"
ALLOWED = {"pydantic", "pydantic_core", "annotated_types", "typing_extensions", "typing_inspection", "envgen"}


def test_all_is_the_sorted_list_of_public_names() -> None:
    assert envgen.__all__ == sorted(envgen.__all__)
    assert set(envgen.__all__) == {*envgen._HOME, "load"}
    public = {name for name in dir(envgen) if not name.startswith("_")}
    assert public == set(envgen.__all__)


def test_every_public_name_resolves() -> None:
    for name in envgen.__all__:
        assert getattr(envgen, name) is not None


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = envgen.nothing


def test_importing_loads_the_standard_library_and_pydantic_only() -> None:
    out = subprocess.run(
        [sys.executable, "-I", "-c", f"import sys; sys.path.insert(0, {str(Path(envgen.__file__).parents[1])!r}); {LOADED}"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    foreign = {name for name in json.loads(out) if name not in sys.stdlib_module_names and not name.startswith("_")}
    assert foreign - ALLOWED == set()


def test_load_of_a_folder_that_is_no_bundle(tmp_path: Path) -> None:
    with pytest.raises(envgen.UsageError, match=r"bundle\.json"):
        envgen.load(tmp_path)


def test_load_of_another_family_is_refused(tmp_path: Path) -> None:
    (tmp_path / "bundle.json").write_text(json.dumps({"format": 1, "name": "x", "family": "broken"}))
    with pytest.raises(envgen.UsageError, match="'broken'"):
        envgen.load(tmp_path)
