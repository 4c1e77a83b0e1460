import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from envgen.core import data
from envgen.core.errors import InfrastructureError, UsageError
from envgen.synthesis.taxonomy import Branch, Coverage, Drawn, Sector, taxonomy

SMALL = (Sector("a", ("r1", "r2"), ("w1", "w2", "w3")), Sector("b", ("r1", "r2", "r3"), ("w1",)), Sector("c", ("r1",), ("w1", "w2")))


def draw(coverage: Coverage, seed: int, count: int) -> list[Branch]:
    drawn = []
    for number in range(count):
        drawn.append(coverage.next(seed, number))
        coverage.add(drawn[-1], f"domain {number}", None)
    return drawn


def test_the_tree_is_broad_and_its_names_are_clean() -> None:
    sectors = taxonomy()
    assert len(sectors) >= 24
    names = [sector.name for sector in sectors]
    assert len(set(names)) == len(names)
    for sector in sectors:
        assert 5 <= len(sector.roles) <= 8, sector.name
        assert 6 <= len(sector.workflows) <= 10, sector.name
        for words in (sector.roles, sector.workflows):
            assert len({word.casefold() for word in words}) == len(words)
        for text in (sector.name, *sector.roles, *sector.workflows):
            assert text == text.strip()
            assert "/" not in text
            assert 3 <= len(text) <= 90
    everything = Counter(text for sector in sectors for text in sector.workflows)
    assert [text for text, number in everything.items() if number > 1] == []


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(seed=st.integers(0, 2**63), count=st.integers(0, 40))
def test_any_number_of_draws_covers_evenly(tmp_path: Path, seed: int, count: int) -> None:
    path = tmp_path / "coverage.jsonl"
    path.unlink(missing_ok=True)
    coverage = Coverage(path, SMALL)
    drawn = draw(coverage, seed, count)
    table = dict(coverage.table())
    assert sum(table.values()) == count
    assert max(table.values()) - min(table.values()) <= 1
    for sector in SMALL:
        roles = Counter(branch.role for branch in drawn if branch.sector == sector.name)
        assert max(roles[role] for role in sector.roles) - min(roles[role] for role in sector.roles) <= 1
        for role in sector.roles:
            own = Counter(branch.workflow for branch in drawn if (branch.sector, branch.role) == (sector.name, role))
            assert max(own[workflow] for workflow in sector.workflows) - min(own[workflow] for workflow in sector.workflows) <= 1


def test_the_whole_tree_is_covered_evenly_too(tmp_path: Path) -> None:
    drawn = draw(Coverage.open(tmp_path / "coverage.jsonl"), 7, 2 * len(taxonomy()))
    assert set(Counter(branch.sector for branch in drawn).values()) == {2}
    assert len({branch.key for branch in drawn}) == len(drawn)
    assert len({(branch.sector, branch.workflow) for branch in drawn}) == len(drawn)


def test_seed_and_number_decide_ties_and_nothing_else_does(tmp_path: Path) -> None:
    first = Coverage(tmp_path / "one.jsonl")
    again = Coverage(tmp_path / "two.jsonl")
    assert draw(first, 3, 5) == draw(again, 3, 5)
    empty = Coverage(tmp_path / "none.jsonl")
    assert len({empty.next(seed, 0) for seed in range(20)}) > 10
    assert len({empty.next(0, number) for number in range(20)}) > 10
    assert not empty.path.exists()


def test_what_was_added_is_read_back_and_a_bundle_counts_once(tmp_path: Path) -> None:
    path = tmp_path / "new" / "coverage.jsonl"
    coverage = Coverage(path, SMALL)
    branch = Branch("a", "r1", "w1")
    coverage.add(branch, "Größe\nno line", "out/one")
    coverage.add(branch, "Größe\nno line", "out/one")
    coverage.add(Branch("old", "r", "w"), "gone", None)
    assert Coverage.open(path).drawn() == [Drawn(branch, "Größe\nno line", "out/one"), Drawn(Branch("old", "r", "w"), "gone", None)]
    assert coverage.table() == [("a", 1), ("b", 0), ("c", 0), ("old", 1)]
    assert branch.key == "a/r1/w1"
    assert len(path.read_text(encoding="utf-8").splitlines()) == 2


def test_a_cut_line_is_passed_over_and_swallows_nothing(tmp_path: Path) -> None:
    path = tmp_path / "coverage.jsonl"
    coverage = Coverage(path, SMALL)
    draw(coverage, 0, 2)
    coverage.add(Branch("a", "r1", "w1"), "x", "ß")
    path.write_bytes(path.read_bytes().partition("ß".encode())[0] + b"\xc3")
    assert len(coverage.drawn()) == 2
    draw(coverage, 0, 1)
    assert len(coverage.drawn()) == 3


@pytest.mark.parametrize(
    "content", [b"no JSON\n", b'{"a": 1}\n', b"[1]\n", b"\xff\xfe\n", b'{"sector": "a", "role": "r", "workflow": 3, "domain": "d"}']
)
def test_another_file_is_refused_and_kept(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "other.json"
    path.write_bytes(content)
    with pytest.raises(UsageError, match=r"other\.json.*is not a coverage file"):
        Coverage.open(path)
    with pytest.raises(UsageError):
        Coverage(path).add(Branch("a", "r", "w"), "d", "out")
    assert path.read_bytes() == content


def test_what_the_disk_refuses_is_said(tmp_path: Path) -> None:
    with pytest.raises(InfrastructureError, match="cannot be read"):
        Coverage.open(tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(InfrastructureError, match="cannot be written"):
        Coverage(tmp_path / "file" / "coverage.jsonl").add(Branch("a", "r", "w"), "d", None)


ADDING = """
import sys
from pathlib import Path
from envgen.synthesis.taxonomy import Coverage
coverage = Coverage.open(Path(sys.argv[1]))
for number in range(60):
    branch = coverage.next(int(sys.argv[2]), number)
    coverage.add(branch, f"{sys.argv[2]} {number}", f"out/{sys.argv[2]}-{number}")
"""


def test_processes_that_share_a_file_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "coverage.jsonl"
    workers = [subprocess.Popen([sys.executable, "-c", ADDING, str(path), str(seed)]) for seed in range(3)]
    assert [worker.wait(timeout=60) for worker in workers] == [0, 0, 0]
    assert {drawn.domain for drawn in Coverage.open(path).drawn()} == {f"{seed} {number}" for seed in range(3) for number in range(60)}
    assert len([json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]) == 180


def test_a_damaged_tree_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "_data" / "templates").mkdir(parents=True)
    (tmp_path / "_data" / "templates" / "taxonomy.toml").write_text('[[sector]]\nname = "a"\n')
    monkeypatch.setattr(data, "_PACKAGE", tmp_path)
    with pytest.raises(InfrastructureError, match=r"taxonomy\.toml is damaged \('roles'\)"):
        taxonomy.__wrapped__()
