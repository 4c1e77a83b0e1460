"""The audit: fake compositions are refused by the gate that names them, real ones pass."""

from collections.abc import Iterator

import pytest
from fakes import FAKES, PROBLEMS, chain, over, step

from envgen.fused import audit as audit_module
from envgen.fused import library_index, program
from envgen.fused.audit import ALL, audit
from envgen.fused.program import Program


@pytest.fixture(autouse=True)
def toys(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The toy problems in the place of the library."""
    for module in (program, audit_module, library_index):
        monkeypatch.setattr(module, "problem", PROBLEMS.__getitem__)
    yield


@pytest.mark.parametrize("name", FAKES)
def test_a_fake_is_refused_by_the_gate_that_names_it(name: str) -> None:
    gate, fake = FAKES[name]
    found = audit(fake, ALL)
    assert list(found.failed) == [gate], (found.failed, found.figures)
    before = ALL[: ALL.index(gate)]
    assert audit(fake, before).sound, "the gates before it let it pass"


def test_there_are_twelve_fakes_at_least() -> None:
    assert len(FAKES) >= 12


@pytest.mark.parametrize(
    "sound",
    [
        chain("scramble", "mix", "scramble"),
        Program((step("A", "scramble"), step("B", "mix"), step("C", "both", {"x": "A", "y": "B"}))),
        Program((*(step(label, "scramble") for label in "ABCD"), over("sort", list("ABCD")))),
        Program((step("A", "scramble"), step("B", "mix", {"x": "A"}), step("C", "scramble"), over("parallel", ["B", "C"]))),
    ],
)
def test_a_real_composition_passes(sound: Program) -> None:
    found = audit(sound, ALL)
    assert found.sound, found.failed
    assert set(found.figures) == set(ALL)
