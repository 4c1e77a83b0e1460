"""The library as a whole: no two problems are one in disguise, and the tests' solvers are independent."""

import ast
import json
from difflib import SequenceMatcher
from itertools import combinations
from pathlib import Path

from envgen.fused.contract import draw
from envgen.fused.library_index import all_problems, problem, problem_names, source_of
from envgen.fused.pairs import table
from envgen.fused.problem import same

TESTS = Path(__file__).parent / "library"
NAMES = list(problem_names())
ALIKE, SHARED = 0.85, 0.90


def test_there_are_forty_problems_four_a_topic() -> None:
    topics: dict[str, int] = {}
    for each in all_problems():
        topics[each.topic] = topics.get(each.topic, 0) + 1
        assert problem_names()[each.name].split(".")[-2] == each.topic
    assert len(NAMES) >= 40
    assert min(topics.values()) >= 4 and len(topics) >= 10


def test_every_problem_has_a_test_with_a_solver_that_imports_only_the_types() -> None:
    for name in NAMES:
        path = next(TESTS.glob(f"*/test_{name}.py"))
        imported = {node.module or "" for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.ImportFrom)}
        own = {module for module in imported if module.startswith("envgen")}
        allowed = {"envgen.fused.types", "envgen.fused.problem", "envgen.fused.seeds", "envgen.fused.contract", problem_names()[name]}
        assert own <= allowed, (name, own - allowed)


def solving(tree: ast.Module) -> list[ast.FunctionDef]:
    """`solve` and the functions of the module that it calls."""
    known = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    wanted, found = ["solve"], []
    while wanted:
        node = known.get(wanted.pop())
        if node is not None and node not in found:
            found.append(node)
            wanted += [call.id for call in ast.walk(node) if isinstance(call, ast.Name) and call.id in known]
    return found


def test_no_two_problems_are_one_in_disguise() -> None:
    bodies = {name: ast.dump(ast.Module(solving(ast.parse(source_of(name))), [])) for name in NAMES}
    for one, other in combinations(NAMES, 2):
        first, second = problem(one), problem(other)
        if sorted(map(str, first.ports.values())) == sorted(map(str, second.ports.values())):
            renamed = dict(zip(first.ports, second.ports, strict=True))
            drawn = [values for number in range(200) if (values := draw(first, 0, number))]
            alike = 0
            for values in drawn:
                try:
                    alike += same(second.solve({renamed[port]: value for port, value in values.items()}), first.solve(values))
                except Exception:
                    continue
            assert alike < SHARED * len(drawn), f"{one} and {other} give the same answers"
        if abs(len(bodies[one]) - len(bodies[other])) < 0.3 * len(bodies[one]):
            likeness = SequenceMatcher(None, bodies[one], bodies[other], autojunk=False).quick_ratio()
            if likeness > ALIKE + 0.1:
                assert SequenceMatcher(None, bodies[one], bodies[other], autojunk=False).ratio() <= ALIKE, (
                    f"{one} and {other} are written alike"
                )


def test_the_pair_table_fits_the_library() -> None:
    stored = json.loads((Path(__file__).parents[2] / "templates" / "fused" / "pairs.json").read_text(encoding="utf-8"))
    assert len(table()) == len(stored["edges"]), "a problem behaves otherwise: envgen library problems pairs --write"
    assert {name for edge in table() for name in (edge.inner, edge.outer)} == set(NAMES)
