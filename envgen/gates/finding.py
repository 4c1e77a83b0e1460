"""What one gate says: pass, fail or not applicable, why, and what it saw."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from envgen.core.types import Evidence, JsonObject


@dataclass(frozen=True, slots=True)
class Finding:
    """The outcome of one gate for one subject.

    A gate over an empty set passes and says so; `not_applicable` means that it should have had a witness and found none.
    """

    status: Literal["pass", "fail", "not_applicable"]
    reason: str = ""
    seen: JsonObject = field(default_factory=dict)

    def evidence(self, subject: str, gate: str) -> Evidence:
        """Return the finding as the record that a bundle keeps."""
        return Evidence(subject=subject, gate=gate, status=self.status, reason=self.reason, seen=self.seen)


def passed(reason: str = "", **seen: Any) -> Finding:
    """Return a passing finding."""
    return Finding("pass", reason, seen)


def failed(reason: str, **seen: Any) -> Finding:
    """Return a failing finding; `reason` says what was found and where."""
    return Finding("fail", reason, seen)


def not_applicable(reason: str, **seen: Any) -> Finding:
    """Return a finding without a verdict, since there was no witness."""
    return Finding("not_applicable", reason, seen)


def verdict_of(problems: Sequence[str], **seen: Any) -> Finding:
    """Return a pass when there are no problems, else a failure that names the first three."""
    return Finding("fail", "; ".join(problems[:3]), seen) if problems else Finding("pass", "", seen)
