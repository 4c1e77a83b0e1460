"""Whether first worlds will do: every lexicon under several seeds and sizes through the gates that need no task, with CPU seconds.

    python benchmarks/worlds.py [--domains A,B] [--seeds N] [--sizes small,medium,large] [--processes P] [--json FILE]

Large worlds are built for seed 0 only. Exits 1 when a first world fails a gate, since a run then has to build another one.
"""

import argparse
import json
import platform
import statistics
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, get_args

import envgen
from envgen.database.grammar import list_domains, propose
from envgen.database.grammar_lexicon import Size
from envgen.database.runtime import DatabaseEnvironment
from envgen.database.world import build_world
from envgen.gates.registry import environment_gates

SIZES: tuple[Size, ...] = get_args(Size)
GATES = ("E1", "E2", "E3", "E5")
Subject = tuple[str, int, Size]


def main() -> int:
    """Measure, print a table, and exit 1 when a first world fails a gate."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--domains", help="lexicons, separated by commas (all)")
    parser.add_argument("--seeds", type=int, default=5, help="how many, from 0 on")
    parser.add_argument("--sizes", default=",".join(SIZES))
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    chosen = parser.parse_args()
    figures = measure(_subjects(chosen.domains, chosen.seeds, chosen.sizes), chosen.processes)
    print(summary(figures))
    if chosen.json:
        chosen.json.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    return 1 if figures["failed"] else 0


def _subjects(domains: str | None, seeds: int, sizes: str) -> list[Subject]:
    keys = domains.split(",") if domains else [info.key for info in list_domains()]
    wanted = [(size, seed) for size in SIZES if size in sizes.split(",") for seed in range(1 if size == "large" else seeds)]
    return [(key, seed, size) for key in keys for size, seed in wanted]


def measure(subjects: Sequence[Subject], processes: int = 1) -> dict[str, Any]:
    """Build and check each subject (lexicon, seed, size), print a line for each, and return the figures."""
    rows = []
    print(f"{'world':<34}{'tools':>6}{'tables':>7}{'rows':>6}{'build':>7}" + "".join(f"{gate:>7}" for gate in GATES))
    with ProcessPoolExecutor(processes) as pool:
        for row in pool.map(check, subjects):
            rows.append(row)
            print(line(row), flush=True)
    return {
        "python": platform.python_version(),
        "envgen": envgen.__version__,
        "worlds": rows,
        "failed": sum(bool(row["problems"]) for row in rows),
        "median_seconds": {
            size: {name: statistics.median(row["seconds"][name] for row in some) for name in ("build", *GATES)}
            for size in SIZES
            if (some := [row for row in rows if row["size"] == size])
        },
    }


def check(subject: Subject) -> dict[str, Any]:
    """Build the first world of one subject, run its gates, and return its counts, its CPU seconds and what failed."""
    key, seed, size = subject
    started = time.process_time()
    proposal = propose(key, seed=seed, size=size, lexicon=key)
    world, built = build_world(proposal, seed, size)
    seconds = dict.fromkeys(GATES, 0.0) | {"build": time.process_time() - started}
    evidence = environment_gates(DatabaseEnvironment(proposal.spec, world), gates=GATES, seconds=seconds)
    spec = proposal.spec
    return {
        "domain": key, "seed": seed, "size": size, "tools": len(spec.tools), "tables": len(spec.tables),
        "rows": sum(built.rows.values()), "seconds": {name: round(value, 3) for name, value in seconds.items()},
        "problems": [f"{item.gate}: {item.reason}" for item in evidence if item.status == "fail"],
    }  # fmt: skip


def line(row: dict[str, Any]) -> str:
    """Return one line of the table, and one for each problem."""
    name = f"{row['domain']} {row['seed']} {row['size']}"
    counts = f"{name:<34}{row['tools']:>6}{row['tables']:>7}{row['rows']:>6}"
    times = "".join(f"{row['seconds'][part]:>7.2f}" for part in ("build", *GATES))
    return "\n".join([counts + times, *(f"    {problem}" for problem in row["problems"])])


def summary(figures: dict[str, Any]) -> str:
    """Return the medians per size and the count of failures."""
    lines = [f"{len(figures['worlds'])} worlds, {figures['failed']} of them fail a gate; median CPU seconds:"]
    for size, parts in figures["median_seconds"].items():
        lines.append(f"  {size:<8}" + "  ".join(f"{name} {value:.2f}" for name, value in parts.items()))
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
