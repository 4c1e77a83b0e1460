"""The reply of the stage `rules`: policy in words becomes checks on the trace, derived and not written.

A model says what must never be (`violation`, over the present rows), what goes with what (`call` before or after `tool`), and
when a call is forbidden (`breach`, over the rows and the call's arguments). The SQL over `before` and `trace` comes from here.
"""

import re
from collections.abc import Sequence

import sqlglot
from sqlglot import exp

from envgen.core.types import JsonObject
from envgen.database.model.tools import Malformed, sql_text
from envgen.database.model.wire import GuardRule, Look, Procedure, Prohibition, Source
from envgen.database.schema import repr_sql
from envgen.database.spec import Fix, Rule, Tool, literal_of
from envgen.database.sql import parse

_ID = re.compile(r"[a-z][a-z0-9_]{1,48}", re.ASCII)
_STEP = re.compile(r"([a-z]\w*)\.([a-z]\w*)", re.ASCII)
CALL = "made_call"


def guard_rule(wire: GuardRule) -> Rule:
    """Return the invariant; Malformed when its SQL cannot be read."""
    return Rule(id=_id(wire.id), kind="guard", policy=_policy(wire.policy), sql=_qualified(wire.violation, "main"))


def procedure_rule(wire: Procedure, tools: Sequence[Tool]) -> Rule:
    """Return the rule that `call` goes with `tool`; Malformed says what is wrong with it."""
    trigger, other = _tool(wire.tool, tools), _tool(wire.call, tools)
    if trigger.name == other.name:
        raise Malformed("a call cannot go with itself")
    args = _arguments(wire.arguments, trigger, other)
    earlier = "<" if wire.when == "before" else ">"
    same = [f"other.arguments->>{repr_sql(f'$.{name}')} = {_path_sql(path)}" for name, path in args.items()]
    sql = (
        f"SELECT {CALL}.step FROM {_calls(trigger, wire.tool)} WHERE NOT EXISTS (SELECT 1 FROM trace.calls AS other WHERE "
        + " AND ".join([f"other.tool = {repr_sql(other.name)}", "other.ok", f"other.step {earlier} {CALL}.step", *same])
        + ")"
    )
    return Rule(
        id=_id(wire.id), kind="agent", policy=_policy(wire.policy), sql=sql, tool=trigger.name,
        fix=Fix(tool=other.name, args=args, when=wire.when),
    )  # fmt: skip


def prohibition_rule(wire: Prohibition, tools: Sequence[Tool]) -> Rule:
    """Return the rule that forbids a call; Malformed says what is wrong with it."""
    trigger = _tool(wire.tool, tools)
    breach = _qualified(wire.breach, "main")
    sql = f"SELECT {CALL}.step FROM {_calls(trigger, wire.tool)} WHERE EXISTS ({_at_call(breach, trigger)})"
    facts = tuple(_look(look, trigger, tools) for look in wire.shown_by)
    return Rule(id=_id(wire.id), kind="agent", policy=_policy(wire.policy), sql=sql, tool=trigger.name, breach=breach, facts=facts)


def _look(look: Look, trigger: Tool, tools: Sequence[Tool]) -> Fix:
    other = _tool(look.call, tools)
    return Fix(tool=other.name, args=_arguments(look.arguments, trigger, other))


def _id(text: str) -> str:
    if not _ID.fullmatch(text):
        raise Malformed(f"the id {text!r} must be lower-case words joined by underscores")
    return text


def _policy(text: str) -> str:
    text = " ".join(text.split())
    if not text:
        raise Malformed("the policy needs words")
    return text


def _tool(name: str, tools: Sequence[Tool]) -> Tool:
    tool = next((tool for tool in tools if tool.name == name), None)
    if tool is None:
        raise Malformed(f"there is no tool {name}")
    return tool


def _arguments(sources: Sequence[Source], trigger: Tool, other: Tool) -> dict[str, str]:
    known, taken = trigger.parameters["properties"], other.parameters["properties"]
    args = {source.name: source.source for source in sources}
    missing = [name for name in other.parameters["required"] if name not in args]
    if missing:
        raise Malformed(f"{other.name} needs {', '.join(missing)}")
    for name, path in args.items():
        head, *steps = path.split(">")
        if name not in taken:
            raise Malformed(f"{other.name} has no parameter {name}")
        if not path.startswith("=") and (head not in known or not all(_STEP.fullmatch(step) for step in steps)):
            raise Malformed(f"{name} comes from {path!r}; write a parameter of {trigger.name}, parameter>table.column, or ='text'")
        if path.startswith("=") and not _fits(literal_of(path), taken[name]):
            raise Malformed(f"{name} comes from {path!r}, which {other.name} does not take")
    return args


def _fits(value: str | int, child: JsonObject) -> bool:
    kind = int if child.get("type") == "integer" else str
    return isinstance(value, kind) and value in child.get("enum", [value])


def _path_sql(path: str) -> str:
    """SQL for an argument path: a row may be of this episode's own making, or gone by now, so both states are asked."""
    if path.startswith("="):
        value = literal_of(path)
        return str(value) if isinstance(value, int) else repr_sql(value)
    head, *steps = path.split(">")
    value = f"{CALL}.{head}"
    for step in steps:
        table, _, column = step.partition(".")
        asked = [f"(SELECT {column} FROM {schema}.{table} WHERE id = {value})" for schema in ("before", "main")]
        value = f"coalesce({', '.join(asked)})"
    return value


def _calls(trigger: Tool, name: str) -> str:
    """The successful calls of a tool as rows with a column per argument, so that a date among them is a column and no expression."""
    columns = ["step", "now", *(_argument(parameter, child) for parameter, child in trigger.parameters["properties"].items())]
    return f"(SELECT {', '.join(columns)} FROM trace.calls WHERE tool = {repr_sql(name)} AND ok) AS {CALL}"


def _argument(name: str, child: JsonObject) -> str:
    value = f"arguments->>{repr_sql(f'$.{name}')}"
    if "default" in child:
        default = child["default"]
        value = f"coalesce({value}, {default if isinstance(default, int) else repr_sql(default)})"
    return f"{value} AS {name}"


def _parsed(sql: str) -> exp.Expr:
    try:
        return parse(sql_text(sql)).copy()
    except sqlglot.errors.SqlglotError as problem:
        raise Malformed(f"SQL that cannot be read: {str(problem).splitlines()[0]}") from problem


def _qualified(sql: str, schema: str) -> str:
    """Return `sql` with every table of the world in `schema`. Malformed for a schema that is not the world's."""
    tree = _parsed(sql)
    names = {cte.alias for cte in tree.find_all(exp.CTE)}
    for table in tree.find_all(exp.Table):
        if isinstance(table.this, exp.Func) or table.name.startswith("json_") or table.name in names:
            continue
        if table.db not in ("", "main", "before"):
            raise Malformed(f"table {table.db}.{table.name}: read the world's own tables")
        table.set("db", exp.to_identifier(schema))
    return tree.sql(dialect="sqlite")


def _at_call(breach: str, trigger: Tool) -> str:
    """The breach as it stood at the start of the episode, with the arguments of one call of the trace."""
    tree = _parsed(_qualified(breach, "before"))
    known = trigger.parameters["properties"]

    def bound(node: exp.Expr) -> exp.Expr:
        if not isinstance(node, exp.Placeholder):
            return node
        if node.name != "now" and node.name not in known:
            raise Malformed(f":{node.name} is no parameter of {trigger.name}")
        return exp.column(node.name, table=CALL)

    return tree.transform(bound).sql(dialect="sqlite")
