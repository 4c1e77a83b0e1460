"""The base problems as text: what `envgen library problems` prints."""

import json
from collections import Counter

from envgen.core.errors import UsageError
from envgen.fused import pairs
from envgen.fused.contract import check_problem, report
from envgen.fused.library_index import all_problems, problem
from envgen.fused.problem import SLOT
from envgen.fused.seeds import dice
from envgen.fused.types import asked_as


def listing() -> str:
    """Return a line per problem."""
    found = all_problems()
    width = max(len(each.name) for each in found)
    return "\n".join(f"{each.topic:<10} {each.name:<{width}}  {', '.join(each.ports)} -> {asked_as(each.out)}" for each in found)


def problem_text(name: str, *, level: int, seed: int) -> str:
    """Return one problem with an instance. UsageError names the problems that there are."""
    chosen = problem(name)
    values = next((found for number in range(20) if (found := chosen.sample(dice("show", name, seed, number), level, {}))), None)
    if values is None:
        raise UsageError(f"{name} has no instance at level {level}")
    lines = [f"{chosen.topic}/{chosen.name}, version {chosen.version}: {', '.join(chosen.ports)} -> {asked_as(chosen.out)}", ""]
    lines += [f"  {port} = {json.dumps(value)}" for port, value in values.items()]
    lines += [f"  answer = {json.dumps(chosen.solve(values))}", "", "wordings:"]
    shown = {port: json.dumps(value) for port, value in values.items()}
    return "\n".join([*lines, *(f"  {SLOT.sub(lambda match: shown[match[1]], text)}" for text in chosen.wordings)])


def checked(name: str | None) -> tuple[list[str], int]:
    """Return a report per problem, and how many have something wrong."""
    chosen = [problem(name)] if name else all_problems()
    found = {each.name: check_problem(each) for each in chosen}
    return [report(each, found[each.name]) for each in chosen], sum(bool(problems) for problems in found.values())


def pair_table(*, write: bool) -> str:
    """Return what the pair table holds; `write` audits every pair and replaces the file."""
    if write:
        stored = pairs.build()
        path = pairs.table_path()
        partial = path.with_name(f".{path.name}.partial")
        partial.write_text(pairs.text(stored), encoding="utf-8")
        partial.replace(path)
        pairs.table.cache_clear()
        refused = ", ".join(f"{gate} {number}" for gate, number in stored["refused"].items())
        return f"{path}: {len(stored['edges'])} edges kept; refused: {refused or 'none'}"
    edges = pairs.table()
    direct = sum(not edge.adapter for edge in edges)
    into = Counter(edge.outer for edge in edges)
    lines = [f"{len(edges)} edges, {direct} of them without an adapter, among {len({*(e.inner for e in edges), *into})} problems"]
    return "\n".join([*lines, *(f"  {name}: fed by {number}" for name, number in sorted(into.items()))])
