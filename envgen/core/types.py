"""The records that bundles hold. Frozen pydantic models; `schemas/` is written from them."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Json = Any
JsonObject = dict[str, Any]
Family = Literal["database", "fused", "broken"]
# The kinds of the family `database`, and `compose` of the family `fused`.
GoalKind = Literal["do", "lookup", "aggregate", "choose", "conditional", "refuse", "quiz", "compose"]
GOAL_KINDS: tuple[str, ...] = ("do", "lookup", "aggregate", "choose", "conditional", "refuse", "quiz")
OUTCOMES = ("done", "partial", "refused")
FORMAT = 1


class Record(BaseModel):
    """Base of every stored record: immutable, and an unknown field is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


class Message(Record):
    """A chat message as a model gets it."""

    role: Literal["system", "user", "assistant", "tool"]
    content: str


class RowPatch(Record):
    """One row changed before an episode starts. `row` holds the columns set (all of them for an insert)."""

    op: Literal["insert", "update", "delete"]
    table: str
    key: JsonObject = Field(default_factory=dict)
    row: JsonObject = Field(default_factory=dict)


class Start(Record):
    """What a task adds to the world before its episode starts."""

    now: str
    actor: str = "agent"
    patch: tuple[RowPatch, ...] = ()


class Difficulty(Record):
    """Measured on the executed gold, not declared."""

    calls: int
    writes: int
    lookup_depth: int
    distractors: int
    tools: int
    rules: int
    level: Literal["easy", "medium", "hard"]


class Task(Record):
    """What an agent may be shown of one task. Gold and evidence lie in files of their own."""

    id: str
    split: str
    template: str
    kinds: tuple[GoalKind, ...]
    instruction: str
    start: Start
    difficulty: Difficulty | None = None
    twin: str | None = None
    limits: JsonObject = Field(default_factory=dict)


class GoldCall(Record):
    """One call of the reference solution.

    `origin` says, per argument path, where the value comes from, so that gate T11 can check it:
    `{"from": "instruction", "text": ...}`, `{"from": "result", "step": i, "path": ...}`,
    `{"from": "operation", "op": ..., ...}`, `{"from": "policy"|"schema", ...}`.
    """

    tool: str
    arguments: JsonObject
    goal: int = 0
    write: bool = False
    origin: dict[str, JsonObject] = Field(default_factory=dict)


class Mention(Record):
    """How the instruction names one row, and how an agent finds it: the call's rows that match `fields` are one.

    `step` is the gold call whose result shows the row; `rows` is the path to the list in that result.
    `fields` are the result columns that the words stand for: exact values (texts compare case-folded), but "column|day" holds
    only the day (YYYY-MM-DD) and "column|hour" only the time (HH:MM) of a moment. `order` instead of a unique match names a
    strict optimum: {"by": column, "direction": "min"|"max"} over the rows that match `fields`.
    """

    text: str
    table: str
    key: JsonObject
    step: int
    rows: str = ""
    fields: JsonObject = Field(default_factory=dict)
    order: JsonObject | None = None


class InsertExpectation(Record):
    """A row that must appear. Values are scalars or markers: {"$id": token}, {"$clock": true}, {"$text": true}."""

    table: str
    row: JsonObject


class UpdateExpectation(Record):
    """A row that must change: `set` holds every changed column with its final value or marker."""

    table: str
    key: JsonObject
    set: JsonObject


class DeleteExpectation(Record):
    """A row that must be gone."""

    table: str
    key: JsonObject


class Expectation(Record):
    """The whole change set between start and end. Anything else that differs is a failure (the frame)."""

    insert: tuple[InsertExpectation, ...] = ()
    update: tuple[UpdateExpectation, ...] = ()
    delete: tuple[DeleteExpectation, ...] = ()

    def empty(self) -> bool:
        """True when nothing may change."""
        return not (self.insert or self.update or self.delete)


class Answer(Record):
    """A typed answer.

    `integer`, `text` (compared case-folded, trimmed, NFC), `date`, `boolean`, `texts` (a set), `json` (its type is in `answer_origin`).
    """

    type: Literal["integer", "text", "date", "boolean", "texts", "json"]
    value: Json


class Goal(Record):
    """One thing asked for. `template` groups tasks for splits and for the modal-answer test."""

    kind: GoalKind
    template: str
    tool: str | None = None
    rule: str | None = None
    code: str | None = None


class Gold(Record):
    """The reference solution of one task and what it must leave behind."""

    task: str
    goals: tuple[Goal, ...]
    calls: tuple[GoldCall, ...]
    mentions: tuple[Mention, ...] = ()
    expect: Expectation
    answer: Answer | None = None
    answer_origin: JsonObject = Field(default_factory=dict)
    outcome: Literal["done", "partial", "refused"] = "done"
    reason: str | None = None
    rules: tuple[str, ...] = ()


class Evidence(Record):
    """What one gate saw. `subject` is a task id, or `environment`."""

    subject: str
    gate: str
    status: Literal["pass", "fail", "not_applicable"]
    reason: str = ""
    seen: JsonObject = Field(default_factory=dict)


class Manifest(Record):
    """`bundle.json`: what a bundle is and where it comes from.

    `digest` covers the manifest (less `digest`, `parts` and `cost`) and `parts`, the digest of each file's content;
    so `provenance` holds only what another run of the same command repeats, and `cost` what it does not (seconds).
    """

    format: int = FORMAT
    name: str
    family: Family
    version: str = "1"
    title: str = ""
    digest: str = ""
    parts: dict[str, str] = Field(default_factory=dict)
    counts: dict[str, int] = Field(default_factory=dict)
    splits: dict[str, int] = Field(default_factory=dict)
    provenance: JsonObject = Field(default_factory=dict)
    cost: JsonObject = Field(default_factory=dict)
    canary: str = ""
    licences: dict[str, str] = Field(default_factory=dict)
