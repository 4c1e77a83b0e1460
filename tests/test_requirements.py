"""The tests' own machinery: a required part may not be skipped, and files keep to their size."""

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SKIPPING = """
import pytest

@pytest.mark.needs("docker")
def test_a():
    pytest.skip("no docker here")

def test_b():
    pytest.skip("for another reason")
"""


@pytest.mark.parametrize(("names", "failed", "skipped"), [("", 0, 2), ("ray", 0, 2), ("ray, docker", 1, 1)])
def test_a_skip_of_a_required_part_fails(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, names: str, failed: int, skipped: int
) -> None:
    monkeypatch.setenv("ENVGEN_REQUIRE", names)
    pytester.makeconftest((ROOT / "tests" / "conftest.py").read_text())
    pytester.makeini("[pytest]\nmarkers = needs(part): part")
    pytester.makepyfile(SKIPPING)
    pytester.runpytest_subprocess("-p", "no:cacheprovider").assert_outcomes(failed=failed, skipped=skipped)


def test_no_file_of_the_package_is_longer_than_400_lines() -> None:
    sizes = {path.relative_to(ROOT): len(path.read_text(encoding="utf-8").splitlines()) for path in (ROOT / "envgen").rglob("*.py")}
    assert {str(path): lines for path, lines in sizes.items() if lines > 400} == {}
    assert sorted(sizes.values())[len(sizes) // 2] <= 200


def test_data_folders_hold_no_package() -> None:
    for name in ("templates", "schemas", "verifiers", "generated"):
        assert not (ROOT / name / "__init__.py").exists()
