"""From a composition to the `Language`: nouns, finders, frames, questions, situations and fillings in the trade's words."""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from envgen.core.errors import SpecError
from envgen.core.types import JsonObject
from envgen.database.grammar_compose import Composition
from envgen.database.grammar_data import read_folder
from envgen.database.grammar_lines import joined
from envgen.database.language import (
    Act,
    Alternative,
    Choice,
    Filling,
    Finder,
    Frames,
    History,
    Language,
    Noun,
    Plant,
    Query,
    Refer,
    Situation,
)  # fmt: skip
from envgen.database.spec import EnvironmentSpec, Forbid, Require, Tool

_SLOT = re.compile(r"\{([a-z_0-9]+)\}")
_SIZES = ("small", "medium", "large")


def build_language(work: Composition, spec: EnvironmentSpec) -> Language:
    """Return the language of a composition; SpecError names a frame or entry that does not fit its tool."""
    pools = _pools(work)
    return Language(
        nouns={
            role.t: Noun(one=role.one, many=role.many, article=role.a, person=role.person)
            for role in work.roles.values() if _has_table(spec, role.t)
        },
        party=work.roles["party"].t,
        finders=tuple(_finder(work, entry) for entry in _all(work, "finder")),
        refers=tuple(_refer(work, entry) for entry in _all(work, "refer")),
        acts=tuple(_acts(work, spec)),
        frames=tuple(_frames(work, spec)),
        queries=tuple(Query(**{**entry, "sql": _flat(entry["sql"])}) for entry in _named(work, "query")),
        choices=tuple(_choice(work, spec, entry) for entry in _named(work, "choice")),
        alternatives=tuple(_alternatives(work, spec)),
        situations=tuple(_situations(work)),
        pools=pools,
        plurals=work.lexicon.get("plurals", {}),
        chat=tuple(work.lexicon.get("chat", ())),
        fillings=tuple(_filling(work, entry, pools) for entry in _all(work, "fill")),
        history=tuple(_history(work)),
        plants=tuple(
            Plant(name=entry["name"], pick=_flat(entry["pick"]), n=_sizes(entry["n"]), sql=tuple(_flat(sql) for sql in entry["sql"]))
            for entry in _all(work, "plant")
        ),
    )  # fmt: skip


def _has_table(spec: EnvironmentSpec, name: str) -> bool:
    return any(table.name == name for table in spec.tables)


def _flat(sql: str) -> str:
    return " ".join(sql.split())


def _sizes(values: Iterable[int]) -> dict[str, int]:
    return dict(zip(_SIZES, values, strict=True))


def _all(work: Composition, part: str) -> Iterator[JsonObject]:
    for data in work.patterns.values():
        yield from data.get(part, [])
    yield from work.lexicon.get(part, [])


def _named(work: Composition, part: str) -> Iterator[JsonObject]:
    """Entries with a key; a lexicon's entry replaces the pattern's of that key."""
    entries = {entry["key"]: entry for entry in _all(work, part)}
    yield from entries.values()


def _pools(work: Composition) -> dict[str, tuple[str, ...]]:
    pools: dict[str, tuple[str, ...]] = {}
    for data in work.patterns.values():
        pools |= {name: tuple(values) for name, values in data.get("pools", {}).items()}
    pools |= {name: tuple(values) for name, values in work.lexicon.get("pools", {}).items()}
    for role in work.roles.values():
        pools |= {f"{role.name}.{name}": tuple(values) for name, values in vars(role.v).items()}
    return pools | {role.name: tuple(role.extra["rows"]) for role in work.roles.values() if "rows" in role.extra}


def _tool(work: Composition, key: str) -> str:
    if key not in work.tools:
        raise SpecError(f"lexicon {work.key}", f"no tool has the key {key!r}; there are: {', '.join(work.tools)}")
    return work.tools[key]


def _finder(work: Composition, entry: JsonObject) -> Finder:
    return Finder(**{**entry, "table": work.roles[entry["table"]].t, "tool": _tool(work, entry["tool"])})


def _refer(work: Composition, entry: JsonObject) -> Refer:
    role = work.roles[entry["table"]]
    attempts = role.extra["refer"] if "refer" in role.extra else entry["attempts"]
    return Refer(table=role.t, attempts=tuple(attempts), pronoun=role.extra.get("pronoun", entry.get("pronoun", "it")))


def _goals(work: Composition) -> Iterator[JsonObject]:
    for data in work.patterns.values():
        yield from (entry for entry in data.get("tool", []) if entry.get("goal"))


def _acts(work: Composition, spec: EnvironmentSpec) -> Iterator[Act]:
    for entry in _goals(work):
        why = work.lexicon.get("why", {}).get(entry["key"], entry.get("why", []))
        yield Act(
            tool=_tool(work, entry["key"]), staff=entry["goal"] == "staff", party=entry.get("party"), focus=entry.get("focus"),
            weight=entry.get("weight", 1.0), why=tuple(why),
        )  # fmt: skip


def _frames(work: Composition, spec: EnvironmentSpec) -> Iterator[Frames]:
    for entry in _goals(work):
        key = entry["key"]
        own = work.lexicon.get("frames", {}).get(key, {})
        tool = spec.tool(_tool(work, key))
        ask, need = (list(own.get(part) or entry.get(part) or []) for part in ("ask", "need"))
        fits = {**entry.get("fits", {}), **own.get("fits", {})}
        yield Frames(
            tool=tool.name, ask=tuple(slots(work, tool, text) for text in ask), need=tuple(slots(work, tool, text) for text in need),
            weight=entry.get("weight", 1.0),
            fits={slots(work, tool, text): _condition(text, fits) for text in (*ask, *need) if _condition(text, fits)},
        )  # fmt: skip


def _condition(text: str, fits: dict[str, JsonObject]) -> JsonObject:
    """The conditions of every key of `fits` that occurs in the text: "single" = {places = 1}."""
    found: JsonObject = {}
    for part, condition in fits.items():
        if part in text:
            found |= condition
    return found


def slots(work: Composition, tool: Tool, text: str) -> str:
    """Return a frame with role slots turned into parameters: `{slot}` into `{class_id}`. SpecError for a slot the tool lacks."""
    properties = tool.parameters["properties"]

    def parameter(match: re.Match[str]) -> str:
        name = match[1]
        if name in properties or name in ("party", "want", "be", "have", "do", "go"):
            return match[0]
        role = work.roles.get(name)
        if role is None or role.id not in properties:
            raise SpecError(f"tool {tool.key}", f"the frame {text!r} has a slot {{{name}}} that is no parameter of the tool")
        return f"{{{role.id}}}"

    return _SLOT.sub(parameter, text)


def _choice(work: Composition, spec: EnvironmentSpec, entry: JsonObject) -> Choice:
    return Choice(**{**entry, "goal": _tool(work, entry["goal"]), "tool": _tool(work, entry["tool"])})


def _codes(tool: Tool) -> set[str]:
    return {step.otherwise[0] for step in tool.steps if isinstance(step, (Require, Forbid))}


def _alternatives(work: Composition, spec: EnvironmentSpec) -> Iterator[Alternative]:
    """Each entry for each of its tools that is bound and has the guard."""
    for entry in _all(work, "alternative"):
        keys = entry["tool"] if isinstance(entry["tool"], list) else [entry["tool"]]
        then = entry.get("then")
        if then is not None and then not in work.tools:
            continue
        for key in keys:
            if key in work.tools and entry["code"] in _codes(spec.tool(work.tools[key])):
                yield _alternative(work, spec.tool(work.tools[key]), {**entry, "then": work.tools.get(then) if then else None})


def _alternative(work: Composition, tool: Tool, entry: JsonObject) -> Alternative:
    fields: dict[str, Any] = {**entry, "tool": tool.name, "holds": tuple(slots(work, tool, text) for text in entry["holds"])}
    return Alternative(**fields)


def _situations(work: Composition) -> Iterator[Situation]:
    """Situations of patterns, of the lexicon and across patterns, whose tools are all bound; the lexicon may replace one by its key."""
    shared = read_folder("situations")
    entries = [entry for data in shared.values() for entry in data["situation"]] + list(_all(work, "situation"))
    for entry in {entry["key"]: entry for entry in entries}.values():
        if all(key in work.tools for key in entry["goals"]):
            yield Situation(key=entry["key"], goals=tuple(work.tools[key] for key in entry["goals"]), motive=tuple(entry["motive"]))


def _filling(work: Composition, entry: JsonObject, pools: dict[str, tuple[str, ...]]) -> Filling:
    rows = _sizes(entry["rows"])
    if "pool" in entry:
        rows = {size: min(count, len(pools[entry["pool"]])) for size, count in rows.items()}
    columns = dict(line.split(None, 1) for line in joined(entry["columns"]))
    return Filling(table=work.roles[entry["table"]].t, rows=rows, columns=columns)


def _history(work: Composition) -> Iterator[History]:
    for data in work.patterns.values():
        for entry in data.get("tool", []):
            if "sim" in entry:
                sim = entry["sim"]
                ago = tuple(int(days) for days in sim["ago"])
                yield History(tool=_tool(work, entry["key"]), n=_sizes(sim["n"]), ago=ago, args=sim.get("args", {}))
