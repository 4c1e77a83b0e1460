"""The pair table: which problem's answer may feed which port of which other, through which adapter, found by audit.

The table ships as `templates/fused/pairs.json` with a hash of each problem's behaviour: an edge of a problem that behaves otherwise
today is not used. `envgen library problems pairs --write` builds it anew.
"""

import json
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from envgen.core.data import data_path
from envgen.fused.adapters import adapt, is_sink, options
from envgen.fused.audit import CHEAP, audit
from envgen.fused.contract import draw
from envgen.fused.library_index import behaviour, problem, problem_names
from envgen.fused.problem import Problem
from envgen.fused.program import Program
from envgen.fused.types import Type, narrowed

LEVELS, OBSERVED, LEAST_BITS, SLACK_BITS = (0, 1, 2), 60, 5.0, 0.35
GATES = (*CHEAP, "G6")
# Programs are made of many edges, each of which takes its share of the draws.
TOTAL = 0.9


@dataclass(frozen=True)
class Edge:
    """The answer of `inner` feeds `port` of `outer` through `adapter` ("" when it fits as it is)."""

    inner: str
    outer: str
    port: str
    adapter: str
    args: dict[str, int] = field(default_factory=dict, hash=False)

    def source(self, step: str) -> dict[str, Any]:
        """Return the source of a program's step."""
        return {"step": step, "adapter": self.adapter, "args": dict(self.args)}


@lru_cache(maxsize=512)
def answers_of(name: str) -> tuple[Any, ...]:
    """Return answers of a problem at the levels 0, 1 and 2."""
    chosen = problem(name)
    drawn = (draw(chosen, level, number) for level in LEVELS for number in range(OBSERVED))
    return tuple(chosen.solve(values) for values in drawn if values is not None)


@lru_cache(maxsize=512)
def observed_type(name: str) -> Type:
    """Return the type of a problem's answers as observed, within the declared one."""
    found = answers_of(name)
    return narrowed(problem(name).out, list(found)) if found else problem(name).out


def bits(values: Sequence[Any]) -> float:
    """Return the entropy of the values, in bits."""
    counts = Counter(json.dumps(value, sort_keys=True) for value in values)
    return -sum(count / len(values) * math.log2(count / len(values)) for count in counts.values()) if values else 0.0


def candidates(inner: Problem, outer: Problem) -> Iterator[Edge]:
    """Yield the edges that the types allow, entropy kept: the first adapter that fits each port."""
    if inner.unique == "relation" or inner.inverse == outer.name or inner.name == outer.name or is_sink(observed_type(inner.name)):
        return
    found = answers_of(inner.name)
    before = bits(found)
    for port, kind in outer.ports.items():
        for adapter, args in options(observed_type(inner.name), kind):
            after = bits([adapt(answer, adapter, args) for answer in found])
            if after >= min(before, LEAST_BITS) - SLACK_BITS:
                yield Edge(inner.name, outer.name, port, adapter, args)
                break


def pair_program(edge: Edge, level: int = 1) -> Program:
    """Return the program of one edge alone."""
    inner, outer = problem(edge.inner), problem(edge.outer)
    first = {"id": "A", "kind": "problem", "problem": inner.name, "version": inner.version, "level": level, "binds": {}}
    binds = {edge.port: edge.source("A")}
    return Program((first, {"id": "B", "kind": "problem", "problem": outer.name, "version": outer.version, "level": level, "binds": binds}))


def build(names: Sequence[str] | None = None) -> dict[str, Any]:
    """Audit every edge among the problems called `names` (all without); return the table as it is stored."""
    chosen = [problem(name) for name in (names or problem_names())]
    kept: list[list[Any]] = []
    refused: Counter[str] = Counter()
    for inner in chosen:
        for outer in chosen:
            for edge in candidates(inner, outer):
                found = next((one for level in LEVELS if not (one := audit(pair_program(edge, level), GATES, totality=TOTAL)).sound), None)
                if found is None:
                    kept.append([edge.inner, edge.outer, edge.port, edge.adapter, edge.args])
                else:
                    refused.update(found.failed.keys())
    return {"behaviour": {each.name: behaviour(each.name) for each in chosen}, "edges": kept, "refused": dict(sorted(refused.items()))}


def table_path() -> Path:
    """Return the file of the table that ships."""
    return data_path("templates/fused") / "pairs.json"


@lru_cache(maxsize=1)
def table() -> tuple[Edge, ...]:
    """Return the edges of the table that ships whose problems behave as they did when it was built."""
    stored = json.loads(table_path().read_text(encoding="utf-8"))
    known = problem_names()
    same = {name for name, seen in stored["behaviour"].items() if name in known and behaviour(name) == seen}
    return tuple(Edge(*row) for row in stored["edges"] if row[0] in same and row[1] in same)


def text(stored: dict[str, Any]) -> str:
    """Return the table as the text of its file: one edge a line."""
    edges = ",\n".join(f"  {json.dumps(edge)}" for edge in stored["edges"])
    head = {key: value for key, value in stored.items() if key != "edges"}
    return json.dumps(head, indent=1)[:-2] + f',\n "edges": [\n{edges}\n ]\n}}\n'
