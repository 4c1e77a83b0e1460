"""Programs: a DAG of steps, each a base problem or an operator over earlier steps, and what becomes of one when it is run.

    {"id": "A", "kind": "problem", "problem": "crt", "version": 1, "level": 1, "binds": {}}
    {"id": "B", "kind": "problem", "problem": "mod_pow", ..., "binds": {"exponent": {"step": "A", "adapter": "mod", "args": {...}}}}
    {"id": "C", "kind": "parallel", "of": ["A", "B"]}               the list of the answers
    {"id": "C", "kind": "sort", "of": ["A", "B", "D", "E"]}         the labels in ascending order of the answers, which are distinct
    {"id": "C", "kind": "select", "by": SOURCE, "of": ["A", "B"]}   the branch whose number is the selector modulo how many there are
    {"id": "C", "kind": "aggregate", "of": [SOURCE, ...], "weights": [...], "modulus": m}   a weighted sum modulo m
    {"id": "C", "kind": "iterate", "problem": P, "port": p, "level": 0, "start": SOURCE, "times": n, "adapter": "", "args": {}}
                                                                    P's answer fed back into its port p, n times
    {"id": "C", "kind": "lookup", "table": "A", "index": SOURCE}    the entry of a list at the index modulo its length, from 0
    {"id": "A", "kind": "given", "from": NAME, "pool": [{"task": ID, "value": n, "text": REQUEST}, ...]}
                                                                    the integer that answers a task of another environment

The last step is the root: its answer is the task's.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from envgen.fused.adapters import adapt, adapted_type
from envgen.fused.library_index import problem
from envgen.fused.problem import Values
from envgen.fused.seeds import dice, name_of
from envgen.fused.types import Enum, Int, List, Tuple, Type, problem_of

Step = dict[str, Any]
Source = dict[str, Any]
OPERATORS = ("sequential", "parallel", "sort", "select", "aggregate", "iterate", "lookup")
LEAST_SORTED = 4


class Reject(Exception):
    """An instance that cannot be had: a problem has none for the values bound, or a guard of an operator refuses it."""

    def __init__(self, step: str, why: str) -> None:
        super().__init__(f"{step}: {why}")
        self.step, self.why = step, why


@dataclass(frozen=True)
class Program:
    """A program. `steps` are in an order in which each uses only earlier ones; the last is the root."""

    steps: tuple[Step, ...]

    @property
    def root(self) -> Step:
        """The last step."""
        return self.steps[-1]

    @cached_property
    def id(self) -> str:
        """A hash of the DAG that does not depend on the labels of its steps."""
        return "p-" + name_of(canonical(self), 6)

    def depth(self) -> int:
        """Return the length of the longest chain of problem steps that feed each other."""
        depths: dict[str, int] = {}
        for step in self.steps:
            below = max((depths[name] for name in uses(step)), default=0)
            depths[step["id"]] = below + (1 if step["kind"] in ("problem", "iterate") else 0)
        return depths[self.root["id"]]

    def problems(self) -> list[str]:
        """Return the names of the base problems, in the order of the steps."""
        return [step["problem"] for step in self.steps if "problem" in step]

    def edges(self) -> list[tuple[str, str, str]]:
        """Return (inner problem, outer problem, port) for each edge between problems."""
        kinds = {step["id"]: step for step in self.steps}
        return [
            (kinds[source["step"]]["problem"], step["problem"], port)
            for step in self.steps
            for port, source in binds(step).items()
            if "problem" in step and "problem" in kinds[source["step"]]
        ]

    def operators(self) -> list[str]:
        """Return the operators in use, in their fixed order."""
        kinds = {step["kind"] for step in self.steps}
        chained = any(binds(step) for step in self.steps)
        return [name for name in OPERATORS if name in kinds or (name == "sequential" and chained)]


def binds(step: Step) -> dict[str, Source]:
    """Return port -> source of a problem step, or of the start of an iteration."""
    if step["kind"] == "iterate":
        return {step["port"]: step["start"]} if step.get("start") else {}
    return dict(step.get("binds", {}))


def sources(step: Step) -> list[Source]:
    """Return every source that a step takes values from."""
    found: list[Source] = [*binds(step).values()]
    found += [source if isinstance(source, dict) else {"step": source, "adapter": "", "args": {}} for source in step.get("of", ())]
    found += [step[name] for name in ("by", "index") if name in step]
    return found + ([{"step": step["table"], "adapter": "", "args": {}}] if "table" in step else [])


def uses(step: Step) -> list[str]:
    """Return the labels of the steps that a step takes values from, each once."""
    return list(dict.fromkeys(source["step"] for source in sources(step)))


def canonical(program: Program) -> Any:
    """Return the DAG with hashes in the place of labels; the branches of PARALLEL and SORT in an order of their own."""
    names: dict[str, str] = {}
    for step in program.steps:
        data = {key: value for key, value in step.items() if key != "id"}
        data = _relabel(data, names)
        if step["kind"] in ("parallel", "sort"):
            data["of"] = sorted(data["of"])
        names[step["id"]] = name_of(data, 6)
    return names[program.root["id"]]


def _relabel(value: Any, names: Mapping[str, str]) -> Any:
    if isinstance(value, dict):
        # A port may be called "step" as well; what is bound to it is no label but a source.
        labelled = {key for key, item in value.items() if key in ("step", "table") and isinstance(item, str)}
        return {key: names.get(item, item) if key in labelled else _relabel(item, names) for key, item in value.items()}
    if isinstance(value, list):
        return [names.get(item, item) if isinstance(item, str) else _relabel(item, names) for item in value]
    return value


@dataclass(frozen=True)
class Trace:
    """One run of a program: the values of each problem step, and the answer of every step."""

    values: Mapping[str, Values]
    answers: Mapping[str, Any]
    root: str

    @property
    def answer(self) -> Any:
        """The answer of the root."""
        return self.answers[self.root]

    @property
    def hash(self) -> str:
        """A hash of the instance."""
        return name_of([self.values[key] for key in sorted(self.values)], 8)


def run(program: Program, *names: Any) -> Trace:
    """Return the instance of a program that belongs to `names` (seed, split, number). Reject when there is none."""
    values: dict[str, Values] = {}
    answers: dict[str, Any] = {}
    for step in program.steps:
        rng = dice(program.id, step["id"], *names)
        answers[step["id"]] = _step(step, answers, values, rng)
    return Trace(values, answers, program.root["id"])


def again(program: Program, trace: Trace, replaced: Mapping[str, Any], upto: str | None = None) -> Any:
    """Return the answer of step `upto` (the root) when the answers of some steps are replaced and what rests on them is computed anew.

    Ports that were drawn stay as they were; Reject when the new values fit no instance.
    """
    answers: dict[str, Any] = {}
    changed: set[str] = set()
    for step in program.steps:
        name = step["id"]
        if name in replaced:
            answers[name] = replaced[name]
            changed.add(name)
        elif changed.isdisjoint(uses(step)) and name in trace.answers:
            answers[name] = trace.answers[name]
        else:
            answers[name] = _replayed(step, answers, trace)
            changed.add(name)
        if name == upto:
            break
    return answers[upto or program.root["id"]]


def _value(source: Source, answers: Mapping[str, Any]) -> Any:
    return adapt(answers[source["step"]], source["adapter"], source["args"])


def _step(step: Step, answers: Mapping[str, Any], values: dict[str, Values], rng: random.Random) -> Any:
    if step["kind"] == "given":
        chosen = rng.choice(step["pool"])
        values[step["id"]] = {"task": chosen["task"], "text": chosen["text"]}
        return chosen["value"]
    if step["kind"] not in ("problem", "iterate"):
        return combine(step, answers)
    drawn = problem(step["problem"]).sample(rng, step["level"], _bound(step, answers))
    if drawn is None:
        raise Reject(step["id"], "no instance for the values bound")
    values[step["id"]] = drawn
    return _solved(step, drawn) if step["kind"] == "problem" else _repeated(step, drawn)


def _bound(step: Step, answers: Mapping[str, Any]) -> Values:
    """The values that other steps give. Edges follow what was observed, so a value outside the port's type is possible, and refused."""
    ports = problem(step["problem"]).ports
    found = {port: _value(source, answers) for port, source in binds(step).items()}
    for port, value in found.items():
        wrong = problem_of(ports[port], value)
        if wrong:
            raise Reject(step["id"], f"port {port}: {wrong}")
    return found


def _solved(step: Step, values: Values) -> Any:
    try:
        return problem(step["problem"]).solve(values)
    except (ValueError, IndexError, KeyError, ZeroDivisionError, OverflowError) as error:
        raise Reject(step["id"], f"no answer: {error}") from error


def _replayed(step: Step, answers: Mapping[str, Any], trace: Trace) -> Any:
    """The answer of a step whose drawn ports stay, with its bound ports as they are now."""
    if step["kind"] == "given":
        return trace.answers[step["id"]]
    if step["kind"] not in ("problem", "iterate"):
        return combine(step, answers)
    kept = {**trace.values[step["id"]], **_bound(step, answers)}
    if step["kind"] == "problem":
        return _solved(step, kept)
    return _repeated(step, kept)


def _repeated(step: Step, values: Values) -> Any:
    """The answer fed back into the port `times` times. A value that comes back would make the number of times matter less."""
    chosen = problem(step["problem"])
    value, seen = values[step["port"]], []
    for turn in range(step["times"]):
        answer = _solved(step, {**values, step["port"]: value})
        if answer in seen:
            raise Reject(step["id"], "the iteration comes back to a value")
        seen.append(answer)
        value = adapt(answer, step["adapter"], step["args"])
        if turn + 1 < step["times"] and problem_of(chosen.ports[step["port"]], value):
            raise Reject(step["id"], "the iteration leaves what its port takes")
    wrong = problem_of(chosen.out, seen[-1])
    if wrong:
        raise Reject(step["id"], f"the iteration leaves its type: {wrong}")
    return seen[-1]


def combine(step: Step, answers: Mapping[str, Any]) -> Any:
    """Return the answer of an operator over earlier answers. Reject when a guard refuses them."""
    taken = [_value(source, answers) for source in sources(step)]
    if step["kind"] == "parallel":
        return taken
    if step["kind"] == "sort":
        return _sorted(step, taken)
    if step["kind"] == "select":
        *branches, selector = taken
        if any(branches[one] == branches[other] for one in range(len(branches)) for other in range(one)):
            raise Reject(step["id"], "two branches are equal")
        return branches[selector % len(branches)]
    if step["kind"] == "aggregate":
        return sum(weight * value for weight, value in zip(step["weights"], taken, strict=True)) % step["modulus"]
    if step["kind"] == "lookup":
        index, table = taken
        if len(table) < 2:
            raise Reject(step["id"], "the list is too short to look something up in")
        return table[index % len(table)]
    raise Reject(step["id"], f"unknown operator {step['kind']}")


def _sorted(step: Step, taken: Sequence[Any]) -> list[str]:
    if any(taken[one] == taken[other] for one in range(len(taken)) for other in range(one)):
        raise Reject(step["id"], "two answers are equal")
    return [label for _, label in sorted(zip(taken, step["of"], strict=True), key=lambda pair: pair[0])]


def out_type(program: Program, known: Mapping[str, Type]) -> Type:
    """Return the type of the root's answer; `known` are the types of the problem steps' answers, declared or observed."""
    types: dict[str, Type] = {}
    for step in program.steps:
        types[step["id"]] = known[step["id"]] if step["id"] in known else step_type(step, types)
    return types[program.root["id"]]


def step_type(step: Step, types: Mapping[str, Type]) -> Type:
    """Return the type of a step's answer from those of the steps that it uses."""
    if step["kind"] in ("problem", "iterate"):
        return problem(step["problem"]).out
    taken = [adapted_type(types[source["step"]], source["adapter"], source["args"]) for source in sources(step)]
    if step["kind"] == "parallel":
        return Tuple(tuple(kind for kind in taken if kind is not None), names=tuple(step["of"]))
    if step["kind"] == "sort":
        return List(Enum(tuple(sorted(step["of"]))), len(step["of"]), len(step["of"]), unique=True)
    if step["kind"] == "aggregate":
        return Int(0, step["modulus"] - 1)
    if step["kind"] == "given":
        return given_type(step["pool"])
    if step["kind"] == "select":
        return _wider([kind for kind in taken[:-1] if kind is not None])
    table = types[step["table"]]
    assert isinstance(table, List)
    return table.item


def given_type(pool: Sequence[Mapping[str, Any]]) -> Int:
    """Return the type of the answers of another environment's tasks."""
    return Int(min(each["value"] for each in pool), max(each["value"] for each in pool))


def _wider(kinds: Sequence[Type]) -> Type:
    """A type that holds the values of all of some integer types; the first one for others, which are of equal shape."""
    whole = [kind for kind in kinds if isinstance(kind, Int)]
    if len(whole) == len(kinds):
        return Int(min(kind.low for kind in whole), max(kind.high for kind in whole))
    return kinds[0]
