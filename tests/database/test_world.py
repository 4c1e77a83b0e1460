"""Worlds: the same rows on any machine, every row reachable or planted, and the promises of the generators."""

import subprocess
import sys
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from envgen.core.errors import SpecError
from envgen.database.engine import memory
from envgen.database.fill import Filler, full_name, gender, names
from envgen.database.grammar import propose
from envgen.database.language import Filling, Plant, Proposal
from envgen.database.snapshot import DatabaseSnapshot, ordered_rows
from envgen.database.tables import table_infos
from envgen.database.world import build_world

SCRIPT = """
from envgen.database.grammar import propose
from envgen.database.world import build_world
from envgen.core.digest import digest
from envgen.database.snapshot import table_names
p = propose("car rental", seed=5, size="small")
world, _ = build_world(p, 5, "small")
print(digest([[t, [list(r) for r in world.execute(f'SELECT * FROM "{t}" ORDER BY 1')]] for t in table_names(world)]))
"""


@pytest.fixture(scope="module")
def proposal() -> Proposal:
    return propose("public library", seed=1, size="small")


@pytest.mark.determinism
def test_hash_seed_and_time_zone_do_not_matter() -> None:
    digests = set()
    for seed, zone in (("0", "UTC"), ("7", "Asia/Tokyo")):
        environment = {"PYTHONHASHSEED": seed, "TZ": zone, "PATH": "/usr/bin:/bin", "PYTHONPATH": ":".join(sys.path)}
        done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True, env=environment)
        digests.add(done.stdout)
    assert len(digests) == 1


def test_another_seed_gives_other_rows(proposal: Proposal) -> None:
    infos = table_infos(proposal.spec)
    digests = {DatabaseSnapshot(ordered_rows(build_world(proposal, seed, "small")[0], infos.values()), infos).digest for seed in (1, 2)}
    assert len(digests) == 2


def test_history_leaves_rows_in_every_table_and_ids_go_on_from_there(proposal: Proposal) -> None:
    world, report = build_world(proposal, 1, "small")
    assert min(report.rows.values()) > 0
    assert report.made >= report.events * 0.7
    for target, following in world.execute("SELECT tbl, next FROM _ids"):
        table, _, column = target.partition(".")
        highest = world.execute(f'SELECT max("{column}") FROM "{table}"').fetchall()[0][0]
        assert following > highest


def test_a_world_that_breaks_a_guard_rule_is_refused(proposal: Proposal) -> None:
    rule = next(rule for rule in proposal.spec.rules if rule.kind == "guard")
    broken = rule.model_copy(update={"sql": "SELECT 1 FROM main.members"})
    spec = proposal.spec.model_copy(update={"rules": (broken,)})
    with pytest.raises(SpecError, match=f"rule {rule.id}: the start state breaks it"):
        build_world(proposal.model_copy(update={"spec": spec}), 1, "small")


def test_a_plant_that_does_not_run_is_named(proposal: Proposal) -> None:
    plant = Plant(name="bad one", pick="SELECT id FROM members ORDER BY id", n={"small": 1}, sql=("UPDATE nothing SET a = 1",))
    language = proposal.language.model_copy(update={"plants": (plant,)})
    with pytest.raises(SpecError, match="plant bad one"):
        build_world(proposal.model_copy(update={"language": language}), 1, "small")


@settings(deadline=None)
@given(st.integers(0, 50), st.integers(13, 150))
def test_people_have_distinct_names_but_for_three_namesakes(seed: int, count: int) -> None:
    people = Counter(full_name(seed, "members", index, count) for index in range(count))
    assert sum(number - 1 for number in people.values()) == 3
    assert max(people.values()) == 2
    assert all(gender(name) for name in people)


def test_two_people_share_a_surname() -> None:
    first, second = full_name(4, "members", 0, 40), full_name(4, "members", 1, 40)
    assert first.split(" ", 1)[1] == second.split(" ", 1)[1]
    assert first != second


def test_no_given_name_has_two_genders() -> None:
    given_names = names()["given"]
    assert not set(given_names["f"]) & set(given_names["m"])


def filling(**columns: str) -> Filling:
    return Filling(table="things", rows={"small": 6}, columns=columns)


def test_one_row_regenerates_alone() -> None:
    whole = Filler(3, "2026-01-05 09:00:00", {"p": ("a", "b", "c")}).fill(filling(id="serial", a="int:1,900", b="pick:p"), "small", 1)
    longer = Filling(table="things", rows={"small": 9}, columns={"id": "serial", "a": "int:1,900", "b": "pick:p"})
    assert Filler(3, "2026-01-05 09:00:00", {"p": ("a", "b", "c")}).fill(longer, "small", 1)[:6] == whole


def test_generators_keep_their_bounds() -> None:
    columns = {
        "id": "serial",
        "m": "money:500,900,50",
        "d": "date:-3,-1",
        "t": "moment:1,2,9,17",
        "f": "flag:1.0",
        "c": "code:AB-{:04d}",
        "n": "null:1.0:int:1,2",
        "x": "copy:m",
    }
    for row in Filler(3, "2026-01-05 09:00:00", {}).fill(filling(**columns), "small", 100):
        assert row["m"] in range(500, 901, 50)
        assert "2026-01-02" <= row["d"] <= "2026-01-04"
        assert "2026-01-06 09:00:00" <= row["t"] <= "2026-01-07 17:30:00"
        assert (row["f"], row["n"], row["x"]) == (1, None, row["m"])
        assert row["c"].startswith("AB-")


@pytest.mark.parametrize(
    ("generator", "said"), [("unique:p", "pool p has 2 texts, 6 are needed"), ("pick:q", "no pool 'q'"), ("dream:1", "unknown generator")]
)
def test_a_generator_that_cannot_be_is_named(generator: str, said: str) -> None:
    with pytest.raises(SpecError, match=said):
        Filler(3, "2026-01-05 09:00:00", {"p": ("a", "b")}).fill(filling(id="serial", a=generator), "small", 1)


def test_memory_connections_enforce_foreign_keys() -> None:
    assert memory().execute("PRAGMA foreign_keys").fetchall() == [(1,)]
