"""A fused bundle as an `Environment`: the agent reads a composed question and submits a typed answer; tools come only when asked for."""

import json
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from envgen.core.errors import BundleError, ConcurrentUse, SessionClosed, UsageError
from envgen.core.outcome import Check, ToolError, ToolResult, Verdict
from envgen.core.protocols import Environment, Session
from envgen.core.types import OUTCOMES, Gold, Json, JsonObject, Manifest, Message, Task
from envgen.fused.score import score, score_value
from envgen.fused.tools import TOOLS, call_tool
from envgen.fused.types import Type
from envgen.fused.typing_json import from_json, schema_of

SYSTEM = """You solve exact reasoning problems. Each defines one or more quantities and asks for one of them. Everything that you need \
stands in the text. Numbers are integers; nothing is rounded.
Finish by calling `submit` once, with `answer` as JSON of the kind that the text asks for."""
MAX_CALLS = 200
NOW = "2026-01-01 00:00:00"


class FusedEnvironment:
    """A loaded environment: immutable, shareable between threads. `start` begins an episode."""

    def __init__(
        self,
        manifest: Manifest,
        environment: JsonObject,
        tasks: Sequence[Task],
        gold: Mapping[str, Gold],
        *,
        policy: str = SYSTEM,
        inner: Mapping[str, Environment] | None = None,
    ) -> None:
        self.inner = dict(inner or {})
        self.manifest, self.environment, self.policy = manifest, environment, policy
        self.with_tools = bool(environment.get("with_tools"))
        self._tasks, self._gold = tuple(tasks), dict(gold)

    @classmethod
    def load(cls, path: str | Path, inner: Mapping[str, Environment] | None = None) -> "FusedEnvironment":
        """Load a bundle folder. BundleError, FormatError or UsageError say what is wrong with it.

        inner: the environments whose tasks the programs begin with, by name; `envgen.load` finds them in the folder `with`.
        """
        from envgen.bundle.read import read_bundle

        bundle = read_bundle(path)
        if bundle.manifest.family != "fused":
            raise UsageError(f"{path} is a bundle of the family {bundle.manifest.family!r}, not 'fused'")
        return cls(
            bundle.manifest, bundle.environment, bundle.tasks, {gold.task: gold for gold in bundle.gold}, policy=bundle.policy, inner=inner
        )

    def tasks(self, split: str | None = None) -> Sequence[Task]:
        """Return all tasks, or those of `split`; UsageError names the splits when it has none."""
        if split is None:
            return self._tasks
        chosen = tuple(task for task in self._tasks if task.split == split)
        if not chosen:
            known = ", ".join(f"{name} {number}" for name, number in sorted(self.manifest.splits.items())) or "none"
            raise UsageError(f"0 tasks in split {split!r}; splits are {known}")
        return chosen

    def task(self, name: str) -> Task:
        """Return the task whose id is or begins with `name`; UsageError when there is none, or more than one."""
        found = [task for task in self._tasks if task.id == name] or [task for task in self._tasks if task.id.startswith(name)]
        if len(found) != 1:
            raise UsageError(f"{len(found) or 'no'} tasks begin with {name!r} in {self.manifest.name}")
        return found[0]

    def has_gold(self, task: str) -> bool:
        """True when the answer to the task is here."""
        return task in self._gold

    def gold(self, task: str) -> Gold:
        """Return the gold of a task; UsageError in a public copy without it."""
        if task not in self._gold:
            raise UsageError(f"no gold for task {task}; a public copy has none, use the original bundle")
        return self._gold[task]

    def answer_type(self, task: str) -> Type:
        """Return the type of a task's answer. BundleError when the gold does not say it."""
        try:
            return from_json(self.gold(task).answer_origin["type"])
        except (KeyError, ValueError) as problem:
            raise BundleError(f"{self.manifest.name}, task {task}: the type of the answer is missing or damaged ({problem})") from problem

    def start(self, task: Task, *, seed: int = 0) -> "FusedSession":
        """Begin an episode of `task`. Nothing in it is drawn, so `seed` changes nothing."""
        return FusedSession(self, task)


def submit_schema(kind: Type | None) -> JsonObject:
    """Return the schema of `submit`."""
    answer: JsonObject = {"description": "The value asked for, as JSON."}
    if kind is not None:
        answer |= schema_of(kind)
    properties = {"answer": answer, "outcome": {"type": "string", "enum": list(OUTCOMES)}}
    parameters = {"type": "object", "properties": properties, "required": ["answer"], "additionalProperties": False}
    return {"type": "function", "function": {"name": "submit", "description": "End the task with its answer.", "parameters": parameters}}


class FusedSession:
    """One episode. Forks are exact: there is no state but the calls made."""

    def __init__(self, environment: FusedEnvironment, task: Task) -> None:
        self._environment, self.task = environment, task
        self.calls: list[JsonObject] = []
        self.verdict: Verdict | None = None
        self._closed = False
        self._busy = threading.Lock()
        self.inner = self._start_inner()

    def _start_inner(self) -> Session | None:
        """Begin the episode of the other environment's task, when this one builds on one."""
        origin = self._environment.gold(self.task.id).answer_origin.get("inner") if self._environment.has_gold(self.task.id) else None
        if origin is None:
            return None
        other = self._environment.inner.get(origin["from"])
        if other is None:
            raise BundleError(f"{self._environment.manifest.name}: the environment {origin['from']!r} is not in its folder `with`")
        return other.start(next(task for task in other.tasks() if task.id == origin["task"]))

    @property
    def capabilities(self) -> frozenset[str]:
        """A fused episode forks, and its calls take microseconds."""
        return frozenset({"fork", "snapshot", "inline"})

    @property
    def messages(self) -> list[Message]:
        """What the agent is shown first."""
        system = self._environment.policy
        if self.inner is not None:
            system = f"{system.rstrip()}\n\nFor the request that is quoted:\n\n{self.inner.messages[0].content}"
        return [Message(role="system", content=system), Message(role="user", content=self.task.instruction)]

    @property
    def tools(self) -> list[JsonObject]:
        """OpenAI function schemas, `submit` included."""
        inner = [tool for tool in self.inner.tools if tool["function"]["name"] != "submit"] if self.inner is not None else []
        return [*inner, *(TOOLS if self._environment.with_tools else ()), submit_schema(self._kind())]

    def _kind(self) -> Type | None:
        return self._environment.answer_type(self.task.id) if self._environment.has_gold(self.task.id) else None

    def call(self, name: str, arguments: Json) -> ToolResult:
        """Call a tool; a bad call is a result. SessionClosed after close."""
        if not self._busy.acquire(blocking=False):
            raise ConcurrentUse("another thread is inside this session; give each thread a session of its own")
        try:
            if self._closed:
                raise SessionClosed("the session was closed; start another one with env.start(task)")
            result = self._call(name, arguments)
            self.calls.append({"tool": name, "arguments": arguments, "ok": result.ok})
            return result
        finally:
            self._busy.release()

    def _call(self, name: str, arguments: Json) -> ToolResult:
        if self.verdict is not None:
            return _refused("finished", "The task was submitted; nothing can be called any more.")
        if name == "submit":
            given = arguments if isinstance(arguments, dict) else {}
            self._judge(given.get("answer"))
            return ToolResult('{"submitted":true}', value={"submitted": True})
        if self.inner is not None and name in {tool["function"]["name"] for tool in self.inner.tools}:
            return self.inner.call(name, arguments)
        if not self._environment.with_tools or name not in {tool["function"]["name"] for tool in TOOLS}:
            return _refused("unknown_tool", f"There is no tool {str(name)[:60]!r}.")
        if len(self.calls) >= MAX_CALLS:
            return _refused("too_many_calls", f"At most {MAX_CALLS} calls are allowed; submit an answer.")
        return call_tool(name, arguments)

    def submit(self, answer: Json = None, *, outcome: str = "done", reason: str | None = None) -> Verdict:
        """End the episode with an answer as JSON data, or the text of a reply that holds an `<answer>` block."""
        if self.verdict is None:
            self._judge(answer)
        assert self.verdict is not None
        return self.verdict

    def _judge(self, answer: Json) -> None:
        gold = self._environment.gold(self.task.id)
        assert gold.answer is not None
        kind = self._environment.answer_type(self.task.id)
        if isinstance(answer, str) and "<answer>" in answer:
            found = score(answer, gold.answer.value, kind)
        else:
            found = score_value(answer, gold.answer.value, kind)
        checks = [Check("answer", found.reward == 1.0, found.why), *self._inner_checks(gold)]
        failed = next((check.name for check in checks if not check.passed), None)
        self.verdict = Verdict("valid", 0.0 if failed else 1.0, failed is None, checks=tuple(checks), failure_kind=failed)

    def _inner_checks(self, gold: Gold) -> list[Check]:
        """The other environment judges what was done in it, as if its own answer had been given: nothing else may have changed."""
        if self.inner is None:
            return []
        verdict = self.inner.submit(gold.answer_origin["inner"]["answer"])
        return [Check(f"request:{check.name}", check.passed, check.detail) for check in verdict.checks]

    def fork(self) -> "FusedSession":
        """Return an exact copy of this moment."""
        other = FusedSession.__new__(FusedSession)
        other._environment, other.task, other._closed, other._busy = self._environment, self.task, self._closed, threading.Lock()
        other.calls, other.verdict = list(self.calls), self.verdict
        other.inner = self.inner.fork() if self.inner is not None else None
        return other

    def snapshot(self) -> "FusedSnapshot":
        """Return what there is to compare: the task, and the state of the other environment when there is one."""
        return FusedSnapshot(self.task.id if self.inner is None else f"{self.task.id} {self.inner.snapshot().digest}")

    def close(self) -> None:
        """End the session. Idempotent."""
        self._closed = True
        if self.inner is not None:
            self.inner.close()

    def __enter__(self) -> "FusedSession":
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


class FusedSnapshot:
    """The state of a fused episode, which never changes."""

    def __init__(self, task: str) -> None:
        self.digest = task

    def diff(self, other: Any) -> Mapping[str, Any]:
        """Return the difference: the tasks, if they are not the same."""
        return {} if self.digest == other.digest else {"task": [self.digest, other.digest]}


def _refused(code: str, message: str) -> ToolResult:
    return ToolResult(json.dumps({"error": {"code": code, "message": message}}), ToolError(code, message))
