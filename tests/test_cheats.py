"""The cheats cheat: on the shelter each earns what it should, and a planted weakness pays."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest
from toy import gold, spec, tasks, world

from envgen.database.engine import native
from envgen.database.runtime import DatabaseEnvironment


@pytest.fixture(scope="module")
def cheats() -> ModuleType:
    path = Path(__file__).resolve().parents[1] / "benchmarks" / "cheats.py"
    loader = importlib.util.spec_from_file_location("cheats_benchmark", path)
    assert loader is not None
    assert loader.loader is not None
    module = importlib.util.module_from_spec(loader)
    sys.modules[loader.name] = module
    loader.loader.exec_module(module)
    return module


def environment(rows: int = 4) -> DatabaseEnvironment:
    connection = native(world())
    if rows == 1:
        connection.execute("DELETE FROM animals WHERE name = 'Tom'")
    return DatabaseEnvironment(spec(), connection, tasks=tasks(), gold={item.task: item for item in gold()})


def test_the_first_row_is_the_wrong_animal(cheats: ModuleType) -> None:
    env = environment()
    case = cheats.Case(env, env.task("t-adopt"), env.gold("t-adopt"))
    assert cheats.play(cheats.first_row, [case]) == {"tasks": 1, "solved": 0, "share": 0.0}


def test_where_the_first_row_is_the_right_one_the_cheat_is_paid(cheats: ModuleType) -> None:
    env = environment(rows=1)
    case = cheats.Case(env, env.task("t-adopt"), env.gold("t-adopt"))
    assert cheats.play(cheats.first_row, [case])["solved"] == 1


def test_a_cheat_counts_only_tasks_that_it_aims_at(cheats: ModuleType) -> None:
    env = environment()
    cases = [cheats.Case(env, task, env.gold(task.id)) for task in env.tasks()]
    figures = {name: cheats.play(cheat, cases)["tasks"] for name, cheat in cheats.CHEATS.items()}
    assert figures == {"first row": 1, "always refuse": 0, "error code": 0, "ignore policy": 0, "modal answer": 1, "first branch": 0}
