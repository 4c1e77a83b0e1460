"""From a composition to the `EnvironmentSpec`: tables, tools and rules."""

from typing import TypeVar

from pydantic import ValidationError

from envgen.core.errors import SpecError
from envgen.core.types import JsonObject
from envgen.database.grammar_compose import Composition
from envgen.database.grammar_examples import examples, share_setups
from envgen.database.grammar_lines import joined, parse_arguments, parse_column, parse_steps
from envgen.database.grammar_links import gate_steps, gates_of
from envgen.database.spec import EnvironmentSpec, Rule, Table, Tool

Made = TypeVar("Made", Table, Tool, Rule)
ROLE = "You work at the desk of {title} and carry out what people ask, with the tools given and by the policy."


def build_spec(work: Composition) -> EnvironmentSpec:
    """Return the specification; SpecError names the pattern and the table, tool or rule that is malformed."""
    tables = [_table(work, pattern, entry) for pattern, data in work.patterns.items() for entry in data.get("table", [])]
    described = {f"{table.name}.id": f"Id of {_noun(work, table.role)}." for table in tables}
    tools = [_tool(work, pattern, entry, described) for pattern, data in work.patterns.items() for entry in data.get("tool", [])]
    rules = [_rule(work, pattern, entry) for pattern, data in work.patterns.items() for entry in data.get("rule", [])]
    rules += [_rule(work, "lexicon", entry) for entry in work.lexicon.get("rule", [])]
    tools, samples = share_setups(tools)
    role = work.lexicon.get("role", ROLE).replace("{title}", work.house)
    return EnvironmentSpec(
        name=work.name, title=work.title, domain=work.title, now=work.now, currency=work.currency, role=role,
        tables=tuple(tables), tools=tuple(tools), rules=tuple(rules), samples=samples,
    )  # fmt: skip


def _noun(work: Composition, role: str) -> str:
    return "the " + work.roles[role].one if role in work.roles else "the row"


def _table(work: Composition, pattern: str, entry: JsonObject) -> Table:
    role = work.roles[entry["role"]]
    columns = [parse_column(line) for line in joined(entry["columns"])]
    fields: JsonObject = {key: value for key, value in entry.items() if key not in ("role", "columns")}
    return _made(Table, {"name": role.t, "role": role.name, "columns": columns, **fields}, f"pattern {pattern}, table {role.t}")


def _tool(work: Composition, pattern: str, entry: JsonObject, described: dict[str, str]) -> Tool:
    where = f"pattern {pattern}, tool {entry['key']}"
    samples = {name: sql for data in work.patterns.values() for name, sql in data.get("samples", {}).items()}
    fields = {
        "name": work.tools[entry["key"]], "key": entry["key"], "description": entry["desc"], "intent": entry.get("intent", ""),
        "parameters": parse_arguments(entry.get("args", ""), described),
        "steps": parse_steps(entry["steps"], gate_steps(work, pattern, entry), where),
        "examples": examples(entry, samples, gates_of(work, pattern, entry), where),
    }  # fmt: skip
    return _made(Tool, fields, where)


def _rule(work: Composition, pattern: str, entry: JsonObject) -> Rule:
    fields = dict(entry)
    if "tool" in fields:
        fields["tool"] = work.tools[fields["tool"]]
    if "fix" in fields:
        fields["fix"] = {**fields["fix"], "tool": work.tools[fields["fix"]["tool"]]}
    fields["facts"] = [{**fact, "tool": work.tools[fact["tool"]]} for fact in fields.get("facts", [])]
    for key in ("sql", "breach"):
        if key in fields:
            fields[key] = " ".join(fields[key].split())
    return _made(Rule, fields, f"pattern {pattern}, rule {entry.get('id')}")


def _made(kind: type[Made], fields: JsonObject, where: str) -> Made:
    try:
        return kind(**fields)
    except ValidationError as problem:
        first = problem.errors()[0]
        raise SpecError(where, f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from problem
