"""Validate a fused bundle: every program audited again, every task made again, and the mix of answers looked at as a whole."""

import json
import re
import time
from collections import Counter
from collections.abc import Collection
from pathlib import Path

from envgen.core.errors import UsageError
from envgen.core.events import Event, Events, silent
from envgen.core.types import Evidence, Gold, Task
from envgen.fused.audit import ALL, TITLES, audit
from envgen.fused.compose import check_task, program_of, prompt_for_audit
from envgen.fused.environment import FusedEnvironment
from envgen.fused.library_index import behaviour, problem_names
from envgen.fused.program import Program
from envgen.gates.report import GateReport

MIX, AGAIN, FEW = "G10", "G11", 20
MOST = 0.10
FUSED_GATES = (*ALL, MIX, AGAIN)
FUSED_TITLES = {
    **TITLES,
    MIX: "no constant or shortcut pays over the whole set",
    AGAIN: "text and answer come out again, gold scores 1, junk 0",
}
_NUMBER = re.compile(r"-?\d+")


def validate_fused(path: str | Path, *, gates: Collection[str] | None = None, events: Events | None = None) -> GateReport:
    """Run every gate of the family (or those of `gates`) on the bundle in `path`.

    Errors: UsageError (no bundle there, an unknown gate, no gold), FormatError, BundleError (damaged).
    """
    from envgen.bundle.read import read_bundle

    unknown = sorted(set(gates or ()) - set(FUSED_GATES))
    if unknown:
        raise UsageError(f"unknown gate {', '.join(unknown)}; the gates of a fused bundle are {', '.join(FUSED_GATES)}")
    chosen = [gate for gate in FUSED_GATES if gates is None or gate in gates]
    tell = events or silent
    bundle = read_bundle(path)
    bundle.verify_digest()
    environment = FusedEnvironment.load(path)
    seconds: dict[str, float] = {}
    evidence = _library(environment)
    programs = {data["id"]: program_of(data) for data in environment.environment["programs"]}
    for number, (name, program) in enumerate(programs.items(), 1):
        evidence += _program(name, program, [gate for gate in chosen if gate in ALL], seconds)
        tell(Event("progress", "validate", "programs", done=number, total=len(programs)))
    if AGAIN in chosen:
        evidence += [_again(programs, task, environment.gold(task.id)) for task in environment.tasks()]
    if MIX in chosen:
        evidence.append(mix(environment.tasks(), [environment.gold(task.id) for task in environment.tasks()]))
    report = GateReport(bundle.manifest.name, evidence, FUSED_TITLES, seconds, bundle.manifest.digest, ())
    tell(Event("result", "validate", "sound" if report.sound else "unsound", data={"problems": report.problems()}))
    return report


def _library(environment: FusedEnvironment) -> list[Evidence]:
    """A problem that behaves otherwise than when the bundle was made makes other answers: that is said once, plainly."""
    known = problem_names()
    stored = environment.environment.get("library", {})
    changed = sorted(name for name, seen in stored.items() if name not in known or behaviour(name) != seen)
    if not changed:
        return []
    reason = f"problems that behave otherwise in this version of envgen: {', '.join(changed)}. Make the bundle anew"
    return [Evidence(subject="library", gate=AGAIN, status="fail", reason=reason)]


def _program(name: str, program: Program, gates: list[str], seconds: dict[str, float]) -> list[Evidence]:
    started = time.perf_counter()
    if program.id != name:
        return [Evidence(subject=name, gate="G8", status="fail", reason=f"the steps make the program {program.id}")]
    found = audit(program, gates, prompts=prompt_for_audit(program))
    spent = (time.perf_counter() - started) / max(len(gates), 1)
    for gate in gates:
        seconds[gate] = seconds.get(gate, 0.0) + spent
    good = {gate: numbers for gate, numbers in found.figures.items() if gate not in found.failed}
    evidence = [Evidence(subject=name, gate=gate, status="pass", seen=dict(numbers)) for gate, numbers in good.items()]
    return evidence + [Evidence(subject=name, gate=gate, status="fail", reason=why) for gate, why in found.failed.items()]


def _again(programs: dict[str, Program], task: Task, gold: Gold) -> Evidence:
    program = programs.get(str(gold.answer_origin.get("program")))
    if program is None:
        return Evidence(subject=task.id, gate=AGAIN, status="fail", reason="its program is not in the bundle")
    problems = check_task(program, task, gold)
    return Evidence(subject=task.id, gate=AGAIN, status="fail" if problems else "pass", reason="; ".join(problems))


def shortcut_shares(tasks: Collection[Task], gold: Collection[Gold]) -> dict[str, float]:
    """Return how often simple rules over the text are right over a whole set: the best constant, the last, largest and smallest number,
    and any text of the prompt that is longer than three characters."""
    pairs = list(zip(tasks, gold, strict=True))
    answers = [json.dumps(each.answer.value if each.answer else None) for _, each in pairs]
    found = {"constant": Counter(answers).most_common(1)[0][1] / len(answers) if answers else 0.0}
    hits: Counter[str] = Counter()
    for (task, _), answer in zip(pairs, answers, strict=True):
        numbers = _NUMBER.findall(task.instruction)
        hits["last_number"] += bool(numbers) and numbers[-1] == answer
        hits["largest"] += bool(numbers) and str(max(map(int, numbers))) == answer
        hits["smallest"] += bool(numbers) and str(min(map(int, numbers))) == answer
        hits["in_text"] += len(answer.strip('"')) > 3 and answer.strip('"') in task.instruction
    return found | {name: hits[name] / len(pairs) if pairs else 0.0 for name in ("last_number", "largest", "smallest", "in_text")}


def mix(tasks: Collection[Task], gold: Collection[Gold]) -> Evidence:
    """Return gate G10 over a set; small sets are let off, since two equal answers are already a tenth of them."""
    shares = shortcut_shares(tasks, gold)
    worst = max(shares, key=lambda name: shares[name])
    fine = shares[worst] <= MOST or len(tasks) < FEW
    reason = "" if fine else f"the rule {worst} is right in {shares[worst]:.0%} of the tasks"
    return Evidence(subject="bundle", gate=MIX, status="pass" if fine else "fail", reason=reason, seen=shares)
