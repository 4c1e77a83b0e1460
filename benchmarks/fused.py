"""Composed problems: how many drawn programs are sound, how fast items come and are scored, and whether shortcuts pay over a large set.

    python benchmarks/fused.py [--depth 3] [--programs 200] [--mix 10000] [--json FILE]

CPU seconds of one process. With `pip install reasoning-gym` (for this bench only), its generators are measured in the same run.
"""

import argparse
import json
import platform
import statistics
import time
from collections import Counter
from pathlib import Path
from typing import Any

import envgen
from envgen.core.types import Gold, Task
from envgen.fused.audit import CHEAP, audit
from envgen.fused.compose import FusedOptions, answer_type, compose, prompt_for_audit, told
from envgen.fused.contract import draw
from envgen.fused.draw import Maker
from envgen.fused.library_index import all_problems, problem_names
from envgen.fused.pairs import table
from envgen.fused.program import OPERATORS, Program, Reject, run
from envgen.fused.score import score
from envgen.gates.composition import shortcut_shares

LEVELS = (0, 1, 2)


def main() -> None:
    """Measure, print, and write the figures."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--depth", type=int, default=3)
    parser.add_argument("--programs", type=int, default=200)
    parser.add_argument("--mix", type=int, default=10_000)
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    chosen = parser.parse_args()
    figures: dict[str, Any] = {"python": platform.python_version(), "envgen": envgen.__version__, "problems": len(problem_names())}
    figures["edges"] = {"all": len(table()), "without_adapter": sum(not edge.adapter for edge in table())}
    figures["audit"] = audited(chosen.depth, chosen.programs)
    programs = sound(chosen.depth, 60)
    figures["items"] = items(programs)
    figures["problem_rates"] = problem_rates()
    figures["scores_per_second"] = scores(programs)
    figures["overlap_of_seeds"] = overlap(chosen.depth)
    figures["mix"] = export_mix(chosen.depth, chosen.mix)
    figures["reasoning_gym"] = peer()
    print(json.dumps(figures, indent=1))
    if chosen.json:
        chosen.json.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


def audited(depth: int, number: int) -> dict[str, Any]:
    """Return the shares of drawn programs that pass, per operator and for chains."""
    found: dict[str, Any] = {}
    for name, operators in (("sequential", ("sequential",)), ("all operators", OPERATORS)):
        maker = Maker(11, depth=depth, operators=operators)
        cheap = whole = 0
        refused: Counter[str] = Counter()
        started = time.process_time()
        for index in range(number):
            program = maker.program(index)
            first = audit(program, CHEAP)
            cheap += first.sound
            last = audit(program, prompts=prompt_for_audit(program)) if first.sound else first
            whole += last.sound
            refused.update(last.failed.keys())
        found[name] = {
            "g1_to_g5": cheap / number, "whole": whole / number, "refused": dict(refused),
            "cpu_ms_per_program": 1000 * (time.process_time() - started) / number,
        }  # fmt: skip
    return found


def sound(depth: int, number: int) -> list[Program]:
    """Return programs that pass the audit."""
    maker, found, index = Maker(12, depth=depth), list[Program](), 0
    while len(found) < number:
        program = maker.program(index)
        index += 1
        if audit(program).sound:
            found.append(program)
    return found


def items(programs: list[Program]) -> dict[str, float]:
    """Return items per CPU-second over programs (instance and text), and the 99th percentile of one item, in ms."""
    rates, spent = [], []
    for program in programs:
        begun, made = time.process_time(), 0
        for number in range(60):
            started = time.process_time()
            try:
                trace = run(program, "bench", number)
            except Reject:
                continue
            told(program, trace, "bench", number)
            made += 1
            spent.append(time.process_time() - started)
        rates.append(made / max(time.process_time() - begun, 1e-9))
    return {
        "median_per_second": statistics.median(rates), "harmonic_mean_per_second": statistics.harmonic_mean(rates),
        "p99_ms": 1000 * statistics.quantiles(spent, n=100)[98],
    }  # fmt: skip


def problem_rates() -> dict[str, Any]:
    """Return instances per CPU-second of each base problem at the levels 0 to 2, sampled and solved."""
    rates = {}
    for chosen in all_problems():
        started, made = time.process_time(), 0
        while time.process_time() - started < 0.05:
            values = draw(chosen, made % len(LEVELS), made)
            made += 1
            if values is not None:
                chosen.solve(values)
        rates[chosen.name] = round(made / (time.process_time() - started))
    return {
        "median": statistics.median(rates.values()),
        "harmonic_mean": statistics.harmonic_mean(rates.values()),
        "least": min(rates.items(), key=lambda pair: pair[1]),
    }


def scores(programs: list[Program]) -> float:
    """Return replies scored per CPU-second: half of them right."""
    replies = []
    for program in programs:
        for number in range(5):
            try:
                trace = run(program, "score", number)
            except Reject:
                continue
            kind = answer_type(program)
            replies += [
                (f"So <answer>{json.dumps(trace.answer)}</answer>", trace.answer, kind),
                ("So <answer>17</answer>", trace.answer, kind),
            ]
    started, done = time.process_time(), 0
    while time.process_time() - started < 1.0:
        for text, gold, kind in replies:
            score(text, gold, kind)
        done += len(replies)
    return done / (time.process_time() - started)


def overlap(depth: int) -> dict[str, int]:
    """Return how many instances two neighbouring seeds share, of how many."""
    seen = [
        {gold.answer_origin["instance"] for gold in list(compose(FusedOptions(tasks=200, depth=depth, seed=seed)))[-1].gold}
        for seed in (1, 2)
    ]
    return {"shared": len(seen[0] & seen[1]), "of": len(seen[0])}


def export_mix(depth: int, number: int) -> dict[str, Any]:
    """Return how often each shortcut is right over a large set of many programs."""
    tasks, gold = list[Task](), list[Gold]()
    for seed in range(-(-number // 500)):
        made = list(compose(FusedOptions(tasks=500, depth=depth, seed=1000 + seed)))[-1]
        tasks += made.tasks
        gold += made.gold
    return {"tasks": len(tasks), **shortcut_shares(tasks[:number], gold[:number])}


def peer() -> dict[str, Any]:
    """Return items per CPU-second of reasoning-gym's generators on problems that are like ours, when it is installed."""
    try:
        import reasoning_gym
    except ImportError:
        return {"installed": False}
    rates = {}
    for name in ("base_conversion", "number_sorting", "shortest_path", "propositional_logic", "gcd", "chain_sum"):
        data = reasoning_gym.create_dataset(name, size=2000, seed=7)
        started, made = time.process_time(), 0
        while time.process_time() - started < 0.3 and made < 2000:
            _ = data[made]
            made += 1
        rates[name] = round(made / (time.process_time() - started))
    return {"installed": True, "version": reasoning_gym.__version__, "per_second": rates}


if __name__ == "__main__":
    main()
