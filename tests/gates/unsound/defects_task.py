"""Planted defects of tasks: gates T1 to T12."""

from dataclasses import replace

from desk import CLAIM, NOW, ONE_CLAIM, known, make_spec, schema
from desk_tasks import Call, Plan, claim, claims_of, euros, goal, person, plans, said, shown
from planting import DEFECTS, Data, Defect, column, defect, desk, plan

from envgen.core.types import Answer
from envgen.database.runtime import DatabaseEnvironment
from envgen.database.schema import ddl

# T1


@defect("T1")
def gold_call_that_is_refused() -> DatabaseEnvironment:
    item = plan("t-choose")
    item.calls.insert(2, Call("deny_claim", {"claim_id": (42, shown(1, "2.id")), "clause": ("wear", said("wear"))}))
    return desk(tasks=[item, plan("t-sum")])


@defect("T1")
def wrong_gold_value() -> DatabaseEnvironment:
    environment = desk(keep="t-choose")
    task, gold = environment.tasks()[0], environment.gold("t-choose")
    entry = gold.expect.update[0]
    wrong = entry.model_copy(update={"set": {**entry.set, "clause": "late"}})
    expect = gold.expect.model_copy(update={"update": (wrong,)})
    return environment.with_tasks([task], {task.id: gold.model_copy(update={"expect": expect})})


@defect("T1")
def gold_on_a_missing_row() -> DatabaseEnvironment:
    item = plan("t-if-not")
    item.calls[2].arguments["claim_id"] = (999, shown(1, "0.id"))
    return desk(tasks=[item])


# T2


@defect("T2")
def seeded_target_state() -> DatabaseEnvironment:
    eva, eva_is = person("Eva Lindqvist", 5)
    email = "eva.lindqvist@example.org"
    item = Plan(
        "t-seeded",
        "Please set Eva Lindqvist's e-mail address to eva.lindqvist@example.org.",
        [goal("do", "set_email", tool="set_email")],
        [eva, Call("set_email", {"holder_id": (5, shown(0, "0.id")), "email": (email, said(email))})],
        [eva_is],
    )
    # Nobody else can take that address, so this task has no sibling: among all the tasks that is within the 10 %.
    return desk(tasks=[*plans(), item])


# T3


@defect("T3")
def gold_not_minimal() -> DatabaseEnvironment:
    gita, gita_is = person("Gita Rao", 7)
    emails = ("gita@new.example", "gita.rao@new.example")
    item = Plan(
        "t-twice",
        "Please change Gita Rao's e-mail address to gita@new.example. No, sorry, make that gita.rao@new.example.",
        [goal("do", "set_email", tool="set_email")],
        [gita, *(Call("set_email", {"holder_id": (7, shown(0, "0.id")), "email": (email, said(email))}) for email in emails)],
        [gita_is],
    )
    return desk(tasks=[item])


# T4


@defect("T4")
def forgotten_frame() -> DatabaseEnvironment:
    """A table that the specification does not declare, so that the verifier never looks at it."""
    create = (
        "CREATE TABLE reminders (id INTEGER PRIMARY KEY NOT NULL, claim_id INTEGER NOT NULL REFERENCES claims(id), at TEXT NOT NULL) STRICT"
    )

    def change(data: Data) -> None:
        data["ddl"] = [statement for statement in ddl(make_spec()) if "_ids" not in statement] + [create]
        data["tools"].append(
            {
                "name": "set_reminder",
                "description": "Set a reminder on a claim.",
                "parameters": schema(claim_id=CLAIM),
                "steps": [
                    known("claims", "claim_id", "claim"),
                    {"run": "INSERT INTO reminders(id, claim_id, at) SELECT coalesce(max(id), 0) + 1, :claim_id, :now FROM reminders"},
                    {"return": {"one": ONE_CLAIM}},
                ],
            }
        )

    return desk(change, [f"INSERT INTO reminders VALUES(1, 3, '{NOW}')"], keep="t-choose t-sum t-if-not")


# T5


@defect("T5")
def sibling_accepted() -> DatabaseEnvironment:
    return desk(lambda data: column(data, "notes.claim_id").update(policy="generated"), keep="t-if-not t-sum")


# T6


@defect("T6")
def exact_ids() -> DatabaseEnvironment:
    return desk(lambda data: column(data, "claims.id").update(policy="exact"), keep="t-two t-sum")


# T7


@defect("T7")
def tied_optimum() -> DatabaseEnvironment:
    return desk(world=["UPDATE claims SET amount_cents = 30523 WHERE id = 6"], keep="t-choose t-sum")


@defect("T7")
def ambiguous_description() -> DatabaseEnvironment:
    return desk(world=["UPDATE claims SET title = 'water stain' WHERE id = 50"], keep="t-pay t-sum")


@defect("T7")
def swapped_ids() -> DatabaseEnvironment:
    item = plan("t-lookup")
    wrong = replace(
        item,
        mentions=[item.mentions[0], claim(8, "stolen bicycle")],
        answer=Answer(type="integer", value=9_007),
        answer_origin=shown(1, "0.amount_cents"),
    )
    return desk(tasks=[wrong])


@defect("T7")
def description_not_in_the_text() -> DatabaseEnvironment:
    item = plan("t-lookup")
    item.instruction = "How much is Hugo Brandt claiming for the broken window?"
    return desk(tasks=[item])


# T8


@defect("T8")
def leaked_answer() -> DatabaseEnvironment:
    item = plan("t-lookup")
    item.instruction += " I have 24543 in my notes."
    return desk(tasks=[item])


@defect("T8")
def leaked_reason() -> DatabaseEnvironment:
    item = plan("t-taken")
    item.instruction += " If that is not possible, say email_taken."
    return desk(tasks=[item])


@defect("T8")
def modal_answer() -> DatabaseEnvironment:
    rows = [("Ana Costa", 1, "garden wall", 19, 2), ("Cleo Marsh", 3, "roof damage", 39, 4), ("Finn Adair", 6, "garden wall", 6, 0)]
    rows += [("Kira Novak", 11, "roof damage", 47, 2), ("Maya Haddad", 13, "broken window", 49, 2)]
    items = [plan("t-lookup")]
    for name, holder, title, number, index in rows:
        look, who = person(name, holder)
        answer = Answer(type="integer", value=24_543)
        items.append(
            Plan(
                f"t-lookup-{holder}",
                f"How much is {name} claiming for the {title}?",
                [goal("lookup", "claim_amount")],
                [look, claims_of(holder)],
                [who, claim(number, title)],
                answer,
                shown(1, f"{index}.amount_cents"),
            )
        )
    numbers = ", ".join(str(row[3]) for row in rows)
    return desk(world=[f"UPDATE claims SET amount_cents = 24543 WHERE id IN ({numbers})"], tasks=items)


# T9


DEFECTS.append(Defect("drifted_transcript", "T9", desk, {"t-pay": "0" * 32}))


# T10


@defect("T10")
def amount_not_compared() -> DatabaseEnvironment:
    return desk(lambda data: column(data, "payments.amount_cents").update(policy="generated"), keep="t-pay t-sum")


# T11


@defect("T11")
def missing_look_up() -> DatabaseEnvironment:
    item = plan("t-if")
    del item.calls[1], item.mentions[1]
    item.calls[1].arguments["claim_id"] = (11, {})
    return desk(tasks=[item])


@defect("T11")
def look_up_that_shows_another_value() -> DatabaseEnvironment:
    item = plan("t-choose")
    item.calls[2].arguments["claim_id"] = (24, shown(1, "0.id"))
    return desk(tasks=[item])


@defect("T11")
def amount_not_in_the_text() -> DatabaseEnvironment:
    item = plan("t-open")
    item.calls[2].arguments["amount_cents"] = (26_000, euros("€250"))
    return desk(tasks=[item])


@defect("T11")
def wrong_sum() -> DatabaseEnvironment:
    return desk(tasks=[replace(plan("t-sum"), answer=Answer(type="integer", value=144_605))])


# T12


@defect("T12")
def decorative_rule() -> DatabaseEnvironment:
    def change(data: Data) -> None:
        sql = "SELECT c.step FROM trace.calls c WHERE c.tool = 'pay_claim' AND c.ok AND NOT EXISTS "
        data["rules"][1]["sql"] = sql + "(SELECT 1 FROM trace.calls n WHERE n.tool = 'add_note' AND n.ok)"

    return desk(change, keep="t-pay t-sum")


@defect("T12")
def prohibition_that_does_not_bite() -> DatabaseEnvironment:
    def change(data: Data) -> None:
        data["rules"][2]["sql"] += " AND h.id <> 4"

    return desk(change, keep="t-refuse t-sum")
