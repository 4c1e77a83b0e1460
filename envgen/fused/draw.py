"""Programs drawn from the pair table: chains and trees of problems, and the operators over them, recursively."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from envgen.core.errors import UsageError
from envgen.fused.adapters import adapt, options
from envgen.fused.audit import audit
from envgen.fused.library_index import problem, problem_names
from envgen.fused.pairs import Edge, answers_of, observed_type, table
from envgen.fused.program import LEAST_SORTED, OPERATORS, Program, Source, Step, given_type
from envgen.fused.seeds import dice
from envgen.fused.types import Int, List, Type, problem_of

SECOND_PORT, MOST_BRANCHES, MOST_TIMES, TRIALS = 0.35, 5, 4, 12
PRIME = 10_007
# The name of another environment, and its tasks as (id, answer, request).
Given = tuple[str, Sequence[Mapping[str, Any]]]


@dataclass
class Draft:
    """Steps so far; labels are letters in the order in which they come."""

    steps: list[Step] = field(default_factory=list)

    def add(self, **data: Any) -> str:
        """Add a step and return its label."""
        number = len(self.steps)
        label = chr(65 + number) if number < 26 else f"S{number}"
        self.steps.append({"id": label, **data})
        return label


class Maker:
    """Draws programs of a seed: number `n` is always the same. depth: problems in the longest chain. level: 0 and up, for every leaf."""

    def __init__(
        self, seed: int, *, depth: int, level: int | None = None, operators: Sequence[str] = OPERATORS, edges: Sequence[Edge] | None = None,
        problems: Sequence[str] | None = None, given: Sequence[Given] = (),
    ) -> None:  # fmt: skip
        unknown = [name for name in operators if name not in OPERATORS]
        if unknown:
            raise UsageError(f"no operator {unknown[0]!r}; there are {', '.join(OPERATORS)}")
        self.seed, self.depth, self.level, self.operators = seed, depth, level, tuple(operators)
        names = set(problems) if problems is not None else set(problem_names())
        self.edges = [edge for edge in (table() if edges is None else edges) if edge.inner in names and edge.outer in names]
        self.names = sorted(names)
        self.given = list(given)
        self._into: dict[str, list[Edge]] = {}
        for edge in self.edges:
            self._into.setdefault(edge.outer, []).append(edge)

    def program(self, number: int) -> Program:
        """Return program `number`."""
        rng = dice("program", self.seed, self.depth, self.level, list(self.operators), number)
        draft = Draft()
        if self.given:
            self._over_given(draft, rng)
        else:
            getattr(self, f"_{rng.choice(self.operators)}")(draft, rng)
        return Program(tuple(draft.steps))

    def _over_given(self, draft: Draft, rng: random.Random) -> None:
        """A chain that begins with the answer to another environment's task."""
        name, pool = rng.choice(self.given)
        label = draft.add(kind="given", **{"from": name, "pool": list(pool)})
        kind: Type = given_type(pool)
        for turn in range(self.depth):
            ways = self._after(kind) if turn == 0 else [edge for edge in self.edges if edge.inner == draft.steps[-1]["problem"]]
            if not ways:
                break
            edge = rng.choice(ways)
            chosen = problem(edge.outer)
            binds = {edge.port: edge.source(label)}
            label = draft.add(kind="problem", problem=edge.outer, version=chosen.version, level=self._level(rng), binds=binds)

    def _after(self, kind: Type) -> list[Edge]:
        """The ports that an integer of type `kind` fits, as edges from nowhere."""
        return [
            Edge("", name, port, ways[0][0], ways[0][1])
            for name in self.names
            for port, wanted in problem(name).ports.items()
            if isinstance(wanted, Int) and (ways := options(kind, wanted))
        ]

    def _level(self, rng: random.Random) -> int:
        return rng.randint(0, 2) if self.level is None else self.level

    def chain(self, draft: Draft, rng: random.Random, depth: int, root: str | None = None) -> str:
        """Add a problem over `depth - 1` others, and return its label; a second port is fed by a chain of its own now and then."""
        name = root or rng.choice([name for name in self.names if depth == 1 or name in self._into])
        binds: dict[str, Source] = {}
        if depth > 1 and name in self._into:
            edge = rng.choice(self._into[name])
            binds[edge.port] = edge.source(self.chain(draft, rng, depth - 1, edge.inner))
            others = [other for other in self._into[name] if other.port != edge.port]
            second = rng.choice(others) if others and rng.random() < SECOND_PORT else None
            if second is not None and together(edge, second):
                binds[second.port] = second.source(self.chain(draft, rng, rng.randint(1, depth - 1), second.inner))
        chosen = problem(name)
        return draft.add(kind="problem", problem=name, version=chosen.version, level=self._level(rng), binds=binds)

    def _roots(self, depth: int, fits: Any) -> list[str]:
        return [name for name in self.names if (depth == 1 or name in self._into) and fits(observed_type(name))]

    def _depths(self, rng: random.Random, count: int) -> list[int]:
        """The depths of the branches of an operator: one has the whole depth, the others at most that."""
        depths = [self.depth, *(rng.randint(1, self.depth) for _ in range(count - 1))]
        rng.shuffle(depths)
        return depths

    def _sequential(self, draft: Draft, rng: random.Random) -> None:
        self.chain(draft, rng, self.depth)

    def _parallel(self, draft: Draft, rng: random.Random) -> None:
        labels = [self.chain(draft, rng, depth) for depth in self._depths(rng, rng.randint(2, 3))]
        draft.add(kind="parallel", of=labels)

    def _sort(self, draft: Draft, rng: random.Random) -> None:
        """Answers of one problem are near each other, so that none stands out by its size."""
        root = rng.choice(self._roots(self.depth, _wide))
        labels = [self.chain(draft, rng, depth, root) for depth in self._depths(rng, rng.randint(LEAST_SORTED, MOST_BRANCHES))]
        draft.add(kind="sort", of=labels)

    def _select(self, draft: Draft, rng: random.Random) -> None:
        root = rng.choice(self._roots(self.depth, lambda kind: isinstance(kind, (Int, List))))
        labels = [self.chain(draft, rng, depth, root) for depth in self._depths(rng, rng.randint(2, 4))]
        selector = self.chain(draft, rng, 1, rng.choice(self._roots(1, _wide)))
        draft.add(kind="select", of=labels, by={"step": selector, "adapter": "", "args": {}})

    def _aggregate(self, draft: Draft, rng: random.Random) -> None:
        taken = []
        for _ in range(rng.randint(2, 3)):
            label = self.chain(draft, rng, self.depth, rng.choice(self._roots(self.depth, _counted)))
            adapter, args = _to_integer(observed_type(draft.steps[-1]["problem"]))
            taken.append({"step": label, "adapter": adapter, "args": args})
        draft.add(kind="aggregate", of=taken, weights=[rng.randint(1, 97) for _ in taken], modulus=PRIME)

    def _lookup(self, draft: Draft, rng: random.Random) -> None:
        roots = self._roots(self.depth, lambda kind: isinstance(kind, List) and kind.most >= 5 and _wide(kind.item))
        if not roots:
            return self._sequential(draft, rng)
        listed = self.chain(draft, rng, self.depth, rng.choice(roots))
        index = self.chain(draft, rng, 1, rng.choice(self._roots(1, _wide)))
        draft.add(kind="lookup", table=listed, index={"step": index, "adapter": "", "args": {}})
        return None

    def _iterate(self, draft: Draft, rng: random.Random) -> None:
        """A problem whose answer fits one of its own ports is applied several times."""
        own = [(name, port) for name in self.names for port in problem(name).ports if iterable(name, port)]
        if not own:
            return self._sequential(draft, rng)
        name, port = rng.choice(own)
        adapter, args = options(observed_type(name), problem(name).ports[port])[0]
        start: Source | None = None
        feeding = [edge for edge in self._into.get(name, ()) if edge.port == port]
        if feeding and self.depth > 1:
            edge = rng.choice(feeding)
            start = edge.source(self.chain(draft, rng, self.depth - 1, edge.inner))
        draft.add(
            kind="iterate", problem=name, version=problem(name).version, port=port, level=self._level(rng), start=start,
            times=rng.randint(2, MOST_TIMES), adapter=adapter, args=args,
        )  # fmt: skip
        return None


def together(one: Edge, other: Edge) -> bool:
    """True when the two ports of a problem can nearly always be fed at once: a rank must fit the list that it is a rank in."""
    return _together(one.outer, one.port, one.inner, one.adapter, _key(one.args), other.port, other.inner, other.adapter, _key(other.args))


def _key(args: Mapping[str, int]) -> tuple[tuple[str, int], ...]:
    return tuple(sorted(args.items()))


@lru_cache(maxsize=20_000)
def _together(outer: str, port: str, inner: str, adapter: str, args: Any, other: str, feeder: str, second: str, more: Any) -> bool:
    first, then = answers_of(inner), answers_of(feeder)
    chosen, fits = problem(outer), 0
    for number in range(TRIALS):
        rng = dice("together", outer, port, inner, other, feeder, number)
        bound = {port: adapt(rng.choice(first), adapter, dict(args)), other: adapt(rng.choice(then), second, dict(more))}
        if not any(problem_of(chosen.ports[name], value) for name, value in bound.items()):
            fits += chosen.sample(rng, number % 3, bound) is not None
    return fits >= TRIALS - 1


@lru_cache(maxsize=4_096)
def iterable(name: str, port: str) -> bool:
    """True when a problem's answer can be fed back into its port again and again without coming to rest or to a dead end."""
    chosen = problem(name)
    ways = options(observed_type(name), chosen.ports[port]) if chosen.unique != "relation" else []
    if not ways:
        return False
    adapter, args = ways[0]
    step: Step = {
        "id": "A", "kind": "iterate", "problem": name, "version": chosen.version, "port": port, "level": 1, "start": None,
        "times": MOST_TIMES, "adapter": adapter, "args": args,
    }  # fmt: skip
    return audit(Program((step,)), ("G1", "G2", "G5"), totality=0.9, draws=TRIALS * 2).sound


def _wide(kind: Type) -> bool:
    return isinstance(kind, Int) and kind.high - kind.low >= 64


def _counted(kind: Type) -> bool:
    return bool(_to_integer(kind) != ("none", {}))


def _to_integer(kind: Type) -> tuple[str, dict[str, int]]:
    """The way from an answer to an integer: as it is, or by an adapter that keeps its entropy; ("none", {}) when there is none."""
    if _wide(kind):
        return "", {}
    ways = [(name, args) for name, args in options(kind, Int(0, PRIME)) if name in ("weighted", "text_sum", "fraction", "ordinal")]
    return ways[0] if ways else ("none", {})
