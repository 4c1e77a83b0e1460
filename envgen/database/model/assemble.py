"""From checked parts to a `Proposal`: the specification, its language, and how its rows come about."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from envgen.core.names import slug
from envgen.database.analysis import ToolAnalysis, analyse_tools, schema_connection
from envgen.database.documents import Documents
from envgen.database.draw import with_samples
from envgen.database.language import Language, Proposal
from envgen.database.model.examples import with_examples
from envgen.database.model.questions import add_choices, add_questions
from envgen.database.model.rows import Ground, history_of
from envgen.database.model.speech import (
    Speech,
    add_acts,
    add_alternatives,
    add_naming,
    add_situations,
    nouns_for,
)
from envgen.database.model.views import finders_of, views_of
from envgen.database.model.wire import Brief, WireActs, WireContent, WireWords
from envgen.database.spec import EnvironmentSpec, Example, Rule, Table, Tool

MOST_TEXTS, LONGEST_TEXT = 200, 120
# Texts in rows that speak to the agent instead of being about the business.
_SPEAKS = re.compile(
    r"ignore (all|any|the|your|previous|prior|above)|disregard|system prompt|you are (an?|now)\b|as an? (ai|assistant|language model)"
    r"|\b(call|use|invoke) (the )?(tool|function|submit)\b|new instructions?|</?\w+>|\bapi[_ ]?key\b",
    re.IGNORECASE,
)


@dataclass
class Parts:
    """What the stages have brought so far; lists shrink as parts are dropped. kinds: "table.column" -> its kind.

    fill_too: tables that are filled though tools add rows to them. malformed: tool -> (its reply, what is wrong).
    documents: what the tools have to keep to.
    """

    name: str
    brief: Brief
    tables: tuple[Table, ...]
    kinds: Mapping[str, str]
    tools: list[Tool] = field(default_factory=list)
    rules: list[Rule] = field(default_factory=list)
    examples: dict[str, list[Example]] = field(default_factory=dict)
    content: WireContent | None = None
    words: WireWords | None = None
    acts: WireActs | None = None
    fill_too: set[str] = field(default_factory=set)
    problems: list[str] = field(default_factory=list)
    malformed: dict[str, tuple[str, str]] = field(default_factory=dict)
    documents: Documents | None = None

    def spec(self) -> EnvironmentSpec:
        """Return the specification of the parts, examples included."""
        brief = self.brief
        title = " ".join(brief.title.split())[:80]
        bare = EnvironmentSpec(
            name=self.name or slug(title), title=title, domain=title, now=brief.now, currency=brief.currency,
            role=" ".join(brief.agent_role.split()), tables=self.tables, tools=tuple(self.tools), rules=tuple(self.rules),
        )  # fmt: skip
        return with_examples(bare, self.examples)

    def proposal(self) -> Proposal:
        """Return the proposal; `problems` are set to what had to be left out of the texts, in words."""
        spec = self.spec()
        analyses = analyse_tools(spec, schema_connection(spec))
        pools = usable_pools(self.content)
        speech = self.speech(spec, analyses)
        self.problems = speech.problems
        ground = Ground(spec, analyses, self.kinds, self.content, pools, frozenset(self.fill_too))
        fillings = ground.fillings(tuple(self.fill_too))
        language = Language(
            nouns=dict(nouns_for(speech, spec, self.brief.people_table)), party=self.brief.people_table,
            finders=tuple(speech.finders.values()), refers=tuple(speech.refers.values()), acts=tuple(speech.acts.values()),
            frames=tuple(speech.frames), queries=tuple(speech.queries), choices=tuple(speech.choices),
            alternatives=tuple(speech.alternatives), situations=tuple(speech.situations), pools=pools,
            chat=tuple(self.acts.chat) if self.acts else (), fillings=fillings, history=history_of(spec, analyses, self.content),
        )  # fmt: skip
        return Proposal(spec=with_samples(spec, pools), language=language, notes=tuple(self.problems))

    def speech(self, spec: EnvironmentSpec, analyses: Mapping[str, ToolAnalysis]) -> Speech:
        """Return the texts that fit the tools as they are now."""
        party, views = self.brief.people_table, views_of(spec, analyses)
        speech = Speech(finders_of(spec, views, party))
        words, acts = self.words or WireWords(tables=[]), self.acts or WireActs(acts=[])
        add_naming(speech, spec, views, words.tables, party)
        writers = [tool.name for tool in spec.tools if not analyses[tool.name].read_only]
        if self.acts is not None:
            add_acts(speech, spec, acts.acts, party, writers)
            known = {tool.name for tool in spec.tools}
            add_alternatives(speech, spec, [item for item in acts.alternatives if item.tool in known])
            add_situations(speech, acts.situations)
            add_choices(speech, spec, views, [item for item in words.choices if item.tool in known])
        add_questions(speech, spec, views, words.questions, party)
        return speech


def usable_pools(content: WireContent | None) -> dict[str, tuple[str, ...]]:
    """Return the pools of a reply, each text once, without those that are empty, too long, or speak to the agent."""
    if content is None:
        return {}
    found = {pool.name: tuple(dict.fromkeys(text for raw in pool.texts if (text := _usable(raw)))) for pool in content.pools}
    return {name: texts[:MOST_TEXTS] for name, texts in found.items() if texts}


def _usable(text: str) -> str:
    text = " ".join(text.split())
    return "" if len(text) > LONGEST_TEXT or speaks_to_agent(text) or "{" in text or "}" in text else text


def speaks_to_agent(text: str) -> bool:
    """True for a text that gives an agent instructions, which no row of a business does."""
    return _SPEAKS.search(text) is not None


def pools_of_parameters(tools: Sequence[Tool]) -> dict[str, str]:
    """Return pool -> "tool.parameter" for the pools that parameters draw from."""
    found: dict[str, str] = {}
    for tool in tools:
        for name, child in tool.parameters["properties"].items():
            pool = child.get("x-domain", {}).get("text")
            if pool:
                found.setdefault(pool, f"{tool.name}.{name}")
    return found
