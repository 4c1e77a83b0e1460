"""What comes back: tool results, checks and verdicts. Plain slotted classes, since episodes make millions."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

Status = Literal["valid", "invalid", "error"]


@dataclass(slots=True, frozen=True)
class ToolError:
    """Why a call was refused. `code` is stable and for programs, `message` is for the agent."""

    code: str
    message: str


@dataclass(slots=True, frozen=True)
class ToolResult:
    """What the agent sees of one call: `content` is text; `error` is set when the call was refused.

    `value` is the same result as data, for scripted policies and gates; it is never shown.
    """

    content: str
    error: ToolError | None = None
    value: Any = None

    @property
    def ok(self) -> bool:
        """True when the call was carried out."""
        return self.error is None


@dataclass(slots=True, frozen=True)
class Check:
    """One named condition of a verdict: `state`, `answer`, `outcome`, `reason` or `rule:<id>`."""

    name: str
    passed: bool
    detail: str = ""


@dataclass(slots=True, frozen=True)
class Verdict:
    """The judgement of one episode.

    status: `valid` (judged), `invalid` (infrastructure failed: no reward, never 0) or `error` (the environment is at fault).
    reward: 0.0 or 1.0 when valid, else None. solved: the same as a boolean.
    components: partial credit per part, less what doing nothing earns. checks: every condition judged.
    """

    status: Status
    reward: float | None = None
    solved: bool | None = None
    components: Mapping[str, float] = field(default_factory=dict)
    checks: tuple[Check, ...] = ()
    failure_kind: str | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the verdict as plain JSON data."""
        data = asdict(self)
        data["checks"] = [asdict(check) for check in self.checks]
        data["components"] = dict(self.components)
        return data

    def failed(self) -> list[str]:
        """Names of the checks that did not pass."""
        return [check.name for check in self.checks if not check.passed]


@dataclass(slots=True, frozen=True)
class Change:
    """One row written, as the engine reported it. Rows are tuples in the table's column order.

    op: insert (old is None), update, or delete (new is None).
    """

    op: Literal["insert", "update", "delete"]
    table: str
    old: tuple[Any, ...] | None
    new: tuple[Any, ...] | None


@dataclass(slots=True)
class CallRecord:
    """One call of an episode as the verifier sees it. `tool` is the canonical name, `result` the result as data."""

    step: int
    tool: str
    arguments: Any
    ok: bool
    code: str
    result: Any
    now: str
    writes: tuple[Change, ...] = ()
    actor: str = "agent"
