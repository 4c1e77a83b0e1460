"""What repairs are worth: environments written by scripted authors, made with and without rounds of repair, over several seeds.

    python benchmarks/scripted.py [--domains A,B] [--seeds N] [--json FILE]

Prints per run the tools and tasks kept, the model calls and tokens, and what was dropped. The authors are `tests/scripted`: replies
written for tests, with planted mistakes; no figure here says anything about a real model.
"""

import argparse
import json
import os
import platform
import statistics
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

TESTS = Path(__file__).resolve().parents[1] / "tests"
sys.path.insert(0, str(TESTS))

from scripted_author import FOLDER, ScriptedAuthor  # noqa: E402
from scripted_server import ScriptedServer  # noqa: E402

import envgen  # noqa: E402
from envgen.core.errors import UnsoundError  # noqa: E402
from envgen.synthesis.options import ModelOptions, SynthesisOptions  # noqa: E402
from envgen.synthesis.pipeline import synthesize  # noqa: E402

TASKS = 50


def main() -> None:
    """Measure, print a line per run, and write the figures."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--domains", help="folders of tests/scripted, separated by commas (all)")
    parser.add_argument("--seeds", type=int, default=3, help="how many, from 0 on")
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    chosen = parser.parse_args()
    os.environ.setdefault("OPENAI_API_KEY", "sk-scripted")
    names = chosen.domains.split(",") if chosen.domains else sorted(path.name for path in FOLDER.iterdir() if path.is_dir())
    figures = measure(names, chosen.seeds)
    if chosen.json:
        chosen.json.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


def measure(names: Sequence[str], seeds: int) -> dict[str, Any]:
    """Return the figures of every domain, seed, and 0 or 2 rounds of repair."""
    print(f"{'domain':<20}{'seed':>5}{'repairs':>8}{'tools':>7}{'tasks':>7}{'calls':>7}{'tokens in':>11}{'out':>8}  dropped")
    rows = []
    for name in names:
        for seed in range(seeds):
            for repairs in (2, 0):
                rows.append(run(name, seed, repairs))
                print(line(rows[-1]), flush=True)
    return {"python": platform.python_version(), "envgen": envgen.__version__, "runs": rows, "summary": summary(rows)}


def run(name: str, seed: int, repairs: int) -> dict[str, Any]:
    """Make one environment and return what was kept, and what it took."""
    with tempfile.TemporaryDirectory() as folder, ScriptedServer(ScriptedAuthor(name).rules()) as server:
        model = ModelOptions("openai/scripted", base_url=server.url, cache=Path(folder) / "replies.sqlite", repairs=repairs)
        options = SynthesisOptions(name.replace("_", " "), Path(folder) / name, tasks=TASKS, seed=seed, proposer=model)
        head = {"domain": name, "seed": seed, "repairs": repairs}
        try:
            report = synthesize(options)
        except UnsoundError as problem:
            return {**head, "tools": 0, "tasks": 0, "calls": len(server.requests), "in": 0, "out": 0, "dropped": [str(problem)]}
        totals = report.usage["totals"]
        return {
            **head, "tools": report.manifest.counts["tools"], "tasks": report.kept, "calls": totals["calls"],
            "in": totals["prompt_tokens"], "out": totals["completion_tokens"],
            "dropped": [f"{kind} {part}" for kind, part, _ in report.dropped if kind != "text"],
        }  # fmt: skip


def line(row: dict[str, Any]) -> str:
    """Return one line of the table."""
    numbers = f"{row['tools']:>7}{row['tasks']:>7}{row['calls']:>7}{row['in']:>11}{row['out']:>8}"
    return f"{row['domain']:<20}{row['seed']:>5}{row['repairs']:>8}{numbers}  {', '.join(row['dropped'])}"


def summary(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the medians with and without repairs."""
    return {
        f"{repairs} rounds": {
            name: statistics.median(row[name] for row in rows if row["repairs"] == repairs)
            for name in ("tools", "tasks", "calls", "in", "out")
        }
        for repairs in (2, 0)
    }


if __name__ == "__main__":
    main()
