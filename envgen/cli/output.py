"""Progress that degrades: live on a terminal, lines otherwise, one JSON object per line with --json. `NO_COLOR` is respected."""

import sys
import time
from collections.abc import Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from envgen.core.events import Event


class Reporter:
    """Receives events and shows them. Progress goes to standard error, so that standard output holds results only."""

    def __init__(self, *, json: bool = False) -> None:
        from rich.console import Console

        self.json = json
        self.console = Console(stderr=True, highlight=False)
        self._live: Progress | None = None
        self._bar: TaskID | None = None
        self._stage = ""
        self._printed = 0.0

    def __call__(self, event: "Event") -> None:
        """Show one event."""
        if self.json:
            emit(event.to_json())
        elif self.console.is_terminal:
            self._show_live(event)
        else:
            self._show_line(event)

    def _show_line(self, event: "Event") -> None:
        if event.kind == "progress" and not self._due(event):
            return
        count = f" {event.done}/{event.total}" if event.total else ""
        text = f": {event.message}" if event.message else ""
        if event.kind != "result":
            self.console.print(f"{event.stage}{count}{text}", markup=False, soft_wrap=True)

    def _due(self, event: "Event") -> bool:
        # A line per item would flood a log: one a second, and the last of each stage.
        now = time.monotonic()
        if event.done < event.total and now - self._printed < 1:
            return False
        self._printed = now
        return True

    def _show_live(self, event: "Event") -> None:
        if event.kind in ("note", "warning"):
            self.console.print(f"{event.stage}: {event.message}", markup=False)
            return
        if event.kind == "result":
            return
        live = self._progress()
        if event.stage != self._stage or self._bar is None:
            self._stage, self._bar = event.stage, live.add_task(event.stage, total=event.total or None, note="")
        live.update(self._bar, completed=event.done, total=event.total or None, note=event.message[:60])

    def _progress(self) -> "Progress":
        if self._live is None:
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

            columns = (
                TextColumn("{task.description}"),
                BarColumn(),
                MofNCompleteColumn(),
                TimeElapsedColumn(),
                TextColumn("{task.fields[note]}"),
            )
            self._live = Progress(*columns, console=self.console, transient=False)
            self._live.start()
        return self._live

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None


def emit(value: Any) -> None:
    """Print one JSON object on a line of its own."""
    from envgen.core.digest import canonical_json

    sys.stdout.write(canonical_json(value) + "\n")
    sys.stdout.flush()


def table(heads: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Return rows in aligned columns; numbers to the right."""
    cells = [[str(cell) for cell in row] for row in rows]
    widths = [max(len(head), *(len(row[column]) for row in cells), 0) for column, head in enumerate(heads)]
    right = [bool(rows) and all(isinstance(row[column], int | float) for row in rows) for column in range(len(heads))]

    def line(values: Sequence[str]) -> str:
        padded = [v.rjust(w) if r else v.ljust(w) for v, w, r in zip(values, widths, right, strict=True)]
        return "  ".join(padded).rstrip()

    return "\n".join([line(list(heads)), line(["-" * width for width in widths]), *(line(row) for row in cells)])
