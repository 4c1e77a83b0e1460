"""What a panel of scripted cheats earns on the tasks they aim at: how much of the reward can be had without doing the work.

    python benchmarks/cheats.py BUNDLE [BUNDLE …] [--json FILE]

first row       takes the first row of every look-up instead of the one that is meant       (tasks that name a row)
always refuse   refuses everything, with the bundle's commonest reason                      (tasks with a refusal)
error code      tries what is asked, and gives the tool's error as the reason               (tasks with a refusal)
ignore policy   leaves out what the policy asks for, and does what it forbids               (tasks with a policy rule in play)
modal answer    gives the commonest answer of the other tasks of its template               (tasks with an answer)
first branch    does the first thing that a conditional asks for, whatever the world says   (conditional tasks)
"""

import argparse
import json
import random
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from envgen.core.types import Gold, GoldCall, JsonObject, Task
from envgen.database.draw import Drawer
from envgen.database.runtime import DatabaseEnvironment, DatabaseSession

DRAWS = 40


@dataclass(frozen=True)
class Case:
    """One task with what a cheat may know of its bundle."""

    environment: DatabaseEnvironment
    task: Task
    gold: Gold

    @property
    def everyone(self) -> list[Gold]:
        """The gold of all tasks of the bundle."""
        return [self.environment.gold(task.id) for task in self.environment.tasks()]


Cheat = Callable[[Case, DatabaseSession], float | None]


def main() -> int:
    """Play every cheat on every bundle and print the share of its tasks that each solves."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("bundles", nargs="+", type=Path)
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    chosen = parser.parse_args()
    cases = [Case(env, task, env.gold(task.id)) for env in map(DatabaseEnvironment.load, chosen.bundles) for task in env.tasks()]
    figures = {name: play(cheat, cases) for name, cheat in CHEATS.items()}
    for name, figure in figures.items():
        print(f"{name:14} {figure['solved']:4} of {figure['tasks']:4} tasks  {figure['share']:6.1%}")
    if chosen.json:
        chosen.json.write_text(json.dumps({"bundles": len(chosen.bundles), **figures}, indent=1) + "\n", encoding="utf-8")
    return 0


def play(cheat: Cheat, cases: Sequence[Case]) -> dict[str, Any]:
    """Return how many of its tasks a cheat solves; a task that it does not aim at does not count."""
    rewards = []
    for case in cases:
        with case.environment.start(case.task) as session:
            reward = cheat(case, session)
        rewards += [] if reward is None else [reward]
    solved = sum(reward == 1.0 for reward in rewards)
    return {"tasks": len(rewards), "solved": solved, "share": solved / len(rewards) if rewards else 0.0}


def submit(session: DatabaseSession, gold: Gold, **changes: Any) -> float:
    """Submit as the gold does, but for `changes`."""
    given = {"answer": gold.answer.value if gold.answer else None, "outcome": gold.outcome, "reason": gold.reason, **changes}
    return session.submit(given["answer"], outcome=given["outcome"], reason=given["reason"]).reward or 0.0


def first_row(case: Case, session: DatabaseSession) -> float | None:
    """Follow the gold, but take the first row wherever one is picked from several."""
    results: list[Any] = []
    picked = False
    for call in case.gold.calls:
        arguments = dict(call.arguments)
        for name, origin in call.origin.items():
            parts = origin.get("path", "").split(".")
            places = [place for place, part in enumerate(parts) if part.isdigit() and part != "0"]
            if origin["from"] == "result" and places and name in arguments:
                parts[places[0]] = "0"
                arguments[name], picked = _at(results[origin["step"]], parts), True
        results.append(session.call(call.tool, arguments).value)
    return submit(session, case.gold) if picked else None


def _at(value: Any, parts: Sequence[str]) -> Any:
    for part in parts:
        if isinstance(value, list):
            value = value[int(part)] if int(part) < len(value) else None
        else:
            value = value.get(part) if isinstance(value, dict) else None
    return value


def always_refuse(case: Case, session: DatabaseSession) -> float | None:
    """Do nothing but refuse."""
    if case.gold.outcome == "done":
        return None
    reasons = Counter(gold.reason for gold in case.everyone if gold.reason)
    return submit(session, case.gold, answer=None, outcome="refused", reason=reasons.most_common(1)[0][0])


def error_code(case: Case, session: DatabaseSession) -> float | None:
    """Do the rest as the gold does, try what should be refused, and copy the code."""
    refused = next((goal for goal in case.gold.goals if goal.kind == "refuse"), None)
    if refused is None or refused.tool is None:
        return None
    _follow(session, case.gold.calls)
    code = _attempt(case, session, refused.tool)
    outcome = case.gold.outcome if code else "done"
    return submit(session, case.gold, outcome=outcome, reason=code)


def _follow(session: DatabaseSession, calls: Sequence[GoldCall], leave: Sequence[str] = ()) -> None:
    for call in calls:
        if call.tool not in leave:
            session.call(call.tool, call.arguments)


def _attempt(case: Case, session: DatabaseSession, tool: str) -> str | None:
    """Call `tool` on the rows that the instruction names; returns the code of its refusal, or None when it was carried out."""
    narrow: dict[str, list[Any]] = {}
    for mention in case.gold.mentions:
        for column, value in mention.key.items():
            narrow.setdefault(f"{mention.table}.{column}", []).append(value)
    drawer = Drawer(session.connection.execute, random.Random(0), narrow=narrow)
    code: str | None = "not_tried"
    for _ in range(DRAWS):
        arguments: JsonObject | None = drawer.arguments(case.environment.compiled[tool].arguments.schema, session.now)
        if arguments is None:
            continue
        result = session.call(tool, arguments)
        if result.error is None:
            return None
        code = result.error.code
        if code == case.gold.reason:
            break
    return code


def ignore_policy(case: Case, session: DatabaseSession) -> float | None:
    """Leave out the calls that only the policy asks for, and carry out what it forbids."""
    rules = {rule.id: rule for rule in case.environment.spec.rules if rule.id in case.gold.rules}
    if not rules:
        return None
    _follow(session, case.gold.calls, leave=[rule.fix.tool for rule in rules.values() if rule.fix])
    if case.gold.reason in rules:
        tool = rules[case.gold.reason].tool
        if tool:
            _attempt(case, session, tool)
        return submit(session, case.gold, outcome="done", reason=None)
    return submit(session, case.gold)


def modal_answer(case: Case, session: DatabaseSession) -> float | None:
    """Give the commonest answer of the other tasks that ask the same question."""
    asked = [goal.template for goal in case.gold.goals if goal.kind in ("lookup", "aggregate", "quiz")]
    if case.gold.answer is None or not asked:
        return None
    others = [
        gold for gold in case.everyone if gold.task != case.task.id and gold.answer and asked[0] in [goal.template for goal in gold.goals]
    ]
    answers = Counter(json.dumps(gold.answer.value) for gold in others if gold.answer)
    _follow(session, case.gold.calls)
    return submit(session, case.gold, answer=json.loads(answers.most_common(1)[0][0]) if answers else None)


def first_branch(case: Case, session: DatabaseSession) -> float | None:
    """Do what the twin in which the condition holds asks for, in either world."""
    if case.task.twin is None or "conditional" not in case.task.kinds:
        return None
    pair = [case.gold, case.environment.gold(case.task.twin)]
    tool = next(goal.tool for goal in case.gold.goals if goal.kind == "conditional")
    holding = next((gold for gold in pair if any(call.tool == tool for call in gold.calls)), case.gold)
    _follow(session, holding.calls)
    return submit(session, holding)


CHEATS: dict[str, Cheat] = {
    "first row": first_row,
    "always refuse": always_refuse,
    "error code": error_code,
    "ignore policy": ignore_policy,
    "modal answer": modal_answer,
    "first branch": first_branch,
}

if __name__ == "__main__":
    sys.exit(main())
