"""Static soundness of a specification (gate E2): every promise of DESIGN 6 that can be read off without running anything."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

import apsw
import sqlglot
from sqlglot import exp

from envgen.core.errors import SpecError
from envgen.database.engine import FUNCTIONS, LIMITS, copy_database, memory
from envgen.database.prompt import RESERVED
from envgen.database.schema import ddl
from envgen.database.spec import Bind, EnvironmentSpec, NewId, Return, Rule, Run, Step, Table, Tool, step_sql
from envgen.database.sql import Statement, binds, clock_problem, inspect_statement, parse, unordered
from envgen.verify.rules import create_trace

_NAME = re.compile(r"[a-z][a-z0-9_]{0,63}", re.ASCII)
_BANNED_DDL = re.compile(r"\b(AUTOINCREMENT|CURRENT_\w+|ON\s+CONFLICT\s+(REPLACE|ROLLBACK)|localtime)\b|'now'", re.IGNORECASE)
_BANNED_WRITE = re.compile(r"\bOR\s+(REPLACE|ROLLBACK)\b|^\s*REPLACE\b|\bON\s+CONFLICT\b.*\bROLLBACK\b", re.IGNORECASE | re.DOTALL)
_RESERVED_BINDS = frozenset({"now", "actor", "_given"})


@dataclass(frozen=True)
class Problem:
    """One broken promise: where, and what."""

    where: str
    problem: str

    def __str__(self) -> str:
        return f"{self.where}: {self.problem}"


@dataclass(frozen=True)
class ToolAnalysis:
    """What a tool touches: columns read, rows written, and the schema columns that its result shows."""

    name: str
    statements: tuple[Statement, ...]
    reads: frozenset[tuple[str, str]]
    writes: frozenset[tuple[str, str, str]]
    shows: frozenset[tuple[str, str]]

    @property
    def read_only(self) -> bool:
        """True when the tool writes nothing."""
        return not self.writes


def schema_connection(spec: EnvironmentSpec) -> apsw.Connection:
    """Return an empty database with the schema of `spec`, plus `before` and `trace` as rules see them. SpecError names bad DDL."""
    empty, connection = memory(), memory()
    empty.authorizer = _only_schema
    for statement in ddl(spec):
        try:
            empty.execute(statement)
        except apsw.Error as problem:
            raise SpecError(f"schema: {statement.splitlines()[0]}", str(problem)) from problem
    empty.authorizer = None
    for limit, value in LIMITS.items():
        connection.limit(limit, value)
    connection.execute("ATTACH ':memory:' AS before")
    connection.execute("ATTACH ':memory:' AS trace")
    for schema in ("main", "before"):
        copy_database(connection, schema, empty)
    create_trace(connection)
    return connection


def _only_schema(operation: int, first: str | None, second: str | None, database: str | None, trigger: str | None) -> int:
    """APSW authorizer for a schema's own statements: the definition of a table may hide others, and pragmas act on the whole process."""
    loads = operation == apsw.SQLITE_FUNCTION and (second or "").lower() == "load_extension"
    return apsw.SQLITE_DENY if loads or operation in (apsw.SQLITE_PRAGMA, apsw.SQLITE_ATTACH, apsw.SQLITE_DETACH) else apsw.SQLITE_OK


def analyse_tools(spec: EnvironmentSpec, connection: apsw.Connection) -> dict[str, ToolAnalysis]:
    """Return what each tool touches; SpecError names the step that does not compile."""
    return {tool.name: _analyse_tool(tool, connection) for tool in spec.tools}


def _analyse_tool(tool: Tool, connection: apsw.Connection) -> ToolAnalysis:
    statements: list[Statement] = []
    shows: set[tuple[str, str]] = set()
    for index, step in enumerate(tool.steps):
        for sql in step_sql(step):
            try:
                statement = inspect_statement(connection, sql)
            except (apsw.Error, ValueError) as problem:
                raise SpecError(f"tool {tool.name}, step {index + 1}", str(problem)) from problem
            statements.append(statement)
            if isinstance(step, Return):
                shows |= {(out.table, out.column) for out in statement.outputs if out.table and out.column}
    reads = frozenset(pair for statement in statements for pair in statement.reads)
    writes = frozenset(triple for statement in statements for triple in statement.writes)
    if any(isinstance(step, NewId) for step in tool.steps):
        writes |= {("update", "_ids", "next")}
    return ToolAnalysis(tool.name, tuple(statements), reads, writes, frozenset(shows))


def analyse(spec: EnvironmentSpec) -> list[Problem]:
    """Return every static problem of `spec`, in a fixed order; an empty list means that E2's static part holds."""
    try:
        connection = schema_connection(spec)
        tools = [_analyse_tool(tool, connection) for tool in spec.tools]
    except SpecError as problem:
        return [Problem(problem.where, problem.problem)]
    problems = [*_schema_problems(spec), *_name_problems(spec)]
    tables = {table.name: table for table in spec.tables}
    for tool, analysis in zip(spec.tools, tools, strict=True):
        problems += _tool_problems(tool, analysis, tables)
    for rule in spec.rules:
        problems += _rule_problems(rule, spec, connection)
    problems += _visibility_problems(spec, tools)
    return problems


def _schema_problems(spec: EnvironmentSpec) -> Iterator[Problem]:
    for statement in ddl(spec):
        banned = _BANNED_DDL.search(statement)
        if banned:
            yield Problem(f"schema: {statement.splitlines()[0]}", f"{banned[0]} is not allowed")
    if spec.ddl:
        return
    for table in spec.tables:
        if not table.strict:
            yield Problem(f"table {table.name}", "generated tables are STRICT")
        if not table.key():
            yield Problem(f"table {table.name}", "no primary key")
        for column in table.columns:
            if column.type.upper() not in ("INTEGER", "TEXT"):
                yield Problem(f"column {table.name}.{column.name}", f"type {column.type}: INTEGER or TEXT only, money is integer cents")


def _name_problems(spec: EnvironmentSpec) -> Iterator[Problem]:
    seen: set[str] = set()
    for tool in spec.tools:
        if tool.name in seen:
            yield Problem(f"tool {tool.name}", "the name is used twice")
        if tool.name in RESERVED:
            yield Problem(f"tool {tool.name}", "the name is reserved for the control plane")
        if not _NAME.fullmatch(tool.name):
            yield Problem(f"tool {tool.name}", "names are lower-case ASCII letters, digits and underscores, 64 at most")
        seen.add(tool.name)


def _tool_problems(tool: Tool, analysis: ToolAnalysis, tables: dict[str, Table]) -> Iterator[Problem]:
    where = f"tool {tool.name}"
    yield from _parameter_problems(tool, tables)
    dated = {name for name, child in tool.parameters.get("properties", {}).items() if child.get("format") in ("date", "date-time")}
    known = set(tool.parameters.get("properties", {})) | _RESERVED_BINDS
    statements = iter(analysis.statements)
    if not any(isinstance(step, Return) for step in tool.steps):
        yield Problem(where, "no return step")
    for index, step in enumerate(tool.steps):
        here = f"{where}, step {index + 1}"
        for sql in step_sql(step):
            statement = next(statements)
            yield from (Problem(here, text) for text in _statement_problems(step, sql, statement, known, dated, tables))
            if isinstance(step, Bind):
                known |= {out.name for out in statement.outputs}
        if isinstance(step, NewId):
            known |= set(step.new_id)
            yield from (
                Problem(here, f"new_id: {target} does not exist") for target in step.new_id.values() if not _has_column(tables, target)
            )
        if isinstance(step, Run) and isinstance(step.rows, str) and step.rows not in known:
            yield Problem(here, f"rows names :{step.rows}, which nothing binds")


def _statement_problems(
    step: Step, sql: str, statement: Statement, known: set[str], dated: set[str], tables: dict[str, Table]
) -> Iterator[str]:
    if _BANNED_WRITE.search(sql):
        yield "REPLACE and ROLLBACK conflict clauses undo more than they report"
    try:
        tree = parse(sql)
    except sqlglot.errors.SqlglotError as error:
        yield f"cannot be parsed: {str(error).splitlines()[0]}"
        return
    if statement.remaining:
        yield "a step holds one statement"
    writes = isinstance(step, Run)
    if writes and not isinstance(tree, (exp.Insert, exp.Update, exp.Delete)):
        yield "run takes INSERT, UPDATE or DELETE"
    if not writes and (not statement.read_only or statement.writes):
        yield "only run steps may write"
    yield from (f"function {name} is not on the allow-list" for name in sorted(statement.functions - FUNCTIONS))
    yield from (f"schema {name} is not the agent's" for name in sorted(statement.schemas - {"main"}))
    yield from _engine_problems(statement)
    yield from (f":{name} is bound by nothing" for name in sorted(binds(sql) - known))
    clock = clock_problem(sql, dated)
    if clock:
        yield clock
    many = isinstance(step, Return) and sql in [part.many for part in (step.result.object or {"": step.result}).values()]
    order = unordered(sql, tables, many=many)
    if order:
        yield f"the order of rows is not fixed: {order}"


def _engine_problems(statement: Statement) -> Iterator[str]:
    """What only the engine itself reads."""
    for table in sorted({table for table, _ in statement.reads if table.lower().startswith(("sqlite_", "pragma_"))}):
        yield f"table {table} is the engine's own"


def _parameter_problems(tool: Tool, tables: dict[str, Table]) -> Iterator[Problem]:
    limited = {name for step in tool.steps for sql in step_sql(step) for name in re.findall(r"LIMIT\s+:(\w+)", sql, re.IGNORECASE)}
    for name, child in tool.parameters.get("properties", {}).items():
        where = f"tool {tool.name}, parameter {name}"
        if not ({"x-column", "enum", "x-domain"} & set(child)) and not _has_items(child):
            yield Problem(where, "needs x-column, an enum or x-domain: nothing says what to draw")
        if not {"type", "enum"} & set(child):
            yield Problem(where, "needs a type or an enum: without one an agent may pass anything")
        column = child.get("x-column")
        if column and not _has_column(tables, column):
            yield Problem(where, f"x-column {column} does not exist")
        if name in limited and not (child.get("minimum", 0) >= 1 and "maximum" in child):
            yield Problem(where, "a limit has a minimum of at least 1 and a maximum")


def _has_items(child: dict[str, object]) -> bool:
    return child.get("type") in ("array", "object") and ("items" in child or "properties" in child)


def _has_column(tables: dict[str, Table], name: str) -> bool:
    table, _, column = name.partition(".")
    return table in tables and any(item.name == column for item in tables[table].columns)


def _rule_problems(rule: Rule, spec: EnvironmentSpec, connection: apsw.Connection) -> Iterator[Problem]:
    where = f"rule {rule.id}"
    try:
        statement = inspect_statement(connection, rule.sql)
        tree = parse(rule.sql)
    except (apsw.Error, ValueError, sqlglot.errors.SqlglotError) as problem:
        yield Problem(where, str(problem).splitlines()[0])
        return
    yield from (Problem(where, text) for text in _query_problems(statement, rule.sql, set(), set()))
    yield from (Problem(where, text) for text in _breach_problems(rule, spec, connection))
    names = {cte.alias for cte in tree.find_all(exp.CTE)}
    for table in tree.find_all(exp.Table):
        function = isinstance(table.this, exp.Func) or table.name.startswith("json_")
        if not table.args.get("db") and table.name not in names and not function:
            yield Problem(where, f"table {table.name} is not qualified: write main., before. or trace.")
    tools = {tool.name for tool in spec.tools}
    for name in [rule.tool, rule.fix.tool if rule.fix else None, *(fact.tool for fact in rule.facts)]:
        if name is not None and name not in tools:
            yield Problem(where, f"tool {name} does not exist")


def _query_problems(statement: Statement, sql: str, known: set[str], dated: set[str]) -> Iterator[str]:
    """What keeps SQL from being a rule's: it reads, by allowed functions, what is there, at the time that is given."""
    if not statement.read_only:
        yield "a rule only reads"
    if statement.remaining:
        yield "a rule holds one statement"
    yield from (f"function {name} is not on the allow-list" for name in sorted(statement.functions - FUNCTIONS))
    yield from _engine_problems(statement)
    yield from (f":{name} is bound by nothing" for name in sorted(binds(sql) - known))
    clock = clock_problem(sql, dated)
    if clock:
        yield clock


def _breach_problems(rule: Rule, spec: EnvironmentSpec, connection: apsw.Connection) -> Iterator[str]:
    """What is wrong with the query that says when a call is forbidden."""
    if rule.breach is None:
        return
    try:
        statement = inspect_statement(connection, rule.breach)
        parse(rule.breach)
    except (apsw.Error, ValueError, sqlglot.errors.SqlglotError) as problem:
        yield f"breach: {str(problem).splitlines()[0]}"
        return
    tool = next((tool for tool in spec.tools if tool.name == rule.tool), None)
    parameters = tool.parameters.get("properties", {}) if tool else {name: {} for name in binds(rule.breach)}
    dated = {name for name, child in parameters.items() if child.get("format") in ("date", "date-time")}
    known = {*parameters, "now", "actor"}
    yield from (f"breach: {text}" for text in _query_problems(statement, rule.breach, known, dated))


def _visibility_problems(spec: EnvironmentSpec, tools: list[ToolAnalysis]) -> Iterator[Problem]:
    """Each table shows through read tools, and so does each column that a parameter takes its value from."""
    shown = {pair for analysis in tools if analysis.read_only for pair in analysis.shows}
    tables = {table for table, _ in shown}
    for table in spec.tables:
        if table.name not in tables and any(column.policy != "internal" for column in table.columns):
            yield Problem(f"table {table.name}", "no read tool shows it")
    for tool in spec.tools:
        for name, child in tool.parameters.get("properties", {}).items():
            column = child.get("x-column")
            if column and tuple(column.split(".")) not in shown and not child.get("x-given"):
                yield Problem(f"tool {tool.name}, parameter {name}", f"no read tool shows {column}")
