"""What a long run tells its caller: one small record per thing worth showing. The command line turns them into progress."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from envgen.core.types import JsonObject


@dataclass(frozen=True, slots=True)
class Event:
    """One step of a run.

    kind: `stage` (a part of the work begins), `progress` (`done` of `total` in it), `note` (something the user should
    know), `warning`, or `result` (the last one; `data` holds the outcome).
    """

    kind: Literal["stage", "progress", "note", "warning", "result"]
    stage: str
    message: str = ""
    done: int = 0
    total: int = 0
    data: JsonObject = field(default_factory=dict)

    def to_json(self) -> JsonObject:
        """Return the event without its empty fields."""
        values: dict[str, Any] = {"event": self.kind, "stage": self.stage, "message": self.message, "data": dict(self.data)}
        if self.total:
            values |= {"done": self.done, "total": self.total}
        return {name: value for name, value in values.items() if value not in ("", {})}


Events = Callable[[Event], None]


def silent(event: Event) -> None:
    """An `Events` that shows nothing."""
