"""From a seed to tasks: programs drawn, audited, instantiated, told and checked. What is refused is counted by its gate."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from envgen.core.types import Answer, Evidence, Expectation, Goal, Gold, JsonObject, Start, Task
from envgen.fused.audit import ALL, Audit, audit
from envgen.fused.draw import Given, Maker
from envgen.fused.environment import NOW
from envgen.fused.problem import same
from envgen.fused.program import OPERATORS, Program, Reject, Trace, out_type, run
from envgen.fused.render import lint, render
from envgen.fused.score import score_value
from envgen.fused.seeds import name_of
from envgen.fused.types import Type
from envgen.fused.typing_json import to_json

INSTANCES, SPARE, TEST_SHARE, MOST_CONSTANT = 2, 12, 5, 0.10


@dataclass(frozen=True)
class FusedOptions:
    """One run. depth: problems in the longest chain. level: of every leaf (None: 0 to 2). instances: tasks per program, at most.

    given: other environments whose tasks' answers the programs begin with.
    """

    tasks: int = 20
    depth: int = 3
    level: int | None = None
    operators: tuple[str, ...] = OPERATORS
    seed: int = 0
    instances: int = INSTANCES
    given: tuple[Given, ...] = ()

    def identity(self) -> JsonObject:
        """Return what decides what comes out."""
        return {
            "tasks": self.tasks, "depth": self.depth, "level": self.level, "operators": list(self.operators), "instances": self.instances,
            **({"with": [name for name, _ in self.given]} if self.given else {}),
        }  # fmt: skip


@dataclass
class Composed:
    """What came of a run. programs: in the order of their first task."""

    tasks: list[Task] = field(default_factory=list)
    gold: list[Gold] = field(default_factory=list)
    evidence: list[Evidence] = field(default_factory=list)
    programs: dict[str, JsonObject] = field(default_factory=dict)
    rejected: Counter[str] = field(default_factory=Counter)


_TYPES: dict[str, Type] = {}


def answer_type(program: Program) -> Type:
    """Return the type by which answers of a program are scored: as declared, since an instance may lie outside what was observed."""
    if program.id not in _TYPES:
        if len(_TYPES) > 4_096:
            _TYPES.clear()
        _TYPES[program.id] = out_type(program, {})
    return _TYPES[program.id]


def told(program: Program, trace: Trace, *names: Any) -> tuple[str, str]:
    """Return (text, style) of an instance."""
    return render(program, trace, answer_type(program), *names)


def prompt_for_audit(program: Program) -> Any:
    """Return the renderer that gate G7 reads: the text that an agent would see."""
    return lambda trace: told(program, trace, "audit")[0]


def compose(options: FusedOptions) -> Iterator[Composed]:
    """Yield the growing result after each program; it is complete when as many tasks are there as were asked for, or tries run out."""
    maker = Maker(options.seed, depth=options.depth, level=options.level, operators=options.operators, given=options.given)
    made = Composed()
    seen: set[str] = set()
    for number in range(options.tasks * SPARE + 40):
        if len(made.tasks) >= options.tasks:
            return
        program = maker.program(number)
        if program.id in made.programs:
            made.rejected["duplicate"] += 1
            continue
        found = audit(program, ALL, prompts=prompt_for_audit(program))
        if not found.sound:
            made.rejected[next(iter(found.failed))] += 1
            continue
        _instances(options, program, found, made, seen)
        yield made


def _instances(options: FusedOptions, program: Program, found: Audit, made: Composed, seen: set[str]) -> None:
    """Add up to `instances` tasks of a program, each another instance."""
    before = len(made.tasks)
    for number in range(options.instances * 3):
        if len(made.tasks) >= options.tasks or len(made.tasks) - before >= options.instances:
            break
        try:
            trace = run(program, "task", options.seed, number)
        except Reject:
            made.rejected["no_instance"] += 1
            continue
        text, style = told(program, trace, "task", options.seed, number)
        why = lint(text, trace.answer) or _unfair(program, trace, made)
        if why or trace.hash in seen:
            made.rejected["text" if why else "duplicate"] += 1
            continue
        seen.add(trace.hash)
        _add(program, trace, text, style, [options.seed, number], found, made)
    if len(made.tasks) > before:
        made.programs[program.id] = stored(program, found)


def _unfair(program: Program, trace: Trace, made: Composed) -> str:
    """One answer may pay for no more than a tenth of all tasks, as they grow."""
    alike = sum(same(gold.answer.value, trace.answer) for gold in made.gold if gold.answer)
    return "the answer is too frequent" if alike + 1 > max(2, MOST_CONSTANT * (len(made.gold) + 1)) else ""


def stored(program: Program, found: Audit) -> JsonObject:
    """Return a program as the bundle keeps it: its DAG and what its audit measured."""
    figures = {gate: {name: round(value, 4) for name, value in numbers.items()} for gate, numbers in found.figures.items()}
    return {"id": program.id, "steps": list(program.steps), "depth": program.depth(), "operators": program.operators(), "audit": figures}


def _add(program: Program, trace: Trace, text: str, style: str, draw: Sequence[int], found: Audit, made: Composed) -> None:
    kind = to_json(answer_type(program))
    template = f"{'+'.join(program.operators()) or 'single'}:{program.depth()}:{program.root.get('problem', program.root['kind'])}"
    task_id = "t-" + name_of([program.id, trace.hash, text], 6)
    goal = Goal(kind="compose", template=template)
    made.tasks.append(
        Task(id=task_id, split=split_of(program), template=template, kinds=("compose",), instruction=text, start=Start(now=NOW))
    )
    made.gold.append(
        Gold(
            task=task_id, goals=(goal,), calls=(), expect=Expectation(), answer=Answer(type="json", value=trace.answer),
            answer_origin={
                "from": "program", "program": program.id, "draw": list(draw), "type": kind, "style": style, "instance": trace.hash,
                **_inner(program, trace),
            },
        )
    )  # fmt: skip
    made.evidence += [
        Evidence(subject=task_id, gate=gate, status="pass", seen={name: round(value, 4) for name, value in numbers.items()})
        for gate, numbers in found.figures.items()
    ]


def _inner(program: Program, trace: Trace) -> JsonObject:
    """Which task of which other environment a task begins with, and its answer."""
    for step in program.steps:
        if step["kind"] == "given":
            return {"inner": {"from": step["from"], "task": trace.values[step["id"]]["task"], "answer": trace.answers[step["id"]]}}
    return {}


def split_of(program: Program) -> str:
    """Return the split of a program, by structure: all tasks with one pair of neighbouring problems lie on the same side."""
    alone = str(program.root.get("problem", program.root["kind"]))
    edges = sorted({f"{inner}>{outer}" for inner, outer, _ in program.edges()}) or [alone]
    return "test" if int(name_of(["split", edges[0]], 4), 16) % TEST_SHARE == 0 else "train"


def program_of(data: JsonObject) -> Program:
    """Return the program that `stored` wrote."""
    return Program(tuple(data["steps"]))


def check_task(program: Program, task: Task, gold: Gold) -> list[str]:
    """Return what is wrong with a task, made anew from its program and draw: text, answer, scoring."""
    draw = gold.answer_origin["draw"]
    try:
        trace = run(program, "task", *draw)
    except Reject as problem:
        return [f"its instance cannot be made again: {problem}"]
    problems = []
    if gold.answer is None or not same(trace.answer, gold.answer.value):
        problems.append(f"the answer is {trace.answer!r}, the gold says {gold.answer.value if gold.answer else None!r}")
    if told(program, trace, "task", *draw)[0] != task.instruction:
        problems.append("the text is not the one that its program tells")
    kind = answer_type(program)
    if gold.answer is not None and score_value(gold.answer.value, gold.answer.value, kind).reward != 1.0:
        problems.append("gold does not score 1")
    junk: tuple[Any, ...] = (None, "", [], 0, "zzz")
    for wrong in junk:
        if gold.answer is not None and not same(wrong, gold.answer.value) and score_value(wrong, gold.answer.value, kind).reward:
            problems.append(f"{wrong!r} scores 1")
    why = lint(task.instruction, trace.answer)
    return [*problems, why] if why else problems
