"""Base rows and history of a modelled world: their structure comes from the schema and from what the tools write.

A table that some tool adds rows to gets them from history, made by the world's own tools at earlier clocks; the others are filled. The
model says how many rows there are, what texts stand in them and between what bounds numbers lie; keys, links and states are ours.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from graphlib import TopologicalSorter

from sqlglot import exp

from envgen.core.clock import is_date, is_date_time
from envgen.core.numbers import integer_of
from envgen.database.analysis import ToolAnalysis
from envgen.database.language import Filling, History
from envgen.database.model.takes import Takes, parse_takes
from envgen.database.model.wire import WireContent
from envgen.database.spec import Column, EnvironmentSpec, Forbid, Require, Run, Table, Tool, step_sql
from envgen.database.sql import parse

SIZES = {"small": 0.45, "medium": 1.0, "large": 2.5}
ROWS, MADE_ROWS, MOST_ROWS, LEAST_ROWS = 30, 70, 400, 4
CREATED_AGO = (0, 1, 2, 3, 4, 5, 7, 9, 12, 15, 18, 22, 27, 33, 40, 52)
CHANGED_AGO = (0, 1, 2, 3, 5, 8, 12, 17)
CHANGED_SHARE, PASSED_SHARE = 0.18, 0.5
_DEFAULTS = {
    "money": "money:500,9000,50", "minutes": "int:10,90", "flag": "flag:0.2", "date": "date:-200,-1", "date-time": "moment:-12,18,8,18",
}  # fmt: skip
# As long as nobody has said what stands in a column, it may be a day to come as well: an expiry that is always over lets no call pass.
_ANY_DAY = "date:-200,200"


def wanted_rows(content: WireContent | None) -> dict[str, int]:
    """Return rows per table for a world of medium size, as the reply says, within bounds."""
    return {entry.table: max(LEAST_ROWS, min(entry.rows, MOST_ROWS)) for entry in content.tables} if content else {}


def made_by(spec: EnvironmentSpec, analyses: Mapping[str, ToolAnalysis]) -> dict[str, list[str]]:
    """Return table -> the tools that add rows to it."""
    added = {tool.name: {table for op, table, _ in analyses[tool.name].writes if op == "insert"} for tool in spec.tools}
    return {table.name: [name for name, tables in added.items() if table.name in tables] for table in spec.tables}


def history_of(spec: EnvironmentSpec, analyses: Mapping[str, ToolAnalysis], content: WireContent | None) -> tuple[History, ...]:
    """Return past calls of every write tool: makers of rows as often as rows are wanted, changers for a share of the rows."""
    wanted, makers = wanted_rows(content), made_by(spec, analyses)
    found = []
    for tool in spec.tools:
        tables = [name for name, tools in makers.items() if tool.name in tools]
        changed = sorted({name for op, name, _ in analyses[tool.name].writes if op != "insert" and not name.startswith("_")})
        if tables:
            number = max(wanted.get(name, MADE_ROWS) / len(makers[name]) for name in tables)
            found.append(History(tool=tool.name, n=_sizes(number), ago=CREATED_AGO))
        elif changed:
            share = PASSED_SHARE if _leads_on(spec, tool) else CHANGED_SHARE
            number = share * max(wanted.get(name, MADE_ROWS if makers.get(name) else ROWS) for name in changed)
            found.append(History(tool=tool.name, n=_sizes(max(number, 4)), ago=CHANGED_AGO))
    return tuple(found)


def _leads_on(spec: EnvironmentSpec, tool: Tool) -> bool:
    """True when a tool brings rows into a state, not their last, that another tool's guards ask for: many rows pass through it."""
    passed = {(table.name, value) for table in spec.tables for column in table.columns for value in (column.values or ())[1:-1]}
    steps = [step for other in spec.tools if other.name != tool.name for step in other.steps if isinstance(step, (Require, Forbid))]
    asked = {pair for step in steps for sql in step_sql(step) for pair in _spoken(sql)}
    written = {pair for step in tool.steps if isinstance(step, Run) for pair in _spoken(step.run)}
    return bool(written & asked & passed)


def _spoken(sql: str) -> Iterator[tuple[str, str]]:
    """Yield each table of a statement with each text in it."""
    tree = parse(sql)
    texts = [literal.this for literal in tree.find_all(exp.Literal) if literal.is_string]
    yield from ((table.name, text) for table in tree.find_all(exp.Table) for text in texts)


def _sizes(number: float) -> dict[str, int]:
    return {size: max(2, round(number * share)) for size, share in SIZES.items()}


@dataclass(frozen=True)
class Ground:
    """What fillings are made from. kinds: "table.column" -> the kind in the schema reply. pools: those that are needed are added.

    mixed: tables whose rows begin in different states, since rows in the first one alone were refused.
    """

    spec: EnvironmentSpec
    analyses: Mapping[str, ToolAnalysis]
    kinds: Mapping[str, str]
    content: WireContent | None
    pools: dict[str, tuple[str, ...]]
    mixed: frozenset[str] = frozenset()

    def fillings(self, fill_too: Sequence[str] = ()) -> tuple[Filling, ...]:
        """Return how tables that no tool adds rows to (and those in `fill_too`) are filled, in the order of their references."""
        chosen, wanted, content = self._filled(fill_too), wanted_rows(self.content), self.content
        takes = {entry.table: {fill.column: fill.takes for fill in entry.columns} for entry in content.tables} if content else {}
        return tuple(self._filling(self.spec.table(name), takes.get(name, {}), wanted.get(name, ROWS), set(chosen)) for name in chosen)

    def _filled(self, fill_too: Sequence[str]) -> list[str]:
        makers = made_by(self.spec, self.analyses)
        references = {table.name: [c for c in table.columns if c.references and _target(c) != table.name] for table in self.spec.tables}
        links = {name: {_target(c) for c in columns} for name, columns in references.items()}
        needed = {name: {_target(c) for c in columns if c.not_null} for name, columns in references.items()}
        order = list(TopologicalSorter(links).static_order())
        chosen = {name for name in order if not makers[name] or name in fill_too}
        for name in reversed(order):  # a row that is there from the start refers to rows that are there from the start
            chosen |= needed[name] if name in chosen else set()
        return [name for name in order if name in chosen]

    def _filling(self, table: Table, takes: Mapping[str, str], rows: int, filled: set[str]) -> Filling:
        columns = {}
        # An e-mail address follows the name of its row, so the name is drawn first.
        for column in sorted(table.columns, key=lambda item: item.name != "name"):
            generator = self._generator(table, column, takes.get(column.name), filled)
            if generator:
                columns[column.name] = generator
        uniques = [text.split(":", 1)[1] for text in columns.values() if text.startswith("unique:")]
        most = min([MOST_ROWS, *(len(self.pools[name]) for name in uniques)])
        sizes = {size: min(max(LEAST_ROWS, round(rows * share)), most) for size, share in SIZES.items()}
        return Filling(table=table.name, rows=sizes, columns=columns, lenient=True)

    def _generator(self, table: Table, column: Column, takes: str | None, filled: set[str]) -> str:
        """The generator of a column; "" leaves it NULL. What cannot be meant for such a column gives way to a default."""
        if column.primary_key:
            return "serial"
        if column.references:
            other = _target(column)
            if other not in filled or other == table.name:
                return ""
            return f"ref:{other}" if column.not_null else f"null:0.4:ref:{other}"
        parsed = _parsed(takes) if takes is not None else None
        generator = _said(table, column, parsed, self.pools) if parsed else None
        if generator is not None:
            return generator
        if not column.not_null:
            return ""
        if self.content is None and column.format == "date":
            return _ANY_DAY
        if column.values and table.name in self.mixed:
            return _mixed(table, column, Takes("mostly", name=column.values[0]), self.pools) or ""
        return _default(column, self.kinds.get(f"{table.name}.{column.name}", ""))


def _target(column: Column) -> str:
    return (column.references or "").split(".")[0]


def _parsed(text: str) -> Takes | None:
    try:
        return parse_takes(text)
    except ValueError:
        return None


def _said(table: Table, column: Column, takes: Takes, pools: dict[str, tuple[str, ...]]) -> str | None:
    numeric = column.type == "INTEGER"
    if takes.kind == "empty":
        return "" if not column.not_null else None
    if takes.kind in ("integer", "money") and numeric and _fits(column, str(takes.low)) and _fits(column, str(takes.high)):
        return f"money:{takes.low},{takes.high},{takes.step}" if takes.step > 1 else f"int:{takes.low},{takes.high}"
    if takes.kind == "flag" and numeric:
        return "flag:0.2"
    if takes.kind in ("date", "moment") and column.format == ("date" if takes.kind == "date" else "date-time"):
        return f"date:{takes.low},{takes.high}" if takes.kind == "date" else f"moment:{takes.low},{takes.high},8,18"
    if takes.kind == "text" and pools.get(takes.name) and not numeric and column.format == "plain":
        return f"{'unique' if column.unique else 'pick'}:{takes.name}"
    if takes.kind == "parts" and pools.get(takes.name):
        entries = [text.split("|") for text in pools[takes.name]]
        usable = all(len(parts) > takes.low and _fits(column, parts[takes.low].strip()) for parts in entries)
        return f"row:{takes.name},{takes.low}" if usable else None
    if takes.kind == "always" and _fits(column, takes.name):
        return f"const:{takes.name}"
    if takes.kind in ("mostly", "choice"):
        return _mixed(table, column, takes, pools)
    return None


def _fits(column: Column, text: str) -> bool:
    """True when the column's own type, format and values take the text; else no row at all would be left of the table."""
    if column.values:
        return text in column.values
    if column.type == "INTEGER":
        number = integer_of(text)
        if number is None:
            return False
        return number in (0, 1) if column.format == "flag" else number >= 0 or column.format not in ("money", "minutes")
    form = {"date": is_date, "date-time": is_date_time}.get(column.format)
    return form is None or form(text)


def _mixed(table: Table, column: Column, takes: Takes, pools: dict[str, tuple[str, ...]]) -> str | None:
    choices = takes.choices or ((takes.name,) * 9 + tuple(value for value in column.values or () if value != takes.name))
    if column.type == "INTEGER" or not all(_fits(column, text) for text in choices):
        return None
    pools[f"{table.name}.{column.name}"] = choices
    return f"pick:{table.name}.{column.name}"


def _default(column: Column, kind: str) -> str:
    if column.values:
        return f"const:{column.values[0]}"
    if column.format in _DEFAULTS:
        return _DEFAULTS[column.format]
    if column.type == "INTEGER":
        return "int:1,9"
    if kind in ("person", "email", "phone"):
        return kind
    # Four digits and the word of the column: nothing that could be taken for a fact.
    return f"code:{column.name.replace('_', ' ')[:24]} {{:04d}}"


def pool_names(content: WireContent) -> Iterator[tuple[str, str]]:
    """Yield (where, pool) for every pool that the fillings of a reply draw from."""
    for entry in content.tables:
        for fill in entry.columns:
            takes = _parsed(fill.takes)
            if takes is not None and takes.kind in ("text", "parts"):
                yield f"{entry.table}.{fill.column}", takes.name
