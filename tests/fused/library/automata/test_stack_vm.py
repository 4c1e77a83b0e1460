"""The machine against programs that are unrolled first and then folded over a linked stack."""

from collections.abc import Mapping
from typing import Any

import pytest
from library_checks import check

from envgen.fused.library.automata.stack_vm import PROBLEM


def unrolled(words: list[str]) -> list[str]:
    """The program without loops: the first innermost one is written out, again and again."""
    if "end" not in words:
        return words
    end = words.index("end")
    start = max(place for place in range(end) if words[place].startswith("loop"))
    return unrolled(words[:start] + words[start + 1 : end] * int(words[start].split()[1]) + words[end + 1 :])


def independent(values: Mapping[str, Any]) -> int:
    stack: Any = (values["x"] % values["modulus"], None)
    skip = False
    for word in unrolled(list(values["program"])):
        if skip:
            skip = False
            continue
        match word.split():
            case ["push", number]:
                stack = (int(number), stack)
            case ["inc", number]:
                stack = (stack[0] + int(number), stack[1])
            case ["dup"]:
                stack = (stack[0], stack)
            case ["swap"]:
                stack = (stack[1][0], (stack[0], stack[1][1]))
            case ["odd"]:
                skip = stack[0] % 2 == 1
            case [name]:
                top, (below, rest) = stack
                stack = ({"add": below + top, "sub": below - top, "mul": below * top}[name], rest)
        stack = (stack[0] % values["modulus"], stack[1])
    return int(stack[0])


def test_stack_vm() -> None:
    check(PROBLEM, independent)


def run(*program: str, x: int = 5) -> int:
    return int(PROBLEM.solve({"program": list(program), "x": x, "modulus": 1000}))


def test_by_hand() -> None:
    assert run("push 3", "sub") == 2
    assert run("push 7", "sub") == 998
    assert run("odd", "inc 4") == 5
    assert run("odd", "inc 4", x=6) == 10
    assert run("loop 3", "push 2", "mul", "inc 1", "end") == 47
    assert run("loop 2", "inc 1", "loop 3", "inc 2", "end", "end") == 19
    assert run("inc 1", x=-1) == 0


@pytest.mark.parametrize(
    "program", [["add"], ["loop 2", "inc 1"], ["end"], ["jump 3"], ["odd", "end"], ["push"], ["loop 0", "inc 1", "end"], ["push 1", "odd"]]
)
def test_what_is_no_program(program: list[str]) -> None:
    with pytest.raises(ValueError):
        run(*program)


def test_endless_nesting_stops() -> None:
    with pytest.raises(ValueError, match="more than"):
        run(*["loop 99"] * 5, "inc 1", *["end"] * 5)
