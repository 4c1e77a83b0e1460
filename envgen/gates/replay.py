"""Replays in another process: the same calls must give the same results and rows under another hash seed, time zone, wall
clock and scan order. `python -m envgen.gates.replay FOLDER` is that other process.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import apsw

from envgen.core.digest import digest, rng
from envgen.core.errors import InfrastructureError
from envgen.core.types import Gold, Start, Task
from envgen.database.draw import Drawer
from envgen.database.engine import open_world
from envgen.database.runtime import DatabaseEnvironment
from envgen.database.spec import EnvironmentSpec

WALKS, CALLS = 6, 24
HOSTILE = {"PYTHONHASHSEED": "4242", "TZ": "Pacific/Kiritimati", "LC_ALL": "C"}
DAYS_AHEAD = 40 * 365


@dataclass(frozen=True)
class Replay:
    """What a process got. `tasks`: task id -> transcript digest. `walks`: per walk, the digest of each call and of the end."""

    tasks: Mapping[str, str]
    walks: Sequence[Sequence[str]]


def transcript_digest(environment: DatabaseEnvironment, task: Task, gold: Gold) -> str:
    """Return the digest of all that the gold's episode shows and leaves: contents, final rows and reward."""
    with environment.start(task) as session:
        contents = [session.call(call.tool, call.arguments).content for call in gold.calls]
        rows = session.snapshot().digest
        verdict = session.submit(gold.answer.value if gold.answer else None, outcome=gold.outcome, reason=gold.reason)
    return digest([contents, rows, verdict.to_json()], size=16)


def neutral_task(spec: EnvironmentSpec) -> Task:
    """Return a task that asks for nothing, to explore the start state with."""
    start = Start(now=spec.now, actor=spec.actor)
    return Task(id="explore", split="", template="", kinds=("do",), instruction="", start=start)


def walks(environment: DatabaseEnvironment) -> list[list[str]]:
    """Make WALKS episodes of CALLS drawn calls each, every tool in turn, and return the digests of what they show and leave."""
    tools = sorted(environment.compiled)
    found = []
    for walk in range(WALKS):
        with environment.start(neutral_task(environment.spec)) as session:
            drawer = Drawer(session.connection.execute, rng(0, "gates", "E4", walk), skew=0.2 * walk)
            seen = []
            for turn in range(CALLS):
                tool = tools[(walk * CALLS + turn) % len(tools)]
                arguments = drawer.arguments(environment.compiled[tool].arguments.schema, session.now) or {}
                seen.append(digest([tool, arguments, session.call(tool, arguments).content], size=8))
            found.append([*seen, session.snapshot().digest[:16]])
    return found


def replay_elsewhere(environment: DatabaseEnvironment, tasks: Sequence[Task], gold: Mapping[str, Gold]) -> Replay:
    """Run the walks and every task's gold in a fresh process with hostile settings. InfrastructureError when it dies."""
    with tempfile.TemporaryDirectory(prefix="envgen-replay-") as folder:
        job = {
            "spec": environment.spec.model_dump(mode="json", by_alias=True, exclude_defaults=True),
            "policy": environment.policy,
            "tasks": [task.model_dump(mode="json", by_alias=True) for task in tasks],
            "gold": [gold[task.id].model_dump(mode="json", by_alias=True) for task in tasks],
        }
        Path(folder, "job.json").write_text(json.dumps(job), encoding="utf-8")
        Path(folder, "world.sqlite").write_bytes(environment.world.serialize("main"))
        root = str(Path(__file__).resolve().parents[2])
        paths = os.pathsep.join(part for part in (root, os.environ.get("PYTHONPATH", "")) if part)
        done = subprocess.run(
            [sys.executable, "-m", "envgen.gates.replay", folder],
            env={**os.environ, **HOSTILE, "PYTHONPATH": paths}, capture_output=True, text=True, encoding="utf-8", check=False,
        )  # fmt: skip
    if done.returncode != 0:
        raise InfrastructureError(f"the replaying process failed: {done.stderr.strip()[-400:]}")
    answer = json.loads(done.stdout)
    return Replay(answer["tasks"], answer["walks"])


class ShiftedClock(apsw.VFS):
    """The default VFS with a wall clock that is DAYS_AHEAD days fast."""

    def __init__(self, name: str) -> None:
        super().__init__(name, "")
        self.name = name

    def xCurrentTime(self) -> float:
        """Return the Julian day."""
        return super().xCurrentTime() + DAYS_AHEAD

    def xCurrentTimeInt64(self) -> int:
        """Return the Julian day in milliseconds."""
        return super().xCurrentTimeInt64() + DAYS_AHEAD * 86_400_000


def replay_here(environment: DatabaseEnvironment, tasks: Sequence[Task], gold: Mapping[str, Gold]) -> Replay:
    """Run the walks under a wrong clock and a reversed scan order, and every task's gold as it is, in this process."""
    hostile = DatabaseEnvironment(environment.spec, environment.world, policy=environment.policy, vfs=_shifted_clock().name, reverse=True)
    return Replay({task.id: transcript_digest(environment, task, gold[task.id]) for task in tasks}, walks(hostile))


@lru_cache(maxsize=1)
def _shifted_clock() -> ShiftedClock:
    return ShiftedClock("envgen-shifted-clock")


def main(folder: str) -> None:
    """Print what this process gets for the job in `folder`."""
    job: dict[str, Any] = json.loads(Path(folder, "job.json").read_text(encoding="utf-8"))
    tasks = [Task.model_validate(task) for task in job["tasks"]]
    gold = {record["task"]: Gold.model_validate(record) for record in job["gold"]}
    world = open_world(str(Path(folder, "world.sqlite")))
    spec = EnvironmentSpec.model_validate(job["spec"])
    found = replay_here(DatabaseEnvironment(spec, world, tasks=tasks, gold=gold, policy=job["policy"]), tasks, gold)
    print(json.dumps({"tasks": found.tasks, "walks": found.walks}))


if __name__ == "__main__":
    main(sys.argv[1])
