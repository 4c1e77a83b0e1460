"""The repair loop: what a trial finds goes back to its author, a bounded number of times; what is still wrong then is dropped."""

from collections.abc import Iterator, Sequence

from sqlglot import exp

from envgen.core.errors import UnsoundError
from envgen.database.model.assemble import Parts
from envgen.database.model.prompts import brief_text, tables_text, tool_line
from envgen.database.model.stopgap import close_gaps
from envgen.database.model.wire import DisputedExample, WireRules, WireTools
from envgen.database.spec import Run, Tool
from envgen.database.sql import parse
from envgen.synthesis.culprit import BREAKS
from envgen.synthesis.hidden import without_rules, without_tools
from envgen.synthesis.take import sources_of, take_rules, take_tools, without_tool
from envgen.synthesis.talk import Talk
from envgen.synthesis.trial import NEVER, Findings, inspect

FAULTS_AT_ONCE, MOST_PROBLEMS, MOST_MISSING, MOST_DROPS = 8, 5, 12, 60


def mend(talk: Talk, seed: int, parts: Parts, *, most: int, rounds: int | None = None) -> None:
    """Try the parts, ask for repairs in at most `rounds` (the run's own number when None), and drop what stays wrong.

    most: tools that there may be in the end. What only reading is missing for is added by us, and noted.
    UnsoundError when no world can be built from what is there.
    """
    told: set[str] = set()
    for _ in range(talk.repairs if rounds is None else rounds):
        findings = _inspect(parts, seed)
        if not findings.any or talk.out_of_budget:
            break
        told |= _doubt(findings, told)
        ask_for_tools(talk, parts, findings.tools, findings.missing, most=most)
        _ask_for_rules(talk, parts, findings)
    _drop_rest(talk, seed, parts, patient=rounds is None)


def _inspect(parts: Parts, seed: int) -> Findings:
    findings = inspect(parts, seed)
    for name in [name for name in findings.tools if _is_idle(findings.tools[name]) and _shown(parts, name)]:
        del findings.tools[name]
    for name, (_, problem) in parts.malformed.items():
        findings.blame(name, problem)
    return findings


def _doubt(findings: Findings, told: set[str]) -> set[str]:
    """Return the rules that tools break at present; whoever wrote a rule is asked too when the tool's author was `told` of it in vain."""
    broken = {match[1]: name for name, problems in findings.tools.items() for text in problems if (match := BREAKS.search(text))}
    for rule in sorted(set(broken) & told):
        findings.rules.setdefault(rule, []).append(
            f"calls of {broken[rule]} still break it, though the tool's author was told. If the rule says too much, correct it; "
            "if it is right, leave it out of your reply, and it stays"
        )
    return set(broken)


def _is_idle(problems: Sequence[str]) -> bool:
    """True when nothing is held against a tool but that it never succeeded in a drawn world."""
    return all(problem.startswith(NEVER) for problem in problems)


def _shown(parts: Parts, name: str) -> bool:
    """True when an example shows the tool succeed: then it is the drawn worlds that lack the rows."""
    return any("error" not in example.expect for example in parts.examples.get(name, ()))


def ask_for_tools(
    talk: Talk, parts: Parts, faults: dict[str, list[str]], missing: Sequence[str], *, most: int
) -> tuple[list[str], list[DisputedExample]]:
    """Ask for repaired tools; return the names of those that came, and the examples that their author disputes."""
    taken: list[str] = []
    disputed: list[DisputedExample] = []
    names = list(faults)
    for start in range(0, max(len(names), 1), FAULTS_AT_ONCE):
        chosen = names[start : start + FAULTS_AT_ONCE]
        wanting = list(missing[:MOST_MISSING]) if start == 0 else []
        if not chosen and not wanting:
            break
        sources = sources_of(parts, chosen)
        shown = [{"tool": name, "source": sources.get(name, ""), "problems": faults[name][:MOST_PROBLEMS]} for name in chosen]
        reply = talk.mend(
            "repair_tools", WireTools, brief=brief_text(parts.brief), tables=tables_text(parts.tables),
            tools="\n".join(map(tool_line, parts.tools)), faults=shown, missing=wanting,
        )  # fmt: skip
        if reply is not None:
            taken += take_tools(parts, _within(without_tools(talk, reply), parts, chosen, wanting, most))
            disputed += reply.disputed
    return taken, disputed


def _within(reply: WireTools, parts: Parts, asked: Sequence[str], wanting: Sequence[str], most: int) -> WireTools:
    """The tools that were asked for, and new ones as long as something is missing; nobody asked for others to be changed."""
    known = {tool.name for tool in parts.tools} | set(parts.malformed)
    room = max(0, most - len(known)) if wanting else 0
    fresh = [tool for tool in reply.tools if tool.name not in known][:room]
    # What is missing may be mended by a tool that is there, such as a list that shows one more column.
    changed = [tool for tool in reply.tools if tool.name in known and (tool.name in asked or wanting)]
    return reply.model_copy(update={"tools": changed + fresh})


def _ask_for_rules(talk: Talk, parts: Parts, findings: Findings) -> None:
    if not findings.rules:
        return
    rules = {rule.id: rule for rule in parts.rules}
    shown = [
        {"rule": name, "source": f"{rules[name].policy}\n{rules[name].breach or rules[name].sql}", "problems": problems[:MOST_PROBLEMS]}
        for name, problems in findings.rules.items()
        if name in rules
    ]
    reply = talk.mend(
        "repair_rules", WireRules, tables=tables_text(parts.tables), tools="\n".join(map(tool_line, parts.tools)), faults=shown
    )
    if reply is not None:
        take_rules(talk, parts, without_rules(talk, reply))


def _drop_rest(talk: Talk, seed: int, parts: Parts, *, patient: bool) -> None:
    """Drop what stays wrong, one trial after the other, since what is dropped may take something else with it.

    patient: a tool that never succeeded yet stays, since examples are still to come.
    """
    for _ in range(MOST_DROPS):
        findings = _inspect(parts, seed)
        if patient:
            findings.tools = {name: problems for name, problems in findings.tools.items() if not _is_idle(problems)}
        for name, problems in findings.tools.items():
            rules = [found[1] for problem in problems if (found := BREAKS.search(problem))]
            if len(rules) == len(problems) and _only_maker(parts, name):
                # Without it there would be no such rows: then the rule may be the part that is wrong.
                for rule in rules:
                    drop_rule(talk, parts, rule, problems[0])
            else:
                drop_tool(talk, parts, name, problems[0])
        for name, problems in findings.rules.items():
            drop_rule(talk, parts, name, problems[0])
        if findings.tools or findings.rules:
            continue
        for note in close_gaps(parts):
            talk.note("tools", note)
        for text in findings.missing:
            if not text.startswith("no "):
                talk.note("tools", f"still so: {text}")
        fatal = [text for text in findings.missing if text.startswith("no world")]
        if fatal:
            raise UnsoundError(f"{fatal[0]}. Try another --seed or another --model")
        return


def _only_maker(parts: Parts, name: str) -> bool:
    """True when a tool adds rows to a table to which no other tool adds any."""
    added = {tool.name: set(_added(tool)) for tool in parts.tools}
    others = {table for other, tables in added.items() if other != name for table in tables}
    return bool(added.get(name, set()) - others)


def _added(tool: Tool) -> Iterator[str]:
    for step in tool.steps:
        tree = parse(step.run) if isinstance(step, Run) else None
        if isinstance(tree, exp.Insert):
            table = tree.find(exp.Table)
            yield table.name if table is not None else ""


def drop_tool(talk: Talk, parts: Parts, name: str, reason: str) -> None:
    """Leave a tool out, with the rules that cannot be without it."""
    talk.drop("tool", name, reason)
    for rule in without_tool(parts, name):
        talk.drop("rule", rule, f"it needs the tool {name}, which was dropped")


def drop_rule(talk: Talk, parts: Parts, name: str, reason: str) -> None:
    """Leave a rule out."""
    talk.drop("rule", name, reason)
    parts.rules[:] = [rule for rule in parts.rules if rule.id != name]
