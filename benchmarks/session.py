"""What a session costs: calls against the bare statements, starts, forks, whole episodes; and a server process per episode.

    python benchmarks/session.py [BUNDLE] [--json FILE]

Without BUNDLE a public library of medium size is made first. Ratios compare figures of the same run, since the machine's speed varies.
"""

import argparse
import gc
import json
import platform
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import apsw
import peer_server

import envgen
from envgen.core.types import GoldCall, Task
from envgen.database.engine import memory
from envgen.database.patches import patch_sql
from envgen.database.runtime import DatabaseEnvironment, DatabaseSession
from envgen.database.spec import Bind, Forbid, NewId, Require, Return, Run, Tool

EPISODES = 600
WINDOWS = 10
LIMITS = {"call_ratio": ("<=", 2.5), "start_us": ("<=", 30.0), "episodes_per_second": (">=", 2_000.0)}
Row = tuple[bool, float, float]


def main() -> int:
    """Measure, print, and exit 1 when a figure misses its limit."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("bundle", nargs="?", type=Path)
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        environment = DatabaseEnvironment.load(chosen.bundle or make(Path(folder) / "library"))
        figures = measure(environment)
    report(figures)
    if chosen.json:
        chosen.json.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    missed = [name for name, (sign, limit) in LIMITS.items() if not (figures[name] <= limit if sign == "<=" else figures[name] >= limit)]
    print("all within their limits" if not missed else f"MISSED: {', '.join(missed)}")
    return 1 if missed else 0


def make(path: Path) -> Path:
    """Make the bundle that is measured."""
    from envgen.synthesis.options import SynthesisOptions
    from envgen.synthesis.pipeline import synthesize

    synthesize(SynthesisOptions("public library", path, size="medium", tasks=30, seed=0))
    return path


def measure(environment: DatabaseEnvironment) -> dict[str, Any]:
    """Return every figure. Times are medians in microseconds unless the name says otherwise."""
    peer = peer_server.measure()
    cold = cold_start(environment)
    rows = calls_against_bare(environment)
    reads, writes = [row for row in rows if not row[0]], [row for row in rows if row[0]]
    episodes = episodes_per_second(environment)
    return {
        "python": platform.python_version(),
        "sqlite": apsw.sqlite_lib_version(),
        "envgen": envgen.__version__,
        "environment": environment.manifest.name,
        "digest": environment.manifest.digest,
        "tools": len(environment.spec.tools),
        "calls_timed": len(rows),
        "call_us": _median(rows, 1),
        "bare_us": _median(rows, 2),
        "call_ratio": sum(row[1] for row in rows) / sum(row[2] for row in rows),
        "read_ratio": sum(row[1] for row in reads) / sum(row[2] for row in reads),
        "write_ratio": sum(row[1] for row in writes) / sum(row[2] for row in writes),
        **cold,
        **starts(environment),
        **forks(environment),
        # Other processes only ever slow a window down, so the fastest one is the figure; the median shows how busy the machine was.
        "episodes_per_second": max(episodes),
        "episodes_per_second_median": median(episodes),
        "server_start_s": peer.start,
        "server_calls_s": peer.calls,
        "server_episode_s": peer.episode,
        "server_against_session": peer.episode * max(episodes),
    }


def _median(rows: Sequence[Row], column: int) -> float:
    return median(float(row[column]) for row in rows) * 1e6


def plans(environment: DatabaseEnvironment) -> list[tuple[Task, Sequence[GoldCall]]]:
    """Tasks with their gold calls; those without a call are left out."""
    pairs = [(task, environment.gold(task.id).calls) for task in environment.tasks()]
    return [(task, calls) for task, calls in pairs if calls]


def calls_against_bare(environment: DatabaseEnvironment, rounds: int = 60) -> list[Row]:
    """Time each gold call in a session, and its bare statements in a savepoint with json.dumps, alternating. (writes, session, bare)"""
    bare = Bare(environment)
    rows: list[Row] = []
    for turn in range(rounds):
        for task, calls in plans(environment):
            one, other = session_times(environment, task, calls), bare.times(task, calls)
            if turn:  # the first round warms both up
                rows += [(call.write, a, b) for call, a, b in zip(calls, one, other, strict=True)]
    return rows


def session_times(environment: DatabaseEnvironment, task: Task, calls: Sequence[GoldCall]) -> list[float]:
    """Seconds of each call in one episode."""
    session = environment.start(task)
    times = []
    for call in calls:
        begun = time.perf_counter()
        result = session.call(call.tool, call.arguments)
        times.append(time.perf_counter() - begun)
        assert result.ok, f"{task.id}: {call.tool} was refused: {result.content}"
    session.close()
    return times


class Bare:
    """The same statements on a plain connection: a savepoint, the steps, json.dumps of the result. No checks of any kind."""

    def __init__(self, environment: DatabaseEnvironment) -> None:
        self.connection = memory()
        with self.connection.backup("main", environment.world, "main") as backup:
            backup.step()
        self.execute = self.connection.execute
        self.tools = {tool.name: tool for tool in environment.spec.tools}

    def times(self, task: Task, calls: Sequence[GoldCall]) -> list[float]:
        """Seconds of each call in one episode."""
        self.execute("SAVEPOINT episode")
        for patch in task.start.patch:
            _patch(self.execute, patch)
        times = []
        for call in calls:
            binds = self._binds(self.tools[call.tool], call, task)
            begun = time.perf_counter()
            self.execute("SAVEPOINT call")
            json.dumps(self._steps(self.tools[call.tool], binds))
            self.execute("RELEASE call")
            times.append(time.perf_counter() - begun)
        self.execute("ROLLBACK TO episode")
        self.execute("RELEASE episode")
        return times

    def _binds(self, tool: Tool, call: GoldCall, task: Task) -> dict[str, Any]:
        names = tool.parameters.get("properties", {})
        binds: dict[str, Any] = {name: schema.get("default") for name, schema in names.items()}
        values = {name: json.dumps(value) if isinstance(value, list | dict) else value for name, value in call.arguments.items()}
        return binds | values | {"now": task.start.now, "actor": task.start.actor, "_given": json.dumps(list(call.arguments))}

    def _steps(self, tool: Tool, binds: dict[str, Any]) -> Any:
        execute = self.execute
        for step in tool.steps:
            if isinstance(step, Require):
                execute(step.require, binds).fetchone()
            elif isinstance(step, Forbid):
                execute(step.forbid, binds).fetchone()
            elif isinstance(step, Bind):
                cursor = execute(step.bind.row, binds)
                row = cursor.fetchone()
                names = _columns(step.bind.row, self.connection, binds)
                binds |= zip(names, row or (None,) * len(names), strict=True)
            elif isinstance(step, NewId):
                for name, target in step.new_id.items():
                    binds[name] = execute("UPDATE _ids SET next = next + 1 WHERE tbl = ? RETURNING next - 1", (target,)).fetchone()[0]
            elif isinstance(step, Run):
                execute(step.run, binds)
            elif isinstance(step, Return):
                parts = (step.result.object or {"": step.result}).values()
                return [execute(part.one or part.many or part.value or "", binds).fetchall() for part in parts]
        return None


_NAMES: dict[str, tuple[str, ...]] = {}


def _columns(sql: str, connection: apsw.Connection, binds: dict[str, Any]) -> tuple[str, ...]:
    if sql not in _NAMES:
        import apsw.ext

        _NAMES[sql] = tuple(column[0] for column in apsw.ext.query_info(connection, sql, bindings=binds).description)
    return _NAMES[sql]


def _patch(execute: Callable[..., Any], patch: Any) -> None:

    sql, values = patch_sql(patch, "main")
    execute(sql, values)


def cold_start(environment: DatabaseEnvironment) -> dict[str, float]:
    """A fresh slot: its first start, and the first call on it."""
    firsts, calls = [], []
    task, gold = plans(environment)[0]
    for _ in range(20):
        fresh = DatabaseEnvironment(environment.spec, environment.world, tasks=environment.tasks())
        fresh.pool.take()  # the slot that compiling warmed up
        begun = time.perf_counter()
        session = fresh.start(task)
        firsts.append(time.perf_counter() - begun)
        begun = time.perf_counter()
        session.call(gold[0].tool, gold[0].arguments)
        calls.append(time.perf_counter() - begun)
        session.close()
    return {"cold_start_us": median(firsts) * 1e6, "cold_call_us": median(calls) * 1e6}


def starts(environment: DatabaseEnvironment, rounds: int = 3_000) -> dict[str, float]:
    """A pooled start with its close, and a start with the first call."""
    task, gold = min(plans(environment), key=lambda plan: len(plan[0].start.patch))
    alone, called = [], []
    for _ in range(rounds):
        begun = time.perf_counter()
        session = environment.start(task)
        alone.append(time.perf_counter() - begun)
        session.call(gold[0].tool, gold[0].arguments)
        called.append(time.perf_counter() - begun)
        session.close()
    return {"start_us": median(alone) * 1e6, "start_and_first_call_us": median(called) * 1e6}


def forks(environment: DatabaseEnvironment, rounds: int = 200) -> dict[str, Any]:
    """A fork in mid-episode; and that it carries its base: its changes since the start equal its parent's."""
    task, gold = max(plans(environment), key=lambda plan: sum(call.write for call in plan[1]))
    session: DatabaseSession = environment.start(task)
    for call in gold:
        session.call(call.tool, call.arguments)
    times, carried = [], True
    for _ in range(rounds):
        begun = time.perf_counter()
        fork = session.fork()
        times.append(time.perf_counter() - begun)
        carried &= fork.changes() == session.changes() and not fork.changes().empty()
        fork.close()
    session.close()
    return {"fork_us": median(times) * 1e6, "fork_carries_base": carried}


def episodes_per_second(environment: DatabaseEnvironment) -> list[float]:
    """Whole episodes of six calls with a verdict, in one process: start, six calls, submit, close. One figure per window."""
    prepared = [(task, _six(calls), environment.gold(task.id)) for task, calls in plans(environment)]
    gc.collect()
    speeds = []
    for _ in range(WINDOWS):
        begun = time.perf_counter()
        for number in range(EPISODES):
            task, calls, gold = prepared[number % len(prepared)]
            session = environment.start(task)
            for call in calls:
                session.call(call.tool, call.arguments)
            verdict = session.submit(gold.answer.value if gold.answer else None, outcome=gold.outcome, reason=gold.reason)
            session.close()
            assert verdict.status == "valid"
        speeds.append(EPISODES / (time.perf_counter() - begun))
    return speeds


def _six(calls: Sequence[GoldCall]) -> list[GoldCall]:
    reads = [call for call in calls if not call.write] or list(calls)
    return [*calls, *(reads[number % len(reads)] for number in range(6))][:6]


def report(figures: dict[str, Any]) -> None:
    """Print the figures, and beside those with a limit the limit."""
    for name, value in figures.items():
        sign, limit = LIMITS.get(name, ("", 0.0))
        shown = f"{value:,.3f}" if isinstance(value, float) else value
        print(f"{name:<26} {shown}{f'   (limit {sign} {limit:g})' if sign else ''}")


if __name__ == "__main__":
    sys.exit(main())
