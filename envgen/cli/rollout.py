"""`envgen rollout`: play tasks with a policy and keep the episodes."""

from pathlib import Path
from typing import Annotated

import typer


def rollout(
    bundle: Annotated[str, typer.Argument(help="A bundle folder.")],
    policy: Annotated[str, typer.Option("--policy", help="oracle (replays the gold), noop (submits at once) or random (valid calls).")],
    split: Annotated[str | None, typer.Option("--split", help="Only the tasks of this split.")] = None,
    limit: Annotated[int | None, typer.Option("--limit", min=1, help="At most this many tasks.")] = None,
    seed: Annotated[int, typer.Option("--seed", help="Seed of the policy's choices.")] = 0,
    runs: Annotated[Path, typer.Option("--runs", help="Folder that run folders go to.")] = Path("runs"),
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object per episode, and the summary last.")] = False,
) -> None:
    """Play the tasks with a policy and keep the episodes.

    Writes runs/<time>-<bundle>-<policy>/ and prints it; `envgen show @last` shows it again.
    """
    import envgen
    from envgen.cli.output import Reporter, emit
    from envgen.core.events import Event
    from envgen.rollout.engine import Episode
    from envgen.rollout.policies import scripted
    from envgen.rollout.runs import rollout as play_all

    environment = envgen.load(bundle)
    player = scripted(policy)
    with Reporter(json=as_json) as report:

        def show(done: int, total: int, episode: Episode) -> None:
            if as_json:
                emit({"event": "episode", "done": done, "total": total, **episode.to_json()})
            else:
                report(Event("progress", f"rollout {policy}", done=done, total=total))

        folder, summary = play_all(environment, player, seed=seed, split=split, limit=limit, root=runs, on_episode=show)
    if as_json:
        emit({"event": "result", "run": str(folder), "seed": seed, **summary.to_json()})
        return
    typer.echo("\n".join(summary.lines(policy, seed)))
    typer.echo(f"run       {folder}")
