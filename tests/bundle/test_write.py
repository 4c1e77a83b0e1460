import errno
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from envgen.bundle import write
from envgen.bundle.digest import OUTSIDE, PARTS
from envgen.bundle.read import read_bundle
from envgen.bundle.write import Content, check_target, write_bundle
from envgen.core.errors import InfrastructureError, UsageError

Make = Callable[..., Content]


def test_the_files_and_the_counts(tmp_path: Path, content: Make) -> None:
    manifest = write_bundle(tmp_path / "deep" / "people", content())
    assert {path.name for path in (tmp_path / "deep" / "people").iterdir()} == {"bundle.json", *PARTS, *OUTSIDE}
    assert manifest.counts == {"tables": 2, "tools": 1, "rules": 0, "rows": 4, "tasks": 1}
    assert manifest.splits == {"train": 1}
    assert manifest == read_bundle(tmp_path / "deep" / "people").manifest


def test_equal_content_has_an_equal_digest_wherever_it_is_written(tmp_path: Path, content: Make) -> None:
    one = write_bundle(tmp_path / "a", content())
    other = write_bundle(tmp_path / "b", content(ledger={"seconds": 99}))
    assert one.digest == other.digest
    assert write_bundle(tmp_path / "c", content(policy="Be stern.\n")).digest != one.digest


def test_the_environment_has_a_line_per_element(bundle: Path) -> None:
    text = (bundle / "environment.json").read_text()
    assert text == '{\n"name":"people",\n"tables":[\n 1,\n 2\n],\n"tools":[\n 1\n],\n"rules":[]\n}\n'


def test_the_order_of_fields_survives_and_is_part_of_the_digest(tmp_path: Path, content: Make) -> None:
    one = write_bundle(tmp_path / "a", content(environment={"tools": [{"zeta": 1, "alpha": 2}]}))
    other = write_bundle(tmp_path / "b", content(environment={"tools": [{"alpha": 2, "zeta": 1}]}))
    assert list(read_bundle(tmp_path / "a").environment["tools"][0]) == ["zeta", "alpha"]
    assert one.digest != other.digest


def test_an_existing_folder_is_refused_with_the_ways_out(bundle: Path, content: Make) -> None:
    with pytest.raises(UsageError, match=r"--out.*--resume.*--force"):
        write_bundle(bundle, content())


def test_force_replaces_whole(bundle: Path, content: Make) -> None:
    (bundle / "stray.txt").write_text("old")
    write_bundle(bundle, content(policy="New.\n"), force=True)
    assert read_bundle(bundle).policy == "New.\n"
    assert not (bundle / "stray.txt").exists()
    assert [path.name for path in bundle.parent.iterdir()] == ["people"]


def test_force_never_deletes_what_is_no_bundle(tmp_path: Path, content: Make) -> None:
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "chapter.tex").write_text("years of work")
    with pytest.raises(UsageError, match="is not a bundle, so --force does not delete it"):
        write_bundle(tmp_path / "thesis", content(), force=True)
    (tmp_path / "file").write_text("x")
    with pytest.raises(UsageError, match="is not a bundle"):
        check_target(tmp_path / "file", force=True)


def test_a_full_disk_leaves_nothing_behind(tmp_path: Path, content: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: Path, text: str) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))

    monkeypatch.setattr(write, "_write", full)
    with pytest.raises(InfrastructureError, match=r"no space left.*--resume"):
        write_bundle(tmp_path / "people", content())
    assert list(tmp_path.iterdir()) == []


def test_a_crash_while_replacing_keeps_the_old_one(bundle: Path, content: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(folder: Path) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(write, "_flush", crash)
    with pytest.raises(KeyboardInterrupt):
        write_bundle(bundle, content(policy="New.\n"), force=True)
    assert read_bundle(bundle).policy == "Be kind.\n"
    assert [path.name for path in bundle.parent.iterdir()] == ["people"]


def test_a_folder_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # root may write anywhere, so the answer is set here
    with pytest.raises(InfrastructureError, match=r"cannot be written: choose another folder with --out"):
        check_target(tmp_path / "people")


def test_a_file_where_a_folder_should_be(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("a file")
    with pytest.raises(InfrastructureError, match="--out"):
        check_target(tmp_path / "out" / "people")


def test_the_readme_shows_a_task_and_the_commands(bundle: Path) -> None:
    text = (bundle / "README.md").read_text()
    assert "> Rename Ada 1." in text
    assert "envgen validate people" in text
    assert read_bundle(bundle).manifest.digest in text


LIMITED = """
import resource, sys
sys.path.insert(0, sys.argv[2])
from toy import write
from envgen.core.errors import InfrastructureError
from pathlib import Path
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[3]), -1))
try:
    write(Path(sys.argv[1]))
except InfrastructureError as problem:
    print(problem)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limit on the size of files")
@pytest.mark.parametrize("limit", [100, 3000, 9000])
def test_files_that_may_not_grow(tmp_path: Path, limit: int) -> None:
    toys = str(Path(__file__).resolve().parents[1])
    command = [sys.executable, "-c", LIMITED, str(tmp_path / "shelter"), toys, str(limit)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=Path(toys).parent, env={**os.environ, "PYTHONPATH": "."})
    assert done.returncode == 0, done.stderr
    assert "--resume" in done.stdout
    assert list(tmp_path.iterdir()) == []
