"""Which candidates make a set: shares, duplicates, twins, splits."""

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from envgen.core.types import Answer, Evidence, Expectation, Goal, Gold, Start, Task
from envgen.synthesis.select import Selection


def candidate(number: int, template: str = "do:a", answer: int | None = None) -> tuple[Task, Gold]:
    kind = "do" if answer is None else "lookup"
    task = Task(
        id=f"t{number}",
        split="train",
        template=template,
        kinds=(kind,),
        instruction=f"Text {number}",
        start=Start(now="2026-01-01 09:00:00"),
    )
    given_answer = Answer(type="integer", value=answer) if answer is not None else None
    gold = Gold(task=task.id, goals=(Goal(kind=kind, template=template),), calls=(), expect=Expectation(), answer=given_answer)
    return task, gold


def test_a_text_is_taken_once() -> None:
    selection = Selection(20)
    assert selection.offer([candidate(1)]) == ""
    again = candidate(1)
    assert selection.offer([(again[0].model_copy(update={"id": "other"}), again[1])]) == "duplicate"


def test_a_template_does_not_crowd_out_others() -> None:
    selection = Selection(20)
    reasons = [selection.offer([candidate(number)]) for number in range(6)]
    assert reasons == ["", "", "", "template_full", "template_full", "template_full"]


def test_an_answer_does_not_pay_too_often_for_its_template() -> None:
    selection = Selection(100)
    reasons = [selection.offer([candidate(number, "lookup:x", answer)]) for number, answer in enumerate([5, 5, 6, 7, 5, 8, 5, 5])]
    assert reasons == ["", "modal_answer", "", "", "modal_answer", "", "", "modal_answer"]


def test_twins_need_room_for_both() -> None:
    selection = Selection(3)
    assert selection.offer([candidate(1, "a"), candidate(2, "a")]) == ""
    assert selection.offer([candidate(3, "b"), candidate(4, "b")]) == "no_room"
    assert selection.offer([candidate(5, "c")]) == ""
    assert selection.full


def test_too_many_without_a_witness_are_not_taken() -> None:
    selection = Selection(100)
    blind = Evidence(subject="x", gate="T5", status="not_applicable", reason="none")
    reasons = [selection.offer([candidate(number, f"k{number}")], [blind] if number % 2 else []) for number in range(24)]
    assert reasons.count("no_witness") == 11
    assert reasons[17] == ""


@settings(max_examples=40, deadline=None)
@given(st.lists(st.sampled_from("abcdefghij"), min_size=1, max_size=60))
def test_templates_stay_whole_in_the_splits(templates: list[str]) -> None:
    selection = Selection(60)
    for number, template in enumerate(templates):
        selection.offer([candidate(number, template)])
    tasks = selection.split()
    assert [task.id for task in tasks] == [task.id for task in selection.tasks]
    homes: dict[str, set[str]] = {}
    for task in tasks:
        homes.setdefault(task.template, set()).add(task.split)
    assert all(len(splits) == 1 for splits in homes.values())
    counts = Counter(task.split for task in tasks)
    assert counts["train"] > 0
    if len(homes) > 1:
        assert counts["test"] > 0
