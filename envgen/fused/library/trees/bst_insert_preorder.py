"""The preorder of a search tree after insertions and deletions."""

import random
from collections.abc import Mapping
from typing import Any

from envgen.fused.problem import Problem, Values
from envgen.fused.types import HUGE, Int, List

MOST, MOST_DROPS = 120, 60
Tree = tuple["Tree", int, "Tree"] | None


def sample(rng: random.Random, level: int, bound: Mapping[str, Any]) -> Values | None:
    """A root near the middle of 10 + level items or more; some of the items, the root among them at times, are dropped again."""
    items, root = bound.get("items"), bound.get("root")
    if items is None:
        centre = 100 + 50 * min(level, 10**6) if root is None else root
        items = [centre + rng.randint(-99, 99) for _ in range(min(10 + level + rng.randrange(4), 60))]
        items = [max(-HUGE, min(item, HUGE)) for item in items]
    if root is None:
        root = max(-HUGE, min(sorted(items)[len(items) // 2] + rng.randint(-9, 9), HUGE))
    some = min(2 + level // 3 + rng.randrange(2), len(items), MOST_DROPS)
    return {"items": items, "root": root, "drops": bound["drops"] if "drops" in bound else rng.sample([*items, root], some)}


def solve(values: Mapping[str, Any]) -> list[int]:
    """Trees as nested tuples, replaced on the way down."""
    tree: Tree = None
    for item in [values["root"], *values["items"]]:
        tree = _insert(tree, item)
    for item in values["drops"]:
        tree = _delete(tree, item)
    return _preorder(tree)


def _insert(tree: Tree, item: int) -> Tree:
    if tree is None:
        return (None, item, None)
    left, key, right = tree
    if item < key:
        return (_insert(left, item), key, right)
    return (left, key, _insert(right, item)) if item > key else tree


def _delete(tree: Tree, item: int) -> Tree:
    if tree is None:
        return None
    left, key, right = tree
    if item != key:
        return (_delete(left, item), key, right) if item < key else (left, key, _delete(right, item))
    if left is None or right is None:
        return right if left is None else left
    least: Tree = right
    while least is not None:
        following, least = least[1], least[0]
    return (left, following, _delete(right, following))


def _preorder(tree: Tree) -> list[int]:
    return [] if tree is None else [tree[1], *_preorder(tree[0]), *_preorder(tree[2])]


PROBLEM = Problem(
    name="bst_insert_preorder",
    topic="trees",
    ports={"items": List(Int(), 1, MOST), "root": Int(-HUGE, HUGE), "drops": List(Int(), 0, MOST_DROPS)},
    out=List(Int(), 0, MOST + 1, unique=True),
    sample=sample,
    solve=solve,
    wordings=(
        "the preorder (node, left subtree, right subtree) of the unbalanced binary search tree that starts with the single key {root}, "
        "into which {items} are inserted in this order, keys already there being skipped, and from which {drops} are then deleted in "
        "this order, keys not there being skipped; a deleted key with two children is replaced by its inorder successor, one with "
        "fewer by its child if it has one; the list is empty if nothing is left",
        "f(T) with f(empty) = [] and f(l, k, r) = [k] + f(l) + f(r), where T results from the leaf {root} by first putting in one key "
        "after the other from {items} (below the last key met on the search for it, never twice) and by then taking out one after the "
        "other from {drops} whatever is present: with no left child the right subtree moves up, with no right child the left one, "
        "with both the least key of the right subtree takes the place and is itself taken out of there",
        "the keys of an ordered index, a parent before its smaller ones and these before its larger ones, once the entries {drops} have "
        "been removed, in sequence, from the plain search tree built by adding {root} and afterwards {items}, in sequence, without "
        "rebalancing and without duplicates; removal of an inner key with a smaller and a larger branch pulls up the next larger key "
        "that is stored, other removals close up the gap, and removals of unknown entries do nothing",
        "the order in which a guide visits rooms who always names his room, then tours everything behind its left door, then "
        "everything behind its right door, starting in the first room: room {root} is dug first, each number in {items} walks from the "
        "first room left where it is smaller and right where it is larger and digs a room where there is none (an equal number turns "
        "back), then the rooms {drops} are, in turn and if they exist, given up: the one chain of rooms behind it slides into its "
        "place, or, if there are rooms behind both doors, the smallest number behind the right one moves in and gives up its own",
        "a depth-first, left-to-right listing, nodes noted on arrival, of the BST after the history: insert {root}; insert each of "
        "{items}; delete each of {drops} (Hibbard's method, with the minimum of the right subtree as the substitute when there are two "
        "subtrees); inserting what exists and deleting what does not exist leave it unchanged, and an empty tree has an empty listing",
    ),
)
