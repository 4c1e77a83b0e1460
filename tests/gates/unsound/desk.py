"""The claims desk: a small sound environment, written by hand. Every planted defect is one change to it."""

from typing import Any

import apsw

from envgen.core.digest import rng
from envgen.database.engine import memory
from envgen.database.schema import ddl
from envgen.database.spec import EnvironmentSpec

NOW = "2026-03-02 09:00:00"

TABLES: list[dict[str, Any]] = [
    {
        "name": "holders",
        "columns": [
            {"name": "id", "type": "INTEGER", "primary_key": True},
            {"name": "name"},
            {"name": "email", "unique": True},
            {"name": "city"},
            {"name": "suspended", "type": "INTEGER", "format": "flag"},
        ],
    },
    {
        "name": "policies",
        "columns": [
            {"name": "id", "type": "INTEGER", "primary_key": True},
            {"name": "holder_id", "type": "INTEGER", "references": "holders.id"},
            {"name": "number", "unique": True},
            {"name": "limit_cents", "type": "INTEGER", "check": "limit_cents > 0"},
        ],
    },
    {
        "name": "claims",
        "columns": [
            {"name": "id", "type": "INTEGER", "primary_key": True, "policy": "generated"},
            {"name": "policy_id", "type": "INTEGER", "references": "policies.id"},
            {"name": "title"},
            {"name": "status", "values": ["open", "paid", "denied"]},
            {"name": "amount_cents", "type": "INTEGER", "check": "amount_cents > 0"},
            {"name": "opened_at", "format": "date-time", "policy": "clock"},
            {"name": "closed_at", "not_null": False, "format": "date-time", "policy": "clock"},
            {"name": "clause", "not_null": False},
        ],
    },
    {
        "name": "notes",
        "primary_key": ["claim_id", "seq"],
        "without_rowid": True,
        "columns": [
            {"name": "claim_id", "type": "INTEGER", "references": "claims.id"},
            {"name": "seq", "type": "INTEGER", "policy": "generated"},
            {"name": "body", "policy": "text"},
            {"name": "written_at", "format": "date-time", "policy": "clock"},
        ],
    },
    {
        "name": "payments",
        "columns": [
            {"name": "id", "type": "INTEGER", "primary_key": True, "policy": "generated"},
            {"name": "claim_id", "type": "INTEGER", "references": "claims.id"},
            {"name": "amount_cents", "type": "INTEGER", "check": "amount_cents > 0"},
            {"name": "paid_at", "format": "date-time", "policy": "clock"},
        ],
    },
]
HOLDER = {"type": "integer", "x-column": "holders.id"}
POLICY = {"type": "integer", "x-column": "policies.id"}
CLAIM = {"type": "integer", "x-column": "claims.id"}
CENTS = {"type": "integer", "minimum": 1, "maximum": 10_000_000, "x-domain": {"int": [1_000, 90_000], "step": 500}}
CLAIM_COLUMNS = "c.id, c.title, c.status, c.amount_cents, c.opened_at, c.closed_at, c.clause, p.number, p.limit_cents"


def schema(**properties: Any) -> dict[str, Any]:
    """A parameter schema in which every parameter is required."""
    return {"type": "object", "properties": properties, "required": list(properties)}


def known(table: str, parameter: str, what: str) -> dict[str, Any]:
    return {"require": f"SELECT 1 FROM {table} WHERE id = :{parameter}", "else": ["not_found", f"No {what} {{{parameter}}}."]}


OPEN_ONLY = {
    "forbid": "SELECT status FROM claims WHERE id = :claim_id AND status <> 'open'",
    "else": ["not_open", "The claim is {status}."],
}
OVER_LIMIT = {
    "forbid": "SELECT p.limit_cents FROM claims c JOIN policies p ON p.id = c.policy_id "
    "WHERE c.id = :claim_id AND :amount_cents > p.limit_cents",
    "else": ["over_limit", "The policy pays at most {limit_cents} cents."],
}  # fmt: skip
ONE_CLAIM = f"SELECT {CLAIM_COLUMNS} FROM claims c JOIN policies p ON p.id = c.policy_id WHERE c.id = :claim_id"
TOOLS: list[dict[str, Any]] = [
    {
        "name": "find_holders",
        "description": "Find policy holders by a part of their name.",
        "parameters": schema(name={"type": "string", "maxLength": 60, "x-column": "holders.name"}),
        "steps": [
            {
                "return": {
                    "many": "SELECT h.id, h.name, h.email, h.city, h.suspended FROM holders h "
                    "WHERE h.name LIKE '%' || :name || '%' ORDER BY h.id",
                    "max": 20,
                }
            }
        ],
    },
    {
        "name": "list_policies",
        "description": "List the policies of a holder.",
        "parameters": schema(holder_id=HOLDER),
        "steps": [
            known("holders", "holder_id", "holder"),
            {
                "return": {
                    "many": "SELECT p.id, p.number, p.limit_cents, p.holder_id FROM policies p "
                    "WHERE p.holder_id = :holder_id ORDER BY p.id",
                    "max": 20,
                }
            },
        ],
    },
    {
        "name": "list_claims",
        "description": "List the claims of a holder.",
        "parameters": schema(holder_id=HOLDER),
        "steps": [
            known("holders", "holder_id", "holder"),
            {
                "return": {
                    "many": f"SELECT {CLAIM_COLUMNS} FROM claims c JOIN policies p ON p.id = c.policy_id "
                    "WHERE p.holder_id = :holder_id ORDER BY c.id",
                    "max": 50,
                }
            },
        ],
    },
    {
        "name": "get_claim",
        "description": "Show a claim with its notes and payments.",
        "parameters": schema(claim_id=CLAIM),
        "steps": [
            known("claims", "claim_id", "claim"),
            {
                "return": {
                    "object": {
                        "claim": {"one": ONE_CLAIM},
                        "notes": {
                            "many": "SELECT n.claim_id, n.seq, n.body, n.written_at FROM notes n "
                            "WHERE n.claim_id = :claim_id ORDER BY n.claim_id, n.seq"
                        },
                        "payments": {
                            "many": "SELECT y.id, y.amount_cents, y.paid_at FROM payments y WHERE y.claim_id = :claim_id ORDER BY y.id"
                        },
                    }
                }
            },
        ],
    },
    {
        "name": "open_claim",
        "description": "Open a claim on a policy.",
        "parameters": schema(
            policy_id=POLICY, title={"type": "string", "minLength": 1, "maxLength": 80, "x-domain": {"text": "titles"}}, amount_cents=CENTS
        ),
        "steps": [
            known("policies", "policy_id", "policy"),
            {"new_id": {"claim_id": "claims.id"}},
            {
                "run": "INSERT INTO claims(id, policy_id, title, status, amount_cents, opened_at) "
                "VALUES(:claim_id, :policy_id, :title, 'open', :amount_cents, :now)"
            },
            {"return": {"one": ONE_CLAIM}},
        ],
    },
    {
        "name": "add_note",
        "description": "Add a note to a claim.",
        "parameters": schema(claim_id=CLAIM, body={"type": "string", "minLength": 1, "maxLength": 200, "x-domain": {"text": "notes"}}),
        "steps": [
            known("claims", "claim_id", "claim"),
            {"bind": {"row": "SELECT coalesce(max(seq), 0) + 1 AS seq FROM notes WHERE claim_id = :claim_id"}},
            {"run": "INSERT INTO notes(claim_id, seq, body, written_at) VALUES(:claim_id, :seq, :body, :now)"},
            {"return": {"one": "SELECT claim_id, seq, body FROM notes WHERE claim_id = :claim_id AND seq = :seq"}},
        ],
    },
    {
        "name": "pay_claim",
        "description": "Pay an open claim and close it.",
        "parameters": schema(claim_id=CLAIM, amount_cents=CENTS),
        "steps": [
            known("claims", "claim_id", "claim"),
            OPEN_ONLY,
            OVER_LIMIT,
            {"new_id": {"payment_id": "payments.id"}},
            {"run": "INSERT INTO payments(id, claim_id, amount_cents, paid_at) VALUES(:payment_id, :claim_id, :amount_cents, :now)"},
            {"run": "UPDATE claims SET status = 'paid', closed_at = :now WHERE id = :claim_id"},
            {"return": {"one": ONE_CLAIM}},
        ],
        "examples": [
            {
                "given": "exactly the limit of the policy",
                "args": {"claim_id": 1, "amount_cents": 50_000},
                "setup": ["UPDATE claims SET status = 'open', closed_at = NULL WHERE id = 1", "UPDATE policies SET limit_cents = 50000"],
                "expect": {"status": "paid"},
            },
            {
                "given": "one cent more than the limit of the policy",
                "args": {"claim_id": 1, "amount_cents": 50_001},
                "setup": ["UPDATE claims SET status = 'open', closed_at = NULL WHERE id = 1", "UPDATE policies SET limit_cents = 50000"],
                "expect": {"error": "over_limit"},
            },
        ],
    },
    {
        "name": "deny_claim",
        "description": "Deny an open claim under a clause.",
        "parameters": schema(claim_id=CLAIM, clause={"type": "string", "enum": ["wear", "flood", "late"]}),
        "steps": [
            known("claims", "claim_id", "claim"),
            OPEN_ONLY,
            {"run": "UPDATE claims SET status = 'denied', clause = :clause, closed_at = :now WHERE id = :claim_id"},
            {"return": {"one": ONE_CLAIM}},
        ],
    },
    {
        "name": "set_email",
        "description": "Change the e-mail address of a holder.",
        "parameters": schema(holder_id=HOLDER, email={"type": "string", "minLength": 3, "maxLength": 80, "x-domain": {"text": "emails"}}),
        "steps": [
            known("holders", "holder_id", "holder"),
            {
                "forbid": "SELECT id FROM holders WHERE email = :email AND id <> :holder_id",
                "else": ["email_taken", "Holder {id} has this address."],
            },
            {"run": "UPDATE holders SET email = :email WHERE id = :holder_id"},
            {"return": {"one": "SELECT id, name, email FROM holders WHERE id = :holder_id"}},
        ],
    },
]
NOTE_BEFORE_PAY = (
    "SELECT c.step FROM trace.calls c WHERE c.tool = 'pay_claim' AND c.ok AND NOT EXISTS (SELECT 1 FROM trace.calls n "
    "WHERE n.tool = 'add_note' AND n.ok AND n.step < c.step AND n.arguments->>'$.claim_id' = c.arguments->>'$.claim_id')"
)
NOT_SUSPENDED = (
    "SELECT y.id FROM main.payments y JOIN main.claims c ON c.id = y.claim_id JOIN main.policies p ON p.id = c.policy_id "
    "JOIN main.holders h ON h.id = p.holder_id WHERE h.suspended AND y.id NOT IN (SELECT id FROM before.payments)"
)
RULES: list[dict[str, Any]] = [
    {
        "id": "within_limit",
        "kind": "guard",
        "policy": "A payment is never above the limit of the policy.",
        "sql": "SELECT y.id FROM main.payments y JOIN main.claims c ON c.id = y.claim_id JOIN main.policies p ON p.id = c.policy_id "
        "WHERE y.amount_cents > p.limit_cents",
    },
    {
        "id": "note_before_pay",
        "kind": "agent",
        "policy": "Before you pay a claim, add a note to it.",
        "sql": NOTE_BEFORE_PAY,
        "tool": "pay_claim",
        "fix": {"tool": "add_note", "args": {"claim_id": "claim_id", "body": "='checked'"}},
    },
    {
        "id": "not_suspended",
        "kind": "agent",
        "policy": "Claims of a suspended holder are not paid; refuse such a request.",
        "sql": NOT_SUSPENDED,
        "tool": "pay_claim",
        "breach": "SELECT 1 FROM main.claims c JOIN main.policies p ON p.id = c.policy_id JOIN main.holders h ON h.id = p.holder_id "
        "WHERE c.id = :claim_id AND h.suspended",
        "facts": [{"tool": "get_claim", "args": {"claim_id": "claim_id"}}],
    },
]
NAMES = (
    "Ana Costa", "Ben Okafor", "Cleo Marsh", "Dov Levin", "Eva Lindqvist", "Finn Adair", "Gita Rao", "Hugo Brandt",
    "Ines Duarte", "Jonas Weber", "Kira Novak", "Liam Doyle", "Maya Haddad", "Noel Petit",
)  # fmt: skip
CITIES = ("Ghent", "Ghent", "Lyon", "Turin", "Ghent", "Porto", "Lyon", "Ghent", "Porto", "Turin", "Ghent", "Lyon", "Porto", "Ghent")
THINGS = ("kitchen fire", "burst pipe", "broken window", "stolen bicycle", "roof damage", "lost luggage", "water stain", "garden wall")


def spec_data() -> dict[str, Any]:
    """The specification as JSON data, for a defect to change."""
    return {
        "name": "claims-desk",
        "title": "Harbour Mutual claims desk",
        "domain": "claims desk",
        "now": NOW,
        "tables": TABLES,
        "tools": TOOLS,
        "rules": RULES,
    }


def make_spec(data: dict[str, Any] | None = None) -> EnvironmentSpec:
    return EnvironmentSpec.model_validate(data or spec_data())


def make_world(spec: EnvironmentSpec) -> apsw.Connection:
    """Fill the desk: 14 holders, 18 policies, 54 claims, of which every holder has some that are open."""
    world, dice = memory(), rng(7, "claims desk")
    for statement in ddl(spec):
        world.execute(statement)
    for index, name in enumerate(NAMES):
        email = name.lower().replace(" ", ".") + "@example.org"
        world.execute("INSERT INTO holders VALUES(?,?,?,?,?)", (index + 1, name, email, CITIES[index], int(index in (3, 9))))
    for index in range(18):
        row = (index + 1, index % 14 + 1, f"HM-{4100 + index * 37}", 1_000 * dice.randint(60, 95))
        world.execute("INSERT INTO policies VALUES(?,?,?,?)", row)
    payment = 0
    for index in range(54):
        policy, status = index % 18 + 1, ("open", "paid", "open", "denied", "open")[(index + index // 18) % 5]
        opened = f"2026-0{1 + index % 2}-{1 + (index * 11) % 27:02d} {9 + index % 8:02d}:00:00"
        closed = None if status == "open" else "2026-02-28 12:00:00"
        amount = 500 * dice.randint(8, 110) + index
        clause = "wear" if status == "denied" else None
        row = (index + 1, policy, THINGS[(index * 3 + index // 18) % 8], status, amount, opened, closed, clause)
        world.execute("INSERT INTO claims VALUES(?,?,?,?,?,?,?,?)", row)
        if status == "paid":
            payment += 1
            world.execute("INSERT INTO payments VALUES(?,?,?,?)", (payment, index + 1, amount, closed))
        if index % 3 == 0:
            world.execute("INSERT INTO notes VALUES(?,?,?,?)", (index + 1, 1, "Called the holder.", opened))
    world.execute("INSERT INTO _ids VALUES('claims.id', 55), ('payments.id', ?)", (payment + 1,))
    return world
