"""Run folders: `runs/<time>-<bundle>-<policy>/{run.json,episodes.jsonl,ledger.sqlite}`."""

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from envgen.bundle.ledger import RunLedger
from envgen.core.digest import canonical_json
from envgen.core.errors import InfrastructureError, UsageError
from envgen.core.protocols import Environment
from envgen.core.types import Json, JsonObject
from envgen.rollout.engine import Episode, run
from envgen.rollout.policies import ScriptedPolicy


@dataclass
class Summary:
    """What a run came to. `solved` counts rewards of 1 among the valid; `failures` counts the first failed check of the others."""

    episodes: int = 0
    valid: int = 0
    solved: int = 0
    calls: int = 0
    refused: int = 0
    seconds: float = 0.0
    failures: dict[str, int] = field(default_factory=dict)

    def add(self, episode: Episode) -> None:
        """Count one episode."""
        verdict = episode.verdict
        self.episodes += 1
        self.valid += verdict.status == "valid"
        self.solved += bool(verdict.solved)
        self.calls += len(episode.calls)
        self.refused += sum(not call["ok"] for call in episode.calls)
        self.seconds += episode.seconds
        if not verdict.solved:
            kind = verdict.failure_kind or verdict.status
            self.failures[kind] = self.failures.get(kind, 0) + 1

    def lines(self, policy: str, seed: int) -> list[str]:
        """Return the summary as a person reads it."""
        mean = f"{self.solved / self.valid:.3f}" if self.valid else "none: no episode was valid"
        lines = [
            f"policy    {policy}, seed {seed}",
            f"episodes  {self.episodes}, of which {self.valid} valid and {self.solved} solved",
            f"reward    {mean} on average",
            f"calls     {self.calls}, of which {self.refused} refused",
            f"speed     {self.episodes / self.seconds if self.seconds else 0:.0f} episodes a second",
        ]
        kinds = ", ".join(f"{name} {count}" for name, count in sorted(self.failures.items()))
        return [*lines, f"failed    first on: {kinds}"] if kinds else lines

    def to_json(self) -> JsonObject:
        """Return the summary as JSON data; `mean_reward` is over valid episodes and null when there are none."""
        mean = self.solved / self.valid if self.valid else None
        return {
            "episodes": self.episodes,
            "valid": self.valid,
            "solved": self.solved,
            "mean_reward": mean,
            "calls": self.calls,
            "refused_calls": self.refused,
            "seconds": round(self.seconds, 3),
            "failures": dict(sorted(self.failures.items())),
        }


def rollout(
    environment: Environment,
    policy: ScriptedPolicy,
    *,
    seed: int = 0,
    split: str | None = None,
    limit: int | None = None,
    root: str | Path = "runs",
    on_episode: Callable[[int, int, Episode], None] | None = None,
) -> tuple[Path, Summary]:
    """Play every task of `split` (at most `limit`) and write a run folder below `root`. Returns its path and the summary.

    on_episode is told (episodes done, episodes in all, episode). UsageError when there is no task to play.
    """
    tasks = list(environment.tasks(split))[:limit]
    if not tasks:
        raise UsageError(f"{environment.manifest.name} has 0 tasks to play")
    folder = new_run(root, environment.manifest.name, policy.name)
    identity: JsonObject = {
        "bundle": environment.manifest.name,
        "digest": environment.manifest.digest,
        "policy": policy.name,
        "split": split,
    }
    summary = Summary()
    with (
        RunLedger.open(folder / "ledger.sqlite", command="rollout", seed=seed, flags=identity) as ledger,
        (folder / "episodes.jsonl").open("w", encoding="utf-8", newline="\n") as file,
    ):
        ledger.begin("rollout", [task.id for task in tasks])
        for index, episode in enumerate(run(environment, tasks, policy, seed=seed)):
            file.write(canonical_json(episode.to_json()) + "\n")
            file.flush()
            ledger.add("rollout", "episode", index, "kept", payload={"task": episode.task, "reward": episode.verdict.reward})
            summary.add(episode)
            if on_episode:
                on_episode(index + 1, len(tasks), episode)
        ledger.finish("rollout", seconds=summary.seconds, output=summary.to_json())
        ledger.complete()
    _write_json(folder / "run.json", {**identity, "seed": seed, "limit": limit, "summary": summary.to_json()})
    return folder, summary


def new_run(root: str | Path, bundle: str, policy: str) -> Path:
    """Make and return a run folder that did not exist. InfrastructureError when it cannot be made."""
    stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime())
    for attempt in range(1000):
        name = f"{stamp}-{bundle}-{policy}" if attempt == 0 else f"{stamp}-{bundle}-{policy}-{attempt:03}"
        try:
            (Path(root) / name).mkdir(parents=True)
        except FileExistsError:
            continue
        except OSError as problem:
            raise InfrastructureError(f"{root}: a run folder cannot be made ({problem.strerror}); choose another with --runs") from problem
        return Path(root) / name
    raise InfrastructureError(f"{root}: no free name for a run folder; clean up {root}")


def find_run(name: str, root: str | Path = "runs") -> Path:
    """Return the run folder `name`; `@last` is the newest below `root`. UsageError when there is none."""
    folder = Path(root)
    runs = sorted((path for path in folder.glob("*") if (path / "run.json").is_file()), key=_age) if folder.is_dir() else []
    if name == "@last":
        if not runs:
            raise UsageError(f"there is no finished run in {root}; `envgen rollout BUNDLE --policy oracle` makes one")
        return runs[-1]
    for path in (Path(name), folder / name):
        if (path / "run.json").is_file():
            return path
    raise UsageError(f"{name} is not a run folder; @last names the newest of {len(runs)} in {root}")


def _age(folder: Path) -> tuple[int, str]:
    return (folder / "run.json").stat().st_mtime_ns, folder.name


def read_run(folder: Path) -> JsonObject:
    """Return `run.json` of a run folder."""
    value: JsonObject = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    return value


def _write_json(path: Path, value: Json) -> None:
    temporary = path.with_name(f".{path.name}.partial")
    temporary.write_text(json.dumps(value, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    temporary.replace(path)
