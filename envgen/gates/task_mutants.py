"""Task gates about near misses and rules: T10 and T12."""

from collections.abc import Iterator

from envgen.core.outcome import Verdict
from envgen.database.spec import Rule
from envgen.gates.finding import Finding, not_applicable, passed, verdict_of
from envgen.gates.mutation import Mutant, mutants
from envgen.gates.play import Run, Step, Submission, TaskContext
from envgen.verify.answer import answer_matches

ENOUGH = 20
MOST = 40


def mutants_are_rejected(context: TaskContext) -> Finding:
    """T10: of the mutants that ran without a new refusal, those that differ by the independent digest or the submission
    score 0, and those that do not score as the gold does (but for rules). At least 20 must differ, else not applicable.

    A mutant that is T3's, T4's or T5's own counts, but whether it is accepted is theirs to report: one fault, one gate.
    Both verifiers must agree on the first of each kind.
    """
    trial = _Trial(context)
    for mutant in mutants(context):
        if trial.distinct >= MOST:
            break
        trial.take(mutant)
    trial.close()
    if trial.problems:
        return verdict_of(trial.problems, distinct=trial.distinct)
    if trial.distinct < ENOUGH:
        return not_applicable(f"only {trial.distinct} distinct mutants ran, {ENOUGH} are needed", operators=trial.counts)
    return passed(distinct=trial.distinct, equivalent=trial.equal, operators=trial.counts)


class _Trial:
    """The mutants of one task, judged one after the other; mutants with the same calls share an episode."""

    def __init__(self, context: TaskContext) -> None:
        self.context = context
        self.problems: list[str] = []
        self.counts: dict[str, int] = {}
        self.distinct = self.equal = 0
        self._compared: set[str] = set()
        self._run: Run | None = None
        self._steps: tuple[Step, ...] = ()
        self._digest = ""

    def take(self, mutant: Mutant) -> None:
        """Play and judge one mutant; one that is refused in a new place does not count."""
        run = self._episode(mutant.steps)
        if not _carried_out(self.context, mutant, run):
            return
        verdict = run.score(mutant.submission)
        self._digest = self._digest or run.digest
        differs = self._digest != self.context.gold_digest or not _same_submission(self.context, mutant.submission)
        self.distinct, self.equal = self.distinct + differs, self.equal + (not differs)
        if differs:
            self.counts[mutant.operator] = self.counts.get(mutant.operator, 0) + 1
        problem = self._disagreement(mutant, run, verdict) or self._misjudged(mutant, verdict, differs)
        if problem:
            self.problems.append(problem)

    def _episode(self, steps: tuple[Step, ...]) -> Run:
        if self._run is None or steps is not self._steps:
            self.close()
            self._run, self._steps, self._digest = self.context.play(steps), steps, ""
        return self._run

    def _disagreement(self, mutant: Mutant, run: Run, verdict: Verdict) -> str:
        if mutant.operator in self._compared:
            return ""
        self._compared.add(mutant.operator)
        other = run.standalone(mutant.submission)
        if other["reward"] == verdict.reward:
            return ""
        return f"{mutant.what}: verify.py gives {other['reward']}, the verifier in the process {verdict.reward}"

    def _misjudged(self, mutant: Mutant, verdict: Verdict, differs: bool) -> str:
        if differs and verdict.reward != 0.0 and not mutant.judge:
            return f"{mutant.operator}: {mutant.what} scores 1"
        others = [name for name in verdict.failed() if not name.startswith("rule:")]
        return f"{mutant.what} means the same but fails by {', '.join(others)}" if not differs and others else ""

    def close(self) -> None:
        """End the episode that is open."""
        if self._run is not None:
            self._run.session.close()
            self._run = None


def _carried_out(context: TaskContext, mutant: Mutant, run: Run) -> bool:
    """True when no call was refused but those that the gold has refused too."""
    return all(
        result.ok or (step.index is not None and step == context.steps[step.index] and not context.results[step.index].ok)
        for step, result in zip(mutant.steps, run.results, strict=True)
    )


def _same_submission(context: TaskContext, given: Submission) -> bool:
    own = context.submission
    reason = given.reason == own.reason or own.outcome == "done"
    return answer_matches(context.gold.answer, given.answer) and given.outcome == own.outcome and reason


def rules_decide(context: TaskContext) -> Finding:
    """T12: each `agent` rule in play is decisive.

    A rule with a fix is in play when the gold calls its tool: then leaving the fix out, or making it too late, must fail by
    that rule alone. A rule without one is in play when it is the gold's reason: then doing as asked must break it, and the
    right state with another reason must fail by `reason` alone.
    """
    problems: list[str] = []
    decided = []
    called = {step.tool for step, result in zip(context.steps, context.results, strict=True) if result.ok}
    for rule in context.environment.spec.rules:
        if rule.kind != "agent":
            continue
        if rule.fix is not None and rule.tool in called:
            decided.append(rule.id)
            if not any(_fails_alone(context, rule, steps) for steps in _unfixed(context, rule)):
                problems.append(f"rule {rule.id}: no variation of the gold fails by it alone")
        elif context.gold.reason == rule.id:
            decided.append(rule.id)
            problems += _prohibition(context, rule)
    return verdict_of(problems, rules=decided) if decided else passed("no agent rule is in play")


def _fails_alone(context: TaskContext, rule: Rule, steps: tuple[Step, ...]) -> bool:
    with context.play(steps) as run:
        return run.score().failed() == [f"rule:{rule.id}"]


def _unfixed(context: TaskContext, rule: Rule) -> Iterator[tuple[Step, ...]]:
    """The gold with the rule's fix left out, or moved to the other side of the call that needs it."""
    assert rule.fix is not None
    for index, step in enumerate(context.steps):
        if step.tool == rule.fix.tool:
            rest = [*context.steps[:index], *context.steps[index + 1 :]]
            yield tuple(rest)
            yield (*rest, step)
            yield (step, *rest)
    for index, step in enumerate(context.steps):
        if step.tool == rule.tool:
            rest = [*context.steps[:index], *context.steps[index + 1 :]]
            yield (step, *rest)
            yield (*rest, step)


def _prohibition(context: TaskContext, rule: Rule) -> list[str]:
    problems = []
    tool = rule.tool or next((goal.tool for goal in context.gold.goals if goal.rule == rule.id), None)
    if tool is not None and not _can_be_broken(context, rule, tool):
        problems.append(f"rule {rule.id}: doing as asked does not break it")
    others: list[str | None] = [*sorted(context.environment.reasons - {rule.id})[:1], None]
    with context.play(context.steps) as run:
        for reason in others:
            given = Submission(context.submission.answer, context.submission.outcome, reason)
            if run.score(given).failed() != ["reason"]:
                problems.append(f"rule {rule.id}: the right state with reason {reason} does not fail by reason alone")
    return problems


def _can_be_broken(context: TaskContext, rule: Rule, tool: str) -> bool:
    """Call the forbidden tool on the rows that the instruction names; True when some call breaks the rule."""
    narrow: dict[str, list[object]] = {}
    for mention in context.gold.mentions:
        for column, value in mention.key.items():
            narrow.setdefault(f"{mention.table}.{column}", []).append(value)
    parameters = context.parameters(tool)
    with context.play(context.steps) as run:
        drawer = context.drawer(run.session.connection, "T12", rule.id, narrow=narrow)
        for _ in range(100):
            arguments = drawer.arguments(parameters, context.task.start.now)
            if arguments is None:
                return False
            if run.step(Step(tool, arguments)).ok:
                return rule.id in run.session.broken()
    return False
