"""The least cost of supplying every node of a graph, by edges or by sources of its own."""

import random
from collections.abc import Mapping
from typing import Any

from envgen.fused.problem import Problem, Values
from envgen.fused.types import Int, List, Tuple

MOST, MOST_EDGES, MOST_COST = 60, 150, 10**15
EDGE = Tuple((Int(0, MOST - 1, "id"), Int(0, MOST - 1, "id")), ("one end", "other end"))


def sample(rng: random.Random, level: int, bound: Mapping[str, Any]) -> Values | None:
    """Graphs of 8 + level nodes and about twice as many edges; a source costs as much as one of the dearer edges."""
    size = min(8 + level + rng.randrange(3), 40)
    edges = bound["edges"] if "edges" in bound else _edges(rng, size)
    source = bound.get("source")
    high = 99 + 50 * min(level, 10**6) if source is None else max(20, min(3 * source // 2, MOST_COST))
    costs = bound.get("costs") or [rng.randint(1, high) for _ in edges]
    if source is None:
        ranked = sorted(costs)
        source = min(ranked[len(ranked) // 2] + rng.randint(1, max(ranked[-1], 20)), MOST_COST)
    return {"edges": edges, "costs": costs, "source": source}


def _edges(rng: random.Random, size: int) -> list[list[int]]:
    edges = [[rng.randrange(node), node] for node in range(1, size)]
    for _ in range(size):
        edge = sorted(rng.sample(range(size), 2))
        if edge not in edges:
            edges.append(edge)
    rng.shuffle(edges)
    return edges


def solve(values: Mapping[str, Any]) -> int:
    """Kruskal's algorithm with a further node that stands for all sources: no edge dearer than a source is ever laid."""
    costs, source = values["costs"], values["source"]
    leader = {node: node for edge in values["edges"] for node in edge}
    total = len(leader) * source
    priced = [(costs[number % len(costs)], one, other) for number, (one, other) in enumerate(values["edges"])]
    for cost, one, other in sorted(priced):
        if cost >= source:
            break
        first, second = _top(leader, one), _top(leader, other)
        if first != second:
            leader[first] = second
            total += cost - source
    return int(total)


def _top(leader: dict[int, int], node: int) -> int:
    while leader[node] != node:
        leader[node] = node = leader[leader[node]]
    return node


PROBLEM = Problem(
    name="mst_weight",
    topic="graphs",
    ports={
        "edges": List(EDGE, 1, MOST_EDGES, tag="graph"),
        "costs": List(Int(0, MOST_COST), 1, MOST_EDGES),
        "source": Int(0, MOST_COST),
    },
    out=Int(0, MOST * MOST_COST, "measure"),
    sample=sample,
    solve=solve,
    wordings=(
        "the least total cost of giving water to all houses named in {edges}, if a well dug at a house costs {source}, the pipe for "
        "the pair number i (from 0) costs entry i mod L of {costs} (L entries in all), and a house has water when pipes, used "
        "either way, connect it to a house with a well",
        "the weight of a minimum spanning tree of the undirected graph made of the edges {edges}, whose weights are taken in order "
        "from {costs}, over and over if they are too few, together with one new node joined to each node that occurs in those edges "
        "by an edge of weight {source}",
        "min over all acyclic sets F of members of {edges}, the empty set included, of the sum of w(e) for e in F plus {source} for "
        "each connected component of the graph (V, F), where V holds the endpoints of all members and w reads the sequence {costs} "
        "cyclically, its first term belonging to the first member",
        "what a power company pays at best: it buys generators at {source} apiece and strings some of the lines {edges}, the prices "
        "of which are {costs} in this order (restarting at the first price after the last one), until every town at an end of any "
        "of the lines, strung or not, has a generator or is linked, perhaps through other towns, to one that does",
        "the final sum when edges out of {edges} are gone through from cheap to dear, those under {source} that join two groups of "
        "vertices not yet linked are bought, and {source} is added once for every group left over in the end; a vertex is any "
        "number inside a pair, each begins as a group of its own, and the edge at index j (the first is 0) has the price found in "
        "{costs} at index j modulo the number of prices",
    ),
)
