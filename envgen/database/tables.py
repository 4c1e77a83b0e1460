"""What the verifier needs to know of a specification's tables, as plain data."""

from envgen.database.spec import EnvironmentSpec, Table
from envgen.verify.changes import TableInfo


def table_infos(spec: EnvironmentSpec) -> dict[str, TableInfo]:
    """Return table name -> `TableInfo` for every table of `spec`. The engine's own `_ids` is not among them."""
    return {table.name: table_info(table) for table in spec.tables}


def table_info(table: Table) -> TableInfo:
    """Return what the verifier knows of one table; a table without a primary key is keyed by all its columns."""
    names = tuple(column.name for column in table.columns)
    references = {}
    for column in table.columns:
        if column.references:
            target, _, target_column = column.references.partition(".")
            references[column.name] = (target, target_column)
    return TableInfo(
        name=table.name,
        columns=names,
        key=tuple(names.index(name) for name in table.key() or names),
        policies=tuple(column.policy for column in table.columns),
        references=references,
    )
