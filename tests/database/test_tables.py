"""What the verifier is told of a table."""

from envgen.database.spec import Table
from envgen.database.tables import table_info


def test_columns_key_policies_and_references() -> None:
    table = Table.model_validate(
        {
            "name": "line",
            "primary_key": ["order_id", "seq"],
            "columns": [
                {"name": "seq", "type": "INTEGER", "policy": "generated"},
                {"name": "order_id", "type": "INTEGER", "references": "orders.id"},
                {"name": "hidden", "policy": "internal"},
            ],
        }
    )
    info = table_info(table)
    assert info.columns == ("seq", "order_id", "hidden")
    assert info.key == (1, 0)
    assert info.policies == ("generated", "exact", "internal")
    assert info.references == {"order_id": ("orders", "id")}
    assert info.row((1, 7, "x")) == {"seq": 1, "order_id": 7}


def test_a_table_without_a_key_is_keyed_by_all_columns() -> None:
    info = table_info(Table.model_validate({"name": "log", "columns": [{"name": "a"}, {"name": "b"}]}))
    assert info.key == (0, 1)
