"""What plays an episode: a policy yields moves and is sent what each call returned, until it submits."""

from collections.abc import Generator
from dataclasses import dataclass
from typing import Protocol

from envgen.core.errors import UsageError
from envgen.core.outcome import ToolResult
from envgen.core.protocols import Environment, Session
from envgen.core.types import Json, JsonObject, Task


@dataclass(frozen=True, slots=True)
class Move:
    """One tool call."""

    tool: str
    arguments: JsonObject


@dataclass(frozen=True, slots=True)
class Submit:
    """The last move. `outcome` and `reason` are of the enums in the `submit` schema."""

    answer: Json = None
    outcome: str = "done"
    reason: str | None = None


Play = Generator[Move, ToolResult, Submit]


class ScriptedPolicy(Protocol):
    """A policy that needs no model. `play` yields moves, gets each result sent, and returns the submission."""

    name: str

    def play(self, environment: Environment, session: Session, task: Task, *, seed: int) -> Play:
        """Play one episode. Randomness comes from `seed` and the task's id only."""
        ...


def scripted(name: str) -> ScriptedPolicy:
    """Return the scripted policy `name`; UsageError lists those that there are."""
    from envgen.rollout.scripted import NoOp, Oracle, Random

    policies: dict[str, ScriptedPolicy] = {policy.name: policy for policy in (Oracle(), NoOp(), Random())}
    if name not in policies:
        raise UsageError(f"there is no policy {name!r}; choose one of {', '.join(policies)}")
    return policies[name]
