"""How a defect is planted: the claims desk with one thing changed, registered under the gate that must notice it."""

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from desk import make_spec, make_world, schema, spec_data
from desk_tasks import Plan, make_environment, plans

from envgen.database.runtime import DatabaseEnvironment

Data = dict[str, Any]


@dataclass(frozen=True)
class Defect:
    """One planted defect. `recorded` is what the bundle claims its transcripts were."""

    name: str
    gate: str
    build: Callable[[], DatabaseEnvironment]
    recorded: dict[str, str] = field(default_factory=dict)


DEFECTS: list[Defect] = []


def defect(gate: str) -> Callable[[Callable[[], DatabaseEnvironment]], Callable[[], DatabaseEnvironment]]:
    """Register a builder under its own name as a defect for `gate`."""

    def register(build: Callable[[], DatabaseEnvironment]) -> Callable[[], DatabaseEnvironment]:
        DEFECTS.append(Defect(build.__name__, gate, build))
        return build

    return register


def desk(
    change: Callable[[Data], None] | None = None,
    world: Sequence[str] = (),
    tasks: Sequence[Plan] | None = None,
    *,
    keep: str = "t-pay t-sum",
) -> DatabaseEnvironment:
    """The claims desk with a changed specification, statements run on its world, and the tasks of `keep` (or other tasks)."""
    data = copy.deepcopy(spec_data())
    if change is not None:
        change(data)
    spec = make_spec(data)
    rows = make_world(make_spec()) if not data.get("ddl") and not change else make_world(spec)
    rows.execute("PRAGMA foreign_keys = OFF")
    for statement in world:
        rows.execute(statement)
    rows.execute("PRAGMA foreign_keys = ON")
    chosen = [plan for plan in plans() if plan.id in keep.split()] if tasks is None else list(tasks)
    return make_environment(spec, rows, chosen)


def plan(name: str) -> Plan:
    return next(item for item in plans() if item.id == name)


def tool(data: Data, name: str) -> Data:
    found: Data = next(item for item in data["tools"] if item["name"] == name)
    return found


def column(data: Data, name: str) -> Data:
    table, _, wanted = name.partition(".")
    columns = next(item for item in data["tables"] if item["name"] == table)["columns"]
    found: Data = next(item for item in columns if item["name"] == wanted)
    return found


def reading(name: str, result: Data, **properties: Any) -> Data:
    return {"name": name, "description": "Show something.", "parameters": schema(**properties), "steps": [{"return": result}]}
