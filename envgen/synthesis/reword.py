"""A model says the planner's requests anew. What the gold rests on must survive word for word, and every gate runs again."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence

from envgen.core.errors import EnvgenError, PlanError
from envgen.core.types import Evidence, Gold, JsonObject, Mention, Task
from envgen.database.model.assemble import speaks_to_agent
from envgen.database.model.wire import Wire
from envgen.database.phrases import day_name, hour_name, money, number, plain
from envgen.database.plan.planner import id_of
from envgen.database.plan.wording import lint
from envgen.database.runtime import DatabaseEnvironment
from envgen.database.spec import EnvironmentSpec
from envgen.gates.registry import bundle_task_gates
from envgen.synthesis.select import Selection
from envgen.synthesis.talk import Talk
from envgen.synthesis.workers import OWN_GATES

AT_ONCE = 25
SHORTEST, LONGEST = 0.4, 2.2
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_SELF = re.compile(r"\b(I|I'm|I'd|I've|my|me|mine)\b")
_IDENTIFIER = re.compile(r"\w+_\w+")
_QUOTED = re.compile(r'"[^"]+"')
_NAME = re.compile(r"(?<=[a-z,;] )[A-Z][\w'’-]+")


class Reworded(Wire):
    """One request said anew."""

    id: str
    text: str


class WireReworded(Wire):
    """Reply of the stage `reword`."""

    texts: list[Reworded]


def reword(talk: Talk, environment: DatabaseEnvironment, selection: Selection, evidence: list[Evidence]) -> list[Evidence]:
    """Replace the requests of `selection` by what a model makes of them, where that passes; return the evidence that then holds.

    Twins share one text, so they change together or not at all. A request whose new text loses or adds something stays as it is.
    """
    texts = list(dict.fromkeys(task.instruction for task in selection.tasks))
    groups = {text: [task for task in selection.tasks if task.instruction == text] for text in texts}
    changed = 0
    for start in range(0, len(texts), AT_ONCE):
        chosen = texts[start : start + AT_ONCE]
        asked = {f"r{start + number + 1}": text for number, text in enumerate(chosen)}
        kept = {text: _keep(environment, selection, groups[text]) for text in chosen}
        items = [{"id": name, "text": text, "keep": " | ".join(kept[text])} for name, text in asked.items()]
        reply = talk.mend("reword", WireReworded, title=environment.spec.title, items=items)
        for item in reply.texts if reply else ():
            old = asked.pop(item.id, None)
            if old is not None:
                new = _tidy(item.text, old)
                out = {task.id for task in groups[old]}
                unseen = {item.gate for item in evidence if item.subject in out and item.status == "not_applicable"}
                found = _replaced(talk, environment, selection, groups[old], new, kept[old], unseen)
                if found is not None:
                    evidence = [item for item in evidence if item.subject not in out] + found
                    changed += 1
    talk.note("reword", f"{changed} of {len(texts)} requests were said anew")
    return evidence


def _tidy(text: str, old: str) -> str:
    """Line breaks stay where the request had them, as in a letter."""
    return text.strip() if "\n" in old else " ".join(text.split())


def _keep(environment: DatabaseEnvironment, selection: Selection, tasks: Sequence[Task]) -> list[str]:
    """The words that must survive: what the gold's arguments were read from, and how its rows are named."""
    found: dict[str, None] = {}
    for task in tasks:
        gold = selection.gold[task.id]
        folded = task.instruction.casefold()
        for text in (*_said(gold, environment.spec.currency, task.start.now), *_states(environment.spec)):
            if text and re.search(rf"(?<!\w){re.escape(text.casefold())}(?!\w)", folded):
                found[text] = None
    return list(found)


def _states(spec: EnvironmentSpec) -> Iterator[str]:
    """The words for the states of rows: a question about booked ones is another one without the word."""
    yield from (plain(value) for table in spec.tables for column in table.columns for value in column.values or ())


def _said(gold: Gold, currency: str, now: str) -> Iterator[str]:
    for call in gold.calls:
        yield from (str(origin["text"]) for origin in call.origin.values() if "text" in origin)
    for mention in gold.mentions:
        if mention.order is not None:
            yield mention.text
        yield from _fields(mention, currency, now)


def _fields(mention: Mention, currency: str, now: str) -> Iterator[str]:
    for column, value in mention.fields.items():
        if not isinstance(value, (str, int)):
            continue
        if column.endswith(("|day", "|date")):
            yield day_name(str(value), now)
        elif column.endswith("|hour"):
            yield hour_name(f"{now[:10]} {value}:00", preposition=False)
        elif isinstance(value, int):
            yield from (money(value, currency), number(value), str(value))
        else:
            yield plain(value)


def survives(old: str, new: str, keep: Iterable[str]) -> str:
    """Return what is lost or added on the way from `old` to `new`, or ""."""
    folded = new.casefold()
    lost = [text for text in keep if text.casefold() not in folded]
    lost += [text for pattern in (_QUOTED, _NUMBER, _NAME) for text in sorted(set(pattern.findall(old))) if text.casefold() not in folded]
    if lost:
        return f"{lost[0]!r} is lost"
    if not SHORTEST * len(old) <= len(new) <= LONGEST * len(old) + 40:
        return "it is much longer or shorter"
    if set(_NUMBER.findall(new)) - set(_NUMBER.findall(old)):
        return "there are new numbers"
    if bool(_SELF.search(old)) != bool(_SELF.search(new)):
        return "another person speaks"
    if speaks_to_agent(new) and not speaks_to_agent(old):
        return "it speaks to the agent"
    names = {*_NAME.findall(new), *_IDENTIFIER.findall(new)} - {"I"}
    strange = sorted(name for name in names if name.casefold() not in old.casefold())
    if strange:
        return f"{strange[0]!r} is new"
    try:
        lint(new)
    except PlanError as problem:
        return problem.code
    return ""


def _replaced(
    talk: Talk,
    environment: DatabaseEnvironment,
    selection: Selection,
    tasks: Sequence[Task],
    text: str,
    keep: Sequence[str],
    unseen: Collection[str],
) -> list[Evidence] | None:
    """Put `text` in the place of the tasks' request if it survives and passes the gates; return the evidence, else None.

    unseen: the gates that had no witness before; no other may lose its own, since a set bears few such tasks.
    """
    problem = survives(tasks[0].instruction, text, keep)
    if problem:
        talk.drop("rewording", tasks[0].id, problem)
        return None
    changed = _with_text(environment, selection, tasks, text)
    gold = {item.task: item for _, item in changed}
    try:
        trial = environment.with_tasks([task for task, _ in changed], gold)
        evidence = bundle_task_gates(trial, [task for task, _ in changed], gold, gates=OWN_GATES)
    except EnvgenError as error:
        talk.drop("rewording", tasks[0].id, str(error))
        return None
    lost = (item.status == "not_applicable" and item.gate not in unseen for item in evidence)
    failed = next((item for item, gone in zip(evidence, lost, strict=True) if item.status == "fail" or gone), None)
    if failed is not None:
        talk.drop("rewording", tasks[0].id, f"{failed.gate}: {failed.reason}")
        return None
    selection.replace([task.id for task in tasks], changed)
    return [item for item in evidence if item.gate != "T8"]


def _with_text(environment: DatabaseEnvironment, selection: Selection, tasks: Sequence[Task], text: str) -> list[tuple[Task, Gold]]:
    names: dict[str, str] = {}
    for task in tasks:
        gold = selection.gold[task.id]
        names[task.id] = id_of(text, task.start, gold.expect, gold.reason, environment.spec.name)
    made = []
    for task in tasks:
        update: JsonObject = {"id": names[task.id], "instruction": text, "twin": names.get(task.twin or "", task.twin)}
        made.append((task.model_copy(update=update), selection.gold[task.id].model_copy(update={"task": names[task.id]})))
    return made
