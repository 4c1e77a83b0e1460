"""A bicycle workshop in three tables and seven tools, as a model would write it without a mistake: for tests that run the stages often.

The replies were written for the tests. `SmallAuthor(tools=..., rules=...)` puts other replies in their place, stage by stage.
"""

import copy
import re
from collections.abc import Callable, Mapping
from typing import Any

from scripted_author import ScriptedAuthor

from envgen.bundle.ledger import RunLedger
from envgen.core.events import Events, silent
from envgen.database.model.assemble import Parts
from envgen.database.model.tables import kinds_of, tables_of
from envgen.database.model.wire import Brief, WireActs, WireContent, WireRules, WireSchema, WireTools, WireWords
from envgen.llm.client import ModelClient
from envgen.llm.types import ModelSettings
from envgen.synthesis.take import take_rules, take_tools
from envgen.synthesis.talk import Talk

NOW = "2026-05-12 09:00:00"
BRIEF: dict[str, Any] = {
    "title": "Spoke Workshop",
    "agent_role": "You work at the counter of a bicycle workshop. You keep its repairs in order for the customers.",
    "people_table": "customers",
    "now": NOW,
    "entities": [
        {"table": "customers", "one": "customer", "many": "customers", "about": "people who bring bicycles"},
        {"table": "bikes", "one": "bike", "many": "bikes", "about": "bicycles of the customers"},
        {"table": "repairs", "one": "repair", "many": "repairs", "about": "jobs on a bike", "states": ["booked", "done", "cancelled"]},
    ],
    "workflows": ["A repair is booked for a day", "A booked repair is done", "A booked repair is cancelled"],
    "rules": [
        {"id": "one_repair", "kept_by": "system", "text": "A bike has at most one booked repair."},
        {"id": "notice", "kept_by": "system", "text": "A repair can be cancelled until the day before it is due."},
        {"id": "dear", "kept_by": "agent", "text": "Do not cancel repairs of 90.00 or more."},
    ],
}
SCHEMA: dict[str, Any] = {
    "tables": [
        {
            "name": "customers",
            "columns": [{"name": "id", "kind": "id"}, {"name": "name", "kind": "person"}, {"name": "phone", "kind": "phone"}],
        },
        {
            "name": "bikes",
            "columns": [
                {"name": "id", "kind": "id"},
                {"name": "customer_id", "kind": "ref", "references": "customers"},
                {"name": "model", "kind": "name"},
                {"name": "colour", "kind": "text"},
            ],
        },
        {
            "name": "repairs",
            "columns": [
                {"name": "id", "kind": "id"},
                {"name": "bike_id", "kind": "ref", "references": "bikes"},
                {"name": "customer_id", "kind": "ref", "references": "customers"},
                {"name": "work", "kind": "text"},
                {"name": "due_on", "kind": "date"},
                {"name": "price_cents", "kind": "money"},
                {"name": "status", "kind": "state", "values": ["booked", "done", "cancelled"]},
            ],
        },
    ]
}


def _read(name: str, about: str, parameters: list[dict[str, Any]], sql: str) -> dict[str, Any]:
    returns = [{"name": "", "shape": "many", "sql": f"{sql} LIMIT :limit OFFSET :offset"}]
    return {"name": name, "about": about, "parameters": parameters, "paged": True, "steps": [{"returns": returns}]}


_REPAIR = "SELECT r.id, r.bike_id, r.work, r.due_on, r.price_cents, r.status FROM repairs r WHERE r.id = "
_THERE = {"require": "SELECT 1 FROM repairs WHERE id = :repair_id", "code": "not_found", "message": "There is no repair {repair_id}."}
_BOOKED = {
    "forbid": "SELECT status FROM repairs WHERE id = :repair_id AND status <> 'booked'",
    "code": "not_booked",
    "message": "The repair is {status}.",
}
_BOOKED_OF_BIKE = "SELECT 1 FROM repairs WHERE bike_id = :bike_id AND status = 'booked'"
_INSERT = (
    "INSERT INTO repairs(id, bike_id, customer_id, work, due_on, price_cents, status)"
    " SELECT :repair_id, id, customer_id, :work, :due_on, :price, 'booked' FROM bikes WHERE id = :bike_id"
)
TOOLS: list[dict[str, Any]] = [
    _read(
        "find_customers",
        "Find customers by a part of the name.",
        [{"name": "query", "takes": "customers.name"}],
        "SELECT id, name, phone FROM customers WHERE instr(lower(name), lower(:query)) > 0 ORDER BY name, id",
    ),
    _read(
        "list_bikes",
        "List the bikes of a customer.",
        [{"name": "customer_id", "takes": "customers.id"}],
        "SELECT b.id, b.model, b.colour, b.customer_id, c.name AS owner FROM bikes b JOIN customers c ON c.id = b.customer_id"
        " WHERE b.customer_id = :customer_id ORDER BY b.model, b.id",
    ),
    _read(
        "list_repairs",
        "List repairs, of one customer or of one state.",
        [
            {"name": "customer_id", "takes": "customers.id", "required": False},
            {"name": "status", "takes": "repairs.status", "required": False},
        ],
        "SELECT r.id, r.bike_id, r.work, r.due_on, r.price_cents, r.status, b.model, r.customer_id, c.name AS owner"
        " FROM repairs r JOIN bikes b ON b.id = r.bike_id JOIN customers c ON c.id = r.customer_id"
        " WHERE (:customer_id IS NULL OR r.customer_id = :customer_id) AND (:status IS NULL OR r.status = :status) ORDER BY r.due_on, r.id",
    ),
    {
        "name": "get_repair",
        "about": "Show one repair.",
        "parameters": [{"name": "repair_id", "takes": "repairs.id"}],
        "steps": [_THERE, {"returns": [{"name": "", "shape": "one", "sql": f"{_REPAIR}:repair_id"}]}],
    },
    {
        "name": "book_repair",
        "about": "Book a repair of a bike. Refused while another one of the same bike is booked, and for days gone by.",
        "parameters": [
            {"name": "bike_id", "takes": "bikes.id"},
            {"name": "work", "takes": "text jobs"},
            {"name": "due_on", "takes": "date -2..20"},
            {"name": "price", "takes": "money 1500..15000 step 500"},
        ],
        "steps": [
            {"require": "SELECT 1 FROM bikes WHERE id = :bike_id", "code": "not_found", "message": "There is no bike {bike_id}."},
            {"forbid": "SELECT 1 WHERE :due_on < date(:now)", "code": "day_gone", "message": "That day has passed."},
            {"forbid": _BOOKED_OF_BIKE, "code": "already_booked", "message": "Booked already."},
            {"new_id": "repair_id", "table": "repairs"},
            {"run": _INSERT},
            {"returns": [{"name": "", "shape": "one", "sql": f"{_REPAIR}:repair_id"}]},
        ],
    },
    {
        "name": "finish_repair",
        "about": "Note that a booked repair is done.",
        "parameters": [{"name": "repair_id", "takes": "repairs.id"}],
        "steps": [
            _THERE,
            _BOOKED,
            {"run": "UPDATE repairs SET status = 'done' WHERE id = :repair_id"},
            {"returns": [{"name": "", "shape": "one", "sql": f"{_REPAIR}:repair_id"}]},
        ],
    },
    {
        "name": "cancel_repair",
        "about": "Cancel a booked repair, until the day before it is due.",
        "parameters": [{"name": "repair_id", "takes": "repairs.id"}],
        "steps": [
            _THERE,
            _BOOKED,
            {
                "forbid": "SELECT due_on FROM repairs WHERE id = :repair_id AND due_on <= date(:now)",
                "code": "too_late",
                "message": "It is due on {due_on}.",
            },
            {"run": "UPDATE repairs SET status = 'cancelled' WHERE id = :repair_id"},
            {"returns": [{"name": "", "shape": "one", "sql": f"{_REPAIR}:repair_id"}]},
        ],
    },
]
RULES: dict[str, Any] = {
    "guards": [
        {
            "id": "one_repair",
            "policy": "A bike has at most one booked repair.",
            "violation": "SELECT bike_id FROM repairs WHERE status = 'booked' GROUP BY bike_id HAVING count(*) > 1",
        }
    ],
    "procedures": [
        {
            "id": "look_first",
            "policy": "Open the repair before you cancel it.",
            "tool": "cancel_repair",
            "call": "get_repair",
            "arguments": [{"name": "repair_id", "source": "repair_id"}],
        }
    ],
    "prohibitions": [
        {
            "id": "dear",
            "policy": "Do not cancel repairs of 90.00 or more; leave that to the owner.",
            "tool": "cancel_repair",
            "breach": "SELECT 1 FROM repairs WHERE id = :repair_id AND price_cents >= 9000",
            "shown_by": [{"call": "get_repair", "arguments": [{"name": "repair_id", "source": "repair_id"}]}],
        }
    ],
}


def _example(tool: str, given: str, arguments: dict[str, Any], rows: list[dict[str, Any]], **expect: Any) -> dict[str, Any]:
    listed = [{"name": name, "value": value} for name, value in arguments.items()]
    return {"tool": tool, "given": given, "arguments": listed, "rows": rows, **expect}


def _repair(**values: Any) -> list[dict[str, Any]]:
    return [{"table": "repairs", "row": 1, "set": [{"name": name, "value": value} for name, value in values.items()]}]


_STATUS: dict[str, Any] = {"booked": {"name": "status", "value": "booked"}, "done": {"name": "status", "value": "done"}}
_BOOKING = {"bike_id": 900001, "work": "new chain", "price": 4000}
_ONE = {"repair_id": 900001}
EXAMPLES: list[dict[str, Any]] = [
    _example("get_repair", "a repair that is there", _ONE, _repair()),
    _example("book_repair", "for today", _BOOKING | {"due_on": "today"}, [], result=[_STATUS["booked"]]),
    _example("book_repair", "for yesterday", _BOOKING | {"due_on": "today-1 day"}, [], error="day_gone"),
    _example(
        "book_repair", "one is booked", _BOOKING | {"due_on": "today"}, _repair(status="booked", bike_id=900001), error="already_booked"
    ),
    _example("finish_repair", "a booked one", _ONE, _repair(status="booked"), result=[_STATUS["done"]]),
    _example("finish_repair", "a cancelled one", _ONE, _repair(status="cancelled"), error="not_booked"),
    _example("cancel_repair", "due tomorrow", _ONE, _repair(status="booked", due_on="today+1 day"), result=[]),
    _example("cancel_repair", "due today", _ONE, _repair(status="booked", due_on="today"), error="too_late"),
    _example("cancel_repair", "one that is done", _ONE, _repair(status="done"), error="not_booked"),
    _example("cancel_repair", "exactly 90.00", _ONE, _repair(status="booked", due_on="today+3 days", price_cents=9000), result=[]),
]
CONTENT: dict[str, Any] = {
    "pools": [
        {"name": "jobs", "texts": ["new chain", "brake pads", "true the front wheel", "gear cables", "flat tyre", "bottom bracket"]},
        {"name": "models", "texts": ["Heron 3", "Ridgeback", "Lindholm tourer", "Pelican cargo", "Stork folding", "Marlin", "Kestrel"]},
        {"name": "colours", "texts": ["red", "dark green", "black", "light blue", "orange", "white"]},
    ],
    "tables": [
        {"table": "customers", "rows": 24},
        {
            "table": "bikes",
            "rows": 50,
            "columns": [{"column": "model", "takes": "text models"}, {"column": "colour", "takes": "text colours"}],
        },
        {"table": "repairs", "rows": 60},
    ],
}
WORDS: dict[str, Any] = {
    "tables": [
        {
            "table": "customers",
            "one": "customer",
            "many": "customers",
            "naming": ["{name}", "{name} (phone {phone})"],
        },
        {"table": "bikes", "one": "bike", "many": "bikes", "naming": ["{owner.poss} {model}", "{owner.poss} {colour} {model}"]},
        {
            "table": "repairs",
            "one": "repair",
            "many": "repairs",
            "naming": ["{owner.poss} {work} on the {model}", "{owner.poss} {status} {work} on the {model} due {due_on|day}"],
        },
    ],
    "questions": [
        {
            "key": "due",
            "kind": "lookup",
            "table": "repairs",
            "column": "due_on",
            "ask": ["On what day is {row} due?", "When is {row} due?", "What day is set for {row}?"],
        },
        {
            "key": "phone",
            "kind": "lookup",
            "table": "customers",
            "column": "phone",
            "ask": ["What is {party.poss} phone number?", "Which number do we have for {party}?", "How do I reach {party} by phone?"],
        },
        {
            "key": "how_many",
            "kind": "count",
            "table": "repairs",
            "where": [{"column": "status", "test": "=", "value": "{status}"}],
            "ask": ["How many repairs are {status}?", "What is the number of repairs that are {status}?", "Count the {status} repairs."],
        },
        {
            "key": "worth",
            "kind": "sum",
            "table": "repairs",
            "column": "price_cents",
            "where": [{"column": "status", "test": "=", "value": "{status}"}],
            "ask": [
                "What do the {status} repairs add up to, in cents?",
                "How many cents are the {status} repairs worth together?",
                "Sum up the prices of the {status} repairs in cents.",
            ],
        },
    ],
}
ACTS: dict[str, Any] = {
    "acts": [
        {
            "tool": "book_repair",
            "ask": [
                'book "{work}" on {bike_id} for {due_on} at {price}',
                'put {bike_id} down for "{work}" {due_on}, at a price of {price}',
                'note a repair of {bike_id}, "{work}", due {due_on}, {price}',
                'take {bike_id} in for "{work}" due {due_on}, which costs {price}',
                'enter the job "{work}" for {bike_id}, due {due_on}, price {price}',
            ],
            "need": [
                '{party.subj} {want} "{work}" done on {bike_id}, due {due_on}, at {price}',
                '{bike_id} needs "{work}" due {due_on}, and it costs {price}',
                '{party.subj} {have} asked for "{work}" on {bike_id}, due {due_on}, for {price}',
            ],
        },
        {
            "tool": "finish_repair",
            "staff_only": True,
            "ask": [
                "mark {repair_id} as done",
                "note that {repair_id} is done",
                "close {repair_id}, which is done",
                "set {repair_id} to done",
            ],
            "need": ["{repair_id} is done and should be marked so", "the mechanic has done {repair_id}, so it has to be closed"],
        },
        {
            "tool": "cancel_repair",
            "ask": ["cancel {repair_id}", "call off {repair_id}", "take {repair_id} off the list", "drop {repair_id} from the schedule"],
            "need": [
                "{party.subj} no longer {want} {repair_id}",
                "{repair_id} is not needed any more",
                "{party.subj} {want} {repair_id} cancelled",
            ],
            "why": ["{party.subj} {have} mended it alone", "{party.subj} {have} sold the bike"],
        },
    ],
    "alternatives": [
        {
            "tool": "book_repair",
            "code": "already_booked",
            "holds": ["no other repair of {bike_id} is booked", "{bike_id} has no repair booked"],
        },
        {
            "tool": "cancel_repair",
            "code": "too_late",
            "holds": ["it is not too late to cancel {repair_id}", "{repair_id} can still be cancelled"],
        },
    ],
    "situations": [{"goals": ["book_repair", "cancel_repair"], "motive": ["{party.subj} {have} changed plans for the summer"]}],
    "chat": ["Good morning!", "I hope business is going well.", "What a day for cycling.", "Greetings from the bike lane."],
}


def faulty() -> dict[str, Any]:
    """Replies with a mistake in a tool and one in a rule, and what the author answers when it is told."""
    tools = with_tool("finish_repair", steps=copy.deepcopy(next(tool for tool in TOOLS if tool["name"] == "finish_repair")["steps"]))
    right = next(tool for tool in TOOLS if tool["name"] == "finish_repair")
    next(tool for tool in tools if tool["name"] == "finish_repair")["steps"][2]["run"] = (
        "UPDATE repairs SET state = 'done' WHERE id = :repair_id"
    )
    guard = RULES["guards"][0]
    wrong = {**guard, "violation": "SELECT bike_id FROM repairs WHERE state = 'booked' GROUP BY bike_id HAVING count(*) > 1"}
    more = {"id": "hopeless", "policy": "Never.", "violation": "SELECT nothing FROM repairs"}
    return {
        "tools": {"tools": tools}, "rules": RULES | {"guards": [wrong, more]},
        "repairs": {"tools": {"finish_repair": [right]}, "rules": {"guards": [guard]}},
    }  # fmt: skip


class SmallAuthor(ScriptedAuthor):
    """Plays the workshop. Keyword arguments replace whole replies: brief, schema, tools, rules, examples, content, words, acts, repairs."""

    def __init__(self, **replies: Any) -> None:
        given = {
            "brief": BRIEF, "schema": SCHEMA, "tools": {"tools": TOOLS}, "rules": RULES, "examples": {"examples": EXAMPLES},
            "content": CONTENT, "words": WORDS, "acts": ACTS, "repairs": {}, **replies,
        }  # fmt: skip
        self.parts = copy.deepcopy(given)
        self.repairs = self.parts["repairs"]

    def _reword(self, prompt: str) -> Any:
        """The same requests with a word of greeting; `reword` among the replies says otherwise, by the old text."""
        items = re.findall(r"^## (r\d+)\n(.*?)\nkeep: ", prompt, re.MULTILINE | re.DOTALL)
        say = self.parts.get("reword", lambda text: f"Hello there. {text}")
        return {"texts": [{"id": name, "text": say(text)} for name, text in items]}

    def _domain(self, prompt: str) -> Any:
        return self.parts["domain"](prompt)


def with_tool(name: str, **fields: Any) -> list[dict[str, Any]]:
    """The workshop's tools with one that has other fields, or is new."""
    known = {tool["name"]: tool for tool in TOOLS}
    changed = {"name": name, "about": "Something else.", "parameters": [], **copy.deepcopy(known.get(name, {})), **fields}
    return [changed if tool["name"] == name else tool for tool in TOOLS] + ([] if name in known else [changed])


def quiet_talk(events: Events = silent, url: str = "http://127.0.0.1:9/v1", **fields: Any) -> Talk:
    """A conversation with the endpoint at `url`, whose ledger is in memory."""
    client = ModelClient(ModelSettings(model="openai/scripted", base_url=url, timeout=10))
    return Talk(client, RunLedger.open(":memory:", command="test", seed=0, flags={}), events, **fields)


def small_parts(
    tools: list[dict[str, Any]] | None = None, rules: Mapping[str, Any] | None = None, content: Mapping[str, Any] | None = CONTENT,
    schema: Mapping[str, Any] = SCHEMA, texts: bool = True,
) -> Parts:  # fmt: skip
    """The workshop's parts as the stages leave them, before any trial."""
    reply = WireSchema.model_validate(schema)
    parts = Parts("spoke_workshop", Brief.model_validate(BRIEF), tables_of(reply), kinds_of(reply))
    take_tools(parts, WireTools.model_validate({"tools": TOOLS if tools is None else tools}))
    talk = quiet_talk()
    try:
        take_rules(talk, parts, WireRules.model_validate(RULES if rules is None else rules))
    finally:
        talk.client.close()
        talk.ledger.close()
    parts.content = WireContent.model_validate(content) if content is not None else None
    if texts:
        parts.words, parts.acts = WireWords.model_validate(WORDS), WireActs.model_validate(ACTS)
    return parts


Reply = Callable[[dict[str, Any]], Any]
