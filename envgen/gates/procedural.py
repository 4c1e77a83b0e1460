"""Gate E3: valid, boundary and invalid calls, and after each one every promise must hold.

Every edge of every parameter is tried once; a hypothesis state machine then makes episodes of many calls.
"""

import json
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

import apsw

from envgen.core.digest import rng
from envgen.core.outcome import ToolResult
from envgen.core.types import JsonObject
from envgen.database.arguments import MAX_BYTES
from envgen.database.compile import MAX_ROWS
from envgen.database.draw import Drawer
from envgen.database.runtime import DatabaseEnvironment
from envgen.database.snapshot import quote
from envgen.database.spec import ReturnShape, Shape
from envgen.gates.breach import breach
from envgen.gates.finding import Finding, verdict_of
from envgen.gates.play import world_tables
from envgen.gates.replay import neutral_task
from envgen.gates.strategies import Calls, edges, misfits, plain_backend
from envgen.gates.witness import run_example
from envgen.verify.rules import broken_rules

EPISODES, STEPS = 20, 20
# Up to 24 bits hypothesis draws evenly; from wider ranges it draws small numbers more often.
NUMBERS = 2**24 - 1


class Broken(AssertionError):
    """A promise that a call broke."""


class Watch:
    """One explored episode, checked after each call."""

    def __init__(self, environment: DatabaseEnvironment) -> None:
        self.environment = environment
        self.session = environment.start(neutral_task(environment.spec))
        self.guards = [(rule.id, rule.sql) for rule in environment.spec.rules if rule.kind == "guard"]
        self._tables = sorted(world_tables(environment.world))
        self._turn = 0
        self._known: bytes | None = None

    def call(self, tool: str, kind: str, arguments: Any) -> None:
        """Make one call and check it. Broken says what went wrong, with the call.

        Whether nothing changed is looked at after each refused write, and after every tenth call otherwise.
        """
        self._turn += 1
        where = f"{tool}({_brief(arguments)})"
        writes = self.environment.compiled[tool].writes
        due = (writes and kind == "valid") or self._turn % 10 == 0
        if due and self._known is None:
            self._known = self._pages()
        try:
            result = self.session.call(tool, arguments)
        except Exception as problem:
            raise Broken(f"{where} raised {type(problem).__name__}: {problem}") from problem
        if self.session.fault is not None:
            raise Broken(f"{where}: the environment is at fault: {self.session.fault}")
        if kind == "invalid" and result.ok:
            raise Broken(f"{where} was carried out, though its arguments do not fit the schema")
        if result.ok and writes:
            self._known = None
        elif due and self._changed():
            raise Broken(f"{where} or a call just before it changed the world, though it was {'only reading' if result.ok else 'refused'}")
        if result.ok:
            self._check_result(tool, result, where)
            self._check_rules(where)

    def _pages(self) -> bytes:
        return self.session.connection.serialize("main")

    def _changed(self) -> bool:
        """True when a row differs from what is known. Equal pages hold equal rows, and are compared in microseconds."""
        known, pages = self._known, self._pages()
        if known is None or known == pages:
            return False
        self._known = pages
        return _rows(known, self._tables) != _rows(pages, self._tables)

    def _check_result(self, tool: str, result: ToolResult, where: str) -> None:
        if len(result.content) > MAX_BYTES or json.loads(result.content) != result.value:
            raise Broken(f"{where}: the text shown is not the result")
        problem = misfit(result.value, self.environment.compiled[tool].spec.returns())
        if problem:
            raise Broken(f"{where}: the result does not fit its shape: {problem}")

    def _check_rules(self, where: str) -> None:
        try:
            broken = broken_rules(self.session.connection, self.guards, self.session.calls, self.environment.infos)
        except apsw.Error as problem:
            raise Broken(f"the SQL of a guard rule fails: {problem}") from problem
        if broken:
            raise Broken(f"{where} was carried out and breaks rule {broken[0]}, which the tools should guard")

    def close(self) -> None:
        """End the episode; Broken when the rows it leaves violate a constraint."""
        try:
            copy = apsw.Connection("")
            copy.deserialize("main", self.session.connection.serialize("main"))
            violations = [*copy.execute("PRAGMA foreign_key_check"), *(r for r in copy.execute("PRAGMA quick_check") if r != ("ok",))]
            copy.close()
        finally:
            self.session.close()
        if violations:
            raise Broken(f"the calls leave rows that violate a constraint: {violations[0]}")


def _rows(pages: bytes, tables: Sequence[str]) -> list[list[Any]]:
    copy = apsw.Connection("")
    try:
        copy.deserialize("main", pages)
        return [sorted(copy.execute(f"SELECT * FROM main.{quote(table)}"), key=repr) for table in tables]
    finally:
        copy.close()


def misfit(value: Any, shape: ReturnShape | Shape) -> str:
    """Return why a result does not fit the shape that its tool declares, or ""."""
    parts = getattr(shape, "object", None)
    if parts is not None:
        if not isinstance(value, dict) or list(value) != list(parts):
            return f"an object of {', '.join(parts)} is declared"
        return next((problem for name, part in parts.items() if (problem := misfit(value[name], part))), "")
    if shape.many is not None:
        most = min(shape.max or MAX_ROWS, MAX_ROWS)
        fits = isinstance(value, list) and len(value) <= most and all(isinstance(row, dict) for row in value)
        return "" if fits else f"at most {most} rows are declared"
    if shape.one is not None:
        return "" if isinstance(value, dict) and value else "one row is declared"
    return "" if isinstance(value, (int, float, str, type(None))) else "one value is declared"


Made = tuple[str, str, Any]


def explore(environment: DatabaseEnvironment, *, episodes: int | None = None, steps: int = STEPS) -> str:
    """Run the state machine; return the first broken promise with the fewest calls that break it, or ""."""
    from hypothesis import HealthCheck, Phase, settings
    from hypothesis import strategies as st
    from hypothesis.configuration import set_hypothesis_home_dir
    from hypothesis.reporting import with_reporter
    from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test

    calls = Calls(environment)
    made: list[Made] = []

    class Machine(RuleBasedStateMachine):  # type: ignore[misc, unused-ignore]
        def __init__(self) -> None:
            super().__init__()
            made.clear()
            self.watch = Watch(environment)

        @rule(number=st.integers(0, NUMBERS))  # type: ignore[misc, unused-ignore]
        def call(self, number: int) -> None:
            made.append(calls(number))
            self.watch.call(*made[-1])

        def teardown(self) -> None:
            self.watch.close()

    options = settings(
        max_examples=episodes or EPISODES, stateful_step_count=steps, derandomize=True, database=None, deadline=None, print_blob=False,
        suppress_health_check=list(HealthCheck), phases=(Phase.generate,), report_multiple_bugs=False, **plain_backend(),
    )  # fmt: skip
    with tempfile.TemporaryDirectory(prefix="envgen-hypothesis-") as home, with_reporter(lambda text: None):
        set_hypothesis_home_dir(home)
        try:
            run_state_machine_as_test(Machine, settings=options)
        except Broken as problem:
            return _reduced(environment, list(made), str(problem))
        finally:
            set_hypothesis_home_dir(None)
    return ""


def try_edges(environment: DatabaseEnvironment) -> str:
    """Call every tool with every edge of every parameter, and with every misfit; return the first broken promise, or ""."""
    for name in sorted(environment.compiled):
        problem = _watched(environment, partial(_edge_calls, environment, name))
        if problem:
            return problem
    return ""


def _watched(environment: DatabaseEnvironment, calls: Callable[[Watch], Iterable[Made]]) -> str:
    """Make calls in one watched episode; return the first broken promise, or ""."""
    watch = Watch(environment)
    try:
        for call in calls(watch):
            watch.call(*call)
        watch.close()
    except Broken as problem:
        return str(problem)
    finally:
        watch.session.close()
    return ""


def _again(calls: Sequence[Made], watch: Watch) -> Sequence[Made]:
    return calls


def _edge_calls(environment: DatabaseEnvironment, name: str, watch: Watch) -> Iterator[Made]:
    schema = environment.compiled[name].arguments.schema
    drawer = Drawer(watch.session.connection.execute, rng(0, "gates", "E3", "edges", name))
    plain: JsonObject = {}
    for parameter, child in schema.get("properties", {}).items():
        if child.get("type") in ("array", "object"):
            continue
        for value in edges(child, environment):
            arguments = drawer.arguments(schema, watch.session.now, {parameter: value})
            if arguments is None:  # another argument depends on a row that is not there
                arguments = drawer.arguments(schema, watch.session.now)
            if arguments is not None:
                plain = {**arguments, parameter: value}
                yield name, "valid", plain
    yield from ((name, "invalid", arguments) for arguments in misfits(schema, plain))


def _reduced(environment: DatabaseEnvironment, calls: list[Made], problem: str) -> str:
    """Leave out every call without which something still breaks, first to last, and say what is left."""
    index = 0
    while index < len(calls):
        fewer = [*calls[:index], *calls[index + 1 :]]
        still = _watched(environment, partial(_again, fewer))
        calls, problem, index = (fewer, still, index) if still else (calls, problem, index + 1)
    before = ", ".join(f"{tool}({_brief(arguments)})" for tool, _, arguments in calls[:-1])
    return f"{problem} (after {before})" if before else problem


def procedural(environment: DatabaseEnvironment) -> Finding:
    """E3: drawn calls break no promise, every example holds, and every agent rule can be broken by some calls."""
    problems = [problem for problem in (try_edges(environment), explore(environment)) if problem]
    examples = 0
    for tool in environment.spec.tools:
        for example in tool.examples:
            examples += 1
            problem = example_problem(run_example(environment, tool, example), example.expect)
            if problem:
                problems.append(f"example of {tool.name}, {example.given}: {problem}")
    agent = [rule for rule in environment.spec.rules if rule.kind == "agent"]
    problems += [f"rule {rule.id} cannot be broken by any calls that were tried" for rule in agent if not breach(environment, rule)]
    return verdict_of(problems, episodes=EPISODES, steps=STEPS, examples=examples, rules=len(agent))


def example_problem(result: ToolResult, expect: JsonObject) -> str:
    """Return how a result differs from what an example expects, or ""."""
    if "error" in expect:
        code = result.error.code if result.error else None
        return "" if code == expect["error"] else f"expected {expect['error']}, got {code or result.content[:120]}"
    if result.error is not None:
        return f"refused: {result.error.code}: {result.error.message}"
    return _mismatch(result.value, expect, "")


def _mismatch(value: Any, expect: Any, path: str) -> str:
    """Return the first difference between a result and what an example expects of it; extra fields are fine."""
    if isinstance(expect, dict):
        if not isinstance(value, dict):
            return f"{path or 'the result'} is {value!r}, expected an object"
        texts = (_mismatch(_field(value, name), child, f"{path}.{name}".strip(".")) for name, child in expect.items())
        return next((text for text in texts if text), "")
    return "" if value == expect else f"{path or 'the result'} is {value!r}, expected {expect!r}"


def _field(value: JsonObject, name: str) -> Any:
    """A field of a result; "loan.status" is a field of a field."""
    head, _, rest = name.partition(".")
    inner = value.get(head)
    return _field(inner, rest) if rest and isinstance(inner, dict) else inner


def _brief(arguments: Any) -> str:
    text = repr(arguments)
    return text if len(text) <= 160 else text[:157] + "..."
