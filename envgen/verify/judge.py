"""The verdict of one episode: every condition checked, reward 1.0 only when all hold."""

from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import Any

from envgen.core.outcome import CallRecord, Check, Verdict
from envgen.core.types import Gold
from envgen.verify.answer import answer_matches
from envgen.verify.changes import ChangeSet, Infos
from envgen.verify.state import StateMatch, match


def judge(
    gold: Gold,
    changes: ChangeSet,
    calls: Sequence[CallRecord],
    infos: Infos,
    *,
    answer: Any,
    outcome: str,
    reason: str | None,
    broken: Collection[str],
    rule_ids: Sequence[str],
) -> Verdict:
    """Judge an episode against its gold.

    broken: ids of the rules found broken. rule_ids: ids of all rules that count, each a check of its own.
    Checks: `state`, `answer`, `outcome`, `reason` (when the request is to be refused, wholly or in part), `rule:<id>`.
    """
    state = match(gold.expect, changes, infos)
    checks = [
        Check("state", state.passed, "; ".join(state.problems[:4])),
        _answer(gold, answer),
        Check("outcome", outcome == gold.outcome, "" if outcome == gold.outcome else f"submitted {outcome}, not {gold.outcome}"),
    ]
    if gold.outcome != "done":
        checks.append(Check("reason", reason == gold.reason, "" if reason == gold.reason else f"submitted {reason!r}"))
    checks += [Check(f"rule:{rule}", False) if rule in broken else _kept(rule) for rule in rule_ids]
    failed = next((check.name for check in checks if not check.passed), None)
    return Verdict(
        status="valid",
        reward=0.0 if failed else 1.0,
        solved=not failed,
        components=_components(gold, state, checks, broken),
        checks=tuple(checks),
        failure_kind=failed.split(":")[0] if failed else None,
    )


@lru_cache(maxsize=4096)
def _kept(rule: str) -> Check:
    """The check of a rule that was kept, made once: an episode has a dozen of them."""
    return Check(f"rule:{rule}", True)


def _answer(gold: Gold, given: Any) -> Check:
    passed = answer_matches(gold.answer, given)
    wanted = f"an answer of type {gold.answer.type}" if gold.answer else "no answer"
    return Check("answer", passed, "" if passed else f"{_shown(given)} is not the right one; expected {wanted}")


def _shown(given: Any) -> str:
    """The answer in words: what an agent hands in may be nested or long beyond what Python can print."""
    try:
        return f"{given!r:.80}"
    except (RecursionError, ValueError):
        return f"a {type(given).__name__}"


def _components(gold: Gold, state: StateMatch, checks: Sequence[Check], broken: Collection[str]) -> dict[str, float]:
    """Partial credit per part, less what doing nothing earns: a part that holds from the start gives 0, or -1 when lost."""
    passed = {check.name: check.passed for check in checks}
    done = max(0.0, state.matched - state.unexpected) / state.expected if state.expected else float(state.passed) - 1.0
    parts = {"state": done, "answer": float(passed["answer"]) - (gold.answer is None)}
    parts["outcome"] = float(passed["outcome"]) - (gold.outcome == "done")
    if "reason" in passed:
        parts["reason"] = float(passed["reason"])
    parts["rules"] = -float(bool(broken))
    return parts
