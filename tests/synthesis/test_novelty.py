import itertools
import random
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envgen.core.errors import InfrastructureError
from envgen.database.grammar import list_domains, propose
from envgen.database.spec import EnvironmentSpec, Tool
from envgen.synthesis.novelty import DEFAULT, Archive, Signature, signature

DOMAINS = [domain.key for domain in list_domains()]
SEEDS = (0, 1, 2)
# None of these is in the module's table of verbs.
SYNONYMS = {
    "find": "locate", "get": "inspect", "list": "enumerate", "change": "revise", "cancel": "abort", "book": "take", "set": "put",
    "suspend": "freeze", "reinstate": "unfreeze", "add": "append", "record": "note", "approve": "endorse", "reject": "turn_down",
}  # fmt: skip


@cache
def spec(domain: str, seed: int) -> EnvironmentSpec:
    return propose(domain, seed=seed, size="small").spec


def renamed(tool: Tool) -> Tool:
    first, _, rest = tool.name.partition("_")
    return tool.model_copy(update={"name": f"{SYNONYMS.get(first, first + '_on')}_{rest}"})


def other(original: EnvironmentSpec, *, third: bool = False, reworded: bool = False, shuffled: bool = False) -> EnvironmentSpec:
    """The same environment under another name, changed as a model that repeats itself would change it."""
    tools = [renamed(tool) if third and number % 3 == 0 else tool for number, tool in enumerate(original.tools)]
    if reworded:
        tools = [tool.model_copy(update={"description": f"Operation {number} of the desk."}) for number, tool in enumerate(tools)]
    if shuffled:
        random.Random(5).shuffle(tools)
    return original.model_copy(update={"name": "quite-another-name", "title": "Quite another name", "tools": tuple(tools)})


def archive_of(*specs: EnvironmentSpec) -> Archive:
    archive = Archive()
    for one in specs:
        archive.add(signature(one))
    return archive


def test_the_offline_domains_let_each_other_pass_at_any_seed() -> None:
    archive = Archive()
    signatures = {(domain, seed): signature(spec(domain, seed)) for domain in DOMAINS for seed in SEEDS}
    found = [archive.likeness(signatures[one], signatures[two]) for one, two in itertools.combinations(signatures, 2) if one[0] != two[0]]
    assert len(found) == 702
    assert max(found) <= 0.36 < DEFAULT


@pytest.mark.parametrize("domain", DOMAINS)
def test_the_same_domain_at_another_seed_is_refused(domain: str) -> None:
    archive = archive_of(*(spec(name, 0) for name in DOMAINS))
    assert archive.refuses(signature(spec(domain, 1))) == (
        f"{spec(domain, 0).name!r} is a near-duplicate of {spec(domain, 0).name!r}: 1.00 alike, below 0.40 is new"
    )


@pytest.mark.parametrize("domain", DOMAINS)
def test_repetitions_in_other_words_are_refused(domain: str) -> None:
    archive = archive_of(*(spec(name, 0) for name in DOMAINS))
    original = spec(domain, 0)
    for copy in (
        other(original, third=True),
        other(original, shuffled=True, reworded=True),
        other(original, third=True, shuffled=True, reworded=True),
    ):
        assert f"'quite-another-name' is a near-duplicate of {original.name!r}" in archive.refuses(signature(copy))


def test_figures_in_the_docstring() -> None:
    archive = Archive()

    def lowest(**how: bool) -> float:
        pairs = [(spec(domain, seed), other(spec(domain, seed), **how)) for domain in DOMAINS for seed in SEEDS]
        return min(archive.likeness(signature(one), signature(two)) for one, two in pairs)

    assert lowest(third=True) >= 0.96
    assert lowest(shuffled=True, reworded=True) == 1.0
    assert lowest(third=True, reworded=True) >= 0.42
    shapes = [
        archive.likeness(signature(other(spec(domain, one))), signature(spec(domain, two)))
        for domain in DOMAINS
        for one, two in itertools.combinations(SEEDS, 2)
    ]
    assert sum(likeness >= DEFAULT for likeness in shapes) == 20


def test_the_nearest_comes_first_added_among_equals() -> None:
    assert Archive().nearest(Signature("a", frozenset({"x"}), frozenset())) is None
    archive = Archive([Signature(name, frozenset({tool}), frozenset()) for name, tool in (("a", "x"), ("b", "y"), ("c", "y"))])
    assert archive.nearest(Signature("d", frozenset({"y"}), frozenset())) == ("b", 1.0)
    assert archive.refuses(Signature("d", frozenset({"z"}), frozenset({"z"}))) == ""
    assert archive.refuses(Signature("d", frozenset({"z"}), frozenset({"z"})), threshold=0.0).startswith("'d' is a near-duplicate of 'a'")


def test_names_with_the_same_words_are_the_same_subject() -> None:
    archive = Archive([Signature("night-shift-pharmacy", frozenset({"x"}), frozenset())])
    assert archive.nearest(Signature("Pharmacies: night shift", frozenset({"y"}), frozenset())) == ("night-shift-pharmacy", 1.0)
    assert archive.nearest(Signature("pharmacy", frozenset({"y"}), frozenset())) == ("night-shift-pharmacy", 0.0)
    assert Archive([Signature("", frozenset(), frozenset())]).nearest(Signature("", frozenset(), frozenset())) == ("", 0.0)


SHINGLES = st.frozensets(st.text(max_size=3), max_size=12)


@given(st.builds(Signature, st.text(max_size=5), SHINGLES, SHINGLES), st.builds(Signature, st.text(max_size=5), SHINGLES, SHINGLES))
def test_likeness_is_symmetric_and_within_bounds(one: Signature, two: Signature) -> None:
    archive = Archive()
    assert 0.0 <= archive.likeness(one, two) == archive.likeness(two, one) <= 1.0
    if one.tools:
        assert archive.likeness(one, one) == 1.0


def test_bundles_of_a_folder_are_loaded_and_what_is_unreadable_is_named(tmp_path: Path, shelter: Path) -> None:
    assert Archive.load(tmp_path / "none").signatures == []
    for name, text in {"a": "no JSON", "b": '{"tables": []}', "fused": '{"programs": []}', "c": "[]"}.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "environment.json").write_text(text)
    archive = Archive.load(tmp_path)
    assert [one.name for one in archive.signatures] == ["shelter"]
    assert [text.split(":")[0] for text in archive.unread] == ["a", "b"]
    assert archive.refuses(archive.signatures[0])


PRINT = """
from envgen.database.grammar import propose
from envgen.synthesis.novelty import Archive, signature
one, two = (signature(propose(domain, seed=1, size="small").spec) for domain in ("hotel", "public library"))
print(sorted(one.tools)[:3], Archive([one]).nearest(two), "datasketch" in __import__("sys").modules)
"""


def test_another_process_and_hash_seed_find_the_same() -> None:
    found = subprocess.run([sys.executable, "-c", PRINT], env={"PYTHONHASHSEED": "77"}, capture_output=True, text=True, check=True).stdout
    one, two = signature(spec("hotel", 1)), signature(spec("public library", 1))
    assert found == f"{sorted(one.tools)[:3]} {Archive([one]).nearest(two)} True\n"


def test_datasketch_is_imported_only_to_compare(monkeypatch: pytest.MonkeyPatch) -> None:
    code = "import sys, envgen.synthesis.novelty; print('datasketch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"
    monkeypatch.setitem(sys.modules, "datasketch", None)
    one = Signature("a", frozenset({"x"}), frozenset())
    with pytest.raises(InfrastructureError, match=r"pip install 'envgen-rl\[synth\]'"):
        Archive([one]).nearest(Signature("b", frozenset({"x"}), frozenset()))
