"""Lexicons: which patterns a trade uses and what it calls their roles; and the nearest lexicon for a phrase that none covers."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from types import SimpleNamespace
from typing import Any, Literal

from envgen.core.digest import rng, short_id
from envgen.core.errors import SpecError, UsageError
from envgen.core.types import JsonObject
from envgen.database.grammar_data import read_folder
from envgen.database.grammar_names import Names, article, plural, slug

Size = Literal["small", "medium", "large"]
# Of a small environment, less the two of the party.
FEW_TABLES = range(4, 7)
LONGEST_PHRASE = 200


@dataclass(frozen=True, slots=True)
class DomainInfo:
    """One domain that can be asked for by name: its lexicon's key, its title and the patterns it binds."""

    key: str
    title: str
    patterns: tuple[str, ...]


@dataclass(slots=True)
class Role:
    """What one role of a pattern is called. Texts read its fields as `[[role.one]]`.

    one, many, a: "loan", "loans", "a". t: table. s, ss: stems for tool names. id: name of parameters and foreign keys.
    c: column names, v: lists of values, w: words such as prepositions.
    """

    name: str
    one: str
    many: str
    a: str
    person: bool
    t: str
    s: str
    ss: str
    id: str
    c: SimpleNamespace
    v: SimpleNamespace
    w: SimpleNamespace
    extra: JsonObject = field(default_factory=dict)

    @property
    def an(self) -> str:
        """The noun with its article: "a loan"."""
        return f"{self.a} {self.one}"


def list_domains() -> list[DomainInfo]:
    """Return the domains that have a lexicon, by key."""
    return [DomainInfo(key, data["domain"], pattern_names(key)) for key, data in lexicons().items()]


def lexicons() -> Mapping[str, JsonObject]:
    """Return every lexicon by key."""
    return read_folder("domains")


def patterns() -> Mapping[str, JsonObject]:
    """Return every pattern by name."""
    return read_folder("patterns")


def choose_lexicon(phrase: str, named: str | None = None) -> tuple[str, bool]:
    """Return (lexicon key, whether it is this very domain) for a domain phrase; `named` forces one.

    UsageError when the phrase is empty, too long or looks like a path, or when no lexicon is called `named`.
    """
    if named is not None and named not in lexicons():
        raise UsageError(f"no lexicon {named!r}; there are: {', '.join(lexicons())}")
    text = _checked(phrase)
    exact = next((key for key, data in lexicons().items() if text in _names(key, data)), None)
    if named is not None or exact is not None:
        key = named or str(exact)
        return key, key == exact
    return _nearest(text), False


def _checked(phrase: str) -> str:
    text = re.sub(r"\s+", " ", phrase).strip().casefold()
    if len(text) < 2:
        raise UsageError(f"the domain {phrase!r} is too short: name a kind of place or business, such as 'veterinary clinic'")
    if len(text) > LONGEST_PHRASE:
        raise UsageError(f"the domain has {len(text)} characters; use a short phrase of at most {LONGEST_PHRASE}")
    if not any(character.isalpha() for character in text):
        raise UsageError(f"the domain {phrase!r} has no letters: name a kind of place or business, such as 'veterinary clinic'")
    if re.search(r"[/\\\x00-\x1f]|\.\.", text):
        raise UsageError(f"the domain {phrase!r} looks like a path: give a phrase, such as 'veterinary clinic'")
    return text


def _names(key: str, data: JsonObject) -> set[str]:
    return {key.replace("-", " "), key, data["domain"].casefold(), *[alias.casefold() for alias in data.get("aliases", [])]}


def _nearest(text: str) -> str:
    from rapidfuzz import fuzz

    def score(key: str, data: JsonObject) -> float:
        names = sorted(_names(key, data) | {trade.casefold() for trade in data.get("near", [])})
        titles = max((fuzz.token_set_ratio(text, name) + fuzz.ratio(text, name)) / 2 for name in names)
        nouns = max((fuzz.token_set_ratio(text, role.get("one", "")) for role in data["roles"].values()), default=0.0)
        return max(titles, 0.8 * nouns)

    ranked = sorted(((-score(key, data), key) for key, data in lexicons().items()))
    return ranked[0][1]


def domain_words(phrase: str) -> tuple[str, str]:
    """Return (name, title) of a domain phrase: "Night-shift pharmacy" gives ("night-shift-pharmacy", "Night-shift pharmacy").

    A phrase without Latin letters gets a short hash, so that two of them never share a folder.
    """
    title = re.sub(r"\s+", " ", phrase).strip()
    plain = slug(title).replace("_", "-")
    if not plain or len(plain) < len(re.sub(r"\W", "", title)) // 2:
        plain = "-".join(part for part in (plain, short_id("domain", title)) if part)
    return plain[:60].strip("-"), title[:1].upper() + title[1:]


def pattern_names(key: str, seed: int | None = None, size: Size = "medium") -> tuple[str, ...]:
    """Return the patterns of lexicon `key`: those it always binds and, of `also`, the `draw` groups that `seed` picks (all without one).

    A small environment has the party and two or three more, which `seed` picks.
    """
    lexicon = lexicons()[key]
    if size == "small" and seed is not None:
        return _ranked(("party", *rng(seed, "patterns", key, size).choice(_groups(lexicon))))
    groups: list[str] = list(lexicon.get("also", []))
    if seed is not None and groups:
        groups = rng(seed, "patterns", key).sample(groups, min(lexicon.get("draw", 1), len(groups)))
    return _ranked((*lexicon["patterns"], *_members(groups)))


def _ranked(names: Sequence[str]) -> tuple[str, ...]:
    return tuple(sorted(dict.fromkeys(names), key=lambda name: (patterns().get(name, {}).get("rank", 50), name)))


def _members(groups: Sequence[str]) -> list[str]:
    return [name for group in groups for name in group.split("+")]


def _groups(lexicon: JsonObject) -> list[tuple[str, ...]]:
    """Groups of a lexicon's patterns that are enough, beside the party, for a small environment, and make sense without the rest.

    One of them is at the heart of the trade (always bound, and not a `side` of something else), none needs another one, and what
    only serves others (a team, a catalogue) comes with one that it serves.
    """
    known = patterns()
    also = lexicon.get("also", []) if lexicon.get("draw", 1) else []
    names = [name for name in _ranked((*lexicon["patterns"], *_members(also))) if name != "party"]

    def whole(group: tuple[str, ...]) -> bool:
        needed = {role for name in group for role in known[name].get("needs", [])}
        offered = {role for name in group for role in known[name]["roles"]}
        heart = any(name in lexicon["patterns"] and not known[name].get("side") for name in group)
        served = all(needed & set(known[name]["roles"]) for name in group if known[name].get("serves"))
        return heart and needed <= offered and served and sum(len(known[name]["table"]) for name in group) in FEW_TABLES

    return [group for count in (2, 3) for group in combinations(names, count) if whole(group)]


def bound_patterns(key: str, seed: int, names: Sequence[str] | None = None, size: Size = "medium") -> dict[str, JsonObject]:
    """Return the patterns that lexicon `key` binds for `seed` and `size`, by rank, or those called `names`.

    SpecError for an unknown pattern or a role that none of them offers.
    """
    known = patterns()
    chosen = pattern_names(key, seed, size) if names is None else names
    missing = [name for name in chosen if name not in known]
    if missing:
        raise SpecError(f"lexicon {key}", f"unknown patterns {missing}; there are: {', '.join(known)}")
    bound = {name: known[name] for name in chosen}
    offered = {role for data in bound.values() for role in data["roles"]}
    for name, data in bound.items():
        absent = [role for role in data.get("needs", []) if role not in offered]
        if absent:
            raise SpecError(f"lexicon {key}", f"pattern {name} needs the roles {absent}: bind the pattern that offers them")
    return bound


def bind_roles(key: str, bound: Mapping[str, JsonObject], names: Names) -> dict[str, Role]:
    """Return every role of the bound patterns under the lexicon's words. SpecError when one has no noun."""
    given: JsonObject = lexicons()[key]["roles"]
    roles: dict[str, Role] = {}
    for pattern in bound.values():
        for name, defaults in pattern["roles"].items():
            roles[name] = _role(name, defaults, given.get(name, {}), names, f"lexicon {key}")
    unknown = sorted(set(given) - {name for pattern in patterns().values() for name in pattern["roles"]})
    if unknown:
        raise SpecError(f"lexicon {key}", f"roles {unknown} belong to no pattern")
    return roles


def _role(name: str, defaults: JsonObject, given: JsonObject, names: Names, where: str) -> Role:
    words = {**defaults, **given}
    if "one" not in words:
        raise SpecError(where, f'role {name} has no noun: add [roles.{name}] one = "…"')
    one = words["one"]
    many = given.get("many") or (plural(one) if "one" in given else defaults.get("many") or plural(one))
    stem = names.stem(given.get("stem") or given.get("one") or words.get("stem", one), name)
    return Role(
        name=name, one=one, many=many, a=given.get("a") or article(one), person=bool(words.get("person", False)),
        t=names.take(many, name), s=stem, ss=slug(many), id=f"{stem}_id",
        c=SimpleNamespace(**_merged("c", defaults, given)), v=SimpleNamespace(**_merged("v", defaults, given)),
        w=SimpleNamespace(**_merged("w", defaults, given)), extra=words,
    )  # fmt: skip


def _merged(part: str, defaults: JsonObject, given: JsonObject) -> dict[str, Any]:
    return {**defaults.get(part, {}), **given.get(part, {})}
