"""A plan under construction: the calls made so far on a scratch session, and where each of their arguments comes from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from envgen.core.errors import PlanError
from envgen.core.types import GoldCall, JsonObject, Mention, RowPatch, Start, Task
from envgen.database.language import Act, Finder, Frames, Language, Refer
from envgen.database.runtime import DatabaseEnvironment, DatabaseSession
from envgen.database.snapshot import quote
from envgen.database.spec import Fix, Rule, literal_of

Origin = JsonObject


@dataclass(frozen=True)
class Value:
    """An argument with the words that stand for it and where it comes from."""

    value: Any
    text: str
    origin: Origin


class Book:
    """The language of an environment, indexed. One per environment, shared by all its plans."""

    def __init__(self, environment: DatabaseEnvironment, language: Language) -> None:
        self.environment, self.language, self.spec = environment, language, environment.spec
        self.finders: dict[str, Finder] = {finder.table: finder for finder in language.finders}
        self.refers: dict[str, Refer] = {refer.table: refer for refer in language.refers}
        self.acts: dict[str, Act] = {act.tool: act for act in language.acts}
        self.frames: dict[str, list[Frames]] = {}
        for frames in language.frames:
            self.frames.setdefault(frames.tool, []).append(frames)
        self.rules: dict[str, list[Rule]] = {}
        for rule in self.spec.rules:
            if rule.kind == "agent" and rule.tool:
                self.rules.setdefault(rule.tool, []).append(rule)
        self.owners = {name: self._owner_column(name) for name in environment.infos}

    def _owner_column(self, table: str) -> str | None:
        """The column of `table` that names the person concerned: the finder's owner, else its one reference to the party."""
        finder = self.finders.get(table)
        references = self.environment.infos[table].references
        if finder and finder.owner and references.get(finder.owner, ("",))[0] == self.language.party:
            return finder.owner
        to_party = [column for column, (target, _) in references.items() if target == self.language.party]
        return to_party[0] if len(to_party) == 1 else None

    def parameters(self, tool: str) -> JsonObject:
        """The parameters of `tool` as compiled, limits included."""
        return self.environment.compiled[tool].arguments.schema


@dataclass
class Draft:
    """Calls made so far. `results[i]` is the data that `calls[i]` returned."""

    book: Book
    start: Start
    calls: list[GoldCall] = field(default_factory=list)
    results: list[Any] = field(default_factory=list)
    mentions: list[Mention] = field(default_factory=list)
    distractors: int = 0
    depth: int = 0
    goal: int = 0

    def __post_init__(self) -> None:
        task = Task(id="draft", split="", template="", kinds=("do",), instruction="", start=self.start)
        self.session: DatabaseSession = self.book.environment.start(task)
        self._first: DatabaseSession | None = None

    @classmethod
    def begin(cls, book: Book, patch: Sequence[RowPatch] = ()) -> "Draft":
        """Return an empty draft in the world of `book` with `patch` applied."""
        return cls(book, Start(now=book.spec.now, actor=book.spec.actor, patch=tuple(patch)))

    @property
    def at_start(self) -> DatabaseSession:
        """A session that stays at the start: what a reader of the request finds first."""
        if self._first is None:
            self._first = self.book.environment.start(self.session.task)
        return self._first

    def close(self) -> None:
        """Give the scratch sessions back."""
        self.session.close()
        if self._first is not None:
            self._first.close()

    def row(self, table: str, key: Any) -> dict[str, Any]:
        """Return the row of `table` with this (single-column) key; PlanError when there is none."""
        info = self.book.environment.infos[table]
        sql = f"SELECT * FROM main.{quote(table)} WHERE {quote(info.columns[info.key[0]])} = ?"
        row = self.session.connection.execute(sql, (key,)).fetchone()
        if row is None or len(info.key) != 1:
            raise PlanError("no_row", f"{table} {key}")
        return dict(zip(info.columns, row, strict=True))

    def follow(self, path: str, arguments: Mapping[str, Any]) -> Any:
        """Return what `path` stands for: "param", or "param>table.column" for a column of the row that the parameter names.

        A second ">column" follows on: "line_id>lines.order_id>orders.member_id".
        """
        name, *steps = path.split(">")
        value = arguments.get(name)
        for step in steps:
            table, _, column = step.partition(".")
            if value is None:
                return None
            value = self.row(table, value).get(column)
        return value

    def read(self, tool: str, arguments: JsonObject, origin: Mapping[str, Origin]) -> int:
        """Make a read call, or reuse the same one made earlier if it still shows the same; returns its step."""
        earlier = [step for step, call in enumerate(self.calls) if call.tool == tool and call.arguments == arguments]
        if earlier and self.session.probe(tool, arguments).value == self.results[earlier[-1]]:
            return earlier[-1]
        return self._call(tool, arguments, origin)

    def write(self, tool: str, arguments: JsonObject, origin: Mapping[str, Origin]) -> int:
        """Make a write call; returns its step."""
        return self._call(tool, arguments, origin)

    def _call(self, tool: str, arguments: JsonObject, origin: Mapping[str, Origin]) -> int:
        result = self.session.call(tool, arguments)
        if result.error is not None:
            raise PlanError("gold_refused", f"{tool}: {result.error.code}")
        writes = self.book.environment.compiled[tool].writes
        self.calls.append(GoldCall(tool=tool, arguments=arguments, goal=self.goal, write=writes, origin=dict(origin)))
        self.results.append(result.value)
        return len(self.calls) - 1

    def find_value(self, value: Any, names: Sequence[str]) -> Origin:
        """Return where an earlier result shows `value` under one of `names`; PlanError when none does."""
        for step in range(len(self.results) - 1, -1, -1):
            path = _search(self.results[step], value, names)
            if path is not None:
                return {"from": "result", "step": step, "path": path}
        raise PlanError("underivable", f"no earlier result shows {'/'.join(names)}")

    def do_fix(self, fix: Fix, arguments: JsonObject, origin: Mapping[str, Origin]) -> int:
        """Make the call that a rule asks for; its arguments come from the triggering call's, or from what was read."""
        values: JsonObject = {}
        sources: dict[str, Origin] = {}
        for name, path in fix.args.items():
            if path.startswith("="):
                values[name], sources[name] = literal_of(path), {"from": "policy"}
                continue
            value = self.follow(path, arguments)
            if value is None:
                raise PlanError("fix_without_value", f"{fix.tool}.{name}")
            values[name] = value
            sources[name] = origin[path] if path in origin else self.find_value(value, [name, path.rsplit(".", 1)[-1], "id"])
        if self.book.environment.compiled[fix.tool].writes:
            return self.write(fix.tool, values, sources)
        for step, call in enumerate(self.calls):
            # A look-up made already serves the rule too; a second one would make the rule's own look-up idle.
            if call.tool == fix.tool and values.items() <= call.arguments.items():
                return step
        return self.read(fix.tool, values, sources)

    def breached(self, tool: str, arguments: JsonObject) -> list[Rule]:
        """Return the prohibitions that calling `tool` with `arguments` now would break."""
        binds = dict.fromkeys(self.book.parameters(tool).get("properties", {}))
        binds |= {**arguments, "now": self.start.now, "actor": self.start.actor}
        connection = self.session.connection
        return [
            rule for rule in self.book.rules.get(tool, ()) if rule.breach and connection.execute(rule.breach, binds).fetchone() is not None
        ]


def _search(value: Any, wanted: Any, names: Sequence[str], path: str = "", name: str = "") -> str | None:
    """Path to the first leaf equal to `wanted` whose key is one of `names`."""
    if isinstance(value, dict):
        children = [(key, item) for key, item in value.items()]
    elif isinstance(value, list):
        children = [(str(index), item) for index, item in enumerate(value)]
    else:
        fits = value == wanted and type(value) is type(wanted) and name in names
        return path if fits else None
    for key, item in children:
        inner = key if isinstance(value, dict) else name
        found = _search(item, wanted, names, f"{path}.{key}" if path else key, inner)
        if found is not None:
            return found
    return None
