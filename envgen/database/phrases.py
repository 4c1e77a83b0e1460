"""Values as people write them, and small grammar: dates from the clock, money, numbers, articles, agreement."""

import re
from datetime import datetime

from envgen.core.clock import parse_time

_SMALL = "zero one two three four five six seven eight nine ten eleven twelve".split()
_VERBS = {
    "want": ("want", "wants"), "be": ("are", "is"), "have": ("have", "has"), "do": ("do", "does"), "go": ("go", "goes"),
    "need": ("need", "needs"), "be_past": ("were", "was"), "have_not": ("haven't", "hasn't"), "do_not": ("don't", "doesn't"),
}  # fmt: skip


def day_name(text: str, now: str, *, preposition: bool = False) -> str:
    """Return the day of `text` as said at `now`: today, Friday, the 14th, 14 June, 14 June 2027; with "on" when asked for."""
    day, today = parse_time(text[:10]), parse_time(now[:10])
    away = (day - today).days
    if away in (-1, 0, 1):
        return ("yesterday", "today", "tomorrow")[away + 1]
    if 1 < away <= 6:
        name = day.strftime("%A")
    elif day.year == today.year:
        name = f"{day.day} {day:%B}"
    else:
        name = f"{day.day} {day:%B} {day.year}"
    return f"on {name}" if preposition else name


def hour_name(text: str, *, preposition: bool = True) -> str:
    """Return the time of day of a moment: "at 10", "at 14:30"."""
    moment: datetime = parse_time(text)
    name = f"{moment.hour}:{moment:%M}" if moment.minute or moment.hour < 10 else str(moment.hour)
    name = f"{moment.hour}" if not moment.minute else name
    return f"at {name}" if preposition else name


def money(cents: int, currency: str) -> str:
    """Return an amount of cents with the currency sign in front: €16, €16.50."""
    sign = "-" if cents < 0 else ""
    whole, rest = divmod(abs(cents), 100)
    return f"{sign}{currency}{whole:,}" + (f".{rest:02d}" if rest else "")


def number(value: int) -> str:
    """Return a count in words up to twelve, else in digits."""
    return _SMALL[value] if 0 <= value <= 12 else f"{value:,}"


def plain(text: str) -> str:
    """Return an enumerated value in words: `past_due` -> past due."""
    return text.replace("_", " ")


def verb(name: str, person: str) -> str:
    """Return the form of a verb slot (`want`, `be`, `verb:needs/need`) for "I", "you", "they" or a third person singular."""
    if name.startswith("verb:"):
        third, _, other = name[5:].partition("/")
        return third if person == "third" else (other or third)
    first, third = _VERBS[name]
    if person == "third":
        return third
    if person == "I" and name == "be":
        return "am"
    return "was" if person == "I" and name == "be_past" else first


def is_verb(name: str) -> bool:
    """True when a slot name is a verb slot."""
    return name in _VERBS or name.startswith("verb:")


def sentence(text: str) -> str:
    """Return `text` as a sentence: capital first, one stop at the end."""
    text = text.strip()
    match = re.search(r"[^\W\d_]|\d", text)
    if match:
        text = text[: match.start()] + text[match.start()].upper() + text[match.start() + 1 :]
    return text if text.endswith((".", "?", "!", '."', '?"', '!"')) else text + "."


def tidy(text: str) -> str:
    """Return `text` with the small repairs that filled slots need: a/an, contractions, doubled spaces and stops."""
    text = re.sub(r"\x1f(?= \w)", ",", text).replace("\x1f", "")
    text = re.sub(r"\b([Aa]) (?=[aeiouAEIOU](?!ne\b|u|ni))", lambda m: f"{m[1]}n ", text)
    text = re.sub(r"\bI (am|have)\b(?= (?!to\b))", lambda m: {"am": "I'm", "have": "I have"}[m[1]], text)
    text = re.sub(r" +([,.;?!])", r"\1", text)
    text = re.sub(r"([^\n ]) {2,}", r"\1 ", text)
    return re.sub(r"\.\.+", ".", text)
