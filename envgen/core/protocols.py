"""The protocol that every family serves and every trainer, gym and export uses."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

from envgen.core.outcome import ToolResult, Verdict
from envgen.core.types import Json, JsonObject, Manifest, Message, Task


class Snapshot(Protocol):
    """The state of a session at one moment, as ordered rows or files."""

    @property
    def digest(self) -> str:
        """Digest over the ordered content; equal content has an equal digest."""
        ...

    def diff(self, other: Any) -> Mapping[str, Any]:
        """Return what changes from this snapshot to `other`, a snapshot of the same environment."""
        ...


@runtime_checkable
class Session(Protocol):
    """One episode. Distinct sessions never share state; one session serves one thread at a time."""

    @property
    def messages(self) -> list[Message]:
        """What the agent is shown first."""
        ...

    @property
    def tools(self) -> list[JsonObject]:
        """OpenAI function schemas, `submit` included."""
        ...

    @property
    def capabilities(self) -> frozenset[str]:
        """Of "fork", "snapshot", "inline" (calls take microseconds and may run on an event loop)."""
        ...

    def call(self, name: str, arguments: Json) -> ToolResult:
        """Call a tool. A bad call is a result with an error code, never a raise, and changes nothing."""
        ...

    def submit(self, answer: Json = None, *, outcome: str = "done", reason: str | None = None) -> Verdict:
        """End the episode and judge it. A second submit returns the first verdict."""
        ...

    def fork(self) -> "Session":
        """Return an exact, independent copy at this moment, or raise `ForkUnsupported`."""
        ...

    def snapshot(self) -> Snapshot:
        """Return the present state."""
        ...

    def close(self) -> None:
        """Give everything back. Idempotent."""
        ...


class Environment(Protocol):
    """A loaded bundle: immutable, shareable between threads."""

    manifest: Manifest

    def tasks(self, split: str | None = None) -> Sequence[Task]:
        """Return the tasks of `split`, or all. UsageError names the splits when there is none of that name."""
        ...

    def start(self, task: Task, *, seed: int = 0) -> Session:
        """Begin an episode of `task`."""
        ...
