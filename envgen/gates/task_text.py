"""Task gates about what the instruction says and what an agent can know: T7, T8, T9 and T11."""

import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from envgen.core.conditions import matching
from envgen.core.types import Mention
from envgen.database.phrases import day_name, hour_name, money, number, plain
from envgen.gates import paths
from envgen.gates.finding import Finding, failed, passed, verdict_of
from envgen.gates.origins import Sources, says_number
from envgen.gates.play import TaskContext
from envgen.gates.variations import column_schema

MODAL, MODAL_BOOLEAN, FEW = 0.40, 0.55, 2
IDENTIFYING = 100  # smaller numbers stand in many texts by chance


def mentions_resolve(context: TaskContext) -> Finding:
    """T7: every description fits exactly one row of what the agent is shown, and every superlative has one strict best row."""
    problems = []
    for mention in context.gold.mentions:
        problem = _mention_problem(context, mention)
        if problem:
            problems.append(f"{mention.text!r} ({mention.table} {mention.key}): {problem}")
    return verdict_of(problems, mentions=len(context.gold.mentions))


def _mention_problem(context: TaskContext, mention: Mention) -> str:
    if not 0 <= mention.step < len(context.results) or not context.results[mention.step].ok:
        return f"gold call {mention.step} shows nothing"
    try:
        rows = paths.get(context.results[mention.step].value, mention.rows)
    except KeyError:
        return f"gold call {mention.step} has no rows at {mention.rows!r}"
    rows = rows if isinstance(rows, list) else [rows]
    found = matching(rows, mention.fields, context.task.start.now)
    if mention.order is not None:
        found = _best(found, mention.order)
        if len(found) > 1:
            return f"{len(found)} rows tie for {mention.order['direction']} {mention.order['by']}"
    if len(found) != 1:
        return f"{len(found)} of the {len(rows)} rows that the agent sees fit"
    if not _is_row(context, mention, found[0]):
        return "the row that fits is another one"
    unsaid = [] if mention.order is not None else [name for name, value in mention.fields.items() if not _said(context, name, value)]
    return f"the instruction does not say its {', '.join(unsaid)}" if unsaid else ""


def _said(context: TaskContext, column: str, value: Any) -> bool:
    """True when the instruction says the value of a result column in one of the ways that people say it."""
    said, now, currency = context.task.instruction.casefold(), context.task.start.now, context.environment.spec.currency
    if column.endswith(("|day", "|date")):
        return day_name(value, now).casefold() in said
    if column.endswith("|hour"):
        return hour_name(f"{now[:10]} {value}:00", preposition=False) in said
    if isinstance(value, int):
        return any(says_number(said, form) for form in (value, number(value), money(value, currency).casefold()))
    return not isinstance(value, str) or plain(value).casefold() in said


def _best(rows: Sequence[Mapping[str, Any]], order: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    known = [row for row in rows if row.get(order["by"]) is not None]
    if not known:
        return []
    best = (max if order["direction"] == "max" else min)(row[order["by"]] for row in known)
    return [row for row in known if row[order["by"]] == best]


def _is_row(context: TaskContext, mention: Mention, row: Mapping[str, Any]) -> bool:
    """Compare the shown row with the mention's key; a key column that is shown under another name is looked up by value."""
    names = [name for name in mention.key if name in row]
    if names:
        return all(row[name] == mention.key[name] for name in names)
    return all(value in row.values() for value in mention.key.values())


def answer_is_not_given_away(context: TaskContext) -> Finding:
    """T8: no identifying part of the answer, and no reason code, stands in the instruction; and over the bundle, the most
    frequent answer of a goal template pays at most 40 % (booleans 55 %, and two of a kind are never too many)."""
    said = unicodedata.normalize("NFC", context.task.instruction).casefold()
    problems = [f"the answer's {part!r} stands in the instruction" for part in _identifying(context) if part in said]
    answer = context.gold.answer
    if answer is not None and answer.type == "integer" and _says_amount(said, answer.value, context.environment.spec.currency):
        problems.append(f"the answer {answer.value} stands in the instruction")
    reason = context.gold.reason
    if reason and "_" in reason and reason.casefold() in said:
        problems.append(f"the reason {reason} stands in the instruction")
    problems += _modal(context)
    return verdict_of(problems)


def _says_amount(said: str, value: int, currency: str) -> bool:
    return abs(value) >= IDENTIFYING and (says_number(said, value) or money(value, currency).casefold() in said)


def _identifying(context: TaskContext) -> list[str]:
    """The texts of the answer, case-folded, but for choices that the instruction or a schema enumerates."""
    answer = context.gold.answer
    if answer is None or answer.type in ("integer", "boolean"):
        return []
    texts = answer.value if isinstance(answer.value, list) else [answer.value]
    choices = {plain(str(v)).casefold() for tool in context.environment.spec.tools for v in _enumerated(tool.parameters)}
    choices |= {plain(v).casefold() for table in context.environment.spec.tables for c in table.columns for v in c.values or ()}
    folded = [unicodedata.normalize("NFC", str(text)).casefold().strip() for text in texts]
    return [text for text in folded if len(text) > 1 and plain(text) not in choices]


def _enumerated(parameters: Mapping[str, Any]) -> list[Any]:
    return [value for child in parameters.get("properties", {}).values() for value in child.get("enum", ())]


def answer_templates(gold: Any) -> list[str]:
    """Return the templates of the goals that a task's answer answers."""
    asking = [goal.template for goal in gold.goals if goal.kind in ("lookup", "aggregate", "quiz")]
    return asking or [goal.template for goal in gold.goals]


def _modal(context: TaskContext) -> list[str]:
    answer = context.gold.answer
    if answer is None:
        return []
    most = MODAL_BOOLEAN if answer.type == "boolean" else MODAL
    problems = []
    for template in answer_templates(context.gold):
        answers = [repr(value) for value in context.answers.get(template, ())]
        same = Counter(answers)[repr(answer.value)]
        if same > max(FEW, most * len(answers)):
            problems.append(f"{same} of the {len(answers)} answers of {template} are {answer.value!r}")
    return problems


def replays_in_a_clean_process(context: TaskContext) -> Finding:
    """T9: the gold's transcript and final state in a clean process are those of this process and of build time."""
    from envgen.gates.replay import transcript_digest

    here = transcript_digest(context.environment, context.task, context.gold)
    if context.replayed is None:
        return failed("the clean process gave no transcript for this task")
    if here != context.replayed:
        return failed("a clean process gets another transcript", here=here, there=context.replayed)
    if context.recorded is not None and context.recorded != here:
        return failed("the transcript is not the one recorded when the bundle was built", digest=here, recorded=context.recorded)
    return passed(digest=here)


def everything_is_derivable(context: TaskContext) -> Finding:
    """T11: every argument of the gold, and the answer, comes from the instruction, the policy, the clock, the tool's schema, an
    earlier result, or a declared operation on those; each is computed again from there."""
    environment = context.environment
    results = [result.value if result.ok else None for result in context.results]
    sources = Sources(context.task.instruction, environment.policy, context.task.start.now, environment.spec.currency, results)
    problems = []
    count = 0
    for index, call in enumerate(context.gold.calls):
        properties = context.parameters(call.tool).get("properties", {})
        for path, value in paths.leaves(call.arguments):
            count += 1
            problem = sources.problem(value, _origin(call.origin, path), column_schema(properties, path), before=index)
            if problem:
                problems.append(f"call {index} ({call.tool}), {path}={value!r}: {problem}")
    if context.gold.answer is not None:
        problem = sources.problem(context.gold.answer.value, context.gold.answer_origin, {}, before=len(results))
        if problem:
            problems.append(f"the answer {context.gold.answer.value!r}: {problem}")
    problems += _reason(context)
    return verdict_of(problems, arguments=count)


def _origin(origins: Mapping[str, Any], path: str) -> Any:
    """Return the origin of an argument, or of the nearest part that holds it."""
    parts = paths.parts(path)
    for size in range(len(parts), 0, -1):
        found = origins.get(".".join(parts[:size]))
        if found is not None:
            if found.get("from") == "result" and size < len(parts):
                return {**found, "path": ".".join([*paths.parts(found.get("path", "")), *parts[size:]])}
            return found
    return None


def _reason(context: TaskContext) -> list[str]:
    """A reason is knowable when the policy names the rule, or when a tool refuses with that code."""
    reason = context.gold.reason
    if reason is None:
        return []
    if reason in context.environment.policy:
        return []
    codes = {step.otherwise[0] for tool in context.environment.spec.tools for step in tool.steps if hasattr(step, "otherwise")}
    return [] if reason in codes and reason in context.environment.reasons else [f"nothing tells an agent of the reason {reason!r}"]
