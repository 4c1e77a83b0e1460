"""Calls made from numbers: the same for ever, of both kinds, and writes more often than reads."""

from collections import Counter

from desk_tasks import make_environment
from hypothesis import find, settings
from hypothesis import strategies as st
from hypothesis.internal.conjecture import providers

from envgen.core.digest import canonical_json
from envgen.gates.strategies import Calls, plain_backend


def test_a_number_stands_for_one_call() -> None:
    one, other = Calls(make_environment(tasks=[])), Calls(make_environment(tasks=[]))
    assert [repr(one(number)) for number in range(200)] == [repr(other(number)) for number in reversed(range(200))][::-1]


def test_calls_are_of_both_kinds_and_of_every_tool() -> None:
    environment = make_environment(tasks=[])
    made = [Calls(environment)(number) for number in range(1_000)]
    kinds = Counter(kind for _, kind, _ in made)
    assert 150 < kinds["invalid"] < 350
    tools = Counter(name for name, _, _ in made)
    assert set(tools) == set(environment.compiled)
    writers = {name for name, tool in environment.compiled.items() if tool.writes}
    assert min(tools[name] for name in writers) > max(tools[name] for name in set(tools) - writers)


def test_valid_calls_fit_their_schema() -> None:
    environment = make_environment(tasks=[])
    calls = Calls(environment)
    for name, kind, arguments in map(calls, range(400)):
        if kind == "valid":
            canonical_json(arguments)
            environment.compiled[name].arguments(arguments)


def test_the_exploration_reads_no_constants_of_loaded_modules() -> None:
    backend = plain_backend()
    assert backend in ({}, {"backend": "envgen"})
    if backend:
        seen = providers._seen_modules.copy()
        assert find(st.integers(0, 2**24 - 1), lambda number: number > 99, settings=settings(database=None, **backend)) > 99
        assert providers._seen_modules == seen
