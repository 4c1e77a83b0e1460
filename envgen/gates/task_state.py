"""Task gates about the final state: T1 to T6."""

from collections.abc import Iterator
from typing import Any

from envgen.core.digest import rng
from envgen.core.types import JsonObject
from envgen.database.draw import column_values
from envgen.gates import paths
from envgen.gates.finding import Finding, failed, not_applicable, passed, verdict_of
from envgen.gates.mutation import wrong_answers, wrong_endings
from envgen.gates.play import Run, Step, Submission, TaskContext, with_argument
from envgen.gates.successes import successes
from envgen.gates.variations import is_write, orders, other_routes, row_arguments

DRAWS = 40


def gold_scores_one(context: TaskContext) -> Finding:
    """T1: the gold scores 1, by the verifier in the process and by the standalone one, and each of its calls does as told.

    A gold call may be refused only with the code that the task is about.
    """
    with context.play(context.steps) as run:
        allowed = {context.gold.reason, *(goal.code for goal in context.gold.goals)}
        for step, result in zip(run.context.steps, run.results, strict=True):
            if result.error is not None and result.error.code not in allowed:
                return failed(f"gold call {step.index} ({step.tool}) is refused: {result.error.code}: {result.error.message}")
        verdict, other = run.score(), run.standalone()
    if verdict.reward != 1.0:
        return failed(f"gold scores {verdict.reward}: {_why(verdict)}")
    if other["reward"] != 1.0:
        return failed(f"verify.py gives gold {other['reward']}: {other.get('detail') or other['checks']}")
    return passed(calls=len(context.steps), writes=len(context.writes()))


def nothing_scores_zero(context: TaskContext) -> Finding:
    """T2: doing nothing scores 0, whatever outcome is claimed, by both verifiers."""
    problems = []
    with context.play(()) as run:
        for given in (Submission(), Submission(outcome="refused"), Submission(outcome="partial")):
            if run.score(given).reward != 0.0:
                problems.append(f"submitting {given.outcome} without a call scores 1")
            elif run.standalone(given)["reward"] != 0.0:
                problems.append(f"verify.py gives 1 for submitting {given.outcome} without a call")
    return verdict_of(problems)


def gold_is_minimal(context: TaskContext) -> Finding:
    """T3: each write left out scores 0, and so does each part of the submission left out or altered.

    A task of one write and nothing else is left to T2, which judges the same episode.
    """
    writes, problems = context.writes(), []
    plain = context.gold.answer is None and context.gold.outcome == "done"
    dropped = [] if plain and len(writes) == 1 else writes
    for index in dropped:
        with context.play(step for step in context.steps if step.index != index) as run:
            if run.score().reward != 0.0:
                problems.append(f"without call {index} ({context.steps[index].tool}) it still scores 1")
            elif run.digest == context.gold_digest:
                problems.append(f"call {index} ({context.steps[index].tool}) leaves no trace in the final state")
    altered = [] if plain else [*wrong_answers(context)[:3], *wrong_endings(context)]
    with context.play(context.steps) as run:
        problems += [f"the gold's state with {given} still scores 1" for given in altered if run.score(given).reward != 0.0]
    return verdict_of(problems, dropped=len(dropped), altered=len(altered))


def nothing_besides(context: TaskContext) -> Finding:
    """T4: a successful call of each write tool before, between or after the gold's calls scores 0.

    A call that leaves the gold's own state is no evidence, so another is drawn.
    """
    problems: list[str] = []
    without: list[str] = []
    tried = 0
    for tool in context.write_tools:
        found = 0
        for place in sorted({0, len(context.steps) // 2, len(context.steps)}):
            outcome = _one_besides(context, tool, place)
            found += outcome is not None
            if outcome:
                problems.append(outcome)
        tried += found
        if not found:
            without.append(tool)
    if problems:
        return verdict_of(problems, tried=tried)
    if context.write_tools and not tried:
        return not_applicable("no write tool could be called besides the gold", without=without)
    return passed(tried=tried, without=without)


def _one_besides(context: TaskContext, tool: str, place: int) -> str | None:
    """Return a problem, "" when an extra call was made and scored 0, or None when no call could be made."""
    for attempt in range(3):
        with context.play(context.steps[:place]) as run:
            arguments = _succeeding(context, run, tool, place, attempt)
            if arguments is None:
                return None
            for step in context.steps[place:]:
                run.step(step)
            verdict = run.score()
            if "state" in verdict.failed():
                return ""
            # What the verifier lets pass is compared by the independent digest, which costs more than the verdict.
            if run.digest != context.gold_digest:
                return f"with {tool}({arguments}) besides, before call {place}, it still scores 1" if verdict.reward else ""
    return None


def _succeeding(context: TaskContext, run: Run, tool: str, place: int, attempt: int) -> JsonObject | None:
    """Make one successful call of `tool` and return its arguments; None when none was found. Known successes are tried first."""
    known = list(successes(context.environment, tool))
    rng(0, "gates", context.task.id, "T4", tool, place, attempt).shuffle(known)
    for arguments in known:
        if run.session.probe(tool, arguments).ok and run.step(Step(tool, arguments)).ok:
            return arguments
    drawer = context.drawer(run.session.connection, "T4", tool, place, attempt)
    for _ in range(DRAWS):
        drawn = drawer.arguments(context.parameters(tool), context.task.start.now)
        if drawn is not None and run.session.probe(tool, drawn).ok and run.step(Step(tool, drawn)).ok:
            return drawn
    return None


def siblings_score_zero(context: TaskContext) -> Finding:
    """T5: a succeeding call on another row, in place of one of the gold's writes, scores 0."""
    problems: list[str] = []
    wanting: list[str] = []
    tried = 0
    for index, path, column in row_arguments(context):
        found, problem = _sibling(context, index, path, column)
        tried += found
        if problem:
            problems.append(problem)
        if not found:
            wanting.append(f"{context.steps[index].tool}.{path}")
    if problems:
        return verdict_of(problems, tried=tried)
    if wanting and not tried:
        return not_applicable("no other row lets the gold's writes succeed", wanting=wanting)
    return passed("" if tried else "no write names a row", tried=tried, wanting=wanting)


def _sibling(context: TaskContext, index: int, path: str, column: str) -> tuple[int, str]:
    """Return (1 when some other row was tried, problem)."""
    step = context.steps[index]
    own = paths.get(step.arguments, path)
    with context.play(()) as run:
        others = [value for value in column_values(run.session.connection.execute, column) if value != own]
    rng(0, "gates", context.task.id, "T5", index, path).shuffle(others)
    for value in others[:DRAWS]:
        changed = with_argument(step, path, value)
        with context.play(()) as run:
            for each in context.steps:
                result = run.step(changed if each.index == index else each)
                if each.index == index and not result.ok:
                    break
            else:
                if run.digest != context.gold_digest:
                    accepted = run.score().reward
                    return 1, f"call {index} ({step.tool}) with {path}={value!r} instead of {own!r} scores 1" if accepted else ""
    return 0, ""


def orders_and_routes(context: TaskContext) -> Finding:
    """T6: another order, extra reading or another route scores 1 when the independent digest agrees, else 0.

    When the state agrees, only a rule over the order of calls may still cost the reward.
    """
    problems: list[str] = []
    same = 0
    for name, steps in _variants(context):
        with context.play(steps) as run:
            verdict = run.score()
            agrees = run.digest == context.gold_digest
        same += agrees
        others = [check for check in verdict.failed() if not check.startswith("rule:")]
        if agrees and others:
            problems.append(f"{name}: the same state fails by {', '.join(others)}")
        elif not agrees and verdict.reward != 0.0:
            problems.append(f"{name}: another state scores 1")
    return verdict_of(problems, same=same)


def _variants(context: TaskContext) -> Iterator[tuple[str, list[Step]]]:
    yield from orders(context)
    yield "with all reading done twice", [s for step in context.steps for s in ((step,) if is_write(context, step) else (step, step))]
    for index, step in enumerate(context.steps):
        for path, value in step.arguments.items():
            if isinstance(value, list) and len(value) > 1:
                turned = with_argument(step, path, value[::-1])
                yield f"call {index} with {path} in reverse", [*context.steps[:index], turned, *context.steps[index + 1 :]]
    for index in context.writes():
        for other in other_routes(context, context.steps[index]):
            yield f"{other.tool} instead of call {index}", [*context.steps[:index], other, *context.steps[index + 1 :]]


def _why(verdict: Any) -> str:
    if verdict.status != "valid":
        return f"{verdict.status}: {verdict.failure_kind}"
    return "; ".join(f"{check.name}: {check.detail}" if check.detail else check.name for check in verdict.checks if not check.passed)
