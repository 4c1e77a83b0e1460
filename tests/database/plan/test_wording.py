"""Speakers and shells: who is named when, and what the lint refuses."""

import pytest

from envgen.core.errors import PlanError
from envgen.database.phrases import tidy
from envgen.database.plan.mention import Reference
from envgen.database.plan.speaker import Speaker, possessive
from envgen.database.plan.wording import lint


def person(name: str = "Hana Petrov") -> Reference:
    return Reference("members", 1, "{name}", 0, {"name": name}, {"name": name}, 0, "0.id")


def loan(owner: Reference) -> Reference:
    return Reference("loans", 9, "the book, which {owner} borrowed {out_on|day}", 0, {"out_on|day": "on Friday"}, {}, 1, "0.id", owner)


def test_the_person_is_named_once_and_then_by_pronoun() -> None:
    speaker = Speaker("staff", person())
    first = speaker.fill("{party.subj} {want} {party.poss} card", {})
    assert first == "Hana Petrov wants her card"
    assert speaker.fill("{party.subj} {be} here for {party.obj}", {}) == "she is here for her"


def test_after_a_silence_the_given_name_comes_back() -> None:
    speaker = Speaker("staff", person())
    speaker.fill("{party.obj}", {})
    speaker.clause()
    speaker.clause()
    assert speaker.fill("{party.poss} card", {}) == "Hana's card"


def test_a_bare_person_slot_is_always_a_name() -> None:
    speaker = Speaker("staff", person())
    assert [speaker.fill("{party}", {}) for _ in range(2)] == ["Hana Petrov", "Hana"]


def test_the_person_speaking_is_i() -> None:
    speaker = Speaker("self", person())
    assert speaker.fill("{party.subj} {want} {party.poss} card for {party.obj}", {}) == "I want my card for me"
    assert tidy(speaker.fill("{party.subj} {be} here", {})) == "I'm here"


def test_a_thing_is_told_through_its_owner() -> None:
    owner = person()
    speaker = Speaker("self", owner)
    text = tidy(speaker.fill("renew {loan_id} until Monday", {"loan_id": loan(owner)}))
    assert text == "renew the book, which I borrowed on Friday, until Monday"


def test_after_a_rival_the_given_name_is_used_again() -> None:
    speaker = Speaker("staff", person())
    colleague = Reference("staff", 2, "{name}", 0, {"name": "Priya Murphy"}, {"name": "Priya Murphy"}, 0, "0.id")
    assert (
        speaker.fill("assign {party.poss} case to {colleague_id}", {"colleague_id": colleague})
        == "assign Hana Petrov's case to Priya Murphy"
    )
    assert speaker.fill("{party.subj} {want} {party.poss} card", {}) == "Hana wants her card"


def test_an_unknown_gender_is_they() -> None:
    speaker = Speaker("staff", person("Zyx Wvut"))
    speaker.fill("{party.obj}", {})
    assert speaker.fill("{party.subj} {want} it", {}) == "they want it"


def test_an_unfilled_slot_is_refused() -> None:
    with pytest.raises(PlanError, match="unfilled_slot"):
        Speaker("staff", person()).fill("take {thing}", {})


def test_possessives() -> None:
    assert [possessive("Hana"), possessive("Jonas")] == ["Hana's", "Jonas'"]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Please take {it}.", "lint_slot"),
        ("Put him on the list for the long class and on the list for the long class.", "lint_repeats"),
        ("Please take the the book.", "lint_double_word"),
        ("One more thing: note this: done.", "lint_colons"),
        ("This is a old book.", "lint_article"),
    ],
)
def test_the_lint_refuses(text: str, code: str) -> None:
    with pytest.raises(PlanError, match=code):
        lint(text)


def test_the_lint_lets_good_texts_pass() -> None:
    lint("Would you lend a one-volume history to her, please? It's for a European tour. One more thing: take a note.")
