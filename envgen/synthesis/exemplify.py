"""Examples are written by somebody who sees the rules and not the SQL, so that they can disagree with the tools: one is wrong then."""

import json
from collections import Counter
from collections.abc import Sequence

from envgen.core.types import JsonObject
from envgen.database.model.assemble import Parts
from envgen.database.model.examples import Samples, codes, example_of, missing_examples, wants_examples
from envgen.database.model.prompts import promise, rule_lines, samples_text
from envgen.database.model.tools import Malformed
from envgen.database.model.wire import WireExamples
from envgen.database.runtime import DatabaseEnvironment
from envgen.database.spec import Example
from envgen.synthesis.mend import ask_for_tools, drop_tool
from envgen.synthesis.talk import Talk
from envgen.synthesis.trial import Findings, build
from envgen.synthesis.trial_examples import ExampleFindings, run_examples

BATCH, MOST_EXAMPLES = 12, 30


def exemplify(talk: Talk, seed: int, parts: Parts) -> None:
    """Ask for examples, run them, and settle every disagreement: the tool is repaired, the example written again, or both go."""
    ask_for_examples(talk, parts, {tool.name: [] for tool in parts.tools if wants_examples(tool)})
    for turn in range(talk.repairs):
        found = _run(parts, seed)
        if found is None or not (found.wrong or found.broken or found.missing):
            break
        _settle(talk, parts, found, first=turn == 0)
    _drop_rest(talk, seed, parts)


def ask_for_examples(talk: Talk, parts: Parts, wanted: dict[str, list[str]]) -> None:
    """Ask for examples of some tools; what is asked for in words is in `wanted`. New ones stand beside those that are there."""
    spec = parts.spec()
    samples = Samples(spec, parts.kinds)
    tools = [tool for tool in parts.tools if tool.name in wanted]
    policies = [f"- {rule.policy} (policy {rule.id}: the tool itself lets it pass)" for rule in parts.rules if rule.kind == "agent"]
    values: list[JsonObject] = []
    for start in range(0, len(tools), BATCH):
        chosen = tools[start : start + BATCH]
        values.append({
            "title": parts.brief.title, "now": parts.brief.now, "rules": "\n".join([*rule_lines(parts.brief), *policies]),
            "samples": samples_text(spec, samples), "tools": "\n".join(map(promise, chosen)),
            "missing": [f"{tool.name}: {text}" for tool in chosen for text in wanted[tool.name]],
        })  # fmt: skip
    for reply in talk.ask_each("examples", WireExamples, values):
        _take(talk, parts, reply, samples)


def _take(talk: Talk, parts: Parts, reply: WireExamples, samples: Samples) -> None:
    tools = {tool.name: tool for tool in parts.tools}
    crowded: Counter[str] = Counter()
    for wire in (wire for wire in reply.examples if wire.tool in tools):
        try:
            example = example_of(wire, tools[wire.tool], samples)
        except Malformed as problem:
            talk.drop("example", f"{wire.tool}, {wire.given}", str(problem))
            continue
        known = parts.examples.setdefault(wire.tool, [])
        if len(known) >= MOST_EXAMPLES:
            crowded[wire.tool] += 1
            continue
        known[:] = [other for other in known if other.given != example.given] + [example]
    for name, number in crowded.items():
        talk.drop("example", name, f"{number} more than the {MOST_EXAMPLES} that are run")


def _run(parts: Parts, seed: int) -> ExampleFindings | None:
    environment = _environment(parts, seed)
    if environment is None:
        return None
    found = run_examples(environment, [rule for rule in parts.rules if rule.breach])
    for listed in (found.wrong, found.broken):
        for name, entries in listed.items():
            listed[name] = [(_own(parts, name, example), problem) for example, problem in entries]
    return found


def _own(parts: Parts, tool: str, example: Example) -> Example:
    """The example as the parts hold it: in an environment, rows that several examples set up stand in `samples`."""
    return next(other for other in parts.examples[tool] if other.given == example.given)


def _environment(parts: Parts, seed: int) -> DatabaseEnvironment | None:
    return build(parts, seed, Findings())


def _settle(talk: Talk, parts: Parts, found: ExampleFindings, *, first: bool) -> None:
    """One round. In the first, whoever wrote the tool looks at each disagreement; in later ones the example is written again."""
    wanted: dict[str, list[str]] = {name: list(texts) for name, texts in found.missing.items()}
    for name, broken in found.broken.items():
        for example, problem in broken:
            parts.examples[name].remove(example)
            wanted.setdefault(name, []).append(f"{example.given!r} once more: {problem}")
    faults = {name: [disagreement(example, problem) for example, problem in wrong] for name, wrong in found.wrong.items()}
    taken, disputed = ask_for_tools(talk, parts, faults, (), most=len(parts.tools)) if faults else ([], [])
    doubted = {(item.tool, item.given) for item in disputed}
    for name, wrong in found.wrong.items():
        for example, _ in wrong:
            if name not in taken and ((name, example.given) in doubted or not first):
                # Asked again without a word about the tool: if the rules say so twice, it is the tool that is wrong.
                parts.examples[name].remove(example)
                wanted.setdefault(name, []).append(f"{example.given!r}: work it out anew from the rules")
    _renew(parts, taken, wanted)
    if wanted and not talk.out_of_budget:
        ask_for_examples(talk, parts, wanted)


def _renew(parts: Parts, taken: Sequence[str], wanted: dict[str, list[str]]) -> None:
    """Examples of a repaired tool stay as they are, but for codes that it no longer has; new codes are asked for."""
    for tool in parts.tools:
        if tool.name in taken:
            kept = [example for example in parts.examples.get(tool.name, []) if example.expect.get("error") in (None, *codes(tool))]
            parts.examples[tool.name] = kept
            wanted.setdefault(tool.name, []).extend(missing_examples(tool, kept))
    for name in [name for name, texts in wanted.items() if not texts]:
        del wanted[name]


def disagreement(example: Example, problem: str) -> str:
    """Return a disagreement in words for the author of the tool."""
    call = json.dumps(example.args, ensure_ascii=False)
    rows = "; ".join(example.setup)
    return f"the example {example.given!r}, written from the business rules: called with {call}: {problem}. The rows there: {rows[:900]}"


def _drop_rest(talk: Talk, seed: int, parts: Parts) -> None:
    """What is still wrong goes: a tool that disagrees with its examples, an example that cannot be set up; what is not shown is noted."""
    found = _run(parts, seed)
    if found is None:
        return
    for name, broken in found.broken.items():
        for example, problem in broken:
            parts.examples[name].remove(example)
            talk.drop("example", f"{name}, {example.given}", problem)
    for name, wrong in found.wrong.items():
        known = codes(next(tool for tool in parts.tools if tool.name == name))
        serious = [item for item in wrong if item[0].expect.get("error") in (None, *known)]
        if serious:
            drop_tool(talk, parts, name, f"it disagrees with the example {serious[0][0].given!r}: {serious[0][1]}")
            continue
        for example, problem in wrong:
            parts.examples[name].remove(example)
            talk.drop("example", f"{name}, {example.given}", f"{problem}; {name} has no such code")
    for name, texts in found.missing.items():
        talk.note("examples", f"{name}: no example shows {'; '.join(texts)}")
