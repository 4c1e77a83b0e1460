"""Prompts: templates in `templates/prompts`, and the parts of an environment as a model reads them."""

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from envgen.core.data import data_path
from envgen.core.types import JsonObject
from envgen.database.model.examples import Samples, codes
from envgen.database.model.views import View
from envgen.database.model.wire import Brief
from envgen.database.spec import Bind, EnvironmentSpec, Forbid, NewId, Require, Return, Run, Step, Table, Tool

if TYPE_CHECKING:
    from jinja2 import Environment

Message = JsonObject
# What a size asks for.
_SCALE = ("tools", "entities", "tables_low", "tables_high", "workflows", "rules", "guards", "procedures", "prohibitions")
SCALES: dict[str, dict[str, int]] = {
    "small": dict(zip(_SCALE, (12, 4, 4, 6, 5, 7, 3, 2, 2), strict=True)),
    "medium": dict(zip(_SCALE, (24, 6, 6, 10, 8, 12, 5, 3, 3), strict=True)),
    "large": dict(zip(_SCALE, (36, 9, 9, 16, 12, 18, 8, 4, 5), strict=True)),
}


@lru_cache(maxsize=1)
def _templates() -> "Environment":
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    # Nothing is rendered as HTML: what a model wrote goes into prompts as it is.
    return Environment(loader=FileSystemLoader(str(data_path("templates/prompts"))), undefined=StrictUndefined, autoescape=False)


def render(stage: str, **values: Any) -> tuple[Message, ...]:
    """Return the messages of a stage: the system's and the user's. jinja2.UndefinedError when a value is missing."""
    templates = _templates()
    system = templates.get_template("system.j2").render(documents=values.get("documents") or values.get("documented"))
    user = templates.get_template(f"{stage}.j2").render({"documents": "", "branch": None, "problems": (), "missing": (), **values})
    return ({"role": "system", "content": system.strip()}, {"role": "user", "content": user.strip()})


def brief_text(brief: Brief, *, rules: bool = True) -> str:
    """Return a brief as the later stages see it."""
    lines = [
        f"{brief.title}. {brief.agent_role}",
        f"It is {brief.now}. Money is in {brief.currency}. Requests concern {brief.people_table}.",
    ]
    lines += ["Kept:"]
    for entity in brief.entities:
        states = f"; states {' -> '.join(entity.states)}" if entity.states else ""
        lines.append(f"- {entity.table}: {entity.about}{states}")
    lines += ["What happens:", *(f"- {text}" for text in brief.workflows)]
    if rules:
        lines += ["Rules:", *rule_lines(brief)]
    if brief.troubles:
        lines += ["What goes wrong:", *(f"- {text}" for text in brief.troubles)]
    return "\n".join(lines)


def rule_lines(brief: Brief) -> list[str]:
    """Return the rules of the business, one line each."""
    keeper = {"system": "kept by the system", "agent": "policy for the agent"}
    return [f"- {rule.text} ({keeper[rule.kept_by]})" for rule in brief.rules]


def tables_text(tables: Sequence[Table]) -> str:
    """Return tables in a compact form, a line per table."""
    return "\n".join(_table_line(table) for table in tables)


def _table_line(table: Table) -> str:
    columns = []
    for column in table.columns:
        kind = {"date-time": "moment"}.get(column.format, column.format) if column.format != "plain" else column.type.lower()
        kind = f"-> {column.references}" if column.references else "|".join(column.values) if column.values else kind
        columns.append(f"{column.name} {kind}{'' if column.not_null else '?'}{' unique' if column.unique else ''}")
    extra = [f"check {check}" for check in table.checks] + [f"unique({', '.join(group)})" for group in table.unique]
    about = f"  -- {table.description}" if table.description else ""
    return f"{table.name}({', '.join([*columns, *extra])}){about}"


def tool_line(tool: Tool) -> str:
    """Return a tool's name, parameters and promise, without how it is written."""
    required = tool.parameters["required"]
    shown = [f"{name}{'' if name in required else '?'}: {_takes(child)}" for name, child in tool.parameters["properties"].items()]
    refusals = f" Refuses: {', '.join(codes(tool))}." if codes(tool) else ""
    return f"- {tool.name}({', '.join(shown)}): {tool.description}{refusals}"


def promise(tool: Tool) -> str:
    """Return what a tester sees of a tool: its parameters, promise, codes with their messages, and how its result is built."""
    lines = [tool_line(tool)]
    for step in tool.steps:
        if isinstance(step, (Require, Forbid)):
            lines.append(f"    {step.otherwise[0]}: {step.otherwise[1]}")
    returned = next((step.result for step in reversed(tool.steps) if isinstance(step, Return)), None)
    if returned is not None and returned.object is not None:
        lines.append(f"    result: an object of {', '.join(returned.object)}")
    elif returned is not None:
        lines.append(f"    result: {'one row' if returned.one else 'a list of rows' if returned.many else 'one value'}")
    return "\n".join(lines)


def _takes(child: JsonObject) -> str:
    if "enum" in child:
        return "|".join(map(str, child["enum"]))
    return str(child.get("x-column") or child.get("format") or child.get("type", ""))


def tool_source(tool: Tool) -> str:
    """Return a tool in the form in which a model writes it, as JSON on one line."""
    parameters = []
    for name, child in tool.parameters["properties"].items():
        if name not in ("limit", "offset"):
            parameters.append({"name": name, "takes": _takes_text(child), "required": name in tool.parameters["required"]})
    body = {
        "name": tool.name, "about": tool.description, "parameters": parameters, "paged": "offset" in tool.parameters["properties"],
        "steps": [_step_source(step) for step in tool.steps],
    }  # fmt: skip
    return json.dumps(body, ensure_ascii=False)


def _takes_text(child: JsonObject) -> str:
    domain = child.get("x-domain", {})
    if "x-of" in child or "x-column" in child:
        return str(child.get("x-of") or child["x-column"])
    if child.get("enum") == [0, 1]:
        return "flag"
    if "enum" in child:
        return f"one of {'|'.join(child['enum'])}"
    if "text" in domain:
        return f"text {domain['text']}"
    if "int" in domain:
        kind = "money" if "cents" in child.get("description", "") else "integer"
        return f"{kind} {domain['int'][0]}..{domain['int'][1]}" + (f" step {domain['step']}" if "step" in domain else "")
    low, high = domain.get("days_from_now", (-3, 30))
    return f"{'date' if child.get('format') == 'date' else 'moment'} {low}..{high}"


def _step_source(step: Step) -> JsonObject:
    if isinstance(step, Require):
        return {"require": step.require, "code": step.otherwise[0], "message": step.otherwise[1]}
    if isinstance(step, Forbid):
        return {"forbid": step.forbid, "code": step.otherwise[0], "message": step.otherwise[1]}
    if isinstance(step, Bind):
        return {"bind": step.bind.row}
    if isinstance(step, NewId):
        name, target = next(iter(step.new_id.items()))
        return {"new_id": name, "table": target.split(".")[0]}
    if isinstance(step, Run):
        rows = "..".join(map(str, step.rows)) if isinstance(step.rows, tuple) else str(step.rows)
        return {"run": step.run, "rows": rows}
    parts = step.result.object or {"": step.result}
    shapes = [
        (name, "one" if part.one else "many" if part.many else "value", part.one or part.many or part.value) for name, part in parts.items()
    ]
    return {"returns": [{"name": name, "shape": shape, "sql": sql} for name, shape, sql in shapes]}


def samples_text(spec: EnvironmentSpec, samples: Samples) -> str:
    """Return each table with its sample row."""
    lines = []
    for table in spec.tables:
        row = json.dumps(samples.row(table, 1), ensure_ascii=False)
        lines.append(f"{_table_line(table)}\n    sample row: {row}")
    return "\n".join(lines)


def shown_text(spec: EnvironmentSpec, views: Iterable[View], finders: Mapping[str, Any]) -> str:
    """Return, per table, what its finder shows and whose rows they are."""
    known, lines = {(view.tool, view.path): view for view in views}, []
    for table in spec.tables:
        finder = finders.get(table.name)
        if finder is None:
            lines.append(f"- {table.name}: no tool lists it; give only the words, leave `naming` empty")
            continue
        view = known[finder.tool, finder.rows]
        columns = {out: name for name, out in view.shows.items()}
        shown = [_shown_column(spec, name, columns.get(name)) for name in sorted(view.names)]
        owner = f"; a row belongs to its {finder.owner}, so {{owner.poss}} can be used" if finder.owner else "; nobody's rows: no {owner}"
        lines.append(f"- {table.name}: {', '.join(filter(None, shown))}{owner}")
    return "\n".join(lines)


def _shown_column(spec: EnvironmentSpec, out: str, column: str | None) -> str:
    if column is None:
        return out
    table, _, name = column.partition(".")
    found = spec.table(table).column(name)
    if found.primary_key or found.references:
        return ""
    kind = {"date-time": " (moment)", "date": " (day)", "money": " (money)"}.get(found.format, "")
    return f"{out}{kind}{' (' + '|'.join(found.values) + ')' if found.values else ''}"
