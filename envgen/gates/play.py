"""Playing a task's gold and its variations: the shared ground of all task gates."""

import importlib.util
import sqlite3
import sys
import weakref
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from types import ModuleType, TracebackType
from typing import Any

import apsw

from envgen.core.data import data_path
from envgen.core.digest import rng
from envgen.core.errors import InfrastructureError
from envgen.core.outcome import ToolResult, Verdict
from envgen.core.types import Gold, JsonObject, Task
from envgen.database.draw import Drawer
from envgen.database.runtime import DatabaseEnvironment
from envgen.gates import paths
from envgen.gates.digests import StateDigest
from envgen.verify.records import episode_records


@dataclass(frozen=True, slots=True)
class Step:
    """One call to make. `index` is its place in the gold, None for a call that the gold does not have.

    Arguments that the gold took from the result of a write are taken from that write's result again (`origin`), since
    another order or another route gives new rows other names. `fixed` paths are left as they are.
    """

    tool: str
    arguments: JsonObject
    index: int | None = None
    origin: Mapping[str, JsonObject] = field(default_factory=dict)
    fixed: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Submission:
    """What `submit` is called with."""

    answer: Any = None
    outcome: str = "done"
    reason: str | None = None


class TaskContext:
    """What the gates of one task share. `answers` holds, per goal template, the answers of all tasks of the bundle.

    replayed: the transcript digest that a clean process got; recorded: the one that the bundle got at build time.
    """

    def __init__(
        self,
        environment: DatabaseEnvironment,
        task: Task,
        gold: Gold,
        *,
        digest: StateDigest | None = None,
        answers: Mapping[str, Sequence[Any]] | None = None,
        replayed: str | None = None,
        recorded: str | None = None,
        standalone: Any = None,
    ) -> None:
        self.environment, self.task, self.gold = environment, task, gold
        self.state_digest = digest or StateDigest(environment.spec, world_tables(environment.world))
        self.answers = answers or {}
        self.replayed, self.recorded = replayed, recorded
        self._standalone = standalone
        self.steps = tuple(Step(call.tool, call.arguments, index, call.origin) for index, call in enumerate(gold.calls))
        self.submission = Submission(gold.answer.value if gold.answer else None, gold.outcome, gold.reason)

    @cached_property
    def standalone(self) -> Any:
        """The standalone verifier, holding this environment and this task."""
        if self._standalone is None:
            self._standalone = standalone_bundle(self.environment, [self.task], [self.gold])
        return self._standalone

    @cached_property
    def texts(self) -> frozenset[str]:
        """The free texts of the gold's arguments that the instruction quotes."""
        said = self.task.instruction.casefold()
        found = (value for call in self.gold.calls for _, value in paths.leaves(call.arguments))
        return frozenset(value for value in found if isinstance(value, str) and value.casefold() in said)

    @cached_property
    def results(self) -> tuple[ToolResult, ...]:
        """What each gold call returned."""
        with self.play(self.steps) as run:
            _ = self.__dict__.setdefault("gold_digest", run.digest)
            return run.results

    @cached_property
    def gold_digest(self) -> str:
        """The state digest that the gold leaves."""
        with self.play(self.steps) as run:
            return run.digest

    @cached_property
    def write_tools(self) -> tuple[str, ...]:
        """Names of the tools that write, sorted."""
        return tuple(sorted(name for name, tool in self.environment.compiled.items() if tool.writes))

    def parameters(self, tool: str) -> JsonObject:
        """Return the parameters of `tool` with the limits that the compiler adds."""
        return self.environment.compiled[tool].arguments.schema

    def writes(self) -> list[int]:
        """Places of the gold calls that write (and were carried out)."""
        return [i for i, step in enumerate(self.steps) if self.environment.compiled[step.tool].writes and self.results[i].ok]

    def play(self, steps: Iterable[Step]) -> "Run":
        """Play `steps` on a fresh episode. Use it in a `with` block."""
        return Run(self, tuple(steps))

    def drawer(self, connection: apsw.Connection, *names: object, narrow: Mapping[str, Sequence[Any]] | None = None) -> Drawer:
        """Return a drawer of arguments with randomness of its own for `names`."""
        return Drawer(connection.execute, rng(0, "gates", self.task.id, *names), narrow=narrow, frozen=True)


class Run:
    """One episode played for a gate: its results, its state digest, and its score under any submission."""

    def __init__(self, context: TaskContext, steps: tuple[Step, ...]) -> None:
        self.context = context
        self.session = context.environment.start(context.task)
        self.results: tuple[ToolResult, ...] = ()
        self._of: dict[int, ToolResult] = {}
        for step in steps:
            self.step(step)

    def step(self, step: Step) -> ToolResult:
        """Make one call more."""
        result = self.session.call(step.tool, self._rebound(step))
        self.results = (*self.results, result)
        if step.index is not None:
            self._of[step.index] = result
        return result

    def _rebound(self, step: Step) -> JsonObject:
        arguments = step.arguments
        for path, origin in step.origin.items():
            source = origin.get("step")
            if origin.get("from") != "result" or path in step.fixed or source not in self._of:
                continue
            if self.context.environment.compiled[self.context.steps[source].tool].writes and self._of[source].ok:
                try:
                    arguments = paths.replace(arguments, path, paths.get(self._of[source].value, origin.get("path", "")))
                except KeyError:
                    continue
        return arguments

    @property
    def ok(self) -> bool:
        """True when every call was carried out."""
        return all(result.ok for result in self.results)

    @property
    def digest(self) -> str:
        """The independent digest of the present state."""
        context = self.context
        start = context.task.id if context.task.start.patch else ""
        return context.state_digest(self.session.connection, start=start, now=context.task.start.now, texts=context.texts)

    def score(self, submission: Submission | None = None) -> Verdict:
        """Return the verdict of submitting now; the episode stays open, so that other submissions can be tried."""
        given = submission or self.context.submission
        self.session.verdict = None
        return self.session.submit(given.answer, outcome=given.outcome, reason=given.reason)

    def standalone(self, submission: Submission | None = None) -> dict[str, Any]:
        """Return the verdict of the standalone verifier on the same episode."""
        given = submission or self.context.submission
        session, environment = self.session, self.context.environment
        world = sqlite3.connect(":memory:")
        try:
            world.deserialize(session.connection.serialize("main"))
            records = episode_records(session.calls, environment.infos, answer=given.answer, outcome=given.outcome, reason=given.reason)
            verdict: dict[str, Any] = verifier().verify(self.context.standalone, self.context.task.id, world, list(records))
            return verdict
        finally:
            world.close()

    def __enter__(self) -> "Run":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.session.close()


def with_argument(step: Step, path: str, value: Any) -> Step:
    """Return `step` with another value at `path`, which is then kept as it is."""
    return replace(step, arguments=paths.replace(step.arguments, path, value), fixed=step.fixed | {path})


def world_tables(world: apsw.Connection) -> dict[str, list[str]]:
    """Return the world's tables with their columns, less SQLite's and the engine's own."""
    names = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite~_%' ESCAPE '~' AND name <> '_ids' ORDER BY name"
    return {name: [row[1] for row in world.execute(f'PRAGMA table_info("{name}")')] for (name,) in list(world.execute(names))}


@lru_cache(maxsize=1)
def verifier() -> ModuleType:
    """Import the standalone verifier that every bundle carries as verify.py."""
    spec = importlib.util.spec_from_file_location("envgen_standalone_verifier", data_path("verifiers/state_diff.py"))
    if spec is None or spec.loader is None:
        raise InfrastructureError("verifiers/state_diff.py cannot be imported: install envgen-rl again")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def standalone_bundle(environment: DatabaseEnvironment, tasks: Sequence[Task], gold: Sequence[Gold]) -> Any:
    """Return the standalone verifier's view of an environment that may not be on disk yet."""
    world = sqlite3.connect(":memory:")
    try:
        world.deserialize(environment.world.serialize("main"))
        bundle = verifier().Bundle(
            environment.spec.model_dump(mode="json", by_alias=True),
            [task.model_dump(mode="json", by_alias=True) for task in tasks],
            [record.model_dump(mode="json", by_alias=True) for record in gold],
            world,
        )
        # Python 3.13 warns of a connection that is left to the garbage collector.
        weakref.finalize(bundle, bundle.connection.close)
        return bundle
    finally:
        world.close()
