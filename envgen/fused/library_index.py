"""The library: every module of `envgen.fused.library.<topic>` that defines a `PROBLEM`, found by its file, imported when asked for."""

import importlib
import inspect
import pkgutil
from functools import lru_cache

from envgen.core.errors import UsageError
from envgen.fused import library
from envgen.fused.problem import Problem
from envgen.fused.seeds import name_of


@lru_cache(maxsize=1)
def problem_names() -> dict[str, str]:
    """Return problem -> the module that defines it, in alphabetical order."""
    found: dict[str, str] = {}
    for topic in pkgutil.iter_modules(library.__path__):
        package = importlib.import_module(f"{library.__name__}.{topic.name}")
        found |= {module.name: f"{package.__name__}.{module.name}" for module in pkgutil.iter_modules(package.__path__)}
    return dict(sorted(found.items()))


@lru_cache(maxsize=512)
def problem(name: str) -> Problem:
    """Return the problem called `name`; UsageError names those that there are."""
    module = problem_names().get(name)
    if module is None:
        raise UsageError(f"no problem {name!r}; there are: {', '.join(problem_names())}")
    found = importlib.import_module(module).PROBLEM
    assert isinstance(found, Problem)
    return found


def all_problems() -> list[Problem]:
    """Return every problem, in alphabetical order."""
    return [problem(name) for name in problem_names()]


@lru_cache(maxsize=512)
def behaviour(name: str) -> str:
    """Return a hash of what a problem does: its answers to fixed draws. A changed generator or solver has another one."""
    from envgen.fused.contract import draw

    chosen = problem(name)
    seen = [[values, chosen.solve(values)] for level in (0, 1, 2) for number in range(6) if (values := draw(chosen, level, number))]
    return name_of([chosen.name, chosen.version, seen])


def source_of(name: str) -> str:
    """Return the source of the module that defines a problem."""
    return inspect.getsource(importlib.import_module(problem_names()[name]))
