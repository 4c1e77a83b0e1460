"""Texts of the stages `words` and `acts` are used when every slot can be filled, and told with the reason when not."""

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_author import ACTS, WORDS, small_parts

from envgen.core.types import JsonObject
from envgen.database.analysis import analyse_tools, schema_connection
from envgen.database.model.speech import LONGEST, Speech, frame_problem, nouns_for, slots_of, text_problem, unused
from envgen.database.model.wire import WireActs, WireWords

WRITERS = ("book_repair", "finish_repair", "cancel_repair")


def speech(words: JsonObject | None = None, acts: JsonObject | None = None) -> Speech:
    parts = small_parts()
    parts.words = WireWords.model_validate(WORDS | (words or {}))
    parts.acts = WireActs.model_validate(ACTS | (acts or {}))
    spec = parts.spec()
    return parts.speech(spec, analyse_tools(spec, schema_connection(spec)))


def named(table: str, *naming: str) -> Speech:
    """The speech with other ways to name a row of `table`."""
    return speech(words={"tables": [item | ({"naming": list(naming)} if item["table"] == table else {}) for item in WORDS["tables"]]})


def acted(tool: str, **fields: Any) -> Speech:
    """The speech with other texts of one act."""
    return speech(acts={"acts": [item | (fields if item["tool"] == tool else {}) for item in ACTS["acts"]]})


def test_the_workshops_texts_are_all_used() -> None:
    found = speech()
    assert found.problems == []
    assert {name: len(refer.attempts) for name, refer in found.refers.items()} == {"customers": 2, "bikes": 2, "repairs": 2}
    assert {frames.tool: (len(frames.ask), len(frames.need)) for frames in found.frames} == {
        "book_repair": (5, 3), "finish_repair": (4, 2), "cancel_repair": (4, 3),
    }  # fmt: skip
    assert [act.party for act in found.acts.values()] == [
        "bike_id>bikes.customer_id", "repair_id>repairs.customer_id", "repair_id>repairs.customer_id"
    ]  # fmt: skip
    assert [item.code for item in found.alternatives] == ["already_booked", "too_late"]
    assert [item.goals for item in found.situations] == [("book_repair", "cancel_repair")]
    assert list(unused(found, WRITERS)) == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{owner.poss} bike {customer_id}", "people do not know ids"),
        ("the bike {id}", "people do not know ids"),
        ("the {size} bike", "does not show size; it shows"),
        ("{owner.poss} bike", "needs a slot that tells one row from another"),
        ("the {model|day} bike", "the format day does not go with"),
        ("the {model|loud} bike", "the format loud does not go with"),
        ("the [{model}] bike", "stray brackets"),
    ],
)
def test_a_naming_that_cannot_tell_a_bike(text: str, said: str) -> None:
    found = named("bikes", text)
    assert any(said in problem for problem in found.problems)
    assert not found.nameable("bikes")
    assert "none of the texts can be used" in " ".join(found.problems)
    # Nothing can be asked for of what nobody can name.
    assert "book_repair" not in found.acts


def test_days_and_money_of_a_row_need_a_format() -> None:
    found = named(
        "repairs", "the {work} due {due_on}", "the {work} for {price_cents}", "the {work} due {due_on|day}", "{work} {price_cents|money}"
    )
    assert found.refers["repairs"].attempts == ("the {work} due {due_on|day}", "{work} {price_cents|money}")
    assert [problem.rsplit(": ", 1)[1] for problem in found.problems] == ["day, date or hour", "money"]


def test_people_are_named_by_their_name_first() -> None:
    assert named("customers", "the one at {phone}", "{name} ({phone})").refers["customers"].attempts == ("{name}", "{name} ({phone})")
    assert named("customers", "{owner.poss} {name}").problems == [
        "naming of customers, '{owner.poss} {name}': {owner} is used, but the rows belong to nobody"
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("cancel it", "does not say {repair_id}"),
        ("cancel {repair_id} of {bike_id}", "unknown slot {bike_id}"),
        ("", "one line of 3 to"),
        ("cancel\n{repair_id}", "one line of 3 to"),
        ("cancel {repair_id}" + "x" * LONGEST, "one line of 3 to"),
        ("cancel {repair_id} <now>", "stray brackets"),
        ("cancel {repair_id}{", "stray brackets"),
    ],
)
def test_a_text_that_does_not_ask(text: str, said: str) -> None:
    found = acted("cancel_repair", ask=[text, "cancel {repair_id}", "drop {repair_id}"])
    assert len(found.problems) == 1
    assert said in found.problems[0]
    assert next(frames.ask for frames in found.frames if frames.tool == "cancel_repair") == ("cancel {repair_id}", "drop {repair_id}")


def test_one_usable_text_is_too_few_and_takes_what_hangs_on_the_act() -> None:
    found = acted("cancel_repair", ask=["cancel {repair_id}"])
    assert "acts: cancel_repair needs at least 2 usable texts in ask" in found.problems
    assert list(unused(found, WRITERS)) == ["cancel_repair"]
    assert [item.tool for item in found.alternatives] == ["book_repair"]
    assert found.situations == []


def test_a_parameter_for_the_person_wants_the_person_in_the_text() -> None:
    steps = [
        {"run": "UPDATE customers SET phone = '1' WHERE id = :customer_id"},
        {"returns": [{"name": "", "shape": "value", "sql": "SELECT 1 AS a"}]},
    ]
    parameters = [{"name": "customer_id", "takes": "customers.id"}]
    parts = small_parts(tools=[{"name": "note", "about": "Notes.", "parameters": parameters, "steps": steps}])
    spec = parts.spec()
    tool, known = spec.tool("note"), speech()
    assert frame_problem("note {party.poss} number", spec, tool, "customer_id", known) == ""
    assert frame_problem("note {customer_id}", spec, tool, "customer_id", known) == ""
    assert "whom it concerns" in frame_problem("note a number", spec, tool, "customer_id", known)


def alternative(**fields: Any) -> Speech:
    first = copy.deepcopy(ACTS["alternatives"][0])
    return speech(acts={"alternatives": [first | fields]})


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"tool": "get_repair"}, "no goal"),
        ({"code": "nothing"}, "codes of book_repair are not_found, day_gone, already_booked"),
        ({"holds": []}, "needs a text"),
        ({"holds": ["{nothing} is free"]}, "unknown slot"),
        ({"then": "wait"}, "there is no tool wait"),
        ({"then": "finish_repair", "ask": ["finish it"]}, "come from parameters of book_repair"),
        ({"then": "get_repair", "arguments": [{"name": "repair_id", "source": "nothing"}], "ask": ["show it"]}, "come from parameters"),
        ({"then": "get_repair", "arguments": [{"name": "repair_id", "source": "draw"}], "ask": []}, "`ask` needs a text"),
    ],
)
def test_an_alternative_that_cannot_be(fields: JsonObject, said: str) -> None:
    found = alternative(**fields)
    assert found.alternatives == []
    assert len(found.problems) == 1
    assert said in found.problems[0]


def test_an_alternative_takes_its_arguments_from_the_refused_call() -> None:
    sources = {"bike_id": "bike_id", "work": "=a look", "due_on": "draw", "price": "price"}
    listed = [{"name": name, "source": source} for name, source in sources.items()]
    made = alternative(then="book_repair", arguments=listed, ask=["have a look at {bike_id}"])
    assert made.problems == []
    assert made.alternatives[0].args == sources


def test_an_alternative_does_not_take_a_bike_for_a_customer() -> None:
    made = alternative(then="list_bikes", arguments=[{"name": "customer_id", "source": "bike_id"}], ask=["show the bikes of {party.obj}"])
    assert made.alternatives == []
    assert "takes a row of customers as customer_id, and bike_id names one of bikes" in made.problems[0]


def test_a_table_without_words_is_called_by_its_name() -> None:
    parts = small_parts()
    found = nouns_for(speech(words={"tables": WORDS["tables"][:1]}), parts.spec(), "customers")
    assert {name: (noun.one, noun.person) for name, noun in found.items()} == {
        "customers": ("customer", True), "bikes": ("bikes", False), "repairs": ("repairs", False),
    }  # fmt: skip


@given(
    st.lists(st.from_regex(r"[a-z ]{0,6}", fullmatch=True), max_size=4), st.lists(st.sampled_from(["a", "b", "party", "want"]), max_size=3)
)
def test_a_text_of_known_slots_only_has_no_problem(words: list[str], slots: list[str]) -> None:
    text = "so " + " ".join([*words, *(f"{{{slot}}}" for slot in slots)]) + "."
    assert slots_of(text) == slots
    assert text_problem(text, {"a", "b"}, person=True) == ""
    alone = text_problem(text, {"a"}, person=False)
    wrong = next((slot for slot in slots if slot in ("b", "party")), None)
    assert ("{" + wrong + "}" in alone) if wrong else alone == ""
