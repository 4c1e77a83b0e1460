"""The shortest path between two nodes, the least one of them."""

import random
from collections.abc import Mapping, Sequence
from heapq import heappop, heappush
from typing import Any

from envgen.fused.problem import Problem, Values
from envgen.fused.types import Int, List, Tuple

MOST, MOST_EDGES, MOST_LENGTH = 60, 150, 10**15
EDGE = Tuple((Int(0, MOST - 1, "id"), Int(0, MOST - 1, "id")), ("one end", "other end"))
Pairs = Sequence[Sequence[int]]


def sample(rng: random.Random, level: int, bound: Mapping[str, Any]) -> Values | None:
    """Long graphs of 10 + level nodes or more with two edges a node, and ends that lie far apart, so that many paths compete."""
    size = min(10 + level + rng.randrange(3), 40)
    ends = [bound[port] for port in ("start", "goal") if port in bound]
    edges = bound["edges"] if "edges" in bound else _edges(rng, max([size, *(end + 1 for end in ends)]))
    start = bound["start"] if "start" in bound else _far(rng, edges, ends)
    goal = bound["goal"] if "goal" in bound else _far(rng, edges, [start])
    # Squares: some edges are so long that a way round them is shorter.
    lengths = bound.get("lengths") or [rng.randint(1, min(12 + 2 * level, 10**6)) ** 2 for _ in edges]
    values: Values = {"edges": edges, "lengths": lengths, "start": start, "goal": goal}
    try:
        solve(values)
    except ValueError:
        return None
    return values


def _edges(rng: random.Random, size: int) -> list[list[int]]:
    order = rng.sample(range(size), size)
    edges = [[order[place - 1 - rng.randrange(min(place, 2))], order[place]] for place in range(1, size)]
    for place in range(2, size):
        edge = [order[place - 2 - rng.randrange(min(place - 1, 3))], order[place]]
        if edge not in edges:
            edges.append(edge)
    rng.shuffle(edges)
    return edges[:MOST_EDGES]


def _far(rng: random.Random, edges: Pairs, ends: Sequence[int]) -> int:
    """One of the three nodes that are the most edges away from the node of `ends`; any node if there is none."""
    around: dict[int, list[int]] = {}
    for one, other in edges:
        around.setdefault(one, []).append(other)
        around.setdefault(other, []).append(one)
    if not ends or ends[0] not in around:
        return rng.choice(list(around))
    queue = [ends[0]]
    reached = set(queue)
    for node in queue:  # grows while it is gone through
        for other in around[node]:
            if other not in reached:
                reached.add(other)
                queue.append(other)
    return rng.choice(queue[-3:])


def solve(values: Mapping[str, Any]) -> list[int]:
    """Distances to the goal, then from the start always on to the least node that lies on a best path. ValueError if there is none."""
    start, goal, lengths = values["start"], values["goal"], values["lengths"]
    around: dict[int, list[tuple[int, int]]] = {start: [], goal: []}
    for number, (one, other) in enumerate(values["edges"]):
        length = lengths[number % len(lengths)]
        around.setdefault(one, []).append((other, length))
        around.setdefault(other, []).append((one, length))
    ahead = _distances(around, goal)
    if start not in ahead:
        raise ValueError("no path leads from start to goal")
    path = [start]
    while path[-1] != goal:
        length, edges = ahead[path[-1]]
        path.append(min(node for node, step in around[path[-1]] if ahead[node] == (length - step, edges - 1)))
    return path


def _distances(around: Mapping[int, list[tuple[int, int]]], goal: int) -> dict[int, tuple[int, int]]:
    """Dijkstra's algorithm on (length, edges), which every edge makes greater, so that edges of length 0 are no trouble."""
    done: dict[int, tuple[int, int]] = {}
    queue = [(0, 0, goal)]
    while queue:
        length, edges, node = heappop(queue)
        if node in done:
            continue
        done[node] = (length, edges)
        for other, step in around[node]:
            if other not in done:
                heappush(queue, (length + step, edges + 1, other))
    return done


PROBLEM = Problem(
    name="shortest_path_lexmin",
    topic="graphs",
    ports={
        "edges": List(EDGE, 1, MOST_EDGES, tag="graph"),
        "lengths": List(Int(0, MOST_LENGTH), 1, MOST_EDGES),
        "start": Int(0, MOST - 1),
        "goal": Int(0, MOST - 1),
    },
    out=List(Int(0, MOST - 1, "id"), 1, MOST, unique=True),
    sample=sample,
    solve=solve,
    unique="canonical",
    wordings=(
        "the nodes, from {start} to {goal}, of the shortest path between these two in the undirected graph with the edges {edges}, "
        "where edge number i (from 0) has the length at index i mod L of {lengths}, L being how many lengths there are; of paths of "
        "equal length the one with fewest edges, and among those the lexicographically least list of nodes",
        "a traveller's route, town by town with both ends included, who starts in town {start}, wants to reach town {goal} on as few "
        "kilometres as possible, at equal kilometres by as few roads as possible, and if that still leaves a choice prefers the "
        "smaller town number at the first fork; the two-way roads join the pairs {edges}, and their kilometres are read off in "
        "order from {lengths}, beginning again at its head whenever it runs out",
        "that list [v_0, v_1, ..., v_m] with v_0 = {start}, v_m = {goal} and every two neighbours joined by a member of {edges} (in "
        "either direction), for which first the total of the costs, then m, and last the list itself in dictionary order is "
        "minimal; the costs of the members are, one after the other, those of the endlessly repeated sequence {lengths}",
        "the way a message takes through a network of cables {edges}, each usable both ways, out of station {start} and into station "
        "{goal}, all stations on it being named in turn: least total delay, ties broken by least hops, further ties by least station "
        "numbers from the front; delays are assigned to the cables cyclically from {lengths}, first to first",
        "the minimum, under comparison by (sum of weights, number of steps, sequence of vertices), over the walks leading from vertex "
        "{start} to vertex {goal} (alone, without any step, if they are the same), written as its sequence of vertices; steps go "
        "along either orientation of a pair out of {edges}, the pair at position p, counted from 0, weighing what stands at position "
        "p modulo the size of the list in {lengths}",
    ),
)
