"""Examples run against the tools: who disagrees with whom, what no example shows, and which limits could move unnoticed."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from envgen.core.errors import EnvgenError
from envgen.database.model.examples import missing_examples, threshold_mutants, wants_examples
from envgen.database.runtime import DatabaseEnvironment
from envgen.database.spec import Example, Rule, Tool
from envgen.gates.procedural import example_problem
from envgen.gates.witness import at_example, run_example


@dataclass
class ExampleFindings:
    """What running the examples found: disagreements by tool, examples that cannot be set up, and what no example shows."""

    wrong: dict[str, list[tuple[Example, str]]] = field(default_factory=dict)
    broken: dict[str, list[tuple[Example, str]]] = field(default_factory=dict)
    missing: dict[str, list[str]] = field(default_factory=dict)


def run_examples(environment: DatabaseEnvironment, prohibitions: Sequence[Rule]) -> ExampleFindings:
    """Run every example of the environment's tools, and every tool with its limits moved."""
    found = ExampleFindings()
    for tool in environment.spec.tools:
        good = []
        for example in tool.examples:
            problem, broken = _outcome(environment, tool, example)
            if broken:
                found.broken.setdefault(tool.name, []).append((example, problem))
            elif problem:
                found.wrong.setdefault(tool.name, []).append((example, problem))
            else:
                good.append(example)
        missing = missing_examples(tool, tool.examples)
        missing += [] if tool.name in found.wrong or not wants_examples(tool) else unshown_limits(environment, tool, good)
        missing += [
            f"a success that rule {rule.id} forbids: {rule.policy}" for rule in prohibitions if _unseen(environment, tool, rule, good)
        ]
        if missing:
            found.missing[tool.name] = list(dict.fromkeys(missing))
    return found


def _outcome(environment: DatabaseEnvironment, tool: Tool, example: Example) -> tuple[str, bool]:
    """Return (what differs, False), or (why it cannot be set up, True)."""
    try:
        result = run_example(environment, tool, example)
    # The rows are a model's: whatever keeps them from being put in (SQL, types, sizes) is said of the example, and ends no run.
    except Exception as problem:
        return f"the rows cannot be put in: {problem}", True
    if result.error is not None and result.error.code == "invalid_arguments":
        return f"the arguments do not fit: {result.error.message}", True
    return example_problem(result, example.expect), False


def _unseen(environment: DatabaseEnvironment, tool: Tool, rule: Rule, examples: Sequence[Example]) -> bool:
    if rule.tool != tool.name or rule.breach is None:
        return False
    for example in examples:
        if "error" not in example.expect:
            with at_example(environment, example) as session:
                if session.call(tool.name, example.args).ok and rule.id in session.broken():
                    return False
    return True


def unshown_limits(environment: DatabaseEnvironment, tool: Tool, examples: Sequence[Example]) -> list[str]:
    """Return the limits of a tool that may be moved by one without any example noticing."""
    missing = []
    for where, mutant in threshold_mutants(tool):
        spec = environment.spec
        moved = spec.model_copy(update={"tools": tuple(mutant if item.name == tool.name else item for item in spec.tools)})
        try:
            other = DatabaseEnvironment(moved, environment.world)
            noticed = any(_outcome(other, mutant, example)[0] for example in examples)
        except EnvgenError:
            continue
        if not noticed:
            missing.append(f"an example that stands exactly on the limit behind {where}" if not where.startswith("step") else _limit(where))
    return list(dict.fromkeys(missing))


def _limit(where: str) -> str:
    return "examples on both sides of the limit that decides what is computed, one of them exactly on it"
