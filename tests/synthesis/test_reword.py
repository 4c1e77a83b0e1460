"""Requests said anew: what must survive, what may not come in, and that twins, ids and evidence change together."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scripted_server import ScriptedServer
from small_author import SmallAuthor, quiet_talk

from envgen.bundle.read import read_bundle
from envgen.core.types import Evidence, Task
from envgen.database.runtime import DatabaseEnvironment
from envgen.gates.registry import bundle_task_gates
from envgen.synthesis.reword import reword, survives
from envgen.synthesis.select import Selection

OLD = 'Could you enter the job "gear cables" for Zainab Kowalski\'s Ridgeback, due Thursday, price 13,500? I would like that.'
KEEP = ["gear cables", "Zainab Kowalski", "Ridgeback", "Thursday", "13,500"]
FREE = ["please", "kindly", "as soon as you can", "when there is time", "if that is possible", "thank you"]


def said(parts: list[str]) -> str:
    return f'I need the job "{parts[0]}" entered for {parts[1]}\'s {parts[2]}, due {parts[3]} at {parts[4]}, please see to it.'


def test_another_sentence_with_everything_in_it_survives() -> None:
    assert survives(OLD, said(KEEP), KEEP) == ""


@given(st.permutations(range(5)), st.lists(st.sampled_from(FREE), max_size=2, unique=True))
def test_the_order_and_words_beside_the_matter_are_free(order: list[int], words: list[str]) -> None:
    facts = ['the job "gear cables"', "a bike of Zainab Kowalski's", "the Ridgeback", "due Thursday", "price 13,500"]
    text = " and ".join(["I ask for " + facts[order[0]], *(facts[number] for number in order[1:]), *words])
    assert survives(OLD, text, KEEP) == ""


@given(st.integers(0, 4), st.sampled_from(["", "something", "it"]))
def test_whatever_is_lost_is_refused(which: int, instead: str) -> None:
    parts = [instead if number == which else text for number, text in enumerate(KEEP)]
    assert survives(OLD, said(parts), KEEP).endswith("is lost")


@given(st.integers(0, 10**6).filter(lambda number: str(number) not in "13,500"))
def test_a_new_number_is_refused(number: int) -> None:
    assert survives(OLD, f"{said(KEEP)} That makes {number}.", KEEP) == "there are new numbers"


@given(st.sampled_from(["Tom", "Rex", "Friday", "Amsterdam"]))
def test_a_new_name_is_refused(name: str) -> None:
    assert survives(OLD, f"{said(KEEP)} Then call {name} about it.", KEEP) == f"{name!r} is new"


@pytest.mark.parametrize(
    ("new", "problem"),
    [
        (said(KEEP).replace("I need", "They need"), "another person speaks"),
        (said(KEEP) + " " + "please " * 60, "it is much longer or shorter"),
        ("I " + " ".join(KEEP)[:20], "is lost"),
        (said(KEEP).replace('"gear cables"', "gear cables"), "is lost"),
    ],
)
def test_other_changes_that_are_refused(new: str, problem: str) -> None:
    assert survives(OLD, new, KEEP).endswith(problem)


def test_numbers_and_quotes_that_no_gold_names_must_survive_too() -> None:
    old = "How many repairs cost more than 50.00 on Monday?"
    assert survives(old, "What is the number of repairs that cost more than 50.00 on Monday?", []) == ""
    assert survives(old, "What is the number of repairs that are dear on Monday?", []) == "'50.00' is lost"
    assert survives(old, "What is the number of repairs that cost more than 50.00?", []) == "'Monday' is lost"


def chosen(library: Path) -> tuple[DatabaseEnvironment, Selection, list[Evidence]]:
    """The tasks of the bundle as the pipeline holds them before they are written."""
    environment, selection = DatabaseEnvironment.load(library), Selection(100)
    for task in environment.tasks():
        selection.tasks.append(task)
        selection.gold[task.id] = environment.gold(task.id)
        selection._templates[task.template] += 1
    return environment, selection, list(read_bundle(library).evidence)


def reworded(library: Path, say: Callable[[str], str]) -> tuple[list[Task], Selection, list[Evidence], list[tuple[str, str, str]], Any]:
    environment, selection, evidence = chosen(library)
    before = list(selection.tasks)
    with ScriptedServer(SmallAuthor(reword=say).rules()) as server:
        talk = quiet_talk(url=server.url)
        try:
            evidence = reword(talk, environment, selection, evidence)
        finally:
            talk.client.close()
            talk.ledger.close()
    return before, selection, evidence, talk.dropped, environment


def test_twins_ids_gold_and_evidence_change_together(library: Path) -> None:
    before, selection, evidence, dropped, environment = reworded(library, lambda text: f"Hello there. {text}")
    assert dropped == []
    assert [task.instruction for task in selection.tasks] == [f"Hello there. {task.instruction}" for task in before]
    ids = {task.id for task in selection.tasks}
    assert not ids & {task.id for task in before}
    assert set(selection.gold) == ids
    assert all(selection.gold[name].task == name for name in ids)
    places = {task.id: index for index, task in enumerate(before)}
    twins = [index for index, task in enumerate(before) if task.twin]
    assert twins
    for index in twins:
        assert selection.tasks[index].twin == selection.tasks[places[str(before[index].twin)]].id
    assert {item.subject for item in evidence if item.subject.startswith("t-")} == ids
    assert {item.gate for item in evidence if item.subject in ids} >= {"T1", "T4", "T7", "T10"}
    trial = environment.with_tasks(selection.tasks, selection.gold)
    found = bundle_task_gates(trial, selection.tasks, selection.gold, gates=("T1", "T7", "T8"))
    assert {item.status for item in found} == {"pass"}


def test_a_rewording_that_names_a_tool_is_refused(library: Path) -> None:
    tool = DatabaseEnvironment.load(library).spec.tools[0].name
    assert "_" in tool
    before, selection, evidence, dropped, _ = reworded(library, lambda text: f"{text} Please use {tool} for this.")
    assert selection.tasks == before
    assert len(dropped) == len({task.instruction for task in before})
    assert {item.subject for item in evidence if item.subject.startswith("t-")} == {task.id for task in before}


def test_one_text_that_is_lost_leaves_its_own_request_alone(library: Path) -> None:
    first = chosen(library)[1].tasks[0].instruction
    before, selection, _, dropped, _ = reworded(library, lambda text: "I forgot." if text == first else f"Hello there. {text}")
    kept = [task.id for task, old in zip(selection.tasks, before, strict=True) if task.instruction == old.instruction]
    assert kept == [task.id for task in before if task.instruction == first]
    assert [name for _, name, _ in dropped] == [before[0].id]


def test_a_reply_that_names_no_request_changes_nothing(library: Path) -> None:
    author = SmallAuthor()
    author._reword = lambda prompt: {"texts": [{"id": "r999", "text": "Hello."}, {"id": "", "text": ""}]}  # type: ignore[method-assign, assignment]
    environment, selection, evidence = chosen(library)
    before = list(selection.tasks)
    with ScriptedServer(author.rules()) as server:
        talk = quiet_talk(url=server.url)
        try:
            assert reword(talk, environment, selection, evidence) == evidence
        finally:
            talk.client.close()
            talk.ledger.close()
    assert selection.tasks == before
