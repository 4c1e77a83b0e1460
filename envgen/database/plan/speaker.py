"""One voice telling one text: names, pronouns and agreement, by what has been said so far."""

import re
from dataclasses import dataclass, field

from envgen.core.errors import PlanError
from envgen.database.fill import gender
from envgen.database.phrases import is_verb, verb
from envgen.database.plan.draft import Value
from envgen.database.plan.goals import Slots
from envgen.database.plan.mention import SLOT, Reference, person_of

_PRONOUNS = {"f": ("she", "her", "her"), "m": ("he", "him", "his"), None: ("they", "them", "their")}
_FORMS = ("subj", "obj", "poss")
# Set after a mention that ends in a relative clause; it becomes a comma when the sentence goes on.
CLAUSE_END = "\x1f"
_RELATIVE = re.compile(r", (which|who|that)\b")


@dataclass
class Speaker:
    """Fills slots from left to right. voice `self`: the person concerned speaks (I, me, my); `staff`: a colleague does.

    The person is named in full once, then by pronoun within the next clauses, and by given name when a sentence has passed
    without a mention, or when another person was named since.
    """

    voice: str
    party: Reference | None
    named: bool = False
    rival: bool = False
    silent: int = 0
    agreement: str = "third"
    joints: set[str] = field(default_factory=set)

    def fill(self, text: str, slots: Slots) -> str:
        """Return `text` with its slots filled. PlanError("unfilled_slot") when one has nothing to stand for it."""
        return SLOT.sub(lambda match: self._slot(match[1], slots), text)

    def clause(self) -> None:
        """Tell the speaker that a sentence has ended."""
        self.silent += 1

    def _slot(self, name: str, slots: Slots) -> str:
        head, _, form = name.partition(".")
        if head == "party":
            return self._person(form or "name")
        if is_verb(name):
            return verb(name, self.agreement)
        slot = slots.get(head)
        if slot is None:
            raise PlanError("unfilled_slot", name)
        if isinstance(slot, Value):
            # A superlative is itself a text with slots for the person.
            return self.fill(slot.text, {}) if "{" in slot.text else slot.text
        if slot is self.party or (self.party is not None and slot.table == self.party.table and slot.key == self.party.key):
            return self._person(form or "name")
        return self._row(slot)

    def _row(self, row: Reference) -> str:
        """The mention of a row: the slots of its attempt are texts, and its owner is the person concerned or named in full."""

        def part(match: re.Match[str]) -> str:
            head, _, form = match[1].partition(".")
            if head != "owner":
                return row.values[match[1]]
            if row.owner is None:
                raise PlanError("no_owner", row.attempt)
            if self.party is not None and row.owner.table == self.party.table and row.owner.key == self.party.key:
                return self._person(form or "subj")
            if form == "poss" and row.owner.values.get("name"):
                return possessive(row.owner.values["name"])
            return self._row(row.owner)

        text = SLOT.sub(part, row.attempt)
        # Once somebody else was named, "she" may be either of them.
        self.rival = self.rival or gender(person_of(row)[0]) is not None
        return text + CLAUSE_END if _RELATIVE.search(row.attempt) else text

    def _person(self, form: str) -> str:
        if self.party is None or form not in (*_FORMS, "name"):
            raise PlanError("no_person", form)
        if self.voice == "self":
            if form == "name":
                raise PlanError("own_name")
            self.agreement = "I" if form == "subj" else self.agreement
            return {"subj": "I", "obj": "me", "poss": "my"}[form]
        name, sex = person_of(self.party)
        if not self.named:
            self.named, self.silent = True, 0
            text = name
        elif self.rival or self.silent > 1 or form == "name":
            self.silent, self.rival = 0, False
            text = name.split(" ", 1)[0]
        else:
            self.silent = 0
            if form == "subj":
                self.agreement = "third" if sex else "they"
            return _PRONOUNS[sex][_FORMS.index(form)]
        if form == "subj":
            self.agreement = "third"
        return possessive(text) if form == "poss" else text


def possessive(name: str) -> str:
    """Return the possessive of a name."""
    return f"{name}'" if name.endswith("s") else f"{name}'s"
