"""The tree that a Pruefer code stands for."""

import random
from collections.abc import Mapping
from heapq import heapify, heappop, heappush
from typing import Any

from envgen.fused.problem import Problem, Values
from envgen.fused.types import HUGE, Int, List, Tuple

MOST = 58
EDGE = Tuple((Int(0, MOST + 1, "id"), Int(0, MOST + 1, "id")), ("smaller end", "larger end"))


def sample(rng: random.Random, level: int, bound: Mapping[str, Any]) -> Values | None:
    """Codes of 6 + level numbers or more, a few of them the same, so that the tree branches."""
    size = min(6 + level + rng.randrange(3), MOST)
    code = bound.get("code") or [rng.randrange(size + 2) for _ in range(size)]
    return {"code": code, "shift": bound.get("shift", rng.randint(1, 99 + 50 * min(level, 10**6)))}


def solve(values: Mapping[str, Any]) -> list[list[int]]:
    """A heap of the leaves: the least one is joined to the next number of the code, which may thereby become a leaf."""
    size = len(values["code"]) + 2
    code = [(number + values["shift"]) % size for number in values["code"]]
    left = [code.count(node) for node in range(size)]
    leaves = [node for node in range(size) if not left[node]]
    heapify(leaves)
    edges = []
    for node in code:
        edges.append(sorted((heappop(leaves), node)))
        left[node] -= 1
        if not left[node]:
            heappush(leaves, node)
    edges.append(sorted(leaves))
    return sorted(edges)


PROBLEM = Problem(
    name="prufer_decode",
    topic="trees",
    ports={"code": List(Int(), 1, MOST), "shift": Int(-HUGE, HUGE)},
    out=List(EDGE, 2, MOST + 1, unique=True, ordered=True, tag="tree"),
    sample=sample,
    solve=solve,
    wordings=(
        "the edges, each as [smaller end, larger end] and all in ascending lexicographic order, of the labelled tree on the nodes 0 to "
        "L + 1 whose Pruefer sequence is had from {code} by adding {shift} to every entry and reducing it modulo L + 2 to the range "
        "0 to L + 1, L being the number of entries",
        "the sorted list of the roads, every road written with the lower village first, of that road map without round trips, of m "
        "villages numbered from 0, from which the following gives the numbers (x + {shift}) mod m for the x in {code}, in this order: "
        "close the lowest-numbered village with a single open road, note the village at that road's other end, and stop when two "
        "villages are left; m is two more than the count of those x",
        "what a decoder links if, for c = c_1, ..., c_(n-2) one after the other, it joins c to the least unused number that does not "
        "occur among the c's still to come, this one included, and marks that number as used, and finally joins the two numbers "
        "never marked; numbers run from 0 to n - 1, c_i is the residue of {shift} plus item i of {code} on division by n (n - 2 "
        "items, the first has i = 1), links are pairs in increasing order, and they are listed by first, then by second member",
        "the lexicographically ordered edge list, with a < b in each edge [a, b], of the unique tree T on n = len(S) + 2 vertices "
        "0, ..., n - 1 such that repeatedly pruning the leaf of least label, until only one edge remains, passes over the neighbours "
        "(S[0] + {shift}) mod n, (S[1] + {shift}) mod n, and so on to the end of S = {code}",
        "the tree, as pairs of vertices that ascend inside each pair and from pair to pair, that corresponds to the code {code} under "
        "the usual bijection of Pruefer (smallest leaf first), once the code has been moved up cyclically by {shift} places in the "
        "label set, which consists of the integers from 0 up and has two more members than the code has terms; terms outside the "
        "set count modulo its size",
    ),
)
