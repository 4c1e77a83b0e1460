"""Shared by all tests: `@pytest.mark.needs("docker")` marks what a test cannot do without.

A needed part that is missing skips the test, unless ENVGEN_REQUIRE names the part: then it fails.
"""

import os
from collections.abc import Generator
from pathlib import Path

import pytest
from hypothesis import settings

# The same examples in every run, and no time limit per example: machines that run several suites at once are slow.
settings.register_profile("envgen", deadline=None, derandomize=True)
settings.load_profile("envgen")

pytest_plugins = ["pytester"]


def required() -> set[str]:
    """Parts that must be there, from ENVGEN_REQUIRE, such as "docker,ray"."""
    return {part.strip() for part in os.environ.get("ENVGEN_REQUIRE", "").split(",") if part.strip()}


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    parts = {part for mark in item.iter_markers("needs") for part in mark.args} & required()
    if report.skipped and parts:
        report.outcome = "failed"
        report.longrepr = f"skipped although ENVGEN_REQUIRE names {', '.join(sorted(parts))}: {report.longrepr}"
    return report


@pytest.fixture
def shelter(tmp_path: Path) -> Path:
    """A small sound bundle, written by hand."""
    from toy import write

    return write(tmp_path / "shelter")
