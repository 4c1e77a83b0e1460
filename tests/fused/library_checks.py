"""The contract tests that every base problem passes, with the independent solver that its own test module holds."""

from collections.abc import Mapping
from typing import Any, Protocol

from envgen.fused.contract import check_problem
from envgen.fused.problem import Problem


class Independent(Protocol):
    def __call__(self, values: Mapping[str, Any]) -> Any: ...


def check(problem: Problem, independent: Independent) -> None:
    """Fail with everything that is wrong with `problem`."""
    assert independent.__module__ != problem.solve.__module__, "the independent solver stands in the test"
    problems = check_problem(problem, independent)
    assert not problems, "\n".join(problems)
