"""Planned tasks on a real grammar world: executed gold, honest look-ups, twins, reproducibility."""

import pytest

from envgen.core.digest import rng
from envgen.core.errors import PlanError
from envgen.core.types import GOAL_KINDS
from envgen.database.grammar import propose
from envgen.database.plan.draft import Draft
from envgen.database.plan.goals import Request, Wish, Wisher
from envgen.database.plan.planner import Candidate, Options, Planner
from envgen.database.plan.queries import draw_query
from envgen.database.plan.resolve import check_refusals, refusal
from envgen.database.runtime import DatabaseEnvironment
from envgen.database.world import build_world

COUNT = 40


@pytest.fixture(scope="module")
def planner() -> Planner:
    proposal = propose("public library", seed=3, size="medium")
    world, _ = build_world(proposal, 3, "medium")
    return Planner(DatabaseEnvironment(proposal.spec, world), proposal.language, 3)


@pytest.fixture(scope="module")
def candidates(planner: Planner) -> list[Candidate]:
    found = []
    for index in range(COUNT):
        try:
            found += planner.candidate(index)
        except PlanError:
            continue
    return found


def test_most_candidates_work_out_and_all_kinds_come(candidates: list[Candidate]) -> None:
    assert len(candidates) >= COUNT * 0.9
    assert {kind for item in candidates for kind in item.task.kinds} == set(GOAL_KINDS)


def test_at_least_half_need_two_writes_and_the_median_is_four_calls(candidates: list[Candidate]) -> None:
    difficulties = [item.task.difficulty for item in candidates if item.task.difficulty]
    assert sum(item.writes >= 2 for item in difficulties) >= len(difficulties) / 2
    assert sorted(item.calls for item in difficulties)[len(difficulties) // 2] >= 4


def test_gold_scores_one_and_nothing_scores_zero(planner: Planner, candidates: list[Candidate]) -> None:
    tasks, gold = [item.task for item in candidates], {item.gold.task: item.gold for item in candidates}
    environment = planner.book.environment.with_tasks(tasks, gold)
    for task in tasks:
        record = gold[task.id]
        with environment.start(task) as session:
            assert all(session.call(call.tool, call.arguments).ok for call in record.calls)
            verdict = session.submit(record.answer.value if record.answer else None, outcome=record.outcome, reason=record.reason)
            assert verdict.reward == 1.0, (task.instruction, verdict.failed())
        with environment.start(task) as session:
            assert session.submit().reward == 0.0


def test_twins_share_their_words_and_differ_in_world_and_outcome(candidates: list[Candidate]) -> None:
    by_id = {item.task.id: item for item in candidates}
    twins = [item for item in candidates if item.task.twin]
    assert twins
    for item in twins:
        other = by_id[item.task.twin or ""]
        assert other.task.twin == item.task.id
        assert other.task.instruction == item.task.instruction
        assert other.task.start.patch != item.task.start.patch
        assert (other.gold.expect, other.gold.outcome) != (item.gold.expect, item.gold.outcome)


def test_what_comes_from_the_words_stands_in_them(candidates: list[Candidate]) -> None:
    for item in candidates:
        text = item.task.instruction.casefold()
        for call in item.gold.calls:
            for origin in call.origin.values():
                if origin["from"] == "instruction":
                    assert origin["text"].casefold() in text


def test_a_candidate_is_the_same_whenever_it_is_asked_for(planner: Planner, candidates: list[Candidate]) -> None:
    again = Planner(planner.book.environment, planner.book.language, 3)
    late = again.candidate(7)
    assert late == planner.candidate(7)
    assert [item.task.id for item in late] == [item.task.id for item in again.candidate(7)]


def test_kinds_and_difficulty_can_be_asked_for(planner: Planner) -> None:
    only = Planner(planner.book.environment, planner.book.language, 5, Options(kinds=("aggregate", "quiz")))
    assert {kind for index in range(6) for item in only.candidate(index) for kind in item.task.kinds} <= {"aggregate", "quiz"}
    hard = Planner(planner.book.environment, planner.book.language, 5, Options(difficulty="hard"))
    assert {item.task.difficulty.level for index in range(4) for item in hard.candidate(index) if item.task.difficulty} == {"hard"}


def test_refusals_name_one_rule_or_guard_and_often_one_that_no_tool_enforces(planner: Planner) -> None:
    refusing = Planner(planner.book.environment, planner.book.language, 9, Options(kinds=("refuse",)))
    rules = {rule.id for rule in planner.book.spec.rules}
    reasons = []
    for index in range(20):
        try:
            reasons += [item.gold.reason for item in refusing.candidate(index)]
        except PlanError:
            continue
    assert all(reasons)
    assert sum(reason in rules for reason in reasons) >= len(reasons) / 3
    assert any(reason not in rules for reason in reasons)


def test_what_is_refused_stays_refused_for_its_one_reason_whatever_else_the_text_asks_for() -> None:
    # Somebody with an overdue loan who asks for another one and hands the overdue one back may be served in that order.
    proposal = propose("public library", seed=3, size="medium")
    world, _ = build_world(proposal, 3, "medium")
    planner = Planner(DatabaseEnvironment(proposal.spec, world), proposal.language, 3)
    overdue = "SELECT l.* FROM main.loans l WHERE l.status = 'out' AND l.due_on < date(:now) ORDER BY l.id"
    with Draft.begin(planner.book).session as session:
        owed = session.connection.execute(f"SELECT id, member_id FROM ({overdue})", {"now": proposal.spec.now}).fetchall()
    member = next(member for _, member in owed if [other for _, other in owed].count(member) == 1)
    loan = next(number for number, other in owed if other == member)
    lend = planner.book.spec.tool("lend_book")
    code = "no_loan_when_overdue"
    draft = Draft.begin(planner.book)
    try:
        wisher = Wisher(planner.book, draft, rng(0, "test"))
        wish = next(
            Wish("refuse", "refuse", lend.name, arguments, frame, style, member, code=code, rule=code)
            for frame, style, named in [wisher.frame(lend.name)]
            for arguments in wisher.draws(planner.book.acts[lend.name], frame, named, member, probes=400)
            if draft.session.probe(lend.name, arguments).ok
        )
        assert refusal(draft, wish) == code
        requests = [Request(wish, {}, None, refused=code, declined=code)]
        check_refusals(draft, requests)
        assert draft.session.call("return_book", {"loan_id": loan}).ok
        with pytest.raises(PlanError, match="refusal_by_order"):
            check_refusals(draft, requests)
    finally:
        draft.close()


def test_an_answer_is_the_same_before_and_after_what_else_the_text_asks_for(planner: Planner) -> None:
    draft = Draft.begin(planner.book)
    try:
        dice = rng(0, "answer")
        query = next(item for item in planner.book.language.queries if item.key == "party.phone_of")
        question = draw_query(planner.book, draft, dice, query, None)
        phone = Wisher(planner.book, draft, dice).do(planner.book.acts["change_member_phone"], question.party)
        note = Wisher(planner.book, draft, dice).do(planner.book.acts["add_account_note"], question.party)
    finally:
        draft.close()
    assert planner._work_out([question, note], None, (), 1).gold.answer
    for wishes in ([question, phone], [phone, question]):
        with pytest.raises(PlanError, match="answer_by_order"):
            planner._work_out(wishes, None, (), 1)
