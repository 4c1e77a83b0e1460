"""The audit G1 to G9: is a program a composition at all, or can its answer be had without doing the steps?

Every figure is measured on DRAWS instances and stored with the program. Thresholds are those of the design; a gate that has too few
witnesses fails.
"""

import json
import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from envgen.fused.adapters import adapt
from envgen.fused.library_index import problem
from envgen.fused.problem import same
from envgen.fused.program import LEAST_SORTED, Program, Reject, Step, Trace, again, run, sources, uses
from envgen.fused.shortcuts import SHORTCUTS, Subject
from envgen.fused.types import problem_of

DRAWS, FEW = 48, 8
TOTALITY, MODAL, SENSITIVITY, IDLE, GUESS, SLACK = 0.60, 0.25, 0.60, 0.30, 0.20, 0.05
# Operands of these change the root less often by their nature: (least share that changes it, most that leaves it). In a SORT of n
# equally distributed values another value keeps its place with probability 2 / (n + 1), which is 0.4 for the least n.
WEAK: dict[str, tuple[float, float]] = {
    "parallel": (0.60, 0.30), "aggregate": (0.60, 0.30), "lookup": (0.50, 0.45), "select": (0.40, 0.55), "sort": (0.40, 0.60),
}  # fmt: skip
# G8 reads the program alone, so it comes early.
CHEAP, ALL = ("G1", "G2", "G3", "G4", "G5"), ("G1", "G8", "G2", "G3", "G4", "G5", "G6", "G7", "G9")


@dataclass(frozen=True)
class Audit:
    """What was measured. figures: gate -> numbers. failed: gate -> why, in words; empty for a sound program."""

    figures: Mapping[str, Mapping[str, float]]
    failed: Mapping[str, str] = field(default_factory=dict)

    @property
    def sound(self) -> bool:
        """True when no gate refuses."""
        return not self.failed


def traces_of(program: Program, draws: int = DRAWS) -> tuple[list[Trace], int]:
    """Return the instances of `draws` draws, and how many were rejected."""
    found, rejected = [], 0
    for number in range(draws):
        try:
            found.append(run(program, "audit", number))
        except Reject:
            rejected += 1
    return found, rejected


def audit(
    program: Program, gates: Sequence[str] = ALL, *, prompts: Callable[[Trace], str] | None = None, draws: int = DRAWS,
    totality: float = TOTALITY,
) -> Audit:  # fmt: skip
    """Return the audit of a program; it stops at the first gate that refuses, since what follows would be measured on a fake.

    prompts: renders an instance, for G7; without it G7 looks at the inputs alone. totality: the share of draws that must survive.
    """
    traces, rejected = traces_of(program, draws)
    figures: dict[str, Mapping[str, float]] = {}
    for gate in gates:
        numbers, why = _GATES[gate](Subject(program, traces, rejected, prompts, totality))
        figures[gate] = numbers
        if why:
            return Audit(figures, {gate: why})
    return Audit(figures)


Measured = tuple[dict[str, float], str]


def _totality(subject: Subject) -> Measured:
    """G1: most draws survive the guards."""
    drawn = len(subject.traces) + subject.rejected
    share = len(subject.traces) / drawn if drawn else 0.0
    enough = share >= subject.totality and len(subject.traces) >= FEW
    return {"survive": share}, "" if enough else f"only {share:.0%} of the draws give an instance"


def _entropy(subject: Subject) -> Measured:
    """G2: no answer is frequent."""
    share = modal_share([trace.answer for trace in subject.traces])
    return {"modal": share}, "" if share <= MODAL else f"one answer makes {share:.0%}"


def modal_share(answers: Sequence[Any]) -> float:
    """Return the share of the most frequent answer."""
    counts = Counter(json.dumps(answer, sort_keys=True) for answer in answers)
    return counts.most_common(1)[0][1] / len(answers) if answers else 1.0


def _sensitivity(subject: Subject) -> Measured:
    """G3: another value of a step changes the root's answer."""
    words = "another value of {step} changes the answer in {share:.0%}"
    return _each_step(subject, "changes", lambda step, share: share >= _limits(subject, step)[0], _changed, words)


def _each_step(
    subject: Subject,
    name: str,
    fits: Callable[[Step, float], bool],
    measure: Callable[[Subject, Step], tuple[int, int]],
    words: str,
    *,
    needed: bool = True,
) -> Measured:
    """Measure each inner step as (hits, tries); the worst share is the figure. needed: too few tries is a refusal."""
    figures: dict[str, float] = {}
    for step in subject.inner():
        hits, tries = measure(subject, step)
        if tries < FEW:
            if needed:
                return figures, f"{step['id']}: too few draws to tell"
            continue
        share = hits / tries
        figures[f"{name}_{step['id']}"] = share
        if not fits(step, share):
            return figures, words.format(step=step["id"], share=share)
    return figures, ""


def _changed(subject: Subject, step: Step) -> tuple[int, int]:
    hits = tries = 0
    upto = operand(subject.program, step)
    for number, trace in enumerate(subject.traces):
        other = subject.traces[(number + 1) % len(subject.traces)].answers[step["id"]]
        if same(other, trace.answers[step["id"]]) or not _matters(subject.program, step, trace):
            continue
        try:
            hits += not same(again(subject.program, trace, {step["id"]: other}, upto), trace.answers[upto])
            tries += 1
        except Reject:
            continue
    return hits, tries


def operand(program: Program, step: Step) -> str:
    """Return the step at which the influence of `step` is measured: the root, or below an operator the operand that it leads to.

    An operator over several operands passes on a part of what happens in one of them by its nature: a SORT keeps its order when a value
    moves within its gap. So inner steps are measured where the operator takes them, and the operands themselves at the root.
    """
    root = program.root
    if root["kind"] not in WEAK or step["id"] in uses(root):
        return str(root["id"])
    leads = {step["id"]}
    for later in program.steps:
        if later["id"] != root["id"] and leads & set(uses(later)):
            leads.add(later["id"])
    return next(name for name in uses(root) if name in leads)


def _matters(program: Program, step: Step, trace: Trace) -> bool:
    """False for a branch of a SELECT that was not chosen: nothing in it can decide."""
    root = program.root
    if root["kind"] != "select" or step["id"] not in root["of"]:
        return True
    selector = adapt(trace.answers[root["by"]["step"]], root["by"]["adapter"], root["by"]["args"])
    return bool(root["of"][selector % len(root["of"])] == step["id"])


def _limits(subject: Subject, step: Step) -> tuple[float, float]:
    """Return (least share that changes, most that stays) for a step: an operand of an operator that hides some changes has other limits."""
    root = subject.program.root
    return WEAK.get(root["kind"], (SENSITIVITY, IDLE)) if step["id"] in uses(root) else (SENSITIVITY, IDLE)


def _dropped(subject: Subject) -> Measured:
    """G4: a step cannot be left out by handing on what it was given."""
    words = "without {step} the answer is the same in {share:.0%}"
    return _each_step(subject, "same_without", lambda step, share: share <= _limits(subject, step)[1], _without, words, needed=False)


def _without(subject: Subject, step: Step) -> tuple[int, int]:
    """The step's own inputs in the place of its answer, where they have its type."""
    hits = tries = 0
    upto = operand(subject.program, step)
    kind = problem(step["problem"]).out if "problem" in step else None
    for trace in (trace for trace in subject.traces if _matters(subject.program, step, trace)):
        candidates = [value for value in _inputs(step, trace) if kind is None or not problem_of(kind, value)]
        for value in candidates[:3]:
            try:
                hits += same(again(subject.program, trace, {step["id"]: value}, upto), trace.answers[upto])
                tries += 1
            except (Reject, TypeError, IndexError, KeyError, ValueError):
                continue
    return hits, tries


def _inputs(step: Step, trace: Trace) -> list[Any]:
    if step["kind"] == "given":
        return []
    if step["id"] in trace.values:
        return list(trace.values[step["id"]].values())
    return [adapt(trace.answers[source["step"]], source["adapter"], source["args"]) for source in sources(step)]


def _noop(subject: Subject) -> Measured:
    """G5: no step hands its input on unchanged, the root included."""
    figures: dict[str, float] = {}
    for step in subject.program.steps:
        if step["kind"] in ("parallel", "select", "lookup"):
            continue  # what they return is one of their inputs by definition; G3 and G6 look at what decides which
        hits = sum(any(same(value, trace.answers[step["id"]]) for value in _inputs(step, trace)) for trace in subject.traces)
        figures[f"unchanged_{step['id']}"] = hits / len(subject.traces)
        if hits > IDLE * len(subject.traces):
            return figures, f"{step['id']} hands its input on in {hits / len(subject.traces):.0%}"
    return figures, ""


def _guessed(subject: Subject) -> Measured:
    """G6: the most frequent value of a step, guessed, does not lead to the answer."""
    words = "guessing {step} gives the answer in {share:.0%}"
    return _each_step(subject, "guessed", lambda step, share: share <= _guessable(subject, step), _by_guess, words)


def _guessable(subject: Subject, step: Step) -> float:
    root = subject.program.root
    return WEAK[root["kind"]][1] if root["kind"] in ("select", "sort", "lookup") and step["id"] in uses(root) else GUESS


def _by_guess(subject: Subject, step: Step) -> tuple[int, int]:
    seen = Counter(json.dumps(trace.answers[step["id"]]) for trace in subject.traces)
    guess = json.loads(seen.most_common(1)[0][0])
    hits = tries = 0
    upto = operand(subject.program, step)
    for trace in (trace for trace in subject.traces if _matters(subject.program, step, trace)):
        tries += 1
        try:
            hits += same(again(subject.program, trace, {step["id"]: guess}, upto), trace.answers[upto])
        except (Reject, IndexError, KeyError, ValueError):
            continue
    return hits, tries


def _shortcuts(subject: Subject) -> Measured:
    """G7: no rule that reads the text without doing the steps is right more often than chance."""
    blind = chance(subject.program)
    # The best of several guesses among few possible answers is right more often than chance by luck alone: two standard errors more.
    limit = blind + SLACK + 2 * math.sqrt(blind * (1 - blind) / len(subject.traces))
    figures: dict[str, float] = {}
    for name, guess in SHORTCUTS.items():
        hits = sum(guess(subject, number, trace) for number, trace in enumerate(subject.traces))
        figures[name] = hits / len(subject.traces)
        if figures[name] > limit:
            return figures, f"the shortcut {name} is right in {figures[name]:.0%}"
    return figures, ""


def chance(program: Program) -> float:
    """Return how often a blind guess among the possible answers is right, where there are few: the orders of a SORT."""
    if program.root["kind"] != "sort":
        return 0.0
    orders = 1
    for number in range(2, len(program.root["of"]) + 1):
        orders *= number
    return 1 / orders


def _unique(subject: Subject) -> Measured:
    """G8: one answer by definition; a relation stands in the last place alone."""
    for step in subject.inner():
        if "problem" in step and problem(step["problem"]).unique == "relation":
            return {}, f"{step['id']} has several right answers, and another step builds on one of them"
    root = subject.program.root
    if root["kind"] == "sort" and len(root["of"]) < LEAST_SORTED:
        return {}, f"{len(root['of'])} things to sort can be guessed"
    unused = {step["id"] for step in subject.inner()} - {name for step in subject.program.steps for name in uses(step)}
    return {"steps": float(len(subject.program.steps))}, f"nothing uses {', '.join(sorted(unused))}" if unused else ""


def _metamorphic(subject: Subject) -> Measured:
    """G9: other names for the steps, in another order, give the same answers."""
    renamed, names = relabelled(subject.program)
    tries = hits = 0
    for trace in subject.traces[:12]:
        values = {names[name]: drawn for name, drawn in trace.values.items()}
        other = Trace(values, {names[name]: answer for name, answer in trace.answers.items()}, names[trace.root])
        tries += 1
        inner = {name: value for name, value in other.answers.items() if name != other.root}
        answer = again(renamed, other, inner)
        hits += same(answer, _renamed(trace.answer, names) if subject.program.root["kind"] == "sort" else trace.answer)
    return {"equivariant": hits / tries if tries else 0.0}, "" if hits == tries and tries else "the answer hangs on how steps are named"


def _renamed(answer: Any, names: Mapping[str, str]) -> Any:
    return [names.get(item, item) for item in answer]


def relabelled(program: Program) -> tuple[Program, dict[str, str]]:
    """Return the program with other labels, and old -> new."""
    names = {step["id"]: f"Q{number}" for number, step in enumerate(reversed(program.steps))}

    def swap(value: Any, key: str = "") -> Any:
        if isinstance(value, dict):
            return {inner: swap(item, inner) for inner, item in value.items()}
        if isinstance(value, list):
            return [swap(item, key) for item in value]
        return names.get(value, value) if key in ("id", "step", "table", "of") and isinstance(value, str) else value

    return Program(tuple(swap(step) for step in program.steps)), names


_GATES: dict[str, Callable[[Subject], Measured]] = {
    "G1": _totality, "G2": _entropy, "G3": _sensitivity, "G4": _dropped, "G5": _noop, "G6": _guessed, "G7": _shortcuts, "G8": _unique,
    "G9": _metamorphic,
}  # fmt: skip
TITLES = {
    "G1": "most draws give an instance", "G2": "no answer is frequent", "G3": "every step decides", "G4": "no step can be left out",
    "G5": "no step hands its input on", "G6": "no step can be guessed", "G7": "no shortcut is right", "G8": "one right answer",
    "G9": "names and order do not matter",
}  # fmt: skip
