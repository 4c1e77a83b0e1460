"""The conversation of one run: asks stage by stage, and notes in the ledger what is kept, repaired and dropped."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from pydantic import BaseModel

from envgen.bundle.ledger import RunLedger
from envgen.core.errors import BadAnswer, BudgetReached
from envgen.core.events import Event, Events
from envgen.core.types import JsonObject
from envgen.database.model.prompts import render
from envgen.llm.client import ModelClient
from envgen.llm.structured import ask, ask_all
from envgen.llm.types import ModelRequest

T = TypeVar("T", bound=BaseModel)
Check = Callable[[Any], Sequence[str]]
STAGE = "model"


@dataclass
class Talk:
    """What the stages share. `repairs`: rounds of repair that are left to each of them."""

    client: ModelClient
    ledger: RunLedger
    events: Events
    repairs: int = 2
    out_of_budget: bool = False
    dropped: list[tuple[str, str, str]] = field(default_factory=list)
    _numbers: Counter[str] = field(default_factory=Counter)

    def request(self, stage: str, **values: Any) -> ModelRequest:
        """Return the request of a stage; `values` fill its template."""
        return ModelRequest(stage=stage, messages=render(stage, **values))

    def ask(
        self, stage: str, kind: type[T], *, check: Callable[[T], Sequence[str]] = lambda value: (), attempts: int = 3, **values: Any
    ) -> T:
        """Ask one thing. BadAnswer after `attempts` replies that do not fit; the client's own errors."""
        self.events(Event("progress", stage, "asking"))
        return ask(self.client, self.request(stage, **values), kind, check=check, attempts=attempts)

    def ask_each(self, stage: str, kind: type[T], values: Sequence[JsonObject]) -> list[T]:
        """Ask several things of one stage at once; those that stay wrong are noted and left out."""
        replies = ask_all(self.client, [self.request(stage, **each) for each in values], kind)
        for reply in replies:
            if isinstance(reply, BadAnswer):
                self.note(stage, str(reply))
        return [reply for reply in replies if not isinstance(reply, BadAnswer)]

    def mend(self, stage: str, kind: type[T], *, essential: bool = False, **values: Any) -> T | None:
        """Ask for something that one can do without: None when the answer stays wrong.

        So too when the budget is reached, after which no repair is asked for; what is `essential` then ends the run with BudgetReached.
        """
        if self.out_of_budget and not essential:
            return None
        try:
            return self.ask(stage, kind, attempts=3 if essential else 2, **values)
        except BadAnswer as problem:
            self.note(stage, str(problem))
        except BudgetReached as problem:
            if essential:
                raise
            self.out_of_budget = True
            self.note(stage, f"no more repairs: {problem}")
        return None

    def note(self, stage: str, text: str) -> None:
        """Tell the user."""
        self.events(Event("note", stage, text[:400]))

    def drop(self, kind: str, name: str, reason: str) -> None:
        """Record that a part is left out, and tell the user."""
        self.dropped.append((kind, name, reason))
        self._numbers[kind] += 1
        payload: JsonObject = {"detail": f"{name}: {reason}", "tasks": []}
        self.ledger.add(STAGE, kind, self._numbers[kind], "rejected", reason=f"{kind}_dropped", payload=payload)
        self.note(kind, f"{kind} {name} dropped: {reason}")
