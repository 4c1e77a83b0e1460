"""`EnvironmentSpec`: schema, tools and rules of a database environment, as data.

A tool is a JSON Schema for its arguments and a short list of guarded SQL steps. Proposers (grammar, model, reflection)
fill a spec; the analysis checks it; the compiler runs it. Steps:

    {"require": SQL, "else": [code, text]}   no row refuses the call
    {"forbid": SQL, "else": [code, text]}    a row refuses it; the row's columns fill the text
    {"bind": {"row": SQL}}                   one row names several values; no row binds NULLs
    {"new_id": {"loan_id": "loans.id"}}      the engine's next id for that column, formatted by its `x_id`
    {"run": SQL, "rows": n|[min,max]|name}   a write; another number of changed rows undoes the call (`conflict`)
    {"return": {"one"|"many"|"value"|"object": ...}}   `many` takes "max"
"""

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from envgen.core.numbers import integer_of
from envgen.core.types import JsonObject, Record

ColumnPolicy = Literal["exact", "generated", "clock", "text", "internal"]
ValueFormat = Literal["plain", "date", "date-time", "money", "flag", "minutes"]


class SpecRecord(Record):
    """Base of specification records."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


class Column(SpecRecord):
    """A column. `references` is "table.column". `format` adds the check that goes with it. `values` enumerates."""

    name: str
    type: str = "TEXT"
    not_null: bool = True
    primary_key: bool = False
    unique: bool = False
    references: str | None = None
    on_delete: Literal["CASCADE", "SET NULL", "RESTRICT"] | None = None
    check: str | None = None
    default: int | str | None = None
    values: tuple[str, ...] | None = None
    policy: ColumnPolicy = "exact"
    format: ValueFormat = "plain"
    x_id: str | None = None
    description: str = ""


class Table(SpecRecord):
    """A table. Generated tables are STRICT with a NOT NULL primary key (`primary_key` when it is composite)."""

    name: str
    columns: tuple[Column, ...]
    primary_key: tuple[str, ...] = ()
    unique: tuple[tuple[str, ...], ...] = ()
    checks: tuple[str, ...] = ()
    indexes: tuple[tuple[str, ...], ...] = ()
    without_rowid: bool = False
    strict: bool = True
    role: str = ""
    description: str = ""

    def key(self) -> tuple[str, ...]:
        """Names of the primary key's columns."""
        return self.primary_key or tuple(column.name for column in self.columns if column.primary_key)

    def column(self, name: str) -> Column:
        """Return the column called `name`; KeyError when there is none."""
        for column in self.columns:
            if column.name == name:
                return column
        raise KeyError(f"{self.name}.{name}")


class Require(SpecRecord):
    """Refuse the call unless the query has a row."""

    require: str
    otherwise: tuple[str, str] = Field(alias="else")


class Forbid(SpecRecord):
    """Refuse the call when the query has a row; its columns fill the message."""

    forbid: str
    otherwise: tuple[str, str] = Field(alias="else")


class BindQuery(SpecRecord):
    """The query of a bind step."""

    row: str


class Bind(SpecRecord):
    """Name the columns of one row for later steps."""

    bind: BindQuery


class NewId(SpecRecord):
    """Take the engine's next id for each named column."""

    new_id: dict[str, str]


class Run(SpecRecord):
    """Write. `rows` is how many rows must change."""

    run: str
    rows: int | tuple[int, int] | str = 1


class Shape(SpecRecord):
    """One result part: exactly one of `one`, `many`, `value`."""

    one: str | None = None
    many: str | None = None
    value: str | None = None
    max: int | None = None


class ReturnShape(Shape):
    """A result: a part, or an `object` of named parts."""

    object: dict[str, Shape] | None = None


class Return(SpecRecord):
    """What the call returns."""

    result: ReturnShape = Field(alias="return")


Step = Require | Forbid | Bind | NewId | Run | Return


class Example(SpecRecord):
    """A tested example: `given` says the situation in words, `args` the call, `expect` an error code or result fields.

    `setup` is a list of SQL statements that make the situation; they run on a copy of the start state. "@name" stands for the
    statement of that name in the specification's `samples`, which many examples share.
    """

    given: str
    args: JsonObject
    expect: JsonObject
    setup: tuple[str, ...] = ()
    now: str | None = None


class Tool(SpecRecord):
    """A tool. `key` is its stable name in patterns ("loan.lend"); agents see `name`. `parameters` is a JSON Schema.

    Each parameter has `x-column` ("table.column"), an `enum` or an `x-domain` to draw from.
    """

    name: str
    key: str = ""
    description: str
    parameters: JsonObject
    steps: tuple[Annotated[Step, Field(union_mode="left_to_right")], ...]
    intent: str = ""
    examples: tuple[Example, ...] = ()

    def returns(self) -> ReturnShape:
        """The shape of the last `return` step; ValueError when there is none."""
        for step in reversed(self.steps):
            if isinstance(step, Return):
                return step.result
        raise ValueError(f"tool {self.name} has no return step")


class Fix(SpecRecord):
    """How a rule is kept: call `tool` before (or after) the triggering call, its arguments copied from that call.

    `args` maps the fix tool's parameters to the trigger's parameters ("member_id"), to one of the trigger's columns
    through a reference ("loan_id>loans.member_id"), or to a literal ("='text'").
    """

    tool: str
    args: dict[str, str]
    when: Literal["before", "after"] = "before"


def literal_of(path: str) -> str | int:
    """Return the value of a literal argument: "='text'" gives the text between the marks, "=5" the number, "=word" the word."""
    text = path[1:]
    if len(text) > 1 and text.startswith("'") and text.endswith("'"):
        return text[1:-1]
    number = integer_of(text)
    return text if number is None else number


class Rule(SpecRecord):
    """A rule in words and in SQL that must return no row.

    kind `guard`: an invariant over `main.*` that tools enforce. kind `agent`: the policy says it and the agent must follow it;
    the SQL reads `before.*`, `main.*`, `trace.calls(step, tool, arguments, ok, code, result, now)`,
    `trace.writes(step, tbl, op, key, col, old, new)`, `trace.messages(step, role, content)`.
    An agent rule has a `tool` that triggers it and either a `fix` (procedure: do this as well) or none (prohibition: the
    request must be refused with the rule's id as reason). `breach` of a prohibition is SQL over `main.*` with the trigger's
    parameters as binds, that returns a row when the call would break it; `facts` are read calls that show why
    (same argument language as `Fix.args`).
    """

    id: str
    kind: Literal["guard", "agent"]
    policy: str
    sql: str
    tool: str | None = None
    fix: Fix | None = None
    breach: str | None = None
    facts: tuple[Fix, ...] = ()


class EnvironmentSpec(SpecRecord):
    """Everything that an environment is, except its rows."""

    name: str
    title: str
    domain: str
    actor: str = "agent"
    role: str = ""
    clock: Literal["frozen", "ticks"] = "frozen"
    now: str
    currency: str = "€"
    tables: tuple[Table, ...]
    ddl: tuple[str, ...] = ()
    tools: tuple[Tool, ...]
    rules: tuple[Rule, ...] = ()
    notes: tuple[str, ...] = ()
    samples: dict[str, str] = Field(default_factory=dict)

    def setup(self, example: Example) -> list[str]:
        """Return the SQL statements of an example's setup; KeyError for a name that is not among `samples`."""
        return [self.samples[text[1:]] if text.startswith("@") else text for text in example.setup]

    def table(self, name: str) -> Table:
        """Return the table called `name`; KeyError when there is none."""
        for table in self.tables:
            if table.name == name:
                return table
        raise KeyError(name)

    def tool(self, name: str) -> Tool:
        """Return the tool called `name`; KeyError when there is none."""
        for tool in self.tools:
            if tool.name == name:
                return tool
        raise KeyError(name)

    def sql(self) -> Iterator[tuple[str, str]]:
        """Yield (where, SQL) for every statement of tools and rules."""
        for tool in self.tools:
            for index, step in enumerate(tool.steps):
                for text in step_sql(step):
                    yield f"tool {tool.name}, step {index + 1}", text
        for rule in self.rules:
            yield f"rule {rule.id}", rule.sql


def step_sql(step: Step) -> list[str]:
    """Return the SQL statements of one step."""
    if isinstance(step, Require):
        return [step.require]
    if isinstance(step, Forbid):
        return [step.forbid]
    if isinstance(step, Bind):
        return [step.bind.row]
    if isinstance(step, Run):
        return [step.run]
    if isinstance(step, Return):
        parts = list((step.result.object or {"": step.result}).values())
        return [sql for part in parts for sql in (part.one, part.many, part.value) if sql]
    return []
