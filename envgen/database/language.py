"""What a proposer says about language and rows: how things are called, asked for, found and filled.

The planner and the world builder read this; it never enters a bundle. All texts are already in the domain's words: the
grammar has rendered its patterns, so names here are final table, column, parameter and tool names.

Slots in frames, conditions and phrasings are written `{name}`:
    {param}              a mention of the row or value that the tool's parameter holds ("the grey Corolla", "€16", "Friday")
    {party}              the person concerned, by name or pronoun by the coreference rule
    {party.subj} {party.obj} {party.poss}   he/him/his, I/me/my, or the name
    {want} {be} {have} {do} {go} {verb:needs/need}   verbs that agree with the last {party.subj}
Slots in `Refer.attempts` are result columns of the finder, with an optional format: {starts_at|day} {starts_at|hour}
    {amount_cents|money} {title|quote} {colour}; and {owner} {owner.poss} for the row's owner.
    Conditions (`where`, `fits`): a scalar means equal, a list means one of, {"<"|"<="|">"|">="|"!=": value} compares; "now" as a value is
    the clock. In `Query.ask`, `{row}` is the mention of the row asked about (`{party}` when it is a person); the SQL binds it as `:id`, and
    slots by their names. In the arguments of finders and choices "today" is the clock's day.
    `day` brings its preposition ("on Friday", "tomorrow", "on 14 June"), `date` does not ("Friday", "14 June"), `hour` is "at 10" or
    "at 14:30". An attempt brings its article ("the {name} {starts_at|day}"); {owner.poss} stands in its place ("{owner.poss} place in …").
"""

from typing import Literal

from pydantic import Field

from envgen.core.types import JsonObject
from envgen.database.spec import EnvironmentSpec, SpecRecord


class Noun(SpecRecord):
    """The words for one row of a table: "loan", "loans", "a". `person` when rows are people with names and pronouns."""

    one: str
    many: str
    article: str = "a"
    person: bool = False


class Finder(SpecRecord):
    """The read tool that shows rows of `table` to an agent.

    `args` says what to pass: parameter -> "owner" (the key of the owning row, which must be found first),
    "field:<column>" (a value the instruction's words give), "value:<literal>" or "none" (leave out).
    `owner` is the foreign-key column of `table` that names the owning row. `rows` is the path of the list in the result
    ("" when the result is the list). `key` maps the table's key columns to result columns.
    """

    table: str
    tool: str
    args: dict[str, str] = Field(default_factory=dict)
    owner: str | None = None
    rows: str = ""
    key: dict[str, str] = Field(default_factory=lambda: {"id": "id"})


class Refer(SpecRecord):
    """How people name a row of `table`: attempts from the shortest to the longest; the first unique one is used."""

    table: str
    attempts: tuple[str, ...]
    pronoun: str = "it"


class Frames(SpecRecord):
    """Ways to ask for one tool call. Every text contains the act.

    ask: an imperative verb phrase ("book {party.obj} into {class_id}"), goes after "please", "could you", "if …,".
    need: a whole clause ("{party.subj} {want} to join {class_id}"). gerund: "booking {party.obj} into {class_id}".
    fits: per text, a condition on the arguments, e.g. {"quantity": 1}; texts without one always fit.
    """

    tool: str
    ask: tuple[str, ...]
    need: tuple[str, ...] = ()
    weight: float = 1.0
    fits: dict[str, JsonObject] = Field(default_factory=dict)


class Query(SpecRecord):
    """A question whose answer is computed twice: by `sql` over the world and by reading tools as an agent would.

    kind lookup: one value, at `column` of the row of `table` that the mention names, read with the finder or with `read`
    (a tool and its arguments in the language of `Fix.args`, path `path` in the result).
    kind aggregate/quiz: `list` names a paged list tool and its fixed arguments; `where` filters its rows by result columns
    (values may be "{slot}" of `slots`); `op` is count, sum, max or min over `column`. Aggregates span more than one page.
    `slots` maps slot names to "table.column" (drawn from the rows) or to a list of literals.
    """

    key: str
    kind: Literal["lookup", "aggregate", "quiz"]
    ask: tuple[str, ...]
    table: str
    column: str | None = None
    read: JsonObject | None = None
    list: JsonObject | None = None
    where: JsonObject = Field(default_factory=dict)
    op: Literal["count", "sum", "max", "min"] | None = None
    slots: dict[str, str | tuple[str, ...]] = Field(default_factory=dict)
    answer: Literal["integer", "text", "date"] = "integer"
    sql: str


class Choice(SpecRecord):
    """A superlative that picks the row for a parameter of a tool: "the first class that still has room".

    The candidates are the rows of `tool` called with `args` (as `Finder.args`), filtered by `where`; the best by
    `order` ({"by": column, "direction": "min"|"max"}) must be strict.
    """

    key: str
    goal: str
    param: str
    phrase: tuple[str, ...]
    tool: str
    args: dict[str, str] = Field(default_factory=dict)
    rows: str = ""
    key_column: str = "id"
    where: JsonObject = Field(default_factory=dict)
    order: JsonObject


class Alternative(SpecRecord):
    """What a sensible person asks for when a guard refuses: guard `code` of `tool` -> `then` (a tool) or None (leave it).

    `holds` says in words that the guard lets the call pass ("there is still room in {class_id}"); `args` maps the other
    tool's parameters to the first one's ("class_id": "class_id") or to a domain draw ("note": "draw").
    `ask` is how the alternative is asked for, with the thing as a pronoun ("put {party.obj} on the waiting list for it").
    """

    tool: str
    code: str
    holds: tuple[str, ...]
    then: str | None = None
    args: dict[str, str] = Field(default_factory=dict)
    ask: tuple[str, ...] = ()


class Situation(SpecRecord):
    """One motive that explains several goals of one person: "{party.subj} {be} away longer than {party.subj} thought"."""

    key: str
    goals: tuple[str, ...]
    motive: tuple[str, ...]


class Act(SpecRecord):
    """A tool that can be a goal. `party` says where the person concerned comes from: a parameter of the tool
    ("member_id") or a reference through one ("loan_id>loans.member_id"); None when no person is concerned.
    `focus` is the parameter that the pronoun "it" stands for afterwards. `why` are motives for this act alone.
    `staff` acts are asked for by colleagues only, never by the person concerned."""

    tool: str
    staff: bool = False
    party: str | None = None
    focus: str | None = None
    weight: float = 1.0
    why: tuple[str, ...] = ()


class Filling(SpecRecord):
    """Base rows of one table, made before history: `rows` per size, and a generator per column.

    Generators: "serial" · "person" (full name) · "email" · "phone" · "pick:<pool>" · "unique:<pool>" · "int:1,9" · "money:500,9000,500"
    (min, max, step; cents) · "date:-400,-30" (days from now) · "moment:-3,20,9,17" (days from now, opening hours) · "flag:0.1" ·
    "ref:<table>" · "each:<table>" (one row per row of it) · "const:<value>" · "code:BK-{:04d}" · "copy:<column>" · "null:0.7:<generator>" ·
    "row:<pool>,<i>" (part i of one "a|b|c" entry of the pool; all "row:" columns of a row share one entry, entries are used once each in
    shuffled order and then again). A person's e-mail follows the name of the same row.
    `lenient`: a row that breaks a constraint or a guard rule is drawn again, and left out when no draw will do; else it is an error.
    """

    table: str
    rows: dict[str, int]
    columns: dict[str, str]
    lenient: bool = False


class History(SpecRecord):
    """Past calls of one tool, made through the compiled tool itself at earlier clocks.

    `n` per size; `ago` are ages in days, drawn from; thresholds' ages ±1 day belong in it. `args` overrides the domain draw of
    a parameter with a generator.
    """

    tool: str
    n: dict[str, int]
    ago: tuple[int, ...]
    args: dict[str, str] = Field(default_factory=dict)


class Plant(SpecRecord):
    """Rows put in after history so that a guard, tool or rule has a witness: statements with `:now` and `:pick` binds.

    `pick` is a query; its rows are shuffled by seed and the first `n` each run `sql` with their columns as binds.
    """

    name: str
    pick: str
    n: dict[str, int]
    sql: tuple[str, ...]


class Language(SpecRecord):
    """The words, finders and fillings of one environment."""

    nouns: dict[str, Noun]
    party: str
    finders: tuple[Finder, ...]
    refers: tuple[Refer, ...]
    acts: tuple[Act, ...]
    frames: tuple[Frames, ...]
    queries: tuple[Query, ...] = ()
    choices: tuple[Choice, ...] = ()
    alternatives: tuple[Alternative, ...] = ()
    situations: tuple[Situation, ...] = ()
    pools: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    plurals: dict[str, str] = Field(default_factory=dict)
    chat: tuple[str, ...] = ()
    fillings: tuple[Filling, ...] = ()
    history: tuple[History, ...] = ()
    plants: tuple[Plant, ...] = ()


class Proposal(SpecRecord):
    """What a proposer hands over: the specification and its language. `notes` are for the user (what was guessed)."""

    spec: EnvironmentSpec
    language: Language
    features: JsonObject = Field(default_factory=dict)
    notes: tuple[str, ...] = ()
