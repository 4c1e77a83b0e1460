"""What a model is asked to reply with, stage by stage: flat JSON that endpoints with structured output can enforce.

Open-ended maps become lists of {name, value}, since strict structured output has no maps. Two small languages keep replies short:

    takes    what a parameter takes, and how a column is filled:
             "patients.id" (a value of that column) · "one of a|b|c" · "integer 1..20" · "integer 0..900 step 50" ·
             "money 100..9000 step 50" (cents) · "flag" · "date -3..30" · "moment -3..30" (days from now) · "text POOL" (one of its texts)
             and for columns only: "parts POOL 0" (part 0 of an entry "a|b|c"; all parts of a row come from one entry) ·
             "always VALUE" · "mostly VALUE" (nine rows in ten; other values of the column else) · "empty" (NULL)
    values   "now", "today", "now+24 hours", "today-20 days", "now-1 day+1 minute" stand for moments and days in examples
"""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

Scalar = str | int | None
ColumnKind = Literal[
    "id", "ref", "person", "name", "email", "phone", "text", "code", "state", "date", "moment", "money", "count", "minutes", "flag"
]


class Wire(BaseModel):
    """Base of replies: unknown fields are dropped, plain scalars are read leniently."""

    model_config = ConfigDict(extra="ignore", coerce_numbers_to_str=True)


class Entity(Wire):
    """A kind of thing that the business keeps. `states` is its life-cycle, in order, empty when it has none."""

    table: str
    one: str
    many: str
    about: str
    states: list[str] = []


class BusinessRule(Wire):
    """A rule in words. `system` rules are enforced by the tools, `agent` rules are policy that the agent has to keep."""

    id: str
    kept_by: Literal["system", "agent"]
    text: str


class Brief(Wire):
    """The business: whose requests come in, what is kept, what happens, and what goes wrong."""

    title: str
    agent_role: str
    people_table: str
    now: str
    currency: str = "€"
    entities: list[Entity]
    workflows: list[str]
    rules: list[BusinessRule]
    troubles: list[str] = []


class WireColumn(Wire):
    """A column. `references` is a table name for kind `ref`; `values` are the states of kind `state`."""

    name: str
    kind: ColumnKind
    references: str | None = None
    values: list[str] | None = None
    nullable: bool = False
    unique: bool = False
    about: str = ""


class WireTable(Wire):
    """A table. `checks` are SQL expressions over its own columns; `unique` lists groups of columns."""

    name: str
    about: str = ""
    columns: list[WireColumn]
    unique: list[list[str]] = []
    checks: list[str] = []


class WireSchema(Wire):
    """Reply of the stage `schema`."""

    tables: list[WireTable]


class WireParameter(Wire):
    """A parameter: `takes` is in the small language of this module."""

    name: str
    takes: str
    required: bool = True
    default: Scalar = None
    about: str = ""


class RequireStep(Wire):
    """No row refuses the call."""

    require: str
    code: str
    message: str


class ForbidStep(Wire):
    """A row refuses the call; its columns fill the message."""

    forbid: str
    code: str
    message: str


class BindStep(Wire):
    """The columns of one row become names."""

    bind: str


class NewIdStep(Wire):
    """`new_id` names the engine's next id for `table`."""

    new_id: str
    table: str


class RunStep(Wire):
    """A write. `rows`: how many rows must change, as "1", "0..1" or the name of a bound value."""

    run: str
    rows: str = "1"


class Part(Wire):
    """A part of a result: `shape` says whether `sql` gives one row, many rows or one value."""

    name: str
    shape: Literal["one", "many", "value"]
    sql: str


class ReturnStep(Wire):
    """The result: one part without a name (""), or several named parts."""

    returns: list[Part]


WireStep = RequireStep | ForbidStep | BindStep | NewIdStep | RunStep | ReturnStep


class WireTool(Wire):
    """A tool. A `paged` one gets the parameters :limit and :offset, and its SQL uses them."""

    name: str
    about: str
    parameters: list[WireParameter]
    paged: bool = False
    steps: list[WireStep]


class DisputedExample(Wire):
    """An example that the author of a tool holds to be wrong."""

    tool: str
    given: str
    why: str


class WireTools(Wire):
    """Reply of the stages `tools` and `repair_tools`."""

    tools: list[WireTool]
    disputed: list[DisputedExample] = []


class Value(Wire):
    """A named scalar."""

    name: str
    value: Scalar


class Source(Wire):
    """An argument of another call: `source` is a parameter, "loan_id>loans.member_id", "='text'", or "draw"."""

    name: str
    source: str


class GuardRule(Wire):
    """Something that never happens: `violation` is SQL that returns the rows that would break it."""

    id: str
    policy: str
    violation: str


class Procedure(Wire):
    """Policy: whoever calls `tool` also calls `call`, before or after."""

    id: str
    policy: str
    tool: str
    call: str
    arguments: list[Source]
    when: Literal["before", "after"] = "before"


class Look(Wire):
    """A read call that shows a fact."""

    call: str
    arguments: list[Source]


class Prohibition(Wire):
    """Policy: `tool` must not be called when `breach`, SQL with the tool's parameters as binds, returns a row."""

    id: str
    policy: str
    tool: str
    breach: str
    shown_by: list[Look] = []


class WireRules(Wire):
    """Reply of the stage `rules`."""

    guards: list[GuardRule] = []
    procedures: list[Procedure] = []
    prohibitions: list[Prohibition] = []


class SampleRow(Wire):
    """Row number `row` (1, 2, 3 …) of a table in an example, its id is 900000 + row; what is not `set` is as in the sample row."""

    table: str
    row: int = 1
    set: list[Value] = []


class WireExample(Wire):
    """A call in a situation. `error` is the code expected, null for success; `result` are fields of the result ("loan.fee_cents")."""

    tool: str
    given: str
    rows: list[SampleRow]
    arguments: list[Value]
    error: str | None = None
    result: list[Value] = []


class WireExamples(Wire):
    """Reply of the stage `examples`."""

    examples: list[WireExample]


class WirePool(Wire):
    """Texts that rows and requests are drawn from."""

    name: str
    texts: list[str]


class Fill(Wire):
    """How a column is filled in the rows that are there before anything has happened."""

    column: str
    takes: str


class TableRows(Wire):
    """How many rows a table has in a world of medium size, and how its columns are filled."""

    table: str
    rows: int
    columns: list[Fill] = []


class WireContent(Wire):
    """Reply of the stage `content`."""

    pools: list[WirePool]
    tables: list[TableRows]


class Naming(Wire):
    """The words for a table's rows; `naming` are ways to name one row, from the shortest to the longest."""

    table: str
    one: str
    many: str
    naming: list[str] = []


class Condition(Wire):
    """`column` equals `value`, or compares with it. A value "{slot}" is drawn from the column."""

    column: str
    test: Literal["=", "<", "<=", ">", ">=", "!="] = "="
    value: Scalar


class Question(Wire):
    """A question about the rows of a table."""

    key: str
    kind: Literal["lookup", "count", "sum", "max", "min"]
    table: str
    column: str | None = None
    where: list[Condition] = []
    ask: list[str]


class WireChoice(Wire):
    """A superlative that picks the row for parameter `param` of `tool`."""

    key: str
    tool: str
    param: str
    where: list[Condition] = []
    by: str
    best: Literal["min", "max"]
    phrases: list[str]


class WireWords(Wire):
    """Reply of the stage `words`."""

    tables: list[Naming]
    questions: list[Question] = []
    choices: list[WireChoice] = []


class WireAct(Wire):
    """Ways to ask for one call of a write tool."""

    tool: str
    staff_only: bool = False
    ask: list[str]
    need: list[str] = []
    why: list[str] = []


class WireAlternative(Wire):
    """What a sensible person asks for when guard `code` refuses `tool`: `then` another tool, or null to leave it."""

    tool: str
    code: str
    holds: list[str]
    then: str | None = None
    arguments: list[Source] = []
    ask: list[str] = []


class WireSituation(Wire):
    """One motive that explains several goals."""

    goals: list[str]
    motive: list[str]


class WireActs(Wire):
    """Reply of the stage `acts`."""

    acts: list[WireAct]
    alternatives: list[WireAlternative] = []
    situations: list[WireSituation] = []
    chat: list[str] = Field(default_factory=list)
