"""The closure by asking of every atom whether it can be proved backwards, round by round."""

from collections.abc import Mapping
from typing import Any

from library_checks import check

from envgen.fused.library.logic.horn_closure import PROBLEM


def independent(values: Mapping[str, Any]) -> list[int]:
    atoms = {*values["facts"], *(head for _, head in values["rules"])}

    def proved(atom: int, depth: int) -> bool:
        return table[depth][atom] if depth in table else atom in values["facts"]

    table: dict[int, dict[int, bool]] = {}
    for depth in range(1, len(atoms) + 1):
        earlier = depth - 1
        table[depth] = {
            atom: proved(atom, earlier)
            or any(head == atom and all(part in atoms and proved(part, earlier) for part in body) for body, head in values["rules"])
            for atom in atoms
        }
        if earlier and table[depth] == table[earlier]:
            break
    return sorted(atom for atom in atoms if table[max(table)][atom])


def test_horn_closure() -> None:
    check(PROBLEM, independent)


def test_by_hand() -> None:
    rules = [[[1, 2], 3], [[3], 4], [[5], 6], [[6, 3], 5], [[4, 4], -1]]
    assert PROBLEM.solve({"rules": rules, "facts": [2, 1, 2]}) == [-1, 1, 2, 3, 4]
    assert PROBLEM.solve({"rules": rules, "facts": [9]}) == [9]
    # A circle proves nothing by itself.
    assert PROBLEM.solve({"rules": [[[7], 8], [[8], 7]], "facts": [1]}) == [1]
