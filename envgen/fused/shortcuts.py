"""Rules that read a task's text without doing its steps: none may be right more often than chance (gate G7)."""

import json
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from envgen.fused.problem import same
from envgen.fused.program import Program, Step, Trace, binds

_NUMBER = re.compile(r"-?\d+")


@dataclass(frozen=True)
class Subject:
    """A program with its drawn instances. rejected: draws that gave none. prompts: renders an instance."""

    program: Program
    traces: Sequence[Trace]
    rejected: int
    prompts: Callable[[Trace], str] | None
    totality: float = 0.6

    def inner(self) -> list[Step]:
        """The steps below the root."""
        return list(self.program.steps[:-1])


def _text(subject: Subject, trace: Trace) -> str:
    return subject.prompts(trace) if subject.prompts else json.dumps(shown_values(subject.program, trace))


def shown_values(program: Program, trace: Trace) -> dict[str, dict[str, Any]]:
    """Return the values that the text states: those of ports that no other step feeds."""
    # The request of another environment is text, and what it asks for does not stand in it: that environment's own gates saw to it.
    bound = {step["id"]: {*binds(step), "task", "text"} for step in program.steps}
    return {name: {port: value for port, value in values.items() if port not in bound[name]} for name, values in trace.values.items()}


def _constant(subject: Subject, number: int, trace: Trace) -> bool:
    counts = Counter(json.dumps(other.answer) for place, other in enumerate(subject.traces) if place != number)
    return bool(counts) and counts.most_common(1)[0][0] == json.dumps(trace.answer)


def _last_number(subject: Subject, number: int, trace: Trace) -> bool:
    found = _NUMBER.findall(_text(subject, trace))
    return bool(found) and type(trace.answer) is int and int(found[-1]) == trace.answer


def _extreme(largest: bool) -> Callable[[Subject, int, Trace], bool]:
    def guess(subject: Subject, number: int, trace: Trace) -> bool:
        shown = [value for values in shown_values(subject.program, trace).values() for value in _flat(values.values())]
        return type(trace.answer) is int and bool(shown) and (max(shown) if largest else min(shown)) == trace.answer

    return guess


def _flat(values: Any) -> list[int]:
    if type(values) is int:
        return [values]
    return [number for value in values for number in _flat(value)] if not isinstance(values, (str, bool, int)) else []


def _in_text(subject: Subject, number: int, trace: Trace) -> bool:
    """The answer stands in the text as it would be written; one that is short does so by chance."""
    text = json.dumps(trace.answer)
    return len(text) > 3 and text.strip('"') in _text(subject, trace)


def _earlier(subject: Subject, number: int, trace: Trace) -> bool:
    if subject.program.root["kind"] in ("select", "lookup", "parallel"):
        return False
    return any(same(answer, trace.answer) for name, answer in trace.answers.items() if name != trace.root)


def _surface(subject: Subject, number: int, trace: Trace) -> bool:
    """A stump over surface features: the most frequent answer among the other instances with the same parity of the shown sum."""
    parity = sum(_flat([list(values.values()) for values in shown_values(subject.program, trace).values()])) % 4
    others = [
        json.dumps(other.answer)
        for place, other in enumerate(subject.traces)
        if place != number and sum(_flat([list(values.values()) for values in shown_values(subject.program, other).values()])) % 4 == parity
    ]
    return bool(others) and Counter(others).most_common(1)[0][0] == json.dumps(trace.answer)


SHORTCUTS: dict[str, Callable[[Subject, int, Trace], bool]] = {
    "constant": _constant, "last_number": _last_number, "largest": _extreme(True), "smallest": _extreme(False), "in_text": _in_text,
    "earlier_step": _earlier, "surface": _surface,
}  # fmt: skip
