from pathlib import Path

import pytest

from envgen.core import data
from envgen.core.errors import InfrastructureError


def test_repository_folders_are_found() -> None:
    for name in ("templates", "schemas", "verifiers"):
        assert data.data_path(name).is_dir()


def test_the_wheels_copy_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "_data" / "schemas").mkdir(parents=True)
    monkeypatch.setattr(data, "_PACKAGE", tmp_path)
    assert data.data_path("schemas") == tmp_path / "_data" / "schemas"


def test_a_missing_file_is_named() -> None:
    with pytest.raises(InfrastructureError, match=r"schemas/none\.json is missing"):
        data.data_path("schemas/none.json")
