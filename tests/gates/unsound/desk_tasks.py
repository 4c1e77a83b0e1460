"""The claims desk's tasks: all kinds of goal, with gold in the exact formats of `envgen.core.types`."""

from dataclasses import dataclass, field
from typing import Any

import apsw
from desk import NOW, make_spec, make_world

from envgen.core.types import Answer, Goal, Gold, GoldCall, Mention, RowPatch, Start, Task
from envgen.database.runtime import DatabaseEnvironment
from envgen.database.spec import EnvironmentSpec
from envgen.verify.expectation import derive

Origin = dict[str, Any]


def said(text: str) -> Origin:
    return {"from": "instruction", "text": text}


def euros(text: str) -> Origin:
    return {"from": "operation", "op": "money", "text": text}


def shown(step: int, path: str) -> Origin:
    return {"from": "result", "step": step, "path": path}


@dataclass
class Call:
    """One gold call: tool, then {argument: (value, origin)}."""

    tool: str
    arguments: dict[str, tuple[Any, Origin]]
    goal: int = 0


@dataclass
class Plan:
    """A task before its expectation is derived by carrying its calls out."""

    id: str
    instruction: str
    goals: list[Goal]
    calls: list[Call]
    mentions: list[Mention] = field(default_factory=list)
    answer: Answer | None = None
    answer_origin: Origin = field(default_factory=dict)
    outcome: str = "done"
    reason: str | None = None
    patch: tuple[RowPatch, ...] = ()
    twin: str | None = None


def goal(kind: str, template: str, **more: Any) -> Goal:
    return Goal(kind=kind, template=f"{kind}:{template}", **more)  # type: ignore[arg-type]


def person(name: str, number: int) -> tuple[Call, Mention]:
    """The look-up of a holder by name, which is the first call of every task, and the mention that it resolves."""
    call = Call("find_holders", {"name": (name, said(name))})
    return call, Mention(text=name, table="holders", key={"id": number}, step=0, fields={"name": name})


def claims_of(number: int) -> Call:
    return Call("list_claims", {"holder_id": (number, shown(0, "0.id"))})


def claim(number: int, title: str, **more: Any) -> Mention:
    return Mention(text=title, table="claims", key={"id": number}, step=1, fields={"title": title, **more})


def plans() -> list[Plan]:
    """The sound tasks. A defect changes this list."""
    return [*_acts(), *_questions(), *_refusals()]


def _acts() -> list[Plan]:
    ana, ana_is = person("Ana Costa", 1)
    noel, noel_is = person("Noel Petit", 14)
    ben, ben_is = person("Ben Okafor", 2)
    finn, finn_is = person("Finn Adair", 6)
    kira, kira_is = person("Kira Novak", 11)
    either = (
        "If Kira Novak's claim for the water stain is still open, deny it under the flood clause; "
        'if not, add the note "already settled" to it.'
    )
    settled = ("already settled", said("already settled"))
    tiles = {"title": ("cracked tiles", said("cracked tiles")), "amount_cents": (25_000, euros("€250"))}
    found = [kira_is, claim(11, "water stain")]
    return [
        Plan(
            "t-open",
            'Ana Costa rang: open a claim of €250 under her policy HM-4618 for "cracked tiles", and note on it "photos will follow".',
            [goal("do", "open_claim", tool="open_claim"), goal("do", "add_note", tool="add_note")],
            [
                ana,
                Call("list_policies", {"holder_id": (1, shown(0, "0.id"))}),
                Call("open_claim", {"policy_id": (15, shown(1, "1.id")), **tiles}),
                Call("add_note", {"claim_id": (55, shown(2, "id")), "body": ("photos will follow", said("photos will follow"))}, 1),
            ],
            [ana_is, Mention(text="HM-4618", table="policies", key={"id": 15}, step=1, fields={"number": "HM-4618"})],
        ),
        Plan(
            "t-pay",
            'Please pay Noel Petit\'s claim for the water stain in full, and put the note "agreed by phone" on it.',
            [goal("do", "pay_claim", tool="pay_claim")],
            [
                noel,
                claims_of(14),
                Call("add_note", {"claim_id": (32, shown(1, "1.id")), "body": ("agreed by phone", said("agreed by phone"))}),
                Call("pay_claim", {"claim_id": (32, shown(1, "1.id")), "amount_cents": (42_531, shown(1, "1.amount_cents"))}),
            ],
            [noel_is, claim(32, "water stain")],
        ),
        Plan(
            "t-two",
            "Ben Okafor has had two mishaps, both under policy HM-4137: "
            "open one claim of €90 for a cracked mirror and one of €120 for a bent gate.",
            [goal("do", "open_claim", tool="open_claim"), goal("do", "open_claim", tool="open_claim")],
            [
                ben,
                Call("list_policies", {"holder_id": (2, shown(0, "0.id"))}),
                *(
                    Call(
                        "open_claim",
                        {"policy_id": (2, shown(1, "0.id")), "title": (title, said(title)), "amount_cents": (cents, euros(text))},
                        index,
                    )
                    for index, (title, cents, text) in enumerate([("cracked mirror", 9_000, "€90"), ("bent gate", 12_000, "€120")])
                ),
            ],
            [ben_is, Mention(text="HM-4137", table="policies", key={"id": 2}, step=1, fields={"number": "HM-4137"})],
        ),
        Plan(
            "t-choose",
            "Deny Finn Adair's largest open claim, please; it falls under wear.",
            [goal("choose", "largest_claim", tool="deny_claim")],
            [finn, claims_of(6), Call("deny_claim", {"claim_id": (24, shown(1, "1.id")), "clause": ("wear", said("wear"))})],
            [
                finn_is,
                Mention(
                    text="largest open claim", table="claims", key={"id": 24}, step=1, fields={"status": "open"},
                    order={"by": "amount_cents", "direction": "max"},
                ),
            ],
        ),
        Plan(
            "t-if",
            either,
            [goal("conditional", "deny_claim:not_open", tool="deny_claim")],
            [kira, claims_of(11), Call("deny_claim", {"claim_id": (11, shown(1, "0.id")), "clause": ("flood", said("flood"))})],
            found,
            twin="t-if-not",
        ),
        Plan(
            "t-if-not",
            either,
            [goal("conditional", "deny_claim:not_open", tool="deny_claim")],
            [kira, claims_of(11), Call("add_note", {"claim_id": (11, shown(1, "0.id")), "body": settled})],
            found,
            patch=(RowPatch(op="update", table="claims", key={"id": 11}, row={"status": "denied", "closed_at": "2026-02-20 10:00:00"}),),
            twin="t-if",
        ),
    ]  # fmt: skip


def _questions() -> list[Plan]:
    hugo, hugo_is = person("Hugo Brandt", 8)
    ben, ben_is = person("Ben Okafor", 2)
    ines, ines_is = person("Ines Duarte", 9)
    over = {"steps": [1], "rows": ""}
    return [
        Plan(
            "t-lookup",
            "How much is Hugo Brandt claiming for the stolen bicycle?",
            [goal("lookup", "claim_amount")],
            [hugo, claims_of(8)],
            [hugo_is, claim(44, "stolen bicycle")],
            Answer(type="integer", value=24_543),
            shown(1, "2.amount_cents"),
        ),
        Plan(
            "t-sum",
            "What do Ben Okafor's open claims come to altogether?",
            [goal("aggregate", "open_total")],
            [ben, claims_of(2)],
            [ben_is],
            Answer(type="integer", value=144_604),
            {"from": "operation", "op": "sum", "column": "amount_cents", "where": {"status": "open"}, **over},
        ),
        Plan(
            "t-quiz",
            "What is the smallest sum that Ines Duarte has ever claimed?",
            [goal("quiz", "smallest_claim")],
            [ines, claims_of(9)],
            [ines_is],
            Answer(type="integer", value=9_026),
            {"from": "operation", "op": "min", "column": "amount_cents", "where": {}, **over},
        ),
    ]


def _refusals() -> list[Plan]:
    dov, dov_is = person("Dov Levin", 4)
    liam, liam_is = person("Liam Doyle", 12)
    return [
        Plan(
            "t-refuse",
            "Dov Levin wants his claim for the kitchen fire paid in full. Can you do that?",
            [goal("refuse", "not_suspended", tool="pay_claim", rule="not_suspended", code="not_suspended")],
            [dov, claims_of(4), Call("get_claim", {"claim_id": (22, shown(1, "2.id"))})],
            [dov_is, claim(22, "kitchen fire")],
            outcome="refused",
            reason="not_suspended",
        ),
        Plan(
            "t-taken",
            "Please change Liam Doyle's e-mail address to maya.haddad@example.org.",
            [goal("refuse", "set_email:email_taken", tool="set_email", code="email_taken")],
            [liam],
            [liam_is],
            outcome="refused",
            reason="email_taken",
        ),
    ]


def carry_out(environment: DatabaseEnvironment, plan: Plan) -> tuple[Task, Gold]:
    """Carry the plan's calls out and derive what they must leave."""
    start = Start(now=NOW, patch=plan.patch)
    kinds = tuple(dict.fromkeys(item.kind for item in plan.goals))
    task = Task(
        id=plan.id, split="train", template="+".join(sorted(g.template for g in plan.goals)), kinds=kinds, instruction=plan.instruction,
        start=start, twin=plan.twin,
    )  # fmt: skip
    calls = tuple(
        GoldCall(
            tool=call.tool,
            arguments={name: value for name, (value, _) in call.arguments.items()},
            goal=call.goal,
            write=call.tool in environment.compiled and environment.compiled[call.tool].writes,
            origin={name: origin for name, (_, origin) in call.arguments.items()},
        )
        for call in plan.calls
    )
    text = plan.instruction.casefold()
    with environment.start(task) as session:
        for call in calls:
            session.call(call.tool, call.arguments)
        expect = derive(session.changes(), environment.infos, quoted=lambda value: str(value).casefold() in text, now=NOW)
    gold = Gold(
        task=plan.id, goals=tuple(plan.goals), calls=calls, mentions=tuple(plan.mentions), expect=expect, answer=plan.answer,
        answer_origin=plan.answer_origin, outcome=plan.outcome, reason=plan.reason,  # type: ignore[arg-type]
    )  # fmt: skip
    return task, gold


def make_environment(
    spec: EnvironmentSpec | None = None, world: apsw.Connection | None = None, tasks: list[Plan] | None = None
) -> DatabaseEnvironment:
    """Return the claims desk with its tasks; each part can be another one."""
    spec = spec or make_spec()
    environment = DatabaseEnvironment(spec, world or make_world(spec))
    made = [carry_out(environment, plan) for plan in (plans() if tasks is None else tasks)]
    return environment.with_tasks([task for task, _ in made], {task.id: gold for task, gold in made})
