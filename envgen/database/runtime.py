"""A database bundle at run time: `DatabaseEnvironment` starts `DatabaseSession`s on pooled in-memory connections."""

import copy
import difflib
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import ClassVar

import apsw

from envgen.core.clock import shift
from envgen.core.errors import BundleError, ConcurrentUse, SessionClosed, UsageError
from envgen.core.outcome import CallRecord, ToolError, ToolResult, Verdict
from envgen.core.types import OUTCOMES, Gold, Json, JsonObject, Manifest, Message, Task
from envgen.database.arguments import BadArguments, clip
from envgen.database.compile import EnvironmentFault, Refusal, compile_tools, render
from envgen.database.engine import CALL_TICKS, OTHER_TICKS, Pool, Slot, open_world
from envgen.database.patches import apply_patch
from envgen.database.prompt import first_messages, policy_text, reason_codes, submit_schema, system_message, tool_schema
from envgen.database.snapshot import DatabaseSnapshot, ordered_rows
from envgen.database.spec import EnvironmentSpec
from envgen.database.tables import table_infos
from envgen.verify.judge import judge
from envgen.verify.rules import broken_rules
from envgen.verify.state import ChangeSet, compose

MAX_CALLS = 1_000


class DatabaseEnvironment:
    """A loaded environment: immutable, shareable between threads. `start` begins an episode."""

    def __init__(
        self,
        spec: EnvironmentSpec,
        world: apsw.Connection,
        *,
        tasks: Sequence[Task] = (),
        gold: Mapping[str, Gold] | None = None,
        manifest: Manifest | None = None,
        policy: str | None = None,
        vfs: str | None = None,
        reverse: bool = False,
    ) -> None:
        self.spec = spec
        self.world = world
        self.manifest = manifest or Manifest(name=spec.name, family="database", title=spec.title)
        self.policy = policy_text(spec) if policy is None else policy
        self.infos = table_infos(spec)
        self.pool = Pool(world, vfs=vfs, reverse=reverse)
        first = self.pool.take()
        self.compiled = compile_tools(spec, first.connection)
        first.begin()
        self.pool.give(first)
        self.tools = [*(tool_schema(tool) for tool in spec.tools), submit_schema(spec)]
        self.reasons = frozenset(reason_codes(spec))
        self.agent_rules = [(rule.id, rule.sql) for rule in spec.rules if rule.kind == "agent"]
        self.system = system_message(spec, self.policy)
        self._tasks = tuple(tasks)
        self._gold: Mapping[str, Gold] = gold if gold is not None else {}

    @classmethod
    def load(cls, path: str | Path) -> "DatabaseEnvironment":
        """Load a bundle folder. BundleError, FormatError or UsageError say what is wrong with it."""
        from envgen.bundle.read import read_bundle

        bundle = read_bundle(path)
        spec = EnvironmentSpec.model_validate(bundle.environment)
        gold = {gold.task: gold for gold in bundle.gold}
        world = open_world(str(bundle.world))
        return cls(spec, world, tasks=bundle.tasks, gold=gold, manifest=bundle.manifest, policy=bundle.policy)

    def with_tasks(self, tasks: Sequence[Task], gold: Mapping[str, Gold]) -> "DatabaseEnvironment":
        """Return this environment with other tasks; world, pool and compiled tools are shared."""
        other = copy.copy(self)
        other._tasks, other._gold = tuple(tasks), gold
        return other

    def tasks(self, split: str | None = None) -> Sequence[Task]:
        """Return all tasks, or those of `split`; UsageError names the splits when it has none."""
        if split is None:
            return self._tasks
        chosen = tuple(task for task in self._tasks if task.split == split)
        if not chosen:
            counts: dict[str, int] = {}
            for task in self._tasks:
                counts[task.split] = counts.get(task.split, 0) + 1
            known = ", ".join(f"{name} {count}" for name, count in sorted(counts.items())) or "none"
            raise UsageError(f"0 tasks in split {split!r}; splits are {known}")
        return chosen

    def task(self, task_id: str) -> Task:
        """Return the task with this id, or a unique prefix of it; UsageError otherwise."""
        found = [task for task in self._tasks if task.id == task_id] or [task for task in self._tasks if task.id.startswith(task_id)]
        if len(found) != 1:
            raise UsageError(f"{len(found)} tasks match {task_id!r}; `envgen show` lists their ids")
        return found[0]

    def gold(self, task_id: str) -> Gold:
        """Return the gold of a task; UsageError when this bundle comes without it."""
        if task_id not in self._gold:
            raise UsageError(f"no gold for task {task_id}: the bundle was exported without it, or the id is wrong")
        return self._gold[task_id]

    def has_gold(self, task_id: str) -> bool:
        """True when episodes of this task can be judged."""
        return task_id in self._gold

    def start(self, task: Task, *, seed: int = 0) -> "DatabaseSession":
        """Begin an episode of `task`. `seed` is part of the protocol; this family draws nothing at run time."""
        return DatabaseSession(self, task, self.pool.take())


class DatabaseSession:
    """One episode. `calls` records every call; `changes()` is the net row difference to the start.

    A call whose arguments were malformed is recorded with `{}`: rules judge calls that were understood.
    """

    capabilities: ClassVar[frozenset[str]] = frozenset({"fork", "snapshot", "inline"})
    __slots__ = ("_busy", "_environment", "_limit", "_messages", "_now", "_slot", "calls", "fault", "task", "verdict")

    def __init__(self, environment: DatabaseEnvironment, task: Task, slot: Slot) -> None:
        self._environment = environment
        self._slot: Slot | None = slot
        self._busy = threading.Lock()
        self._messages: list[Message] | None = None
        self._now = task.start.now
        self._limit = task.limits.get("calls", MAX_CALLS)
        self.task = task
        self.calls: list[CallRecord] = []
        self.fault: str | None = None
        self.verdict: Verdict | None = None
        slot.begin()
        try:
            apply_patch(slot, task.start.patch)
        except BundleError:
            self.close()
            raise

    @property
    def messages(self) -> list[Message]:
        """What the agent is shown first."""
        if self._messages is None:
            self._messages = first_messages(self._environment.system, self.task)
        return self._messages

    @property
    def tools(self) -> list[JsonObject]:
        """OpenAI function schemas, `submit` included. The list is the caller's own."""
        return list(self._environment.tools)

    @property
    def now(self) -> str:
        """The world's present time."""
        if self._environment.spec.clock == "frozen":
            return self._now
        return shift(self._now, minutes=len(self.calls))

    def call(self, name: str, arguments: Json) -> ToolResult:
        """Call a tool. A bad call is a result with a code, never a raise, and changes nothing.

        SessionClosed after `close`; ConcurrentUse when another thread is inside this session.
        """
        if not self._busy.acquire(blocking=False):
            raise ConcurrentUse("another thread is inside this session; give each thread a session of its own (env.start or fork)")
        try:
            slot = self._open()
            if name == "submit":
                return self._submit_call(arguments)
            if self.verdict is not None:
                return refused("episode_over", "The task was submitted; nothing can be called any more.")
            if len(self.calls) >= self._limit:
                return refused("call_limit", f"The limit of {self._limit} calls is reached; only submit is left.")
            return self._dispatch(slot, name, arguments)
        finally:
            self._busy.release()

    def _dispatch(self, slot: Slot, name: str, arguments: Json) -> ToolResult:
        tool = self._environment.compiled.get(name) if isinstance(name, str) else None
        if tool is None:
            return self._record(slot, clip(name) if isinstance(name, str) else "", {}, self._unknown(name))
        mark = len(slot.log)
        kept: JsonObject = {}
        try:
            binds = tool.arguments(arguments)
            kept = {**arguments}
            binds["now"] = self.now
            binds["actor"] = self.task.start.actor
            if tool.uses_given:
                binds["_given"] = render(list(arguments))
            slot.ticks_left = CALL_TICKS
            value, text = tool.run(slot, binds)
            result = ToolResult(text, None, value)
        except BadArguments as problem:
            result = refused("invalid_arguments", str(problem))
        except Refusal as problem:
            result = refused(problem.code, str(problem))
        except EnvironmentFault as problem:
            self.fault = str(problem)
            result = refused("environment_fault", "The tool failed; nothing was changed.")
        if result.error is not None and not slot.connection.in_transaction:
            self._make_again(slot)
        return self._record(slot, name, kept, result, mark)

    def _make_again(self, slot: Slot) -> None:
        """Bring the episode's rows back by its own calls: SQLite undoes the whole transaction when it stops a write."""
        self._environment.pool.restart(slot)
        apply_patch(slot, self.task.start.patch)
        for call in self.calls:
            if call.ok and call.writes:
                tool = self._environment.compiled[call.tool]
                slot.ticks_left = CALL_TICKS
                given = {"now": call.now, "actor": self.task.start.actor, "_given": render(list(call.arguments))}
                tool.run(slot, {**tool.arguments(call.arguments), **given})

    def probe(self, name: str, arguments: JsonObject) -> ToolResult:
        """Call a tool, undo it, and leave no record. For planners and gates; not part of the protocol."""
        slot = self._open()
        calls, self.calls, fault, mark = self.calls, list(self.calls), self.fault, len(slot.log)
        slot.execute("SAVEPOINT probe", can_cache=False)
        try:
            return self._dispatch(slot, name, arguments)
        finally:
            # The savepoint is gone when the call lost the transaction; the rows are then as they were, made again.
            with suppress(apsw.SQLError):
                slot.execute("ROLLBACK TO probe", can_cache=False)
                slot.execute("RELEASE probe", can_cache=False)
            del slot.log[mark:]
            self.calls, self.fault = calls, fault

    def _record(self, slot: Slot, name: str, arguments: JsonObject, result: ToolResult, mark: int | None = None) -> ToolResult:
        slot.ticks_left = OTHER_TICKS
        error = result.error
        writes = tuple(slot.log[mark:]) if mark is not None and len(slot.log) > mark else ()
        step = len(self.calls)
        self.calls.append(CallRecord(step, name, arguments, error is None, error.code if error else "", result.value, self.now, writes))
        return result

    def _unknown(self, name: object) -> ToolResult:
        known = [*self._environment.compiled, "submit"]
        near = difflib.get_close_matches(name[:80], known, 1) if isinstance(name, str) else []
        hint = f" Did you mean {near[0]}?" if near else f" The tools are: {', '.join(known)}."
        shown = clip(repr(name)) if isinstance(name, str) else "whose name is no string"
        return refused("unknown_tool", f"There is no tool {shown}.{hint}")

    def _submit_call(self, arguments: Json) -> ToolResult:
        if self.verdict is not None:
            return refused("episode_over", "The task was submitted already.")
        if not isinstance(arguments, dict) or not set(arguments) <= {"answer", "outcome", "reason"}:
            return refused("invalid_arguments", "submit takes an object with outcome, and answer or reason where they apply.")
        problem = self._submit_problem(arguments.get("outcome"), arguments.get("reason"))
        if problem:
            return refused("invalid_arguments", problem)
        self._judge(arguments.get("answer"), arguments["outcome"], arguments.get("reason"))
        return ToolResult('{"submitted":true}', None, {"submitted": True})

    def _submit_problem(self, outcome: Json, reason: Json) -> str:
        if outcome not in OUTCOMES:
            return f"outcome is one of {', '.join(OUTCOMES)}."
        if reason is not None and not (isinstance(reason, str) and reason in self._environment.reasons):
            return f"reason is null or one of {', '.join(sorted(self._environment.reasons))}."
        return ""

    def submit(self, answer: Json = None, *, outcome: str = "done", reason: str | None = None) -> Verdict:
        """End the episode and judge it. A second submit returns the first verdict.

        An outcome or reason outside the schema is judged as wrong, not raised. Without gold the verdict is `invalid`.
        """
        if not self._busy.acquire(blocking=False):
            raise ConcurrentUse("another thread is inside this session; give each thread a session of its own (env.start or fork)")
        try:
            self._open()
            return self.verdict or self._judge(answer, outcome, reason)
        finally:
            self._busy.release()

    def _judge(self, answer: Json, outcome: str, reason: str | None) -> Verdict:
        environment = self._environment
        if self.fault is not None:
            self.verdict = Verdict("error", failure_kind="environment_fault")
        elif not environment.has_gold(self.task.id):
            self.verdict = Verdict("invalid", failure_kind="no_gold")
        else:
            self.verdict = self._valid(environment.gold(self.task.id), answer, outcome, reason)
        return self.verdict

    def _valid(self, gold: Gold, answer: Json, outcome: str, reason: str | None) -> Verdict:
        """Judge by the gold; a rule whose SQL fails is the environment's fault, not the agent's."""
        environment = self._environment
        try:
            broken = self.broken()
        except apsw.Error:
            return Verdict("error", failure_kind="environment_fault")
        return judge(
            gold,
            self.changes(),
            self.calls,
            environment.infos,
            answer=answer,
            outcome=outcome,
            reason=reason,
            broken=broken,
            rule_ids=[rule_id for rule_id, _ in environment.agent_rules],
        )

    def broken(self) -> list[str]:
        """Ids of the agent rules that the episode so far breaks."""
        return broken_rules(self.connection, self._environment.agent_rules, self.calls, self._environment.infos, self._told())

    def _told(self) -> Iterator[Message]:
        """The messages, made only when a rule reads them."""
        yield from self.messages

    def changes(self) -> ChangeSet:
        """Return the net row difference between the episode's start and now."""
        return compose(self._open().log, self._environment.infos)

    @property
    def slot(self) -> Slot:
        """The pooled slot under this session. For planners and gates, never for agents."""
        return self._open()

    @property
    def connection(self) -> apsw.Connection:
        """The slot's connection: schemas main, before and trace. For verifiers and gates, never for agents."""
        return self._open().connection

    def fork(self) -> "DatabaseSession":
        """Return an exact, independent copy of this moment, verdict included. It carries the base of this session."""
        if not self._busy.acquire(blocking=False):
            raise ConcurrentUse("another thread is inside this session; fork between calls")
        try:
            slot = self._open()
            target = self._environment.pool.take()
            target.adopt(slot)
            other = DatabaseSession.__new__(DatabaseSession)
            other._environment, other._slot, other._busy = self._environment, target, threading.Lock()
            other._messages = None if self._messages is None else list(self._messages)
            other._now, other._limit = self._now, self._limit
            other.task, other.calls, other.fault, other.verdict = self.task, list(self.calls), self.fault, self.verdict
            target.begin()
            apply_patch(target, self.task.start.patch, schemas=("before",))
            target.log.extend(slot.log)
            return other
        finally:
            self._busy.release()

    def snapshot(self) -> DatabaseSnapshot:
        """Return the present rows, in key order."""
        infos = self._environment.infos
        return DatabaseSnapshot(ordered_rows(self.connection, infos.values()), infos)

    def close(self) -> None:
        """Undo everything and give the connection back. Idempotent. ConcurrentUse when another thread is inside this session."""
        # A connection that somebody still works on must not go to the next episode.
        if not self._busy.acquire(blocking=False):
            raise ConcurrentUse("another thread is inside this session; close it when its call has returned")
        try:
            slot, self._slot = self._slot, None
            if slot is not None:
                self._environment.pool.give(slot)
        finally:
            self._busy.release()

    def _open(self) -> Slot:
        if self._slot is None:
            raise SessionClosed("the session was closed; start another one with env.start(task)")
        return self._slot

    def __enter__(self) -> "DatabaseSession":
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def refused(code: str, message: str) -> ToolResult:
    """Return the result of a call that was not carried out."""
    return ToolResult(render({"error": {"code": code, "message": message}}), ToolError(code, message))
