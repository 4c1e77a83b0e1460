"""The longest path of a tree that passes through a given node."""

import random
from collections.abc import Mapping
from typing import Any

from envgen.fused.problem import Problem, Values
from envgen.fused.types import Int, List, Tuple

MOST, MOST_LENGTH = 60, 10**15
EDGE = Tuple((Int(0, MOST - 1, "id"), Int(0, MOST - 1, "id")), ("one end", "other end"))
Arm = tuple[int, list[int]]


def sample(rng: random.Random, level: int, bound: Mapping[str, Any]) -> Values | None:
    """Bushy trees of 12 + level nodes or more, so that few nodes lie on a common longest path."""
    via = bound.get("via")
    size = min(max(12 + level + rng.randrange(3), (via or 0) + 1), MOST)
    edges = bound["edges"] if "edges" in bound else _edges(rng, size)
    via = rng.choice(sorted({node for edge in edges for node in edge})) if via is None else via
    # Squares: lengths so different that they decide, not the number of edges.
    lengths = bound.get("lengths") or [rng.randint(1, min(12 + 2 * level, 10**6)) ** 2 for _ in edges]
    values: Values = {"edges": edges, "lengths": lengths, "via": via}
    try:
        solve(values)
    except ValueError:
        return None
    return values


def _edges(rng: random.Random, size: int) -> list[list[int]]:
    order = rng.sample(range(size), size)
    edges = [[order[rng.randrange(place)], order[place]] for place in range(1, size)]
    rng.shuffle(edges)
    return edges


def solve(values: Mapping[str, Any]) -> list[int]:
    """The longest two arms out of the node, into different branches. ValueError when the edges are no tree that has the node."""
    around: dict[int, list[tuple[int, int]]] = {}
    for number, (one, other) in enumerate(values["edges"]):
        length = values["lengths"][number % len(values["lengths"])]
        around.setdefault(one, []).append((other, length))
        around.setdefault(other, []).append((one, length))
    via = values["via"]
    loop = any(one == other for one, other in values["edges"])
    if loop or via not in around or len(around) != len(values["edges"]) + 1:
        raise ValueError("the edges are no tree, or one without the node")
    branches = [_branch(around, via, node, length) for node, length in around[via]]
    if 1 + sum(map(len, branches)) != len(around):
        raise ValueError("the edges are no tree")
    return _best([[(0, list[int]())], *branches], via)


def _branch(around: Mapping[int, list[tuple[int, int]]], via: int, first: int, length: int) -> list[Arm]:
    """Every way from `via` into the branch that begins with `first`: its length, and its nodes without `via`."""
    arms: list[Arm] = [(length, [first])]
    for total, nodes in arms:  # grows while it is gone through
        if len(nodes) > len(around):
            raise ValueError("the edges are no tree: there is a circle")
        before = nodes[-2] if len(nodes) > 1 else via
        arms += [(total + step, [*nodes, node]) for node, step in around[nodes[-1]] if node != before]
        if len(arms) > len(around):
            raise ValueError("the edges are no tree: there is a circle")
    return arms


def _best(branches: list[list[Arm]], via: int) -> list[int]:
    """The least of the longest paths. The first branch holds the arm of no edge, so that a path may end at `via`."""
    peaks = sorted((max(total for total, _ in arms), number) for number, arms in enumerate(branches))
    goal = sum(total for total, _ in peaks[-2:])
    found = []
    for number, arms in enumerate(branches):
        for total, nodes in arms:
            for other_arms in branches[number + 1 :]:
                found += [(nodes, other) for other_total, other in other_arms if total + other_total == goal]
    paths = [[*one[::-1], via, *other] for one, other in found]
    return min(min(path, path[::-1]) for path in paths)


PROBLEM = Problem(
    name="tree_diameter_path",
    topic="trees",
    ports={
        "edges": List(EDGE, 2, MOST - 1, tag="tree"),
        "lengths": List(Int(0, MOST_LENGTH), 1, MOST),
        "via": Int(0, MOST - 1),
    },
    out=List(Int(0, MOST - 1, "id"), 2, MOST, unique=True),
    sample=sample,
    solve=solve,
    unique="canonical",
    wordings=(
        "the nodes, one end to the other, of the longest simple path that contains node {via} (as an end or inside) in the tree with "
        "the edges {edges}, edge number i (from 0) being as long as entry i mod L of {lengths}, a list of L entries; each path is "
        "listed from both its ends, and where lengths are equal the lexicographically least list of nodes wins",
        "the least list, in dictionary order of node numbers, among all [v_1, ..., v_m] without repetitions that have {via} in them, in "
        "which neighbours are joined by a pair out of the tree {edges}, and whose summed edge weights are as great as can be; the "
        "pairs are given the weights {lengths} in order, again from the front of that list whenever it is used up",
        "the stops of the tram line with the most track that serves stop {via} and no stop twice, on a net without circuits whose "
        "links {edges} have the track lengths {lengths}, one after the other and cyclically if links remain; the line begins at "
        "whichever terminus makes the list of stop numbers come first, and of several such lines the one is meant that comes first "
        "when lists are compared number by number",
        "the concatenation of one heaviest descent reversed, {via}, and one heaviest descent into another subtree of the tree {edges} "
        "hung up at {via}, a descent being the vertices of a downward path from a child of {via}, or none at all with weight 0, and its"
        " weight the sum of the costs on it and on the edge above it, the cost of the edge at index j (first index 0) standing at "
        "index j modulo the count in {lengths}; all best choices and both directions admitted, the smallest sequence of labels is "
        "meant",
        "a rope's course from knot to knot: the rope is laid along strings {edges}, which form a tree and have lengths that repeat "
        "{lengths} periodically from the first string on, it must touch knot {via}, may touch no knot twice, and is to be as long as "
        "possible; courses are read in the direction and, if more than one is longest, chosen in the way that gives the "
        "lexicographically smallest list of knots",
    ),
)
