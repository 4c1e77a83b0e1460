"""Specifications: every lexicon compiles, its examples hold, and faults are named."""

import apsw
import pytest

from envgen.core.errors import SpecError
from envgen.core.types import Start, Task
from envgen.database.analysis import analyse
from envgen.database.compile import compile_tools
from envgen.database.grammar import propose
from envgen.database.grammar_compose import compose
from envgen.database.grammar_lexicon import lexicons
from envgen.database.grammar_spec import build_spec
from envgen.database.runtime import DatabaseEnvironment
from envgen.database.spec import EnvironmentSpec, Tool
from envgen.database.world import build_world


def writes(tool: Tool) -> int:
    """How many run steps a tool has."""
    return sum(hasattr(step, "run") for step in tool.steps)


@pytest.mark.parametrize("key", sorted(lexicons()))
def test_a_lexicon_makes_a_sound_and_rich_specification(key: str) -> None:
    spec = build_spec(compose(key, seed=0))
    assert analyse(spec) == []
    assert len(spec.tools) >= 20 and len(spec.tables) >= 8
    assert sum(writes(tool) > 0 for tool in spec.tools) >= 9
    assert sum(writes(tool) > 1 for tool in spec.tools) >= 6
    prohibitions = [rule for rule in spec.rules if rule.kind == "agent" and rule.breach]
    procedures = [rule for rule in spec.rules if rule.kind == "agent" and rule.fix]
    assert len(prohibitions) >= 2 and len(procedures) >= 2
    assert all(rule.facts for rule in prohibitions)
    assert any(rule.kind == "guard" for rule in spec.rules)


@pytest.mark.parametrize("key", ["veterinary-clinic", "bike-workshop", "community-theatre"])
def test_examples_hold_in_the_world(key: str) -> None:
    proposal = propose(key, seed=1, size="small")
    world, _ = build_world(proposal, 1, "small")
    blob = world.serialize("main")
    for tool in proposal.spec.tools:
        for example in tool.examples:
            assert _outcome(proposal.spec, blob, tool, example.args, proposal.spec.setup(example), example.expect), (
                tool.key,
                example.given,
            )


def _outcome(spec: EnvironmentSpec, blob: bytes, tool: Tool, args, setup, expect) -> bool:  # type: ignore[no-untyped-def]
    copy = apsw.Connection(":memory:")
    copy.deserialize("main", blob)
    for statement in setup:
        copy.execute(statement)
    task = Task(id="x", split="", template="", kinds=("do",), instruction="", start=Start(now=spec.now))
    result = DatabaseEnvironment(spec, copy).start(task).call(tool.name, args)
    if "error" in expect:
        return result.error is not None and result.error.code == expect["error"]
    return result.ok and all(_at(result.value, path) == value for path, value in expect.items())


def _at(value, path: str):  # type: ignore[no-untyped-def]
    for part in path.split("."):
        value = value[part]
    return value


def test_thresholds_have_examples_on_both_sides() -> None:
    spec = build_spec(compose("climbing-hall", seed=0))
    told = [example for tool in spec.tools for example in tool.examples]
    refused = [example for example in told if "error" in example.expect]
    assert len(refused) >= 5 and len(told) - len(refused) >= 5


def test_history_and_rows_reach_the_sizes() -> None:
    for size, low, high in (("small", 80, 330), ("medium", 300, 800)):
        proposal = propose("public library", seed=0, size=size)  # type: ignore[arg-type]
        _, report = build_world(proposal, 0, size)
        assert low <= sum(report.rows.values()) <= high
        assert report.made >= 0.75 * report.events


def test_no_person_carries_a_gender_column() -> None:
    for key in lexicons():
        spec = build_spec(compose(key, seed=0))
        assert not [column.name for table in spec.tables for column in table.columns if "gender" in column.name or column.name == "sex"]


def test_a_malformed_rule_names_the_pattern() -> None:
    work = compose("hotel", seed=0)
    work.patterns["party"]["rule"].append({"id": "odd", "kind": "sometimes", "policy": "x", "sql": "SELECT 1"})
    with pytest.raises(SpecError, match="pattern party, rule odd"):
        build_spec(work)


def test_a_malformed_example_names_the_tool() -> None:
    work = compose("hotel", seed=0)
    work.patterns["party"]["tool"][0]["example"] = [{"given": "x", "args": "{", "expect": "{}"}]
    with pytest.raises(SpecError, match=r"party\.find.*not JSON"):
        build_spec(work)
    work.patterns["party"]["tool"][0]["example"] = [{"given": "x", "args": "{}", "expect": "{}", "setup": ["@nobody"]}]
    with pytest.raises(SpecError, match="nobody"):
        build_spec(work)


def test_compiled_tools_are_all_there() -> None:
    proposal = propose("hotel", seed=0, size="small")
    world, _ = build_world(proposal, 0, "small")
    assert set(compile_tools(proposal.spec, world)) == {tool.name for tool in proposal.spec.tools}
