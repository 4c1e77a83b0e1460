"""Programs: running, running again with something replaced, operators, and names that do not hang on labels."""

import json
import os
import subprocess
import sys

import pytest

from envgen.fused.draw import Maker
from envgen.fused.program import OPERATORS, Program, Reject, again, combine, run
from envgen.fused.seeds import dice, seed_of

MAKERS = {operator: Maker(5, depth=2, operators=(operator,)) for operator in OPERATORS}


def some(operator: str, number: int = 3) -> list[Program]:
    return [MAKERS[operator].program(index) for index in range(number)]


@pytest.mark.parametrize("operator", OPERATORS)
def test_a_program_of_each_operator_is_drawn_the_same_twice_and_runs_the_same_twice(operator: str) -> None:
    other = Maker(5, depth=2, operators=(operator,))
    for index, program in enumerate(some(operator)):
        assert other.program(index).steps == program.steps
        assert program.depth() >= 1
        try:
            one, two = run(program, "x", 1), run(program, "x", 1)
        except Reject:
            continue
        assert (one.answer, one.hash) == (two.answer, two.hash)
        assert json.loads(json.dumps(one.answer)) == one.answer


@pytest.mark.parametrize("operator", OPERATORS)
def test_nothing_replaced_gives_the_same_answer(operator: str) -> None:
    done = 0
    for program in some(operator, 6):
        for number in range(3):
            try:
                trace = run(program, "y", number)
            except Reject:
                continue
            done += 1
            assert again(program, trace, {}) == trace.answer
            assert again(program, trace, dict(trace.answers)) == trace.answer
    assert done


def test_a_program_is_told_by_its_shape_and_not_by_its_labels() -> None:
    program = some("parallel")[0]
    names = {step["id"]: f"N{index}" for index, step in enumerate(program.steps)}
    text = json.dumps(list(program.steps))
    for old, new in sorted(names.items(), key=lambda pair: -len(pair[0])):
        text = text.replace(f'"{old}"', f'"{new}"')
    assert Program(tuple(json.loads(text))).id == program.id
    assert len({Maker(seed, depth=3).program(0).id for seed in range(12)}) > 8


def test_a_port_may_be_called_step() -> None:
    leaf = {"kind": "problem", "problem": "mod_pow", "version": 1, "level": 0, "binds": {}}
    outer = {"id": "B", "kind": "problem", "problem": "heap_trace", "version": 1, "level": 0}
    fed = {"step": {"step": "A", "adapter": "mod", "args": {"modulus": 97, "offset": 1}}}
    one = Program(({"id": "A", **leaf}, {**outer, "binds": fed}))
    other = Program(({"id": "X", **leaf}, {**outer, "binds": {"step": {**fed["step"], "step": "X"}}}))
    assert one.id == other.id


@pytest.mark.parametrize(
    ("step", "answers", "found"),
    [
        ({"kind": "parallel", "of": ["A", "B"]}, {"A": 1, "B": [2]}, [1, [2]]),
        ({"kind": "sort", "of": ["A", "B", "C", "D"]}, {"A": 5, "B": -1, "C": 9, "D": 0}, ["B", "D", "A", "C"]),
        ({"kind": "select", "of": ["A", "B"], "by": {"step": "S", "adapter": "", "args": {}}}, {"A": 1, "B": 2, "S": 7}, 2),
        ({"kind": "lookup", "table": "A", "index": {"step": "S", "adapter": "", "args": {}}}, {"A": [4, 5, 6], "S": 7}, 5),
        (
            {
                "kind": "aggregate",
                "of": [{"step": "A", "adapter": "", "args": {}}, {"step": "B", "adapter": "", "args": {}}],
                "weights": [2, 3],
                "modulus": 100,
            },
            {"A": 40, "B": 10},
            10,
        ),
    ],
)
def test_what_an_operator_makes(step: dict, answers: dict, found: object) -> None:
    assert combine({"id": "Z", **step}, answers) == found


@pytest.mark.parametrize(
    ("step", "answers"),
    [
        ({"kind": "sort", "of": ["A", "B"]}, {"A": 5, "B": 5}),
        ({"kind": "select", "of": ["A", "B"], "by": {"step": "S", "adapter": "", "args": {}}}, {"A": 1, "B": 1, "S": 0}),
        ({"kind": "lookup", "table": "A", "index": {"step": "S", "adapter": "", "args": {}}}, {"A": [4], "S": 7}),
        ({"kind": "unknown", "of": ["A"]}, {"A": 1}),
    ],
)
def test_guards_refuse(step: dict, answers: dict) -> None:
    with pytest.raises(Reject):
        combine({"id": "Z", **step}, answers)


def test_neighbouring_seeds_share_nothing() -> None:
    assert seed_of("a", 1) != seed_of("a", 2)
    assert [dice("a", 1).random() for _ in range(3)] != [dice("a", 2).random() for _ in range(3)]
    one = {Maker(7, depth=2).program(index).id for index in range(30)}
    other = {Maker(8, depth=2).program(index).id for index in range(30)}
    assert len(one & other) <= 2


@pytest.mark.determinism
def test_programs_and_instances_do_not_hang_on_the_hash_seed() -> None:
    code = (
        "from envgen.fused.draw import Maker\nfrom envgen.fused.program import run, Reject\nm = Maker(3, depth=3)\n"
        "for i in range(12):\n p = m.program(i)\n try: print(p.id, run(p, 'h', i).hash)\n except Reject as r: print(p.id, r)"
    )
    seen = set()
    for seed in ("0", "1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "TZ": "Asia/Tokyo" if seed == "1" else "UTC"}
        seen.add(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment).stdout)
    assert len(seen) == 1
