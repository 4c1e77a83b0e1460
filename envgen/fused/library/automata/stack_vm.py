"""Programs of a small stack machine with counted loops, which always halt."""

import random
from collections.abc import Mapping, Sequence
from typing import Any

from envgen.fused.problem import Problem, Values
from envgen.fused.types import Int, List, Str

LEAST_MODULUS, MOST_MODULUS, MOST = 97, 10**9, 10**18
MOST_RUN = 50_000
# Pieces that leave the stack as high as it was; # is a constant. None multiplies by zero or takes a value away from itself.
NEUTRAL = (
    ("inc #",), ("push #", "mul"), ("push #", "sub"), ("push #", "swap", "sub"), ("dup", "inc #", "mul"), ("odd", "inc #"), ("dup", "mul"),
    ("dup", "push #", "mul", "add"),
)  # fmt: skip
NEUTRAL_PAIR = (("swap",), ("swap", "inc #"), ("odd", "swap"), ("dup", "push #", "mul", "swap", "add", "swap"))
HIGHER = (("push #",), ("dup", "inc #"), ("dup", "push #", "mul"))
BINARY = ("add", "sub", "mul")


def sample(rng: random.Random, level: int, bound: Mapping[str, Any]) -> Values | None:
    """Programs of 3 + level pieces, one of them a loop of two to four rounds, and of 3-digit moduli at first."""
    size = 10 ** (3 + min(level // 2, 6))
    values: Values = {
        "program": bound["program"] if "program" in bound else _program(rng, level),
        "x": bound.get("x", rng.randrange(2, size)),
        "modulus": bound.get("modulus", rng.randrange(max(size // 10, LEAST_MODULUS), size)),
    }
    try:
        # One that was drawn here runs; one from elsewhere is tried.
        if "program" in bound:
            solve(values)
    except ValueError:
        return None
    return values


def _program(rng: random.Random, level: int) -> list[str]:
    pieces, height = min(3 + level, 30), 1
    loops = rng.sample(range(pieces), 1 + min(level // 3, 5))
    program: list[str] = []
    for piece in range(pieces):
        if piece in loops:
            program += _loop(rng, height, nested=level >= 4 and rng.randrange(3) == 0)
        elif height > 1 and rng.randrange(3) == 0:
            program.append(rng.choice(BINARY))
            height -= 1
        elif height < 4 and rng.randrange(2):
            program += _filled(rng, rng.choice(HIGHER))
            height += 1
        else:
            program += _neutral(rng, height)
    return program + [rng.choice(BINARY) for _ in range(height - 1)]


def _loop(rng: random.Random, height: int, nested: bool) -> list[str]:
    body = _neutral(rng, height) + (_loop(rng, height, nested=False) if nested else _neutral(rng, height))
    return [f"loop {rng.randint(2, 4)}", *body, "end"]


def _neutral(rng: random.Random, height: int) -> list[str]:
    return _filled(rng, rng.choice(NEUTRAL if height < 2 else NEUTRAL + NEUTRAL_PAIR))


def _filled(rng: random.Random, piece: Sequence[str]) -> list[str]:
    return [text.replace("#", str(rng.randint(2, 9))) for text in piece]


def solve(values: Mapping[str, Any]) -> int:
    """Run the program. Raises ValueError for a program that is not well formed, takes from an empty stack, or runs for too long."""
    code = [_parsed(text) for text in values["program"]]
    modulus = int(values["modulus"])
    stack, place = [int(values["x"]) % modulus], 0
    loops: list[list[int]] = []
    for _ in range(MOST_RUN):
        if place >= len(code):
            if loops or not stack:
                raise ValueError("a loop without an end, or nothing left on the stack")
            return stack[-1]
        name, number = code[place]
        place += 1
        if name == "loop":
            loops.append([place, number - 1])
        elif name == "end":
            place = _back(loops, place)
        elif name == "odd":
            place += _skips(code, place, stack)
        else:
            _step(stack, name, number, modulus)
    raise ValueError(f"more than {MOST_RUN} instructions")


def _parsed(text: str) -> tuple[str, int]:
    name, _, number = text.partition(" ")
    takes = name in ("push", "inc", "loop")
    if takes != number.isdecimal() or (name not in (*BINARY, "dup", "swap", "odd", "end") and not takes):
        raise ValueError(f"no instruction: {text!r}")
    if name == "loop" and int(number) < 1:
        raise ValueError("a loop of no rounds")
    return name, int(number or 0)


def _back(loops: list[list[int]], place: int) -> int:
    """Return where to go on after an `end`: to the loop's start while rounds are left."""
    if not loops:
        raise ValueError("an end without a loop")
    if loops[-1][1] > 0:
        loops[-1][1] -= 1
        return loops[-1][0]
    loops.pop()
    return place


def _skips(code: Sequence[tuple[str, int]], place: int, stack: Sequence[int]) -> int:
    if not stack or place >= len(code) or code[place][0] in ("loop", "end", "odd"):
        raise ValueError("odd stands before a plain instruction and on a value")
    return stack[-1] & 1


def _step(stack: list[int], name: str, number: int, modulus: int) -> None:
    if len(stack) < {"push": 0, "inc": 1, "dup": 1}.get(name, 2):
        raise ValueError(f"{name}: too few values on the stack")
    if name == "push":
        stack.append(number % modulus)
    elif name == "inc":
        stack[-1] = (stack[-1] + number) % modulus
    elif name == "dup":
        stack.append(stack[-1])
    elif name == "swap":
        stack[-1], stack[-2] = stack[-2], stack[-1]
    else:
        top = stack.pop()
        below = stack[-1]
        stack[-1] = (below + top if name == "add" else below - top if name == "sub" else below * top) % modulus


PROBLEM = Problem(
    name="stack_vm",
    topic="automata",
    ports={
        "program": List(Str("abcdefghijklmnopqrstuvwxyz0123456789 ", 3, 12), 1, 400, tag="program"),
        "x": Int(-MOST, MOST),
        "modulus": Int(LEAST_MODULUS, MOST_MODULUS),
    },
    out=Int(0, MOST_MODULUS - 1),
    sample=sample,
    solve=solve,
    wordings=(
        "the value on top of the stack after the program {program} has run on a stack that holds {x} only, all values being kept modulo"
        " {modulus} as 0 or more at every step; push c puts c on top, inc c adds c to the top, dup copies the top, swap exchanges the "
        "two topmost values, add, sub and mul replace the two topmost values by lower + top, lower - top and lower * top, odd skips the"
        " next instruction if the top is odd (which stays), and loop k repeats everything up to its end k times in all",
        "what a calculator in postfix notation shows at the end when it is switched on with {x} entered and the keys {program} are "
        "pressed in order, given that it works with remainders from 0 to {modulus} - 1 throughout, the entered number included: add, "
        "sub and mul take the last two entries away and enter earlier plus later, earlier minus later or earlier times later, dup "
        "enters the last entry again, swap interchanges the last two, push enters the number written with it, inc raises the last entry"
        " by that number, odd makes the calculator ignore the one key after it whenever the last entry is not even, and the keys "
        "between loop and the end that belongs to it work as often as the number with loop says",
        "the topmost residue modulo {modulus} that is left in a pile of residues, at first just that of {x}, by the instructions "
        "{program}, where (a below b standing for the two uppermost) sub leaves a - b, add a + b, mul a * b in place of both, swap "
        "leaves b below a, dup doubles the uppermost one, 'inc n' increases it by n, 'push n' lays n upon it, a block 'loop n ... end' "
        "is carried out n times, blocks may stand inside blocks, and 'odd' cancels the single following instruction for this time if "
        "the least non-negative representative of the uppermost residue is odd; that representative is also what is meant by the value",
        "the output of a machine fed with {x}: its accumulator is the top of a last-in first-out store holding only the input, it runs "
        "{program} from the first item to the last, it reduces the input and each result into the range from 0 up to but not including "
        "{modulus}, and it puts out its accumulator when it is through (operations: push N stores N on top; inc N is top := top + N; "
        "dup stores the top once more; swap turns the upper two over; add, sub, mul take off the top t, then s, and store s + t, s - t,"
        " s * t; odd jumps over exactly one operation when the top is an odd number and otherwise does nothing; loop N opens and end "
        "closes a section that is done N times)",
        "the last surviving number of the reverse Polish script {program} over the integers mod {modulus} (always written 0, 1, 2, ...)"
        " with the initial operand {x}, after these meanings of its words: binary ones consume the two newest operands and yield "
        "(older)+(newer) for add, (older)-(newer) for sub, (older)*(newer) for mul; swap reorders those two; dup yields a second copy "
        "of the newest; push with a literal yields the literal; inc with a literal adds it to the newest; a test named odd suppresses "
        "the word right behind it if the newest is odd, consuming nothing; loop with a literal L, up to the matching end, means L "
        "passes through the words in between; of several survivors the newest counts",
    ),
)
