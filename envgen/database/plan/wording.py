"""The instruction: frames filled by one speaker, joined into sentences, with a motive and a shell around them."""

import random
import re
import tomllib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any

from envgen.core.data import data_path
from envgen.core.errors import PlanError
from envgen.database.language import Situation
from envgen.database.phrases import sentence, tidy
from envgen.database.plan.draft import Book, Draft, Value
from envgen.database.plan.goals import Request
from envgen.database.plan.mention import SLOT, Reference, person_of
from envgen.database.plan.speaker import Speaker


@lru_cache(maxsize=1)
def phrases() -> dict[str, Any]:
    """Return `templates/wording.toml`: openers, joints, conditional forms, shells."""
    with data_path("templates/wording.toml").open("rb") as file:
        return tomllib.load(file)


# A condition that says "it" or "that" comes after the act that names the thing.
_POINTS_BACK = re.compile(r"\b(it|its|that)\b")


@dataclass(frozen=True)
class Told:
    """The finished instruction and how it was told."""

    text: str
    voice: str
    shell: str


def tell(book: Book, draft: Draft, requests: list[Request], situation: Situation | None, dice: random.Random) -> Told:
    """Return the instruction for `requests`. PlanError when a slot or a needed text is lost, or the lint objects."""
    party = next((request.party for request in requests if request.party is not None), None)
    voice = _voice(book, requests, party, situation, dice)
    speaker = Speaker(voice, party)
    shell = dice.choice(phrases()["shells"][voice])
    parts: list[str] = []
    motive = _motive(book, requests, situation, dice, speaker, shell)
    if motive:
        parts.append(motive)
    for index, request in enumerate(requests):
        parts.append(_request(request, index, speaker, dice, bool(motive)))
        speaker.clause()
    if len(requests) > 1 and any(request.wish.kind == "refuse" for request in requests):
        parts.append(dice.choice(phrases()["partial"]["tails"]))
    if shell == "chatty" and book.language.chat and voice == "self":
        parts.insert(dice.choice((0, len(parts))) if not motive else len(parts), sentence(dice.choice(book.language.chat)))
    text = _wrap(parts, speaker, shell, dice)
    text = tidy(text)
    lint(text)
    _all_said(draft, requests, speaker, text)
    return Told(text, voice, shell)


def _voice(book: Book, requests: list[Request], party: Reference | None, situation: Situation | None, dice: random.Random) -> str:
    texts = [request.wish.frame for request in requests]
    staff_only = party is None or any("{party}" in text for text in texts)
    staff_only = staff_only or any(book.acts[request.wish.tool].staff for request in requests if request.wish.tool in book.acts)
    staff_only = staff_only or any(request.wish.kind in ("aggregate", "quiz") for request in requests)
    # Somebody who is named beside the person concerned would make "I" and the name hard to keep apart.
    return "staff" if staff_only or dice.random() < 0.35 else "self"


def _motive(book: Book, requests: list[Request], situation: Situation | None, dice: random.Random, speaker: Speaker, shell: str) -> str:
    if shell == "terse":
        return ""
    if situation is not None:
        text = dice.choice(situation.motive)
    else:
        first = requests[0].wish
        act = book.acts.get(first.tool)
        if act is None or not act.why or len(requests) > 1 or dice.random() < 0.5:
            return ""
        text = dice.choice(act.why)
    filled = sentence(speaker.fill(text, requests[0].slots))
    speaker.clause()
    return filled


def _request(request: Request, index: int, speaker: Speaker, dice: random.Random, motive: bool) -> str:
    wish = request.wish
    if wish.alternative is not None:
        return _condition(request, speaker, dice)
    text = speaker.fill(wish.frame, request.slots)
    if wish.style == "question":
        return _question(text, index, speaker, dice)
    if wish.style == "need":
        joint = _joint(phrases()["joints"]["need"], speaker, dice) if index else "{need}."
        return sentence(joint.replace("{need}", text))
    joint = _joint(phrases()["joints"]["ask"] if index else phrases()["openers"][speaker.voice], speaker, dice)
    if joint.endswith("?") and "; " in text:
        joint = "Please {ask}."
    return sentence(joint.replace("{ask}", text))


def _joint(joints: Sequence[str], speaker: Speaker, dice: random.Random) -> str:
    """One of `joints` whose opening words this text has not used yet."""
    fresh = [joint for joint in joints if joint.split("{")[0].casefold() not in speaker.joints] or list(joints)
    joint = dice.choice(fresh)
    speaker.joints.add(joint.split("{")[0].casefold())
    return joint


def _question(text: str, index: int, speaker: Speaker, dice: random.Random) -> str:
    if not index:
        return sentence(text)
    text = text if text.startswith("I ") else text[0].lower() + text[1:]
    return sentence(_joint(phrases()["joints"]["question"], speaker, dice).replace("{question}", text))


def _condition(request: Request, speaker: Speaker, dice: random.Random) -> str:
    wish, alternative = request.wish, request.wish.alternative
    assert alternative is not None
    holds = dice.choice(alternative.holds)
    forms = phrases()["conditional"]["forms"]
    if _POINTS_BACK.search(holds):
        forms = [form for form in forms if form.index("{ask}") < form.index("{holds}")]
    form = dice.choice(forms)
    other = dice.choice(alternative.ask) if alternative.then is not None else dice.choice(phrases()["conditional"]["leave"])
    texts = {"ask": wish.frame, "holds": holds, "other": other}
    filled = {"ask": "", "holds": "", "other": ""}
    # What comes first in the sentence names the thing; what follows says "it".
    seen: set[str] = set()
    for name in re.findall(r"\{(\w+)\}", form):
        text = texts[name]
        for slot in sorted(set(SLOT.findall(text))):
            value = request.slots.get(slot)
            if isinstance(value, Reference) and value is not request.party:
                if f"{value.table}:{value.key}" in seen:
                    text = text.replace("{" + slot + "}", value.pronoun)
                seen.add(f"{value.table}:{value.key}")
        filled[name] = speaker.fill(text, request.slots)
    for name, text in filled.items():
        form = form.replace("{" + name + "}", text)
    return sentence(form)


def _wrap(parts: list[str], speaker: Speaker, shell: str, dice: random.Random) -> str:
    party = speaker.party
    if party is None:
        return " ".join(parts)
    name = person_of(party)[0]
    which = _which(party)
    if speaker.voice == "staff":
        if which and speaker.named:
            parts.append(f"(There is more than one {name}; I mean {which}.)")
        elif not speaker.named:
            raise PlanError("person_not_named")
        return " ".join(parts)
    if shell == "mail":
        signature = f"{name}" + (f" ({which})" if which else "")
        greeting, closing = dice.choice(phrases()["mail"]["greetings"]), dice.choice(phrases()["mail"]["closings"])
        return f"{greeting}\n\n{' '.join(parts)}\n\n{closing}\n{signature}"
    introduction = dice.choice(phrases()["mail"]["naming_which" if which else "naming"])
    introduction = introduction.replace("{name}", name).replace("{which}", which)
    if shell == "signed":
        return " ".join(parts) + f" – {name}" + (f" ({which})" if which else "")
    return f"{introduction} {' '.join(parts)}"


def _which(party: Reference) -> str:
    """What tells the person from a namesake: the words in brackets of the attempt, without its brackets."""
    match = re.search(r"\(([^()]*)\)", party.attempt)
    if match is None:
        if party.level:
            raise PlanError("namesake_without_words", party.attempt)
        return ""
    return SLOT.sub(lambda slot: party.values[slot[1]], match[1])


def lint(text: str) -> None:
    """Refuse a text with a left-over slot, a repeated run of five words, two colons in a sentence, or a doubled word. PlanError."""
    if re.search(r"[{}\[\]|]", text):
        raise PlanError("lint_slot", text)
    words = re.findall(r"[\w'’€£$.-]+", text.lower())
    runs = Counter(tuple(words[index : index + 5]) for index in range(len(words) - 4))
    if runs and max(runs.values()) > 1:
        raise PlanError("lint_repeats", text)
    if any(one == other and one not in ("that", "had") for one, other in pairwise(words)):
        raise PlanError("lint_double_word", text)
    if any(part.count(": ") > 1 for part in re.split(r"(?<=[.?!])\s", text)):
        raise PlanError("lint_colons", text)
    if re.search(r"\ba [aeio]\w*\b(?<!one)", text) and not re.search(r"\ba (one|uni|eu)", text):
        raise PlanError("lint_article", text)


def _all_said(draft: Draft, requests: list[Request], speaker: Speaker, text: str) -> None:
    """Every value that the gold takes from the words stands in them."""
    folded = text.casefold()
    for call in draft.calls:
        for source in call.origin.values():
            if source["from"] in ("instruction", "operation") and source["text"].casefold() not in folded:
                raise PlanError("not_said", source["text"])
    for request in requests:
        for name, slot in request.slots.items():
            if isinstance(slot, Value) and "{" + name in request.wish.frame and slot.text.casefold() not in folded and "{" not in slot.text:
                raise PlanError("not_said", slot.text)
