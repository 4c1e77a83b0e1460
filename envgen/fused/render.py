"""A task's text: named quantities in one of six styles. Intermediate values are never printed; only the root is asked for."""

import json
import random
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from envgen.core.data import data_path
from envgen.fused.adapters import adapter_words
from envgen.fused.library_index import problem
from envgen.fused.problem import SLOT
from envgen.fused.program import Program, Source, Step, Trace, binds
from envgen.fused.seeds import dice
from envgen.fused.types import Type, asked_as

STYLES = ("forward", "goal_first", "shuffled", "nested", "table", "story")
LONGEST = 12_000
# A nested phrase of many steps can no longer be read.
MOST_NESTED = 3


@lru_cache(maxsize=1)
def templates() -> dict[str, Any]:
    """Return `templates/fused/styles.toml`."""
    with (data_path("templates/fused") / "styles.toml").open("rb") as file:
        return tomllib.load(file)


def render(program: Program, trace: Trace, kind: Type, *names: Any, style: str | None = None) -> tuple[str, str]:
    """Return (text, style) of an instance. kind: the type of the answer; names: what the dice of the wording belong to."""
    rng = dice("words", program.id, trace.hash, *names)
    chosen = style or rng.choice([name for name in STYLES if name != "nested" or len(program.steps) <= MOST_NESTED])
    form = templates()[chosen]
    # A SORT answers with labels, so those of the text are the program's own.
    labels = {step["id"]: step["id"] for step in program.steps}
    phrases = {step["id"]: phrase(step, trace, labels, rng) for step in program.steps}
    root = labels[program.root["id"]]
    asked = rng.choice(templates()["asked"]["forms"]).replace("{asked}", asked_as(kind))
    parts = [rng.choice(form["opening"]).replace("{root}", root)]
    if chosen == "nested":
        parts.append(rng.choice(form["question"]).replace("{nested}", _nested(program, phrases, labels)))
    else:
        parts += _lines(program, phrases, labels, form, chosen, rng)
        parts.append(rng.choice(form["question"]).replace("{root}", root))
    parts += [f"{asked}", *_requests(program, trace)]
    return "\n".join(part for part in parts if part), chosen


def _requests(program: Program, trace: Trace) -> list[str]:
    """The requests whose answers a program builds on, quoted at the end."""
    given = [step["id"] for step in program.steps if step["kind"] == "given"]
    return [f"\nThe request that {name} answers:\n{trace.values[name]['text']}" for name in given]


def _lines(
    program: Program, phrases: Mapping[str, str], labels: Mapping[str, str], form: Mapping[str, Any], style: str, rng: random.Random
) -> list[str]:
    template = rng.choice(form["line"])
    lines = [template.replace("{label}", labels[step["id"]]).replace("{phrase}", phrases[step["id"]]) for step in program.steps]
    if style == "shuffled":
        rng.shuffle(lines)
    if style == "table":
        return ["| name | what it is |", "|---|---|", *(line.replace("\n", " ") for line in lines)]
    return lines


def phrase(step: Step, trace: Trace, labels: Mapping[str, str], rng: random.Random) -> str:
    """Return the noun phrase of a step: values that were drawn are written out, bound ones are named."""
    if step["kind"] in ("problem", "iterate"):
        chosen = problem(step["problem"])
        shown = {port: literal(value) for port, value in trace.values[step["id"]].items()}
        shown |= {port: source_words(source, labels) for port, source in binds(step).items()}
        if step["kind"] == "iterate":
            return _iterated(step, rng.choice(chosen.wordings), shown)
        return fill(rng.choice(chosen.wordings), shown)
    if step["kind"] == "given":
        return "the integer that answers the request quoted at the end, to be served with the tools as the policy says"
    return _combined(step, labels)


def fill(text: str, shown: Mapping[str, str]) -> str:
    """Return a wording with its slots filled."""
    return SLOT.sub(lambda match: shown[match[1]], text)


def literal(value: Any) -> str:
    """Return a value as the text writes it: JSON."""
    return json.dumps(value, ensure_ascii=True)


def source_words(source: Source, labels: Mapping[str, str]) -> str:
    """Return how a value of another step is called: its label, or what an adapter makes of it."""
    text = adapter_words(source["adapter"], source["args"], labels[source["step"]])
    return text if not source["adapter"] else f"({text})"


def _iterated(step: Step, wording: str, shown: Mapping[str, str]) -> str:
    start = shown[step["port"]]
    inner = fill(wording, {**shown, step["port"]: "x"})
    adapted = adapter_words(step["adapter"], step["args"], "the value before it") if step["adapter"] else "the value before it"
    return (
        f"what results from applying a rule {step['times']} times, beginning with x = {start}, where the rule turns x into {inner}, "
        f"and from the second time on x is {adapted}"
    )


def _combined(step: Step, labels: Mapping[str, str]) -> str:
    if step["kind"] == "parallel":
        return f"the list of {_listed([labels[name] for name in step['of']])}, in this order"
    if step["kind"] == "sort":
        names = _listed([labels[name] for name in step["of"]])
        return f"the list of the names {names}, arranged by the values that they stand for, from the smallest to the largest"
    if step["kind"] == "select":
        names = _listed([labels[name] for name in step["of"]])
        return (
            f"one of {names}: the one at position ({source_words(step['by'], labels)} modulo {len(step['of'])}), positions counted from 0"
        )
    if step["kind"] == "aggregate":
        terms = " + ".join(f"{weight} * {source_words(source, labels)}" for weight, source in zip(step["weights"], step["of"], strict=True))
        return f"the non-negative remainder of {terms} modulo {step['modulus']}"
    index = source_words(step["index"], labels)
    return f"the entry of {labels[step['table']]} at position ({index} modulo its length), positions counted from 0"


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:-1]) + f" and {names[-1]}"


def _nested(program: Program, phrases: Mapping[str, str], labels: Mapping[str, str]) -> str:
    """The root's phrase with the phrases of the others in the place of their labels, in brackets."""
    text = phrases[program.root["id"]]
    for step in reversed(program.steps[:-1]):
        # A function, since a phrase may hold backslashes that a replacement text would interpret.
        text = re.compile(rf"(?<![\w\"]){labels[step['id']]}(?![\w\"])").sub(_bracketed(phrases[step["id"]]), text)
    return text


def _bracketed(inner: str) -> Callable[[re.Match[str]], str]:
    return lambda match: f"[{inner}]"


def lint(text: str, gold: Any) -> str:
    """Return why a text cannot be used, or "": a slot left, a sentence twice, too long, or the answer standing in it."""
    if SLOT.search(text):
        return "a slot is left"
    lines = [line for line in text.split("\n") if len(line) > 20]
    if len(lines) != len(set(lines)):
        return "a sentence is there twice"
    if len(text) > LONGEST:
        return "the text is too long"
    shown = json.dumps(gold).strip('"')
    if len(shown) > 3 and shown in text:
        return "the answer stands in the text"
    return ""
