"""The replies of the stages `words` and `acts`: texts checked slot by slot, and joined with what is derived from the tools."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from envgen.database.language import Act, Alternative, Choice, Finder, Frames, Noun, Query, Refer, Situation
from envgen.database.model.examples import codes
from envgen.database.model.views import View, column_at, key_parameters, party_path
from envgen.database.model.wire import Naming, WireAct, WireAlternative, WireSituation
from envgen.database.phrases import is_verb
from envgen.database.spec import EnvironmentSpec, Tool

_SLOT = re.compile(r"\{([^{}]*)\}")
_PARTY = frozenset({"party", "party.subj", "party.obj", "party.poss"})
_VERB = re.compile(r"verb:[A-Za-z' ]+/[A-Za-z' ]+")
_FORMS = {"day": ("date", "date-time"), "date": ("date", "date-time"), "hour": ("date-time",), "money": ("money",), "quote": ("plain",)}
LONGEST, LEAST_TEXTS = 260, 2


@dataclass
class Speech:
    """What the texts come to. `problems` are in words for their author; what is wrong is left out."""

    finders: dict[str, Finder]
    nouns: dict[str, Noun] = field(default_factory=dict)
    refers: dict[str, Refer] = field(default_factory=dict)
    acts: dict[str, Act] = field(default_factory=dict)
    frames: list[Frames] = field(default_factory=list)
    queries: list[Query] = field(default_factory=list)
    choices: list[Choice] = field(default_factory=list)
    alternatives: list[Alternative] = field(default_factory=list)
    situations: list[Situation] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def nameable(self, table: str) -> bool:
        """True when an instruction can name a row of `table` and an agent can find it."""
        finder = self.finders.get(table)
        return finder is not None and table in self.refers


def slots_of(text: str) -> list[str]:
    """Return the slots of a text, in order."""
    return _SLOT.findall(text)


def text_problem(text: str, allowed: set[str], *, person: bool) -> str:
    """Return why a text cannot be used, or "". allowed: heads of slots; person: whether there is somebody concerned."""
    if not 2 < len(text.strip()) <= LONGEST or "\n" in text:
        return f"a text is one line of 3 to {LONGEST} characters"
    if re.search(r"[{}\[\]|<>]", _SLOT.sub("", text)):
        return "stray brackets"
    for slot in slots_of(text):
        if slot in _PARTY:
            if not person:
                return f"{{{slot}}}, but nobody is concerned"
        elif not (_VERB.fullmatch(slot) or (is_verb(slot) and not slot.startswith("verb:")) or slot in allowed):
            return f"unknown slot {{{slot}}}; there are {', '.join(sorted(allowed)) or 'none'} and {{party}}, {{party.poss}}, {{want}} …"
    return ""


def add_naming(speech: Speech, spec: EnvironmentSpec, views: Sequence[View], namings: Sequence[Naming], party: str) -> None:
    """Take the words for tables: nouns, and the ways to name a row that the finder's result can show."""
    known = {table.name for table in spec.tables}
    for naming in (naming for naming in namings if naming.table in known):
        speech.nouns[naming.table] = Noun(
            one=naming.one, many=naming.many, article="an" if naming.one[:1].lower() in "aeiou" else "a", person=naming.table == party
        )
        finder = speech.finders.get(naming.table)
        if finder is None:
            continue
        view = next(view for view in views if view.tool == finder.tool and view.path == finder.rows)
        attempts = []
        for text in naming.naming:
            problem = _attempt_problem(text, view, finder, spec, party)
            attempts += [] if problem else [text]
            speech.problems += [f"naming of {naming.table}, {text!r}: {problem}"] if problem else []
        attempts = _person_attempts(attempts, view) if naming.table == party else attempts
        if attempts:
            speech.refers[naming.table] = Refer(table=naming.table, attempts=tuple(dict.fromkeys(attempts)))
        elif naming.naming:
            speech.problems.append(f"naming of {naming.table}: none of the texts can be used")


def _person_attempts(attempts: Sequence[str], view: View) -> list[str]:
    """A person is named by the name, and told from a namesake by words in brackets."""
    return ["{name}", *(text for text in attempts if text.startswith("{name} (") and text.endswith(")"))] if "name" in view.names else []


def _attempt_problem(text: str, view: View, finder: Finder, spec: EnvironmentSpec, party: str) -> str:
    slots = [slot for slot in slots_of(text) if slot.split(".")[0] != "owner"]
    if len(slots) < len(slots_of(text)) and finder.owner is None:
        return "{owner} is used, but the rows belong to nobody"
    if not slots:
        return "it needs a slot that tells one row from another"
    columns = {out: name for name, out in view.shows.items()}
    for slot in slots:
        name, _, form = slot.partition("|")
        if name not in view.names:
            return f"{{{slot}}}: {view.tool} does not show {name}; it shows {', '.join(sorted(view.names))}"
        column = column_at(spec, columns.get(name, ""))
        if name == view.key or (column is not None and (column.primary_key or column.references)):
            return f"{{{slot}}}: people do not know ids"
        if form and (form not in _FORMS or column is None or column.format not in _FORMS[form]):
            return f"{{{slot}}}: the format {form} does not go with this column"
        if not form and column is not None and column.format in ("date", "date-time", "money"):
            return f"{{{slot}}}: needs a format: {'money' if column.format == 'money' else 'day, date or hour'}"
    return text_problem(_SLOT.sub("one", text), set(), person=False)


def add_acts(speech: Speech, spec: EnvironmentSpec, acts: Sequence[WireAct], party: str, writers: Sequence[str]) -> None:
    """Take the ways to ask for each write tool; a tool whose rows cannot be named or whose texts do not fit is no goal."""
    given = {act.tool: act for act in acts}
    for name in writers:
        tool, wire = spec.tool(name), given.get(name)
        if wire is None:
            speech.problems.append(f"acts: no texts for {name}")
            continue
        unnamed = sorted(table for table in set(_required_keys(spec, tool).values()) if not speech.nameable(table))
        if unnamed:
            speech.problems.append(f"acts: {name} needs a row of {', '.join(unnamed)}, which no text names")
            continue
        _add_act(speech, spec, tool, wire, party)


def _required_keys(spec: EnvironmentSpec, tool: Tool) -> dict[str, str]:
    return {name: table for name, table in key_parameters(spec, tool).items() if name in tool.parameters["required"]}


def _add_act(speech: Speech, spec: EnvironmentSpec, tool: Tool, wire: WireAct, party: str) -> None:
    path = party_path(spec, tool, party)
    texts: dict[str, list[str]] = {"ask": [], "need": []}
    for kind, given in (("ask", wire.ask), ("need", wire.need)):
        for text in given:
            problem = frame_problem(text, spec, tool, path, speech)
            texts[kind] += [] if problem else [text.strip().rstrip(".")]
            speech.problems += [f"acts, {kind} of {tool.name}, {text!r}: {problem}"] if problem else []
    why = tuple(text for text in wire.why if not text_problem(text, set(), person=path is not None))
    if len(texts["ask"]) < LEAST_TEXTS:
        speech.problems.append(f"acts: {tool.name} needs at least {LEAST_TEXTS} usable texts in ask")
        return
    focus = next((name for name in key_parameters(spec, tool) if name != path), None)
    speech.acts[tool.name] = Act(tool=tool.name, staff=wire.staff_only, party=path, focus=focus, why=why)
    speech.frames.append(Frames(tool=tool.name, ask=tuple(texts["ask"]), need=tuple(texts["need"])))


def frame_problem(text: str, spec: EnvironmentSpec, tool: Tool, path: str | None, speech: Speech) -> str:
    """Return why a text cannot ask for a call of `tool`, or ""."""
    properties = tool.parameters["properties"]
    problem = text_problem(text, set(properties), person=path is not None)
    if problem:
        return problem
    named = set(slots_of(text))
    missing = [name for name in tool.parameters["required"] if name not in named and name != path]
    if missing:
        return f"does not say {', '.join('{' + name + '}' for name in missing)}"
    if path is not None and ">" not in path and path not in named and not named & _PARTY:
        return "does not say whom it concerns: use {party}, {party.obj} or {party.poss}"
    tables = {table for name, table in key_parameters(spec, tool).items() if name in named}
    unnamed = sorted(table for table in tables if not speech.nameable(table))
    return f"names a row of {unnamed[0]}, which no text names" if unnamed else ""


def add_alternatives(speech: Speech, spec: EnvironmentSpec, given: Sequence[WireAlternative]) -> None:
    """Take what people ask for when a guard refuses."""
    for wire in given:
        problem = _alternative_problem(speech, spec, wire)
        if problem:
            speech.problems.append(f"alternative to {wire.tool}, {wire.code}: {problem}")
            continue
        speech.alternatives.append(
            Alternative(
                tool=wire.tool, code=wire.code, holds=tuple(wire.holds), then=wire.then,
                args={item.name: item.source for item in wire.arguments} if wire.then else {}, ask=tuple(wire.ask) if wire.then else (),
            )
        )  # fmt: skip


def _alternative_problem(speech: Speech, spec: EnvironmentSpec, wire: WireAlternative) -> str:
    if wire.tool not in speech.acts:
        return "the tool is no goal"
    tool = spec.tool(wire.tool)
    if wire.code not in codes(tool) or not wire.holds:
        return f"the codes of {wire.tool} are {', '.join(codes(tool))}, and `holds` needs a text"
    person, allowed = speech.acts[wire.tool].party is not None, set(tool.parameters["properties"])
    if wire.then is not None:
        problem = _then_problem(speech, spec, wire, allowed)
        if problem:
            return problem
        allowed |= set(spec.tool(wire.then).parameters["properties"])
    texts = (text_problem(text, allowed, person=person) for text in (*wire.holds, *(wire.ask if wire.then else ())))
    return next(filter(None, texts), "")


def _then_problem(speech: Speech, spec: EnvironmentSpec, wire: WireAlternative, known: set[str]) -> str:
    if wire.then not in {tool.name for tool in spec.tools} or wire.then is None:
        return f"there is no tool {wire.then}"
    parameters = spec.tool(wire.then).parameters
    sources = {item.name: item.source for item in wire.arguments}
    missing = [name for name in parameters["required"] if name not in sources]
    unknown = [name for name in sources if name not in parameters["properties"]]
    wrong = [source for source in sources.values() if source != "draw" and not source.startswith("=") and source not in known]
    keys, others = key_parameters(spec, spec.tool(wire.tool)), key_parameters(spec, spec.tool(wire.then))
    for name, source in sources.items():
        if others.get(name, keys.get(source)) != keys.get(source, others.get(name)):
            return f"{wire.then} takes a row of {others[name]} as {name}, and {source} names one of {keys[source]}"
    if missing or unknown or wrong or not wire.ask:
        return f"`ask` needs a text, and the arguments of {wire.then} come from parameters of {wire.tool}, \"draw\" or ='text'"
    return ""


def add_situations(speech: Speech, given: Sequence[WireSituation]) -> None:
    """Take motives that explain several goals of one person."""
    for number, wire in enumerate(given):
        goals = tuple(goal for goal in dict.fromkeys(wire.goals) if goal in speech.acts and speech.acts[goal].party)
        motive = tuple(text.strip().rstrip(".") for text in wire.motive if not text_problem(text, set(), person=True))
        if len(goals) > 1 and motive:
            speech.situations.append(Situation(key=f"situation_{number + 1}", goals=goals, motive=motive))


def unused(speech: Speech, writers: Sequence[str]) -> Iterator[str]:
    """Yield the write tools that no task can ask for."""
    yield from (name for name in writers if name not in speech.acts)


def nouns_for(speech: Speech, spec: EnvironmentSpec, party: str) -> Mapping[str, Noun]:
    """Return a noun for every table: the given one, else the table's own name."""
    plain = {table.name: table.name.replace("_", " ") for table in spec.tables}
    return {name: speech.nouns.get(name) or Noun(one=word, many=word, person=name == party) for name, word in plain.items()}
