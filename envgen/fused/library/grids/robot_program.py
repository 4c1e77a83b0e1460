"""Where a robot ends that obeys a text among walls, and how often it ran into them."""

import random
from collections.abc import Mapping
from typing import Any

from envgen.fused.problem import Problem, Values
from envgen.fused.types import Int, Str, Tuple, matrix

MOST, MOST_TEXT, MOST_TIMES = 24, 400, 10**12
STEPS = ((-1, 0), (0, 1), (1, 0), (0, -1))
Run = tuple[int, int, int, int]


def sample(rng: random.Random, level: int, bound: Mapping[str, Any]) -> Values | None:
    """Grids of 6 x 6 cells or more, one cell in five a wall; texts of 9 + 2 level letters that run a few times."""
    if "grid" in bound:
        grid = bound["grid"]
    else:
        rows, columns = (min(6 + level // 3 + rng.randrange(3), MOST) for _ in range(2))
        grid = [[int(rng.randrange(5) == 0) for _ in range(columns)] for _ in range(rows)]
    text = bound.get("text") or "".join(rng.choice("ADEFGHIJLNPQRSTUVWXY") for _ in range(min(9 + 2 * level + rng.randrange(4), 120)))
    return {"grid": grid, "text": text, "times": bound.get("times", rng.randint(2, min(5 + level // 2, 20)))}


def solve(values: Mapping[str, Any]) -> list[int]:
    """Runs of the text, one after the other; a state in which a run began before closes a cycle, which is not gone through again."""
    left, state, bumps = values["times"], (0, 0, 1), 0
    orders = [ord(letter) % 4 for letter in values["text"]]
    seen: dict[tuple[int, int, int], tuple[int, int]] = {}
    while left:
        if state in seen:
            before, had = seen[state]
            rounds, left = divmod(left, before - left)
            bumps += rounds * (bumps - had)
            seen = {}
            continue
        seen[state] = (left, bumps)
        *ahead, more = _run(values["grid"], orders, (*state, 0))
        state, bumps, left = (ahead[0], ahead[1], ahead[2]), bumps + more, left - 1
    return [*state, bumps]


def _run(grid: list[list[int]], orders: list[int], begin: Run) -> Run:
    """One run of the text: row, column, direction and bumps afterwards."""
    row, column, direction, bumps = begin
    rows, columns = len(grid), len(grid[0])
    for order in orders:
        if order < 2:
            direction = (direction + (1 if order else 3)) % 4
            continue
        down, right = STEPS[direction]
        for _ in range(order - 1):
            ahead, beside = row + down, column + right
            if 0 <= ahead < rows and 0 <= beside < columns and not grid[ahead][beside]:
                row, column = ahead, beside
            else:
                bumps += 1
    return row, column, direction, bumps


PROBLEM = Problem(
    name="robot_program",
    topic="grids",
    ports={
        "grid": matrix(Int(0, 10**9), (2, MOST), (2, MOST)),
        "text": Str("", 1, MOST_TEXT),
        "times": Int(1, MOST_TIMES),
    },
    out=Tuple(
        (Int(0, MOST - 1, "index"), Int(0, MOST - 1, "index"), Int(0, 3, "code"), Int(0, 2 * MOST_TEXT * MOST_TIMES, "count")),
        ("row", "column", "direction", "failed steps"),
    ),
    sample=sample,
    solve=solve,
    wordings=(
        "[row, column, direction, failed steps] of a robot that has carried out the text {text} {times} times in a row on the floor {grid} "
        "(rows from the top, everything counted from 0, any cell but 0 a wall), having started at row 0, column 0, wall or not, with "
        "direction 1; directions are 0 up, 1 right, 2 down, 3 left, and a character with ASCII code c means, for c mod 4 = 0, a turn to "
        "the left, for 1 a turn to the right, for 2 one step and for 3 two steps, where a step into a wall or off the floor fails and "
        "leaves it where it is",
        "the final configuration, as row index r, column index k (both 0-based), heading h and number b of bumps, of a turtle in the maze "
        "{grid}, in whose top left cell it begins (even if blocked) facing east, and which it walks by reading {text} letter by letter, "
        "{times} times over: the code point of a letter modulo 4 tells it to rotate by 90 degrees against the clock (0) or with it (1), "
        "to go ahead by one cell (2), or to do that twice (3); going ahead into a non-zero cell or over the border is a bump without "
        "motion, and north, east, south, west are the headings 0, 1, 2, 3",
        "(y, x, d, f) after {times} passes of a machine through the string {text}, from (0, 0, 1, 0): with v the ASCII value of the "
        "current character, v mod 4 = 0 changes d to (d + 3) mod 4, v mod 4 = 1 changes it to (d + 1) mod 4, v mod 4 = 2 makes one "
        "attempt and v mod 4 = 3 two attempts, one after the other, to add (-1, 0), (0, 1), (1, 0), (0, -1) for d = 0, 1, 2, 3 to (y, x);"
        " an attempt succeeds if the matrix {grid} has an entry in row y, column x of the new place (from 0) and it is 0, else f grows "
        "by 1 and (y, x) stays",
        "what is known in the end about a cleaning cart, in this order the rows above it, the columns left of it, where it points (up = 0, "
        "and clockwise on to left = 3) and how often it was stopped, if it enters the hall {grid} in the upper left corner, whatever is "
        "there, pointing right, and obeys {times} repetitions of {text}; every sign in the latter, spaces included, leaves some remainder "
        "when its ASCII number is divided by four, which stands for left turn (remainder 0), right turn (1), a push forward (2) or a pair "
        "of pushes forward (3), and a push moves the cart by one square unless a square other than 0, or the end of the hall, stops it",
        "four integers for a game piece on the board {grid}: its line and its file, numbered from zero at the top left square, its "
        "orientation (zero, one, two, three for towards the top, right, bottom, left), and its total of moves refused; the piece sets "
        "out from line zero, file zero, oriented to the right (that square may be anything), its script is {text}, played {times} times, "
        "and each symbol of the script acts through its ASCII code reduced mod 4, namely 0: quarter turn counter-clockwise, 1: quarter "
        "turn clockwise, 2: move, 3: move and move again, a move to a neighbouring square that is occupied (not 0) or missing being "
        "refused",
    ),
)
