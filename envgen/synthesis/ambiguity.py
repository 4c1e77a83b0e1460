"""Is a request clear? A model tries it several times, from its text alone; where the attempts agree with each other and not with the gold,
the request says something else than what was meant, and the task is rejected."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from envgen.core.digest import digest
from envgen.core.errors import BudgetReached, EnvgenError
from envgen.core.types import JsonObject, Task
from envgen.database.runtime import DatabaseEnvironment, DatabaseSession
from envgen.llm.threads import in_parallel
from envgen.llm.types import ModelRequest
from envgen.synthesis.select import Selection
from envgen.synthesis.talk import Talk

TURNS, LONGEST_RESULT = 24, 16_000


@dataclass(frozen=True)
class Attempt:
    """How one attempt ended: the digest of what was changed, answered and reported, and whether the verifier calls it solved.

    `end` is None for an attempt that came to no end: it says nothing about the request.
    """

    end: str | None
    solved: bool


def check_ambiguity(talk: Talk, environment: DatabaseEnvironment, selection: Selection, attempts: int, rejected: Counter[str]) -> None:
    """Take out of `selection` the tasks on which most of `attempts` attempts agree against the gold; twins go together.

    Attempts beyond the budget are not made, and what was not tried stays, which is noted.
    """
    trial = environment.with_tasks(selection.tasks, selection.gold)
    pairs = [(task, number) for task in selection.tasks for number in range(attempts)]

    def one(pair: tuple[Task, int]) -> Attempt | EnvgenError:
        try:
            return attempt(talk, trial, *pair)
        except EnvgenError as problem:
            return problem

    results = in_parallel(one, pairs, talk.client.settings.concurrency)
    found: dict[str, list[Attempt]] = {}
    for (task, _), result in zip(pairs, results, strict=True):
        if isinstance(result, Attempt):
            found.setdefault(task.id, []).append(result)
    problems = [result for result in results if isinstance(result, EnvgenError)]
    if problems:
        talk.note("ambiguity", f"{len(problems)} of {len(pairs)} attempts were not made: {problems[0]}")
    hard = next((problem for problem in problems if not isinstance(problem, BudgetReached)), None)
    if hard is not None and not found:
        raise hard
    unclear = {task.id for task in selection.tasks if disagree(found.get(task.id, []))}
    unclear |= {task.id for task in selection.tasks if task.twin in unclear}
    for task in selection.tasks:
        if task.id in unclear:
            rejected["ambiguous"] += 1
            talk.drop("ambiguous", task.id, "independent attempts agree with each other and not with the gold")
    selection.remove(unclear)


def disagree(attempts: Sequence[Attempt]) -> bool:
    """True when more than half of the attempts, and at least two, end alike and wrong."""
    ends = Counter(item.end for item in attempts if item.end is not None and not item.solved)
    most = ends.most_common(1)
    return bool(most) and most[0][1] >= 2 and most[0][1] * 2 > len(attempts)


def attempt(talk: Talk, environment: DatabaseEnvironment, task: Task, number: int) -> Attempt:
    """Let the model work on `task` with the environment's own tools, and say how it ended. The client's own errors."""
    with environment.start(task) as session:
        messages: list[JsonObject] = [message.model_dump() for message in session.messages]
        for _ in range(TURNS):
            request = ModelRequest(stage="ambiguity", messages=tuple(messages), tools=tuple(session.tools), sample=number)
            reply = talk.client.complete(request)
            if not reply.calls:
                return Attempt(None, False)
            messages.append(_said(reply.text, reply.calls))
            for call in reply.calls:
                arguments = _arguments(call)
                if call["name"] == "submit":
                    return _submitted(session, arguments)
                result = session.call(call["name"], arguments)
                messages.append({"role": "tool", "tool_call_id": call["id"], "content": result.content[:LONGEST_RESULT]})
    return Attempt(None, False)


def _said(text: str, calls: Sequence[JsonObject]) -> JsonObject:
    made = [{"id": call["id"], "type": "function", "function": {"name": call["name"], "arguments": call["arguments"]}} for call in calls]
    return {"role": "assistant", "content": text or None, "tool_calls": made}


def _arguments(call: JsonObject) -> JsonObject:
    try:
        value = json.loads(call["arguments"] or "{}")
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _submitted(session: DatabaseSession, arguments: JsonObject) -> Attempt:
    outcome, reason, answer = str(arguments.get("outcome", "done")), arguments.get("reason"), arguments.get("answer")
    end = digest([session.snapshot().digest, answer, outcome, reason])
    verdict = session.submit(answer, outcome=outcome, reason=reason)
    return Attempt(end if verdict.status == "valid" else None, bool(verdict.solved))
