"""Independent attempts at a request: agreement against the gold rejects a task, anything else keeps it."""

import itertools
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scripted_server import ScriptedServer
from small_author import quiet_talk

from envgen.core.errors import InfrastructureError
from envgen.core.types import Gold
from envgen.database.runtime import DatabaseEnvironment
from envgen.synthesis.ambiguity import Attempt, check_ambiguity, disagree
from envgen.synthesis.select import Selection

ATTEMPTS = st.builds(Attempt, st.sampled_from([None, "a", "b", "c"]), st.booleans())


@given(st.lists(ATTEMPTS, max_size=7))
def test_only_a_wrong_majority_of_two_or_more_rejects(attempts: list[Attempt]) -> None:
    wrong = Counter(item.end for item in attempts if item.end and not item.solved)
    most = max(wrong.values(), default=0)
    assert disagree(attempts) == (most >= 2 and most > len(attempts) - most)


@given(st.lists(st.sampled_from("abcdefg"), unique=True))
def test_attempts_that_all_differ_keep_a_task(ends: list[str]) -> None:
    assert not disagree([Attempt(end, False) for end in ends])


def checked(
    library: Path, reply: Callable[[dict[str, Any]], Any], attempts: int = 3
) -> tuple[Selection, Selection, Counter[str], list[Any]]:
    """Selections before and after, what was rejected, and what was dropped."""
    environment = DatabaseEnvironment.load(library)
    before, after = Selection(100), Selection(100)
    for selection, task in itertools.product((before, after), environment.tasks()):
        selection.tasks.append(task)
        selection.gold[task.id] = environment.gold(task.id)
        selection._templates[task.template] += 1
    rejected: Counter[str] = Counter()
    with ScriptedServer([{"replies": [reply]}]) as server:
        talk = quiet_talk(url=server.url)
        try:
            check_ambiguity(talk, environment, after, attempts, rejected)
        finally:
            talk.client.close()
            talk.ledger.close()
    return before, after, rejected, talk.dropped


def submitting(**arguments: Any) -> dict[str, Any]:
    return {"content": "", "tool_calls": [{"name": "submit", "arguments": arguments}]}


def asked(body: dict[str, Any], golds: dict[str, Gold]) -> Gold:
    """The gold of the task that a conversation is about, by its text; of twins the first."""
    text = next(message["content"] for message in body["messages"] if message["role"] == "user")
    return next(gold for instruction, gold in golds.items() if instruction in text)


def golds(library: Path) -> dict[str, Gold]:
    environment = DatabaseEnvironment.load(library)
    return {task.instruction: environment.gold(task.id) for task in reversed(environment.tasks())}


def test_attempts_that_agree_on_another_end_reject_the_task_and_its_twin(library: Path) -> None:
    before, after, rejected, dropped = checked(library, lambda body: submitting(outcome="done", answer="nothing of the kind"))
    assert after.tasks == []
    assert after.gold == {}
    assert rejected["ambiguous"] == len(before.tasks) == len(dropped)


def test_attempts_that_solve_a_task_keep_it(library: Path) -> None:
    known = golds(library)

    def reply(body: dict[str, Any]) -> Any:
        gold = asked(body, known)
        turn = sum(message["role"] == "assistant" for message in body["messages"])
        if turn < len(gold.calls):
            call = gold.calls[turn]
            return {"content": "", "tool_calls": [{"name": call.tool, "arguments": call.arguments}]}
        answer = gold.answer.value if gold.answer else None
        return submitting(outcome=gold.outcome, reason=gold.reason, answer=answer)

    before, after, rejected, _ = checked(library, reply)
    single = [task for task in before.tasks if not task.twin]
    assert single
    assert [task for task in after.tasks if not task.twin] == single
    assert rejected.total() == len(before.tasks) - len(after.tasks)


def test_attempts_that_disagree_with_each_other_keep_every_task(library: Path) -> None:
    count = itertools.count()
    before, after, rejected, dropped = checked(library, lambda body: submitting(outcome="done", answer=f"guess {next(count)}"))
    assert after.tasks == before.tasks
    assert not rejected
    assert dropped == []


@pytest.mark.parametrize(
    "reply",
    [
        {"content": "I am done."},
        {"content": "", "tool_calls": [{"name": "no_such_tool", "arguments": "not JSON"}]},
        {"content": "", "tool_calls": [{"name": "find_customers", "arguments": "[1, 2]"}]},
        {"content": "", "tool_calls": [{"name": "submit", "arguments": json.dumps({"outcome": "no such outcome"})}]},
    ],
    ids=["says it is done", "calls what is not there", "calls with a list", "submits an outcome that is none"],
)
def test_an_attempt_that_comes_to_no_end_says_nothing(reply: dict[str, Any], library: Path) -> None:
    before, after, _, _ = checked(library, lambda body: reply, attempts=1)
    assert after.tasks == before.tasks


def test_an_endpoint_that_fails_at_once_ends_the_check(library: Path) -> None:
    with pytest.raises(InfrastructureError):
        checked(library, lambda body: {"status": 400, "body": {"error": {"message": "no tools here", "code": "x"}}}, attempts=1)
