"""The parts of `envgen synthesize` that concern a model: its options, the dry run, and many domains."""

from typing import Any

import typer

from envgen.cli.output import Reporter, emit, table
from envgen.core.errors import UnsoundError, UsageError
from envgen.core.types import JsonObject
from envgen.synthesis.options import ModelOptions, SynthesisOptions, SynthesisReport

NEEDS_MODEL = {
    "base_url": "--base-url",
    "tools": "--tools",
    "documents": "--from-docs",
    "reword": "--reword",
    "check_ambiguity": "--check-ambiguity",
    "budget_usd": "--budget-usd",
    "budget_tokens": "--budget-tokens",
    "temperature": "--temperature",
    "reasoning_effort": "--reasoning-effort",
    "cache": "--cache",
    "count": "--count",
    "dry_run": "--dry-run",
}


def options(model: str | None, *, count: int | None, dry_run: bool, **chosen: Any) -> ModelOptions | None:
    """Return the checked options of the model, None without one. UsageError for a flag that means nothing without a model."""
    if model is None:
        given = {**chosen, "count": count, "dry_run": dry_run}
        lost = [flag for name, flag in NEEDS_MODEL.items() if given[name]]
        if lost:
            raise UsageError(f"{lost[0]} needs a model: add --model, such as --model openai/gpt-5-mini")
        return None
    if not model.strip():
        raise UsageError("--model is empty: name a model, such as openai/gpt-5-mini")
    if count is not None and chosen["documents"] is not None:
        raise UsageError("--count makes different businesses and --from-docs describes one: give one of them")
    return ModelOptions(model=model.strip(), **chosen)


def only_database(**given: Any) -> None:
    """UsageError for a flag that means nothing to composed problems."""
    for name, value in given.items():
        if value not in (None, False):
            flag = f"--{name.replace('_', '-')}"
            raise UsageError(f"{flag} is for --family database; fused takes --tasks, --depth, --level, --operators and --with-tools")


def phrase(domain: str | None, proposer: ModelOptions | None, count: int | None) -> str | None:
    """Return the domain phrase: the one given, or the title of the documents, or a name for many."""
    if count is not None:
        if domain is not None:
            raise UsageError("--count asks the model for businesses: leave --domain out")
        return "many businesses"
    if domain is None and proposer is not None and proposer.documents is not None:
        from envgen.database.documents import read_documents

        return read_documents(proposer.documents).title or None
    return domain


def dry_run(chosen: SynthesisOptions, *, as_json: bool) -> None:
    """Print what would be sent and what it would cost; nothing is sent."""
    from envgen.synthesis.dry import plan_run, prompts_text

    assert chosen.proposer is not None
    plan = plan_run(chosen, chosen.proposer)
    if as_json:
        emit({"event": "result", **plan.to_json()})
        return
    columns = list(zip(*plan.stages(), strict=True))
    rows: list[tuple[Any, ...]] = [*plan.stages(), ("in all", *(sum(column) for column in columns[1:]))]
    typer.echo(prompts_text(plan))
    typer.echo(table(("stage", "calls", "tokens in", "tokens out"), rows))
    cost = "unknown: no price is known for this model" if plan.usd is None else f"about ${plan.usd}"
    typer.echo(
        f"cost {cost}, without repairs. Nothing was sent. Where a prompt holds earlier answers, {plan.stand_in!r} stands in for them."
    )


def make_many(count: int, chosen: SynthesisOptions, *, as_json: bool) -> None:
    """Make many environments and print what came of each."""
    from envgen.synthesis.many import synthesize_many

    with Reporter(json=as_json) as report:
        result = synthesize_many(count, chosen, report)
    if as_json:
        emit({"event": "result", "seed": chosen.seed, **result.to_json()})
    else:
        rows = [(made.path.name, made.manifest.counts.get("tools", 0), made.kept) for made in result.made]
        lines = ["", table(("environment", "tools", "tasks"), rows)] if rows else [""]
        lines += [f"refused: {name}: {why}" for name, why in result.refused]
        typer.echo("\n".join([*lines, table(("sector", "domains"), result.sectors), result.headline()]))
    if chosen.strict and len(result.made) + result.already < count:
        raise UnsoundError(f"--strict: {result.headline()}")


def usage_lines(result: SynthesisReport) -> list[str]:
    """Return what a model's proposal lost on the way, one line each, and what it cost."""
    lines = [f"dropped {kind} {name}: {reason}" for kind, name, reason in result.dropped]
    if result.usage:
        rows = [_usage_row(stage, account) for stage, account in result.usage["stages"].items()]
        rows.append(_usage_row("in all", result.usage["totals"]))
        lines += ["", table(("stage", "calls", "from cache", "tokens in", "tokens out", "USD"), rows)]
        each = result.usage["per_kept_task"]
        cost = "cost unknown" if each["usd"] is None else f"${each['usd']}"
        lines.append(f"per kept task: {each['tokens']} tokens, {cost}")
    return lines


def _usage_row(stage: str, account: JsonObject) -> tuple[Any, ...]:
    usd = "unknown" if account["usd"] is None else f"{account['usd']:.4f}"
    return stage, account["calls"], account["cached_calls"], account["prompt_tokens"], account["completion_tokens"], usd
