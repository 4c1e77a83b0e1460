"""Composition: the patterns of a lexicon with their features drawn, lines dropped, names given out and texts rendered."""

import re
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from envgen.core.clock import DATE, DATE_TIME
from envgen.core.digest import rng
from envgen.core.errors import SpecError
from envgen.core.types import JsonObject
from envgen.database.grammar_data import drop, render
from envgen.database.grammar_lexicon import Role, Size, bind_roles, bound_patterns, domain_words, lexicons, patterns
from envgen.database.grammar_names import Names

_CALLED = re.compile(r"""\btool\(['"]([\w.]+)['"]\)""")
Features = dict[str, dict[str, JsonObject]]
# A small environment has fewer optional features and tools too.
SMALL = 0.7


@dataclass(slots=True)
class Composition:
    """Rendered patterns on their way to a proposal. `patterns` maps names to final data, `features` says what is on."""

    key: str
    name: str
    title: str
    seed: int
    size: Size
    now: str
    currency: str
    lexicon: JsonObject
    roles: dict[str, Role]
    features: Features
    patterns: dict[str, JsonObject]
    tools: dict[str, str]
    house: str


def compose(key: str, *, seed: int, size: Size = "medium", phrase: str | None = None, features: Features | None = None) -> Composition:
    """Return the rendered patterns of lexicon `key`; `phrase` renames the domain.

    The seed draws patterns, features and tools; `features` replaces all three draws: its patterns, its features, every tool.
    """
    lexicon = lexicons()[key]
    bound = bound_patterns(key, seed, None if features is None else tuple(features), size)
    chance = features is None
    features = draw_features(key, seed, size) if features is None else features
    names = Names()
    roles = bind_roles(key, bound, names)
    name, title = domain_words(phrase or lexicon["domain"])
    work = Composition(
        key=key, name=name, title=title, seed=seed, size=size, now=draw_now(seed), currency=lexicon.get("currency", "€"), lexicon=lexicon,
        roles=roles, features=features, patterns={}, tools={}, house=title if phrase else lexicon.get("title", title),
    )  # fmt: skip
    kept = {pattern: drop(data, _conditions(pattern, features)) for pattern, data in bound.items()}
    kept = keep_tools(kept, key, seed if chance else None, size)
    work.lexicon = drop(lexicon, _conditions("", features))
    context = _context(work)
    work.tools = _tool_names(kept, context, names)
    for pattern, data in kept.items():
        work.patterns[pattern] = render(_without_columns(data), {**context, "f": context["g"][pattern]}, f"pattern {pattern}")
    work.lexicon = {**work.lexicon, **render(_wording(work), context, f"lexicon {key}")}
    return work


def keep_tools(kept: Mapping[str, JsonObject], key: str, seed: int | None, size: Size = "medium") -> dict[str, JsonObject]:
    """Return the patterns without the tools that `seed` leaves out (`keep` is a tool's chance) and what refers to them."""
    known = {tool["key"] for data in patterns().values() for tool in data["tool"]}
    out = known - {
        tool["key"]
        for data in kept.values()
        for tool in data.get("tool", [])
        if seed is None or rng(seed, "tool", key, tool["key"]).random() < _chance(tool.get("keep", 1.0), size)
    }
    return {
        pattern: {part: _without(value, out) if isinstance(value, list) else value for part, value in data.items()}
        for pattern, data in kept.items()
    }


def _chance(usual: float, size: Size) -> float:
    return usual * SMALL if size == "small" and usual < 1 else usual


def _without(entries: list[Any], out: Container[str]) -> list[Any]:
    return [entry for entry in entries if not (isinstance(entry, dict) and any(name in out for name in _mentioned(entry)))]


def _mentioned(entry: JsonObject) -> Iterator[str]:
    """Keys of the tools without which an entry makes no sense."""
    for name, value in entry.items():
        if name in ("key", "tool", "goal", "then") and isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            yield from _mentioned(value)
        elif isinstance(value, list):
            for item in value:
                if isinstance(item, dict):
                    yield from _mentioned(item)
        if isinstance(value, str):
            yield from _CALLED.findall(value)


def draw_features(key: str, seed: int, size: Size = "medium") -> Features:
    """Return {pattern: {feature: numbers}} of what `seed` turns on. A feature's `p` is its chance, 0.6 unless given."""
    numbers, off = lexicons()[key].get("numbers", {}), lexicons()[key].get("off", [])
    drawn: Features = {}
    for pattern, data in bound_patterns(key, seed, size=size).items():
        drawn[pattern] = {}
        for feature, options in data.get("features", {}).items():
            dice = rng(seed, "feature", key, pattern, feature)
            if f"{pattern}.{feature}" not in off and dice.random() < _chance(options.get("p", 0.6), size):
                drawn[pattern][feature] = draw_numbers(options, numbers.get(f"{pattern}.{feature}", {}), dice)
    return drawn


def draw_numbers(options: JsonObject, given: JsonObject, dice: Any) -> JsonObject:
    """Return one value for each list among a feature's options; the lexicon's own lists come first."""
    merged = {**options, **given}
    return {name: dice.choice(values) for name, values in merged.items() if isinstance(values, list)}


def draw_now(seed: int) -> str:
    """Return the world's clock for `seed`: a weekday in 2026 or 2027, at 9, 10 or 11 in the morning."""
    dice = rng(seed, "now")
    day = datetime(2026, 1, 12) + timedelta(days=dice.randrange(0, 700))
    day -= timedelta(days=max(0, day.weekday() - 4))
    return day.replace(hour=dice.choice((9, 10, 11))).strftime(DATE_TIME)


def _conditions(pattern: str, features: Features) -> Any:
    def holds(name: str) -> bool:
        if name.startswith("@"):
            return name[1:] in features
        owner, dot, feature = name.partition(".")
        return feature in features.get(owner, {}) if dot else name in features.get(pattern, {})

    return holds


def _context(work: Composition) -> JsonObject:
    now = datetime.strptime(work.now, DATE_TIME)

    def day(days: int) -> str:
        return (now + timedelta(days=days)).strftime(DATE)

    def moment(hours: int) -> str:
        return (now + timedelta(hours=hours)).strftime(DATE_TIME)

    def money(cents: int) -> str:
        return f"{work.currency}{cents // 100}" + (f".{cents % 100:02d}" if cents % 100 else "")

    def tool(key: str) -> str:
        if key not in work.tools:
            raise SpecError(f"lexicon {work.key}", f"no tool has the key {key!r}")
        return work.tools[key]

    on: Mapping[str, Any] = {name: dict(chosen) for name, chosen in work.features.items()}
    helpers = {"day": day, "moment": moment, "money": money, "tool": tool}
    return {**work.roles, **helpers, "g": on, "currency": work.currency, "title": work.title}


def _tool_names(kept: Mapping[str, JsonObject], context: JsonObject, names: Names) -> dict[str, str]:
    tools: dict[str, str] = {}
    for pattern, data in kept.items():
        for entry in data.get("tool", []):
            wanted = render({"name": entry["name"]}, {**context, "f": context["g"][pattern]}, f"pattern {pattern}")["name"]
            tools[entry["key"]] = names.take(wanted, pattern)
    return tools


def _without_columns(data: JsonObject) -> JsonObject:
    return {key: value for key, value in data.items() if key not in ("roles", "features")}


def _wording(work: Composition) -> JsonObject:
    """The parts of a lexicon that are rendered, without what is about tools that this composition lacks."""
    lexicon = work.lexicon
    absent = {tool["key"] for data in patterns().values() for tool in data["tool"]} - set(work.tools)
    chosen: JsonObject = {part: _without(lexicon[part], absent) for part in ("query", "choice", "alternative", "rule") if part in lexicon}
    for part in ("frames", "why"):
        chosen[part] = {key: value for key, value in lexicon.get(part, {}).items() if key in work.tools}
    return chosen | {part: lexicon[part] for part in ("situation", "role") if part in lexicon}
