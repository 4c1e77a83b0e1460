"""How fast environments are made: whole runs of ten tasks with every gate, on two processes; seconds per stage and gate.

    python benchmarks/synthesis.py [--environments N] [--processes P] [--json FILE]

Next to it, what it costs to start, call and stop a server process per episode, as peers do when they check what they made.
"""

import argparse
import json
import os
import platform
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import peer_server

import envgen
from envgen.synthesis.options import SynthesisOptions
from envgen.synthesis.pipeline import synthesize

TASKS = 10
AT_LEAST = 20.0


def main() -> int:
    """Measure, print, and exit 1 when fewer than twenty environments a minute are made."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--environments", type=int, default=24, help="how many to make")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    chosen = parser.parse_args()
    figures = measure(chosen.environments, chosen.processes)
    report(figures)
    if chosen.json:
        chosen.json.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    return 0 if figures["environments_per_minute"] >= AT_LEAST else 1


def measure(environments: int, processes: int) -> dict[str, Any]:
    """Make `environments` in `processes` and return the figures; seconds per stage are summed over all runs."""
    peer = peer_server.measure()
    with tempfile.TemporaryDirectory() as folder, ProcessPoolExecutor(processes) as pool:
        list(pool.map(_warm, range(processes * 2)))
        jobs = [(domain, seed, f"{folder}/{number}") for number, (domain, seed) in enumerate(_subjects(environments))]
        begun = time.perf_counter()
        results = list(pool.map(_make, jobs))
        seconds = time.perf_counter() - begun
    spent: Counter[str] = Counter()
    for result in results:
        spent.update(result["seconds"])
    cpu = sum(result["cpu"] for result in results) / len(results)
    per_minute = len(results) / seconds * 60
    return {
        "python": platform.python_version(),
        "envgen": envgen.__version__,
        "environments": len(results),
        "tasks": sum(result["kept"] for result in results),
        "processes": processes,
        "seconds": round(seconds, 3),
        "environments_per_minute": round(per_minute, 2),
        # What the same work comes to when nothing else runs on the cores.
        "cpu_seconds_per_environment": round(cpu, 3),
        "environments_per_cpu_minute": round(60 / cpu, 2),
        "seconds_by_stage": {name: round(value, 3) for name, value in spent.most_common()},
        "server_episode_s": round(peer.episode, 3),
        "server_episodes_in_the_time_of_one_environment": round(60 / per_minute / peer.episode, 2),
    }


def _subjects(count: int) -> list[tuple[str, int]]:
    from envgen.database.grammar import list_domains

    titles = [domain.title for domain in list_domains()]
    return [(titles[number % len(titles)], number // len(titles)) for number in range(count)]


def _warm(number: int) -> None:
    """Import what synthesis needs, so that the figure is about making and not about importing."""
    import envgen.database.grammar
    import envgen.synthesis.pipeline  # noqa: F401


def _make(job: tuple[str, int, str]) -> dict[str, Any]:
    domain, seed, out = job
    before = _cpu()
    report = synthesize(SynthesisOptions(domain, Path(out), size="medium", tasks=TASKS, seed=seed, jobs=1))
    return {"kept": report.kept, "seconds": report.seconds, "cpu": _cpu() - before}


def _cpu() -> float:
    """CPU seconds of this process and of those that it started and that ended."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def report(figures: dict[str, Any]) -> None:
    """Print the figures, the stages and gates by time."""
    for name, value in figures.items():
        if not isinstance(value, dict):
            print(f"{name:<48} {value}")
    print("seconds by stage and gate, summed over all runs")
    for name, value in figures["seconds_by_stage"].items():
        print(f"  {name:<46} {value:8.2f}")
    print(f"limit: at least {AT_LEAST:g} environments a minute")


if __name__ == "__main__":
    sys.exit(main())
