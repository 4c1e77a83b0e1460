"""Where the ids of new rows come from: the engine's allocator, so that no id is used twice and undone calls give theirs back."""

from collections.abc import Iterator, Sequence

import sqlglot
from sqlglot import exp

from envgen.database.spec import NewId, Run, Table, Tool
from envgen.database.sql import parse


def key_problems(tool: Tool, tables: Sequence[Table]) -> Iterator[str]:
    """Yield, for each INSERT whose id is not the name of a `new_id` step for that table, what is wrong, in words for its author.

    `max(id) + 1` gives an id a second time once the last row is gone; an id that is left out is chosen by SQLite in the same way.
    """
    keys = {table.name: next((column.name for column in table.columns if column.primary_key), "") for table in tables}
    columns = {table.name: [column.name for column in table.columns] for table in tables}
    taken: dict[str, str] = {}
    for number, step in enumerate(tool.steps, 1):
        if isinstance(step, NewId):
            taken |= {name: target.split(".")[0] for name, target in step.new_id.items()}
        insert = _insert(step.run) if isinstance(step, Run) else None
        if insert is None:
            continue
        table, names, values = insert
        given = dict(zip(names or columns.get(table, []), values, strict=False)).get(keys.get(table, ""))
        if table in keys and not (isinstance(given, exp.Placeholder) and taken.get(given.name) == table):
            source = "is left out" if given is None else f"comes from {given.sql(dialect='sqlite')}"
            yield f"step {number}: the id of the new row of {table} {source}; take it with a new_id step"


def _insert(sql: str) -> tuple[str, list[str], list[exp.Expr]] | None:
    """Return (table, columns named, values of the first row) of an INSERT; None for other statements and for what cannot be read."""
    try:
        tree = parse(sql)
    except sqlglot.errors.SqlglotError:
        return None
    if not isinstance(tree, exp.Insert):
        return None
    target, source = tree.this, tree.expression
    names = [column.name for column in target.expressions] if isinstance(target, exp.Schema) else []
    table = target.this.name if isinstance(target, exp.Schema) else target.name
    if isinstance(source, exp.Values):
        first = source.expressions[0]
        return table, names, list(first.expressions) if isinstance(first, exp.Tuple) else [first]
    select = source if isinstance(source, exp.Select) else source.find(exp.Select) if source is not None else None
    return table, names, [item.unalias() for item in select.expressions] if select is not None else []
