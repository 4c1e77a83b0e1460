"""From `EnvironmentSpec` tables to SQLAlchemy `MetaData`, and from that to SQLite DDL (PostgreSQL comes from the same IR)."""

from functools import lru_cache

import sqlalchemy as sa
from sqlalchemy.dialects import sqlite
from sqlalchemy.schema import CreateIndex, CreateTable

from envgen.database.compile import IDS_DDL
from envgen.database.snapshot import quote
from envgen.database.spec import Column, EnvironmentSpec, NewId, Table

_TYPES = {"INTEGER": sa.Integer, "TEXT": sa.Text, "REAL": sa.REAL, "BLOB": sa.LargeBinary}


def metadata(spec: EnvironmentSpec) -> sa.MetaData:
    """Return the tables of `spec` as SQLAlchemy Core metadata, foreign keys and checks included."""
    return _metadata(spec.tables)


def _metadata(tables: tuple[Table, ...]) -> sa.MetaData:
    meta = sa.MetaData()
    for table in tables:
        _table(meta, table)
    return meta


def _table(meta: sa.MetaData, table: Table) -> sa.Table:
    key = set(table.key())
    parts: list[sa.schema.SchemaItem] = [_column(column, column.name in key) for column in table.columns]
    parts += [sa.UniqueConstraint(*names) for names in table.unique]
    parts += [sa.CheckConstraint(sa.text(check.replace(":", "\\:"))) for check in (*table.checks, *map(_check, table.columns)) if check]
    parts += [sa.Index(f"{table.name}_{'_'.join(names)}", *names) for names in table.indexes]
    return sa.Table(table.name, meta, *parts, sqlite_strict=table.strict, sqlite_with_rowid=not table.without_rowid)


def _column(column: Column, is_key: bool) -> sa.Column[object]:
    parts: list[sa.schema.SchemaItem] = []
    if column.references:
        parts.append(sa.ForeignKey(column.references, ondelete=column.on_delete))
    default = None
    if column.default is not None:
        literal = str(column.default) if isinstance(column.default, int) else repr_sql(column.default)
        default = sa.text(literal.replace(":", "\\:"))
    return sa.Column(
        column.name,
        _TYPES.get(column.type.upper(), sa.Text),
        *parts,
        primary_key=is_key,
        nullable=not (column.not_null or is_key),
        unique=column.unique or None,
        server_default=default,
        autoincrement=False,
    )


def _check(column: Column) -> str:
    """The checks that follow from a column's declaration. `IS` lets NULL through where the column allows it."""
    name = quote(column.name)
    parts = [f"({column.check})"] if column.check else []
    if column.format == "date-time":
        parts.append(f"{name} IS datetime({name})")
    elif column.format == "date":
        parts.append(f"{name} IS date({name})")
    elif column.format == "flag":
        parts.append(f"{name} IN (0, 1)")
    if column.values:
        parts.append(f"{name} IN ({', '.join(repr_sql(value) for value in column.values)})")
    return " AND ".join(parts)


def repr_sql(text: str) -> str:
    """Return `text` as an SQL string literal."""
    return "'" + text.replace("'", "''") + "'"


def ddl(spec: EnvironmentSpec) -> list[str]:
    """Return the statements that create the schema of `spec`: its own DDL verbatim when it has one, else compiled from the IR."""
    statements = list(spec.ddl or _compiled(spec.tables))
    if any(isinstance(step, NewId) for tool in spec.tools for step in tool.steps):
        statements.append(IDS_DDL)
    return statements


@lru_cache(maxsize=32)
def _compiled(tables: tuple[Table, ...]) -> tuple[str, ...]:
    dialect = sqlite.dialect()
    statements = []
    for table in _metadata(tables).sorted_tables:
        statements.append(str(CreateTable(table).compile(dialect=dialect)).strip())
        indexes = sorted(table.indexes, key=lambda index: str(index.name))
        statements += [str(CreateIndex(index).compile(dialect=dialect)).strip() for index in indexes]
    return tuple(statements)


def id_targets(spec: EnvironmentSpec) -> list[str]:
    """Return the "table.column" targets of every `new_id` step, sorted: the rows of the engine's `_ids` table."""
    return sorted({target for tool in spec.tools for step in tool.steps if isinstance(step, NewId) for target in step.new_id.values()})
