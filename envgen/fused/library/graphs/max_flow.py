"""The greatest flow between two nodes."""

import random
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any

from envgen.fused.problem import Problem, Values
from envgen.fused.types import Int, List, Tuple

MOST, MOST_EDGES, MOST_CAPACITY = 40, 120, 10**15
EDGE = Tuple((Int(0, MOST - 1, "id"), Int(0, MOST - 1, "id")), ("one end", "other end"))
Net = list[dict[int, int]]


def sample(rng: random.Random, level: int, bound: Mapping[str, Any]) -> Values | None:
    """Networks of 7 + level / 2 nodes with some two edges a node."""
    ends = [bound[port] for port in ("source", "sink") if port in bound]
    size = max([min(7 + level // 2 + rng.randrange(3), 24), *(end + 1 for end in ends)])
    edges = bound["edges"] if "edges" in bound else _edges(rng, size)
    nodes = sorted({node for edge in edges for node in edge})
    source = bound["source"] if "source" in bound else rng.choice(sorted(set(nodes) - set(ends)) or nodes)
    sink = bound["sink"] if "sink" in bound else rng.choice(sorted(set(nodes) - {source}) or nodes)
    if source == sink or not {source, sink} <= set(nodes):
        return None
    capacities = bound.get("capacities") or [rng.randint(1, 99 + 50 * min(level, 10**6)) for _ in edges]
    return {"edges": edges, "capacities": capacities, "source": source, "sink": sink}


def _edges(rng: random.Random, size: int) -> list[list[int]]:
    """A ring through all nodes, so that each has two ways at least, and as many chords."""
    order = rng.sample(range(size), size)
    edges = [[order[place - 1], order[place]] for place in range(size)]
    for _ in range(size):
        edge = rng.sample(range(size), 2)
        if edge not in edges and edge[::-1] not in edges:
            edges.append(edge)
    rng.shuffle(edges)
    return edges


def solve(values: Mapping[str, Any]) -> int:
    """Edmonds and Karp's algorithm: the shortest augmenting path as long as there is one. ValueError when source and sink are one."""
    source, sink, capacities = values["source"], values["sink"], values["capacities"]
    if source == sink:
        raise ValueError("source and sink are the same node")
    net: Net = [{} for _ in range(1 + max([source, sink, *(node for edge in values["edges"] for node in edge)]))]
    for number, (one, other) in enumerate(values["edges"]):
        capacity = capacities[number % len(capacities)]
        net[one][other] = net[one].get(other, 0) + capacity
        net[other][one] = net[other].get(one, 0) + capacity
    total = 0
    while path := _path(net, source, sink):
        amount = min(net[one][other] for one, other in path)
        total += amount
        for one, other in path:
            net[one][other] -= amount
            net[other][one] += amount
    return total


def _path(net: Net, source: int, sink: int) -> Sequence[tuple[int, int]]:
    """The edges of a shortest path with room left, from the sink backwards; none if there is no such path."""
    came, queue = {source: source}, deque([source])
    while queue and sink not in came:
        node = queue.popleft()
        for other, room in net[node].items():
            if room and other not in came:
                came[other] = node
                queue.append(other)
    if sink not in came:
        return ()
    path = []
    while sink != source:
        path.append((came[sink], sink))
        sink = came[sink]
    return path


PROBLEM = Problem(
    name="max_flow",
    topic="graphs",
    ports={
        "edges": List(EDGE, 1, MOST_EDGES, tag="graph"),
        "capacities": List(Int(0, MOST_CAPACITY), 1, MOST_EDGES),
        "source": Int(0, MOST - 1),
        "sink": Int(0, MOST - 1),
    },
    out=Int(0, MOST_EDGES * MOST_CAPACITY, "measure"),
    sample=sample,
    solve=solve,
    wordings=(
        "the value of a maximum flow from node {source} to node {sink} in the undirected network with the edges {edges}, where the "
        "edge at index i (from 0) carries, in whichever direction, up to entry i mod L of the L capacities {capacities}",
        "how many litres a second can be pumped at most from tank {source} into tank {sink}, if pipes lie between the tanks {edges}, "
        "water may run through a pipe either way, no other tank gains or loses any, and the limits of the pipes are, in order, "
        "{capacities}, starting over with the first limit when the last has been used",
        "the smallest total of capacities of members of {edges} whose removal leaves no path, direction being irrelevant, between the "
        "vertices {source} and {sink} (0 if there is none from the outset), given that the capacities of the members run through "
        "{capacities} and then through it again as often as necessary",
        "min over all sets S of nodes that hold {source} and do not hold {sink} of the sum of c(e) over those e in {edges} with exactly "
        "one end in S; c assigns to e number k, k = 0, 1, 2, ..., the term with index k modulo its length of the list {capacities}",
        "the largest number of couriers who can travel from city {source} to city {sink} on one day when a road lets no more couriers "
        "pass than its permit says, both directions together: roads join the pairs of cities {edges} (a pair there twice being two "
        "roads), and permits are handed out to them one by one from {capacities} in cyclic order",
    ),
)
