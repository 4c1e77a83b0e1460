"""What `synthesize` and `demo` share: options checked before any work, the run with progress, and the summary."""

import re
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import typer

from envgen.bundle.ledger import RunLedger, ledger_path, unfinished
from envgen.bundle.read import read_manifest
from envgen.bundle.write import check_target
from envgen.cli.modelling import usage_lines
from envgen.cli.output import Reporter, emit, table
from envgen.core.errors import BudgetReached, EnvgenError, ModelError, UnsoundError, UsageError
from envgen.core.names import check_phrase, slug
from envgen.core.types import GOAL_KINDS
from envgen.synthesis.options import ModelOptions, SynthesisOptions, SynthesisReport

_GATE = re.compile(r"[ET]\d+")


class Stopped(EnvgenError):
    """The user pressed Ctrl-C."""

    exit_code = 130


def options(domain: str | None, *, kinds: str | None, out: Path | None, many: bool = False, **chosen: Any) -> SynthesisOptions:
    """Return checked options. many: `out` is a folder of bundles, there or not.

    UsageError for what cannot be; InfrastructureError for a folder that cannot be written.
    """
    if domain is None:
        raise UsageError('say what business: --domain "public library". `envgen synthesize --list-domains` shows those with a lexicon')
    phrase = check_phrase(domain)
    if chosen["resume"] and chosen["force"]:
        raise UsageError("--resume goes on with a run and --force throws it away: give one of them")
    chosen_kinds = parse_kinds(kinds)
    target = out or Path("generated") / slug(phrase)
    options = SynthesisOptions(domain=phrase, out=target, kinds=chosen_kinds, **chosen)
    if not many:
        check_target(target, resume=chosen["resume"], force=chosen["force"])
        _check_stopped(options)
    return options


def _check_stopped(chosen: SynthesisOptions) -> None:
    stopped = unfinished(ledger_path(chosen.out))
    if stopped and not chosen.resume and not chosen.force:
        raise UsageError(f"a run for {chosen.out} was stopped. Go on with --resume, start over with --force, or choose another --out")
    if chosen.resume and not stopped and (chosen.out / "bundle.json").exists():
        made = read_manifest(chosen.out).provenance
        asked = chosen.identity() | {"seed": chosen.seed}
        other = ", ".join(f"{name} {made.get(name)!r}, not {value!r}" for name, value in asked.items() if made.get(name) != value)
        if other:
            raise UsageError(f"{chosen.out} is a finished bundle of another run: {other}. Choose another --out, or replace it with --force")
        raise UsageError(f"{chosen.out} is finished: there is nothing to go on with. --force makes it again")


def parse_kinds(text: str | None) -> tuple[str, ...]:
    """Return the kinds of goal in a comma-separated list; UsageError names those that there are."""
    kinds = [kind.strip() for kind in (text or "").split(",") if kind.strip()]
    unknown = [kind for kind in kinds if kind not in GOAL_KINDS]
    if unknown or (text is not None and not kinds):
        raise UsageError(
            f"--kinds {text!r}: {', '.join(unknown) or 'nothing'} is not a kind of goal; the kinds are {', '.join(GOAL_KINDS)}"
        )
    return tuple(kind for kind in GOAL_KINDS if kind in kinds)


def run(chosen: SynthesisOptions, report: Reporter) -> SynthesisReport:
    """Run the pipeline. Stopped, with the command that goes on, when the user presses Ctrl-C."""
    from envgen.synthesis.pipeline import synthesize

    try:
        return synthesize(chosen, report)
    except UnsoundError:
        _end(chosen)
        raise
    except (BudgetReached, ModelError) as problem:
        again = command(replace(chosen, resume=True, force=False))
        raise type(problem)(f"{str(problem).rstrip('.')}. Go on with: {again}") from problem
    except KeyboardInterrupt:
        raise Stopped(f"stopped; what is done is kept. Go on with: {command(replace(chosen, resume=True, force=False))}") from None


def _end(chosen: SynthesisOptions) -> None:
    # The run came to its end, though without a bundle: its ledger stays to be read, and stands in nobody's way.
    path = ledger_path(chosen.out)
    if path.exists():
        with RunLedger.open(path, command="synthesize", seed=chosen.seed, flags=chosen.identity()) as ledger:
            ledger.complete()


def make(chosen: SynthesisOptions, *, as_json: bool) -> None:
    """Run the pipeline, print the summary, and exit 1 under --strict when fewer tasks were kept than asked for."""
    with Reporter(json=as_json) as report:
        result = run(chosen, report)
    if as_json:
        emit({"event": "result", "seed": chosen.seed, **result.to_json()})
    else:
        typer.echo(summary(result, chosen))
    if chosen.strict and result.kept < result.asked:
        raise UnsoundError(f"--strict: {result.headline()}")


def command(chosen: SynthesisOptions) -> str:
    """Return the command line that gives these options."""
    words = [
        "envgen synthesize",
        f"--domain {_quoted(chosen.domain)}",
        f"--size {chosen.size}",
        f"--tasks {chosen.tasks}",
        f"--seed {chosen.seed}",
    ]
    words += [f"--kinds {','.join(chosen.kinds)}"] if chosen.kinds else []
    words += [f"--difficulty {chosen.difficulty}"] if chosen.difficulty else []
    words += _model_words(chosen)
    words += [f"--out {shlex.quote(str(chosen.out))}"]
    return " ".join([*words, *(["--resume"] if chosen.resume else [])])


def _model_words(chosen: SynthesisOptions) -> list[str]:
    """The flags of the model that a run needs to go on; budgets and places are the caller's to give anew."""
    model = chosen.proposer
    if model is None:
        return []
    flags: dict[str, Any] = {
        "--model": model.model, "--base-url": model.base_url, "--tools": model.tools, "--from-docs": model.documents,
        "--check-ambiguity": model.check_ambiguity or None, "--temperature": model.temperature,
        "--reasoning-effort": model.reasoning_effort, "--cache": model.cache,
        "--max-tokens": model.max_tokens if model.max_tokens != ModelOptions.max_tokens else None,
        "--repairs": model.repairs if model.repairs != ModelOptions.repairs else None,
    }  # fmt: skip
    words = [f"{flag} {shlex.quote(str(value))}" for flag, value in flags.items() if value is not None]
    return words + (["--reword"] if model.reword else [])


def _quoted(phrase: str) -> str:
    return f'"{phrase}"' if re.fullmatch(r"[\w ,.-]+", phrase) else shlex.quote(phrase)


def summary(result: SynthesisReport, chosen: SynthesisOptions) -> str:
    """Return the table of what was made and rejected, and the commands to type next."""
    counts = result.manifest.counts
    rows = [(name, counts[name]) for name in ("tables", "rows", "tools", "rules", "tasks") if name in counts]
    lines = [
        "",
        f"{result.path}  seed {chosen.seed}  {result.manifest.digest[:12]}",
        table(("what", "number"), rows),
        "",
        result.headline(),
    ]
    lines += [f"note: {note}" for note in result.notes]
    lines += usage_lines(result)
    gates = {name: seconds for name, seconds in result.seconds.items() if _GATE.fullmatch(name)}
    stages = {name: seconds for name, seconds in result.seconds.items() if name not in gates}
    lines += [f"seconds by {what}: {_seconds(spent)}" for what, spent in (("stage", stages), ("gate", gates)) if spent]
    path = shlex.quote(str(result.path))
    follow = [f"envgen show {path}", f"envgen validate {path}", f"envgen play {path}", f"envgen rollout {path} --policy oracle"]
    return "\n".join([*lines, "", "next:", *(f"  {line}" for line in follow)])


def _seconds(spent: dict[str, float]) -> str:
    return ", ".join(f"{name} {seconds:.1f}" for name, seconds in spent.items())


def domains() -> str:
    """Return a line per domain with a lexicon of its own."""
    from envgen.database.grammar import list_domains

    rows = [(domain.title, ", ".join(domain.patterns)) for domain in list_domains()]
    return (
        table(("domain", "business patterns"), rows)
        + "\nAny other phrase works too: it is matched to the nearest of these, and the output says so."
    )
