"""Bundles, tasks and runs as plain text: what `envgen show` prints."""

import json
from collections.abc import Iterator
from pathlib import Path

from envgen.bundle.digest import row_counts
from envgen.bundle.read import Bundle, read_bundle
from envgen.core.errors import UsageError
from envgen.core.types import Gold, JsonObject, Task
from envgen.database.runtime import DatabaseEnvironment
from envgen.database.spec import Column, EnvironmentSpec, Table, Tool
from envgen.rollout.runs import find_run, read_run
from envgen.view.graph import graph_lines

CHARACTERS_PER_TOKEN = 4


def show(target: str, task: str | None = None, *, gold: bool = False, as_agent: bool = False, split: str | None = None) -> str:
    """Return the text for a bundle folder, one task of it, or a run (`@last` or a run folder)."""
    if target.startswith("@") or (Path(target) / "run.json").is_file():
        return run_text(find_run(target))
    bundle = read_bundle(target)
    if bundle.manifest.family == "fused":
        from envgen.view.composed import show_fused

        return show_fused(bundle, task, gold=gold, as_agent=as_agent, split=split)
    if bundle.manifest.family != "database":
        raise UsageError(f"{target}: bundles of the family {bundle.manifest.family!r} cannot be shown")
    environment = DatabaseEnvironment.load(target)
    if as_agent:
        return agent_text(environment, _task(environment, task))
    if task is None:
        return bundle_text(bundle, environment, split=split, gold=gold)
    return task_text(bundle, environment.task(task), gold=gold)


def _task(environment: DatabaseEnvironment, name: str | None) -> Task:
    tasks = environment.tasks()
    if not tasks:
        raise UsageError(f"{environment.manifest.name} has no tasks")
    return environment.task(name) if name else tasks[0]


def bundle_text(bundle: Bundle, environment: DatabaseEnvironment, *, split: str | None = None, gold: bool = False) -> str:
    """Return the overview of a bundle: head, schema, tools, tool graph, rules, tasks; with `gold`, what the gates saw."""
    spec = environment.spec
    parts = [head(bundle), "SCHEMA", *_schema(spec, bundle), "", "TOOLS", *_tools(spec), "", "TOOL GRAPH", *graph_lines(spec)]
    parts += ["", "RULES", *_rules(spec), "", "TASKS", *_tasks(environment, split)]
    if gold:
        parts += ["", "GATES", *_gates(bundle)]
    return "\n".join(parts)


def head(bundle: Bundle) -> str:
    """Return what a bundle is: title, counts, splits, how it was made, digest."""
    manifest = bundle.manifest
    counts = ", ".join(f"{number} {name}" for name, number in sorted(manifest.counts.items()))
    splits = ", ".join(f"{name} {number}" for name, number in manifest.splits.items())
    made = ", ".join(f"{name} {value}" for name, value in manifest.provenance.items() if isinstance(value, str | int))
    lines = [f"{manifest.title or manifest.name}  (family {manifest.family}, format {manifest.format})", counts, f"splits: {splits}"]
    return "\n".join([*lines, f"made with: {made}", f"digest: {manifest.digest}", ""])


def _schema(spec: EnvironmentSpec, bundle: Bundle) -> Iterator[str]:
    rows = row_counts(bundle.world)
    for table in spec.tables:
        yield f"  {table.name} ({rows.get(table.name, 0)} rows){': ' + table.description if table.description else ''}"
        for column in table.columns:
            yield f"    {_column(column, table)}"


def _column(column: Column, table: Table) -> str:
    words = [column.name, column.type.lower()]
    words += ["key"] if column.name in table.key() else []
    words += [] if column.not_null else ["or null"]
    words += [f"-> {column.references}"] if column.references else []
    words += [f"({column.format})"] if column.format != "plain" else []
    words += ["one of " + " | ".join(column.values)] if column.values else []
    return " ".join(words)


def _tools(spec: EnvironmentSpec) -> Iterator[str]:
    for tool in spec.tools:
        kind = "writes" if _writes(tool) else "reads"
        parameters = tool.parameters.get("properties", {})
        required = tool.parameters.get("required", [])
        shown = ", ".join(name if name in required else f"{name}?" for name in parameters)
        yield f"  {tool.name}({shown})  [{kind}]  {tool.description.splitlines()[0]}"


def _writes(tool: Tool) -> bool:
    return any(type(step).__name__ == "Run" for step in tool.steps)


def _rules(spec: EnvironmentSpec) -> Iterator[str]:
    for rule in spec.rules:
        keeper = "the tools enforce it" if rule.kind == "guard" else "the agent must follow it"
        yield f"  {rule.id}  ({keeper})  {rule.policy}"
    if not spec.rules:
        yield "  none"


def _tasks(environment: DatabaseEnvironment, split: str | None) -> Iterator[str]:
    for task in environment.tasks(split):
        level = task.difficulty.level if task.difficulty else "-"
        first = " ".join(task.instruction.split())
        yield f"  {task.id}  {task.split}  {level}  {'+'.join(task.kinds)}  {first[:100]}{'…' if len(first) > 100 else ''}"


def _gates(bundle: Bundle) -> Iterator[str]:
    counts: dict[str, dict[str, int]] = {}
    for evidence in bundle.evidence:
        per = counts.setdefault(evidence.gate, {})
        per[evidence.status] = per.get(evidence.status, 0) + 1
    for gate, per in counts.items():
        yield f"  {gate}: " + ", ".join(f"{status} {number}" for status, number in sorted(per.items()))


def task_text(bundle: Bundle, task: Task, *, gold: bool) -> str:
    """Return one task; with `gold` its reference solution, what it must leave behind, and what the gates saw."""
    lines = [f"{task.id}  ({task.split}; {', '.join(task.kinds)}; template {task.template})"]
    if task.difficulty:
        measured = task.difficulty.model_dump(exclude={"level"})
        lines.append(f"difficulty {task.difficulty.level}: " + ", ".join(f"{name} {value}" for name, value in measured.items()))
    lines += [f"clock {task.start.now}, actor {task.start.actor}"]
    lines += [f"start patch: {patch.op} {patch.table} {_compact(patch.key)} {_compact(patch.row)}" for patch in task.start.patch]
    lines += [f"twin {task.twin}"] if task.twin else []
    lines += ["", task.instruction]
    if gold:
        lines += ["", *_gold(next(item for item in bundle.gold if item.task == task.id)), "", "EVIDENCE", *_evidence(bundle, task.id)]
    return "\n".join(lines)


def _gold(gold: Gold) -> Iterator[str]:
    yield "GOLD"
    for number, call in enumerate(gold.calls, 1):
        yield f"  {number}. {call.tool} {_compact(call.arguments)}"
        for name, origin in call.origin.items():
            yield f"       {name} from {_compact(origin)}"
    answer = f", answer {json.dumps(gold.answer.value, ensure_ascii=False)} ({gold.answer.type})" if gold.answer else ""
    yield f"  submit outcome {gold.outcome}{', reason ' + gold.reason if gold.reason else ''}{answer}"
    yield "EXPECTED CHANGES"
    for insert in gold.expect.insert:
        yield f"  + {insert.table} {_compact(insert.row)}"
    for update in gold.expect.update:
        yield f"  ~ {update.table} {_compact(update.key)} -> {_compact(update.set)}"
    for delete in gold.expect.delete:
        yield f"  - {delete.table} {_compact(delete.key)}"
    if gold.expect.empty():
        yield "  none: nothing may change"


def _evidence(bundle: Bundle, task: str) -> Iterator[str]:
    for evidence in bundle.evidence:
        if evidence.subject == task:
            reason = f" ({evidence.reason})" if evidence.reason else ""
            yield f"  {evidence.gate} {evidence.status}{reason} {_compact(evidence.seen)}"


def agent_text(environment: DatabaseEnvironment, task: Task) -> str:
    """Return exactly the messages and tool schemas that a model gets, and their size."""
    session = environment.start(task)
    try:
        messages, tools = session.messages, session.tools
    finally:
        session.close()
    lines = [f"--- {message.role}\n{message.content}" for message in messages]
    schemas = json.dumps(tools, ensure_ascii=False, indent=2)
    compact = len(json.dumps(tools, ensure_ascii=False, separators=(",", ":")))
    said = sum(len(message.content) for message in messages)
    size = f"messages {said} characters; {len(tools)} tool schemas {compact} characters as compact JSON"
    tokens = f"about {_tokens(said + compact)} tokens (an estimate: characters / {CHARACTERS_PER_TOKEN})"
    return "\n".join([*lines, f"--- tools\n{schemas}", f"--- size\n{size}\n{tokens}"])


def _tokens(characters: int) -> int:
    return -(-characters // CHARACTERS_PER_TOKEN)


def run_text(folder: Path) -> str:
    """Return what a run came to."""
    run = read_run(folder)
    summary: JsonObject = run["summary"]
    lines = [f"{folder}", f"bundle {run['bundle']}, policy {run['policy']}, seed {run['seed']}"]
    return "\n".join([*lines, *(f"{name}: {value}" for name, value in summary.items())])


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
