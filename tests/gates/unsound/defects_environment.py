"""Planted defects of the environment as a whole: gates E1 to E5."""

from desk import CLAIM, HOLDER, ONE_CLAIM, schema
from planting import Data, defect, desk, reading, tool

from envgen.database.runtime import DatabaseEnvironment

# E1


@defect("E1")
def empty_table() -> DatabaseEnvironment:
    def change(data: Data) -> None:
        data["tables"].append({"name": "letters", "columns": [{"name": "id", "type": "INTEGER", "primary_key": True}]})
        data["tools"].append(reading("list_letters", {"many": "SELECT l.id FROM letters l ORDER BY l.id"}))

    return desk(change)


@defect("E1")
def dangling_foreign_key() -> DatabaseEnvironment:
    return desk(world=["UPDATE policies SET holder_id = 99 WHERE id = 18"])


@defect("E1")
def taken_id() -> DatabaseEnvironment:
    return desk(world=["UPDATE _ids SET next = 20 WHERE tbl = 'claims.id'"], tasks=[])


@defect("E1")
def undeclared_column() -> DatabaseEnvironment:
    return desk(world=["ALTER TABLE holders ADD COLUMN nickname TEXT"])


# E2


@defect("E2")
def parameter_without_domain() -> DatabaseEnvironment:
    def change(data: Data) -> None:
        tool(data, "list_claims")["parameters"]["properties"]["colour"] = {"type": "string"}

    return desk(change)


@defect("E2")
def key_out_of_reach() -> DatabaseEnvironment:
    def change(data: Data) -> None:
        data["tables"].append({"name": "letters", "columns": [{"name": "id", "type": "INTEGER", "primary_key": True}, {"name": "text"}]})
        shown = {"one": "SELECT id, text FROM letters WHERE id = :letter_id"}
        letter = reading("get_letter", shown, letter_id={"type": "integer", "x-column": "letters.id"})
        letter["steps"].insert(0, {"require": "SELECT 1 FROM letters WHERE id = :letter_id", "else": ["not_found", "No such letter."]})
        data["tools"].append(letter)

    return desk(change, world=["INSERT INTO letters VALUES (7, 'dear')"])


@defect("E2")
def unordered_list() -> DatabaseEnvironment:
    def change(data: Data) -> None:
        part = tool(data, "list_claims")["steps"][1]["return"]
        part["many"] = part["many"].replace("ORDER BY c.id", "ORDER BY c.status")

    return desk(change)


@defect("E2")
def wall_clock() -> DatabaseEnvironment:
    def change(data: Data) -> None:
        data["tools"].append(reading("today", {"value": "SELECT date('now')"}))

    return desk(change)


@defect("E2")
def unreadable_column() -> DatabaseEnvironment:
    def change(data: Data) -> None:
        part = tool(data, "list_policies")["steps"][1]["return"]
        part["many"] = part["many"].replace("p.id, p.number", "p.number")

    return desk(change)


@defect("E2")
def read_tool_that_writes() -> DatabaseEnvironment:
    def change(data: Data) -> None:
        sql = "UPDATE claims SET title = title || '!' WHERE id = :claim_id RETURNING id AS seen"
        tool(data, "get_claim")["steps"].insert(1, {"bind": {"row": sql}})

    return desk(change)


@defect("E2")
def replacing_write() -> DatabaseEnvironment:
    def change(data: Data) -> None:
        step = tool(data, "add_note")["steps"][2]
        step["run"] = step["run"].replace("INSERT INTO", "INSERT OR REPLACE INTO")

    return desk(change)


# E3


@defect("E3")
def guard_that_forgets() -> DatabaseEnvironment:
    def change(data: Data) -> None:
        del tool(data, "pay_claim")["steps"][2], tool(data, "pay_claim")["examples"]

    return desk(change)


@defect("E3")
def broken_example() -> DatabaseEnvironment:
    def change(data: Data) -> None:
        tool(data, "pay_claim")["examples"][0]["args"]["amount_cents"] = 50_001

    return desk(change)


@defect("E3")
def result_without_a_row() -> DatabaseEnvironment:
    def change(data: Data) -> None:
        one = {"one": "SELECT y.id, y.amount_cents FROM payments y WHERE y.claim_id = :claim_id ORDER BY y.id LIMIT 1"}
        data["tools"].append(reading("first_payment", one, claim_id=CLAIM))

    return desk(change)


@defect("E3")
def rule_nobody_can_break() -> DatabaseEnvironment:
    def change(data: Data) -> None:
        sql = "SELECT y.claim_id FROM main.payments y GROUP BY y.claim_id HAVING count(*) > 1"
        data["rules"].append({"id": "pay_once", "kind": "agent", "policy": "Pay a claim once only.", "sql": sql})

    return desk(change)


@defect("E3")
def pattern_too_long() -> DatabaseEnvironment:
    def change(data: Data) -> None:
        tool(data, "find_holders")["parameters"]["properties"]["name"]["maxLength"] = 2_000

    return desk(change)


# E4


@defect("E4")
def order_dependent_query() -> DatabaseEnvironment:
    def change(data: Data) -> None:
        sql = "SELECT group_concat(c.title, ', ') FROM claims c JOIN policies p ON p.id = c.policy_id WHERE p.holder_id = :holder_id"
        data["tools"].append(reading("list_titles", {"value": sql}, holder_id=HOLDER))

    return desk(change)


@defect("E4")
def hidden_wall_clock() -> DatabaseEnvironment:
    def change(data: Data) -> None:
        data["tools"].append(reading("office_day", {"value": "SELECT strftime('%Y', day) FROM (SELECT 'now' AS day)"}))

    return desk(change)


# E5


@defect("E5")
def unreachable_guard() -> DatabaseEnvironment:
    def change(data: Data) -> None:
        sql = "SELECT status FROM claims WHERE id = :claim_id AND status = 'archived'"
        tool(data, "add_note")["steps"].insert(1, {"forbid": sql, "else": ["archived", "It is archived."]})

    return desk(change)


@defect("E5")
def tool_that_never_succeeds() -> DatabaseEnvironment:
    archived = "SELECT 1 FROM claims WHERE id = :claim_id AND status = 'archived'"

    def change(data: Data) -> None:
        data["tools"].append(
            {
                "name": "restore_claim",
                "description": "Bring an archived claim back.",
                "parameters": schema(claim_id=CLAIM),
                "steps": [
                    {"require": archived, "else": ["not_archived", "It is not archived."]},
                    {"run": "UPDATE claims SET status = 'open' WHERE id = :claim_id"},
                    {"return": {"one": ONE_CLAIM}},
                ],
            }
        )

    return desk(change)
