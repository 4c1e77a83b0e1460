"""What one SQL statement touches and returns, read from SQLite itself, and its syntax tree, read by sqlglot."""

from dataclasses import dataclass
from functools import lru_cache

import apsw
import apsw.ext
import sqlglot
from sqlglot import exp

from envgen.core.clock import is_date, is_date_time
from envgen.database.refused import refused_text
from envgen.database.spec import Table

_WRITES = {apsw.SQLITE_INSERT: "insert", apsw.SQLITE_UPDATE: "update", apsw.SQLITE_DELETE: "delete"}
DATE_FUNCTIONS = frozenset({"date", "time", "datetime", "strftime", "unixepoch", "julianday", "timediff"})


@dataclass(frozen=True)
class Output:
    """One result column: its name and, when SQLite knows it, the schema column it comes from."""

    name: str
    table: str | None
    column: str | None


@dataclass(frozen=True)
class Statement:
    """What SQLite reports of a prepared statement. `writes` holds (op, table, column or "")."""

    sql: str
    read_only: bool
    reads: frozenset[tuple[str, str]]
    writes: frozenset[tuple[str, str, str]]
    functions: frozenset[str]
    schemas: frozenset[str]
    outputs: tuple[Output, ...]
    remaining: str


def inspect_statement(connection: apsw.Connection, sql: str) -> Statement:
    """Prepare `sql` on `connection` and report it; apsw.Error when it does not compile, ValueError for what is no such statement."""
    problem = refused_text(sql)
    if problem:
        raise ValueError(problem)
    info = apsw.ext.query_info(connection, sql, actions=True)
    reads: set[tuple[str, str]] = set()
    writes: set[tuple[str, str, str]] = set()
    functions: set[str] = set()
    schemas: set[str] = set()
    for action in info.actions or ():
        if action.database_name:
            schemas.add(action.database_name)
        if action.action == apsw.SQLITE_READ:
            reads.add((action.table_name or "", action.column_name or ""))
        elif action.action in _WRITES:
            writes.add((_WRITES[action.action], action.table_name or "", action.column_name or ""))
        elif action.action == apsw.SQLITE_FUNCTION:
            functions.add((action.function_name or "").lower())
    outputs = tuple(Output(name, table, column) for name, _, _, table, column in info.description_full or ())
    return Statement(
        sql, info.is_readonly, frozenset(reads), frozenset(writes), frozenset(functions), frozenset(schemas), outputs,
        (info.query_remaining or "").strip(),
    )  # fmt: skip


@lru_cache(maxsize=4096)
def parse(sql: str) -> exp.Expr:
    """Return the syntax tree of one SQLite statement; sqlglot.ParseError when there is not exactly one."""
    problem = refused_text(sql)
    if problem:
        raise sqlglot.ParseError(problem)
    try:
        trees = [tree for tree in sqlglot.parse(sql, dialect="sqlite") if tree is not None]
    except RecursionError:
        raise sqlglot.ParseError("the statement is nested too deeply") from None
    if len(trees) != 1:
        raise sqlglot.ParseError(f"{len(trees)} statements where one is expected")
    return trees[0]


def binds(sql: str) -> set[str]:
    """Return the names of the `:name` placeholders in `sql`."""
    return {node.name for node in parse(sql).find_all(exp.Placeholder) if node.name}


def unordered(sql: str, tables: dict[str, Table], *, many: bool) -> str:
    """Return why the order of `sql`'s rows is not fixed, or "".

    Checked are the outer query when `many`, and each (sub)query with a LIMIT: its ORDER BY must end in a unique key
    of the driving row, that is of the first table in FROM, or in the terms it groups by.
    """
    tree = parse(sql)
    if many and isinstance(tree, exp.SetOperation):
        return _unordered_union(tree)
    for select in tree.find_all(exp.Select):
        if (many and select is tree) or select.args.get("limit"):
            problem = _unordered_select(select, tables)
            if problem:
                return problem
    return ""


def _unordered_union(tree: exp.SetOperation) -> str:
    """The rows of a UNION have no key of their own: they are in order when every result column takes part."""
    order = tree.args.get("order")
    terms = {term.this.sql(dialect="sqlite").lower() for term in order.expressions} if order else set()
    missing = [name for place, name in enumerate(tree.named_selects, 1) if name.lower() not in terms and str(place) not in terms]
    return f"ORDER BY of a UNION leaves out {', '.join(missing)}" if missing else ""


def _unordered_select(select: exp.Select, tables: dict[str, Table]) -> str:
    if _is_one_aggregate(select):
        return ""
    order = select.args.get("order")
    if order is None:
        return "no ORDER BY"
    terms = [term.this.sql(dialect="sqlite").lower() for term in order.expressions]
    for key in _unique_keys(select, tables):
        if all(any(term == name or term.endswith(f".{name}") for term in terms) for name in key):
            return ""
    return f"ORDER BY {', '.join(terms)} does not end in a unique key of the driving row"


def _is_one_aggregate(select: exp.Select) -> bool:
    if select.args.get("group") or _source(select) is None:
        return not select.args.get("group")
    return all(next(item.find_all(exp.AggFunc), None) is not None for item in select.expressions)


def _source(select: exp.Select) -> exp.Expr | None:
    clause = select.args.get("from_") or select.args.get("from")
    return clause.this if clause is not None else None


def _unique_keys(select: exp.Select, tables: dict[str, Table]) -> list[tuple[str, ...]]:
    group = select.args.get("group")
    if group is not None:
        keys = [tuple(term.sql(dialect="sqlite").lower().split(".")[-1] for term in group.expressions)]
        return keys
    source = _source(select)
    table = tables.get(source.name) if isinstance(source, exp.Table) else None
    if source is None or table is None:
        return [("key",), ("value",)] if source is not None and "json_each" in source.sql().lower() else [("id",)]
    alias = source.alias_or_name.lower()
    keys = [table.key(), *table.unique, *((column.name,) for column in table.columns if column.unique)]
    lowered = [tuple(name.lower() for name in key) for key in keys]
    joined = bool(select.args.get("joins"))
    return [tuple(f"{alias}.{name}" for name in key) for key in lowered] + ([] if joined else lowered)


def clock_problem(sql: str, dated: set[str]) -> str:
    """Return why `sql` may read the wall clock, or "". `dated` names the parameters with a checked date format.

    The first argument of a date function must be `:now`, a column, or such a parameter; modifiers must not be zone changes.
    """
    tree = parse(sql)
    for node in tree.walk():
        text = node.sql(dialect="sqlite").upper() if isinstance(node, (exp.CurrentDate, exp.CurrentTime, exp.CurrentTimestamp)) else ""
        if text:
            return f"{text} reads the wall clock; use :now"
        name, arguments = _date_call(node)
        if name:
            problem = _date_problem(name, arguments, dated)
            if problem:
                return problem
    return ""


def _date_call(node: exp.Expr) -> tuple[str, list[exp.Expr]]:
    if isinstance(node, exp.Anonymous) and node.name.lower() in DATE_FUNCTIONS:
        return node.name.lower(), list(node.expressions)
    # `AND` and its kin are functions to sqlglot, and begin with whatever their left side begins with.
    if isinstance(node, exp.Func) and not isinstance(node, (exp.Connector, exp.Binary)):
        text = node.sql(dialect="sqlite")
        head = text.split("(", 1)[0].strip().lower()
        if head in DATE_FUNCTIONS:
            again = sqlglot.parse_one(f"SELECT f_{text}", dialect="sqlite").expressions[0]
            return head, list(again.expressions)
    return "", []


def _date_problem(name: str, arguments: list[exp.Expr], dated: set[str]) -> str:
    if name == "strftime":
        arguments = arguments[1:]
    if not arguments:
        return f"{name}() without a time reads the wall clock; pass :now"
    problem = _moment_problem(name, arguments[0], dated)
    if problem:
        return problem
    for modifier in arguments[1:]:
        if isinstance(modifier, (exp.Placeholder, exp.Column)):
            return f"{name}: modifier {modifier.sql(dialect='sqlite')} may be any text; join it to a literal, such as :days || ' days'"
        if any(word in modifier.sql().lower() for word in ("localtime", "'utc'", "auto")):
            return f"{name}: modifier {modifier.sql()} depends on the machine"
    return ""


def _moment_problem(name: str, first: exp.Expr, dated: set[str]) -> str:
    """Return why the first argument of a date function may be "now", or "". Each branch of COALESCE, MAX, MIN and CASE counts."""
    if isinstance(first, exp.Placeholder):
        safe = first.name == "now" or first.name in dated
        return "" if safe else f'{name}(:{first.name}): the parameter needs "format": "date" or "date-time"'
    if isinstance(first, exp.Case):
        branches = [branch.args["true"] for branch in first.args["ifs"]] + [first.args["default"]] * ("default" in first.args)
        return next(filter(None, (_moment_problem(name, branch, dated) for branch in branches if branch is not None)), "")
    if isinstance(first, (exp.Coalesce, exp.Max, exp.Min, exp.Greatest, exp.Least)):
        branches = [first.this, *first.expressions]
        return next(filter(None, (_moment_problem(name, branch, dated) for branch in branches)), "")
    # Elements of a list, as json_each names them: nobody has checked that they are dates.
    element = isinstance(first, exp.Column) and first.name.lower() in ("value", "atom")
    dated_literal = isinstance(first, exp.Literal) and (is_date(first.this) or is_date_time(first.this))
    if (isinstance(first, exp.Column) and not element) or dated_literal or isinstance(first, exp.Null) or _date_call(first)[0]:
        return ""
    return f"{name}({first.sql(dialect='sqlite')}): the first argument is :now, a column or a dated parameter"
