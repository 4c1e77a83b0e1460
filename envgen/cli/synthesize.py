"""`envgen synthesize`: from a domain phrase to a proven environment."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

MOST_TASKS = 5_000


class Size(StrEnum):
    """How big the world is."""

    small = "small"
    medium = "medium"
    large = "large"


class Family(StrEnum):
    """What kind of environment."""

    database = "database"
    fused = "fused"


class Level(StrEnum):
    """How hard the tasks are to be."""

    easy = "easy"
    medium = "medium"
    hard = "hard"


def synthesize(
    domain: Annotated[str | None, typer.Option("--domain", help='The business in a few words, such as "veterinary clinic".')] = None,
    size: Annotated[Size, typer.Option("--size", help="How big the world is.")] = Size.medium,
    tasks: Annotated[int, typer.Option("--tasks", min=1, max=MOST_TASKS, help="How many tasks to make.")] = 20,
    kinds: Annotated[str | None, typer.Option("--kinds", help="Only these kinds of goal, with commas, such as do,aggregate.")] = None,
    difficulty: Annotated[Level | None, typer.Option("--difficulty", help="Only tasks measured to be this hard.")] = None,
    seed: Annotated[int, typer.Option("--seed", min=-(2**63), max=2**63 - 1, help="The same seed gives the same bundle.")] = 0,
    out: Annotated[Path | None, typer.Option("--out", help="Folder of the bundle; generated/<domain> when not given.")] = None,
    jobs: Annotated[int, typer.Option("--jobs", min=0, max=256, help="Processes to use; 0 means one per core.")] = 0,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with a run that was stopped.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace the bundle that is there.")] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Exit 1 when fewer tasks are kept than were asked for.")] = False,
    family: Annotated[Family, typer.Option("--family", help="A business on a database, or composed reasoning problems.")] = Family.database,
    depth: Annotated[int, typer.Option("--depth", min=1, max=12, help="fused: problems in the longest chain.")] = 3,
    level: Annotated[int | None, typer.Option("--level", min=0, max=50, help="fused: difficulty; 0 to 2 mixed if not given.")] = None,
    operators: Annotated[str | None, typer.Option("--operators", help="fused: only these, with commas, such as sequential,sort.")] = None,
    with_tools: Annotated[bool, typer.Option("--with-tools", help="fused: give the agent a calculator and an evaluator.")] = False,
    others: Annotated[
        list[Path] | None, typer.Option("--with", help="fused: a bundle whose tasks' integer answers the programs begin with.")
    ] = None,
    list_domains: Annotated[bool, typer.Option("--list-domains", help="List the domains that have a lexicon, and exit.")] = False,
    model: Annotated[str | None, typer.Option("--model", help="A model writes the environment, such as openai/gpt-5-mini.")] = None,
    base_url: Annotated[
        str | None,
        typer.Option("--base-url", help="An OpenAI-compatible endpoint, such as http://127.0.0.1:8000/v1."),
    ] = None,
    tools: Annotated[
        int | None,
        typer.Option("--tools", min=4, max=60, help="How many tools to ask for; by --size when not given."),
    ] = None,
    from_docs: Annotated[
        Path | None,
        typer.Option("--from-docs", help="A file or folder: OpenAPI, MCP tool list, policy text. Tools keep its names."),
    ] = None,
    count: Annotated[
        int | None,
        typer.Option("--count", min=1, max=10_000, help="Make so many environments of different businesses."),
    ] = None,
    repairs: Annotated[int, typer.Option("--repairs", min=0, max=6, help="Rounds in which faulty parts are sent back.")] = 2,
    reword: Annotated[bool, typer.Option("--reword", help="Let the model say the requests in its own words.")] = False,
    check_ambiguity: Annotated[
        int,
        typer.Option(
            "--check-ambiguity",
            min=0,
            max=16,
            help="Try each task so often; drop it when attempts agree against the gold.",
        ),
    ] = 0,
    budget_usd: Annotated[float | None, typer.Option("--budget-usd", min=0, help="Stop before more is spent.")] = None,
    budget_tokens: Annotated[int | None, typer.Option("--budget-tokens", min=0, help="Stop before more tokens are used.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print the prompts, the calls and an estimate; send nothing.")] = False,
    temperature: Annotated[
        float | None,
        typer.Option("--temperature", min=0, max=2, help="Sampling temperature; the endpoint's own when not given."),
    ] = None,
    reasoning_effort: Annotated[str | None, typer.Option("--reasoning-effort", help="For models that take it: low, medium, high.")] = None,
    max_tokens: Annotated[int, typer.Option("--max-tokens", min=64, help="The longest answer, in tokens.")] = 16_000,
    timeout: Annotated[float, typer.Option("--timeout", min=1, help="Seconds for one answer.")] = 300.0,
    concurrency: Annotated[int, typer.Option("--concurrency", min=1, max=64, help="Requests at once.")] = 4,
    cache: Annotated[Path | None, typer.Option("--cache", help="File of the response cache; the user's own when not given.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Events as JSON lines; the last one is the report.")] = False,
) -> None:
    """Make an environment with tasks from a domain phrase.

    Only tasks that every gate passes are kept. Without --model it needs no model, no key and no network.
    """
    from envgen.cli import making, modelling

    if list_domains:
        typer.echo(making.domains())
        return
    if family is Family.fused:
        from envgen.cli import fusing

        modelling.only_database(
            domain=domain, model=model, kinds=kinds, difficulty=difficulty, from_docs=from_docs, count=count, resume=resume
        )
        fusing.make(
            tasks=tasks,
            depth=depth,
            level=level,
            operators=operators,
            seed=seed,
            out=out,
            tools=with_tools,
            others=others or [],
            force=force,
            strict=strict,
            as_json=as_json,
        )
        return
    proposer = modelling.options(
        model,
        base_url=base_url,
        tools=tools,
        documents=from_docs,
        repairs=repairs,
        reword=reword,
        check_ambiguity=check_ambiguity,
        budget_usd=budget_usd,
        budget_tokens=budget_tokens,
        temperature=temperature,
        reasoning_effort=reasoning_effort,
        max_tokens=max_tokens,
        timeout=timeout,
        concurrency=concurrency,
        cache=cache,
        count=count,
        dry_run=dry_run,
    )
    options = making.options(
        modelling.phrase(domain, proposer, count),
        size=size.value,
        tasks=tasks,
        kinds=kinds,
        difficulty=difficulty.value if difficulty else None,
        seed=seed,
        out=out or (Path("generated") / "many" if count else None),
        jobs=jobs,
        resume=resume,
        force=force,
        strict=strict,
        proposer=proposer,
        many=count is not None,
    )
    if dry_run:
        modelling.dry_run(options, as_json=as_json)
    elif count is not None:
        modelling.make_many(count, options, as_json=as_json)
    else:
        making.make(options, as_json=as_json)
