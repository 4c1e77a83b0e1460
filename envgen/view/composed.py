"""Fused bundles and their tasks as text: programs as a DAG, and what their audit measured."""

import json
from collections.abc import Iterator
from typing import Any

from envgen.bundle.read import Bundle
from envgen.core.types import JsonObject, Task
from envgen.fused.environment import FusedEnvironment
from envgen.fused.program import Program, sources
from envgen.view.text import head


def show_fused(bundle: Bundle, task: str | None, *, gold: bool, as_agent: bool, split: str | None) -> str:
    """Return the text for a fused bundle, or for one of its tasks."""
    environment = FusedEnvironment.load(bundle.path)
    if as_agent:
        return agent_text(environment, environment.task(task) if task else environment.tasks()[0])
    if task is not None:
        return task_text(bundle, environment, environment.task(task), gold=gold)
    lines = [head(bundle), "PROGRAMS"]
    for data in environment.environment["programs"]:
        lines.append(f"  {data['id']}  depth {data['depth']}  {', '.join(data['operators']) or 'single'}")
    lines += ["", "TASKS", *_tasks(environment, split)]
    return "\n".join(lines)


def _tasks(environment: FusedEnvironment, split: str | None) -> Iterator[str]:
    for task in environment.tasks(split):
        first = " ".join(task.instruction.split())
        yield f"  {task.id}  {task.split}  {task.template}  {first[:90]}{'…' if len(first) > 90 else ''}"


def agent_text(environment: FusedEnvironment, task: Task) -> str:
    """Return exactly the messages and tool schemas that a model gets."""
    with environment.start(task) as session:
        parts = [f"[{message.role}]\n{message.content}" for message in session.messages]
        return "\n\n".join([*parts, "[tools]", *(json.dumps(tool, ensure_ascii=False) for tool in session.tools)])


def task_text(bundle: Bundle, environment: FusedEnvironment, task: Task, *, gold: bool) -> str:
    """Return one task; with `gold` its program as a DAG, its answer, and what the audit measured."""
    lines = [f"{task.id}  ({task.split}; template {task.template})", "", task.instruction]
    if not gold:
        return "\n".join(lines)
    found = environment.gold(task.id)
    data = next(each for each in environment.environment["programs"] if each["id"] == found.answer_origin["program"])
    lines += ["", f"PROGRAM {data['id']}", *dag_lines(Program(tuple(data["steps"])))]
    lines += ["ANSWER", f"  {json.dumps(found.answer.value if found.answer else None)}", "AUDIT", *_audit(data["audit"])]
    return "\n".join(lines)


def dag_lines(program: Program) -> list[str]:
    """Return a line per step: what it is, and what feeds it."""
    return [f"  {step['id']}  {_name(step)}{_feeds(step)}" for step in program.steps]


def _name(step: JsonObject) -> str:
    if step["kind"] == "problem":
        return f"{step['problem']} level {step['level']}"
    if step["kind"] == "iterate":
        return f"iterate {step['problem']} {step['times']} times over {step['port']}"
    return str(step["kind"])


def _feeds(step: JsonObject) -> str:
    ports = {id(source): port for port, source in step.get("binds", {}).items()} if step.get("binds") else {}
    fed = [f"{ports.get(id(source), '')}{'=' if id(source) in ports else ''}{_source(source)}" for source in sources(step)]
    return f"  <- {', '.join(fed)}" if fed else ""


def _source(source: JsonObject) -> str:
    return f"{source['adapter']}({source['step']})" if source["adapter"] else str(source["step"])


def _audit(figures: dict[str, dict[str, Any]]) -> Iterator[str]:
    for gate, numbers in figures.items():
        yield f"  {gate}  " + ", ".join(f"{name} {value:.2f}" for name, value in numbers.items())
