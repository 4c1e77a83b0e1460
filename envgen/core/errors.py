"""Every error envgen raises on purpose, with the exit code the command line gives it.

    EnvgenError
    ├── UsageError            2  the caller asked for something that cannot be
    │   └── FormatError       2  the bundle is of a format this version cannot read
    ├── UnsoundError          1  what was checked is not sound
    │   ├── SpecError         1  an environment specification is malformed or unsafe
    │   ├── BundleError       1  a bundle is damaged: missing, truncated or altered content
    │   └── PlanError         1  a world or task could not be built as asked
    ├── SessionError          3  a session was used in a way it cannot serve
    │   ├── SessionClosed        after close
    │   ├── ConcurrentUse        two threads inside one session
    │   └── ForkUnsupported      the family or state cannot be forked exactly
    ├── BudgetReached         1  the next model call would pass the budget; what is done is kept
    ├── BadAnswer             1  a model's answer is still wrong after all attempts
    └── InfrastructureError   3  the machine failed: disk, memory, process, missing part
        └── ModelError        3  a model endpoint failed, or answered nothing usable, after all retries
            └── RequestRefused   it refuses one request, such as a prompt that is too long; others may pass

A bad call by an agent is none of these: it is a `ToolResult` with an error code.
"""

from collections.abc import Sequence


class EnvgenError(Exception):
    """Base of all errors that envgen raises on purpose. The text says what, where and the next step."""

    exit_code = 1


class UsageError(EnvgenError):
    """The caller asked for something that cannot be."""

    exit_code = 2


class FormatError(UsageError):
    """The bundle is of a format that this version of envgen cannot read."""


class UnsoundError(EnvgenError):
    """What was checked is not sound."""

    exit_code = 1


class SpecError(UnsoundError):
    """An environment specification is malformed or unsafe. `where` names the table, tool, step or rule."""

    def __init__(self, where: str, problem: str) -> None:
        super().__init__(f"{where}: {problem}")
        self.where = where
        self.problem = problem


class BundleError(UnsoundError):
    """A bundle is damaged: missing, truncated or altered content."""


class PlanError(UnsoundError):
    """A world or a task could not be built as asked. `code` is a short stable reason for the ledger."""

    def __init__(self, code: str, message: str = "") -> None:
        super().__init__(f"{code}: {message}" if message else code)
        self.code = code


class SessionError(EnvgenError):
    """A session was used in a way that it cannot serve."""

    exit_code = 3


class SessionClosed(SessionError):
    """The session was used after `close`."""


class ConcurrentUse(SessionError):
    """Two threads were inside one session at once. Give each thread a session of its own."""


class ForkUnsupported(SessionError):
    """This session cannot be forked exactly."""


class InfrastructureError(EnvgenError):
    """The machine failed: disk, memory, a process, or a part that is not installed."""

    exit_code = 3


class ModelError(InfrastructureError):
    """A model endpoint failed, or answered nothing usable, after all retries."""


class RequestRefused(ModelError):
    """The endpoint refuses this one request, such as a prompt that is too long. Others may pass."""


class BudgetReached(EnvgenError):
    """The next model call would pass the budget. What is done is kept; a larger budget continues from there."""


class BadAnswer(EnvgenError):
    """A model's answer is still wrong after all attempts. `problems` says what was wrong with the last one."""

    def __init__(self, stage: str, problems: Sequence[str]) -> None:
        self.stage = stage
        self.problems = tuple(problems)
        more = f" (and {len(self.problems) - 1} more)" if len(self.problems) > 1 else ""
        super().__init__(f"{stage}: the model's answer is unusable: {self.problems[0] if self.problems else 'no reason given'}{more}")
