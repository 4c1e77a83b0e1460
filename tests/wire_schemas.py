"""Replies of the stage `schema` that should be accepted, as hypothesis draws them: 3 to 5 tables whose references never make a circle."""

from typing import Any

from hypothesis import strategies as st

from envgen.database.model.wire import Brief, WireColumn, WireSchema, WireTable

NOW = "2026-05-12 09:00:00"
TABLES = ("members", "rooms", "loans", "visits", "notes")
PLAIN = ("person", "name", "email", "phone", "text", "code", "date", "moment", "money", "count", "minutes", "flag")


def brief_of(schema: WireSchema) -> Brief:
    """Return a brief that asks for the tables of `schema`; requests concern the first."""
    entities = [{"table": table.name, "one": "thing", "many": "things", "about": ""} for table in schema.tables]
    fields: dict[str, Any] = {"title": "Trial", "agent_role": "You work.", "workflows": [], "rules": []}
    return Brief.model_validate({**fields, "people_table": schema.tables[0].name, "now": NOW, "entities": entities})


def _id() -> WireColumn:
    return WireColumn(name="id", kind="id")


@st.composite
def _plain(draw: st.DrawFn, name: str, least: int) -> WireColumn:
    kind = draw(st.sampled_from([*PLAIN, "state"]))
    values = [f"v{number}" for number in range(draw(st.integers(2, 4)))] if kind == "state" else None
    # Two values of a flag or state do for two rows only, so such a column is never unique.
    unique = kind not in ("flag", "state") and draw(st.booleans()) and least == 0
    return WireColumn.model_validate({"name": name, "kind": kind, "values": values, "nullable": draw(st.booleans()), "unique": unique})


@st.composite
def _table(draw: st.DrawFn, place: int, unique: bool) -> WireTable:
    columns = [_id()]
    targets = draw(st.lists(st.sampled_from(TABLES[:place]), unique=True, max_size=2)) if place > 1 else []
    for target in [TABLES[0], *targets] if place == 1 else targets:
        columns.append(
            WireColumn(
                name=f"{target[:-1]}_id", kind="ref", references=target, nullable=draw(st.booleans()), unique=unique and draw(st.booleans())
            )
        )
    if draw(st.booleans()):
        columns.append(WireColumn(name="parent_id", kind="ref", references=TABLES[place], nullable=True))
    columns += [draw(_plain(f"c{number}", 0 if unique else 1)) for number in range(draw(st.integers(0, 4)))]
    checks = [f"{column.name} >= 0" for column in columns if column.kind in ("count", "minutes")]
    return WireTable(name=TABLES[place], columns=columns, checks=checks)


@st.composite
def schemas(draw: st.DrawFn, *, unique: bool = True) -> WireSchema:
    """Draw a schema whose first table holds people. unique: whether columns may be unique."""
    people = WireTable(name=TABLES[0], columns=[_id(), WireColumn(name="name", kind="person")])
    return WireSchema(tables=[people, *(draw(_table(place, unique)) for place in range(1, draw(st.integers(3, 5))))])
