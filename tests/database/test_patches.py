"""Start patches that do not fit are told, and lose no slot."""

import pytest
from toy import spec, tasks, world

from envgen.core.errors import BundleError
from envgen.core.types import RowPatch, Start, Task
from envgen.database.engine import native
from envgen.database.patches import patch_sql
from envgen.database.runtime import DatabaseEnvironment


@pytest.mark.parametrize(
    "patch",
    [
        RowPatch(op="update", table="nope", key={"id": 1}, row={"name": "X"}),
        RowPatch(op="update", table="animals", key={"id": 99}, row={"name": "X"}),
        RowPatch(op="delete", table="animals", key={"id": 99}),
        RowPatch(op="delete", table="animals", key={"id": 4}),
        RowPatch(op="insert", table="animals", row={"id": 1, "name": "X", "kind": "cat", "status": "here"}),
        RowPatch(op="insert", table="animals", row={"id": 9, "name": "X", "kind": "fish", "status": "here"}),
    ],
)
def test_a_patch_that_does_not_fit_is_a_clear_error_and_loses_no_slot(patch: RowPatch) -> None:
    environment = DatabaseEnvironment(spec(), native(world()), tasks=tasks())
    bad = Task(id="bad", split="", template="", kinds=("do",), instruction="", start=Start(now=spec().now, patch=(patch,)))
    with environment.start(tasks()[0]) as session:
        clean, slot = session.snapshot().digest, session.slot
    with pytest.raises(BundleError, match=f"the start patch does not fit the world: {patch.op} in {patch.table}"):
        environment.start(bad)
    with environment.start(tasks()[0]) as session:
        assert session.slot is slot
        assert session.snapshot().digest == clean


def test_statements_are_positional_and_quoted() -> None:
    patch = RowPatch(op="update", table='a"b', key={"id": 1, "line": 2}, row={"x y": 3})
    assert patch_sql(patch, "before") == ('UPDATE "before"."a""b" SET "x y" = ? WHERE "id" = ? AND "line" = ?', [3, 1, 2])
