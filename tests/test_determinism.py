"""The same command gives the same bundle: under another hash seed, time zone and number of processes, and on every Python version."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from envgen.bundle.read import read_bundle, read_manifest
from envgen.cli.making import command
from envgen.core.types import Manifest
from envgen.fused.compose import FusedOptions
from envgen.gates.composition import validate_fused
from envgen.synthesis.fusing import synthesize_fused
from envgen.synthesis.options import SynthesisOptions
from envgen.synthesis.pipeline import synthesize

ROOT = Path(__file__).resolve().parents[1]
GOLDEN = sorted(path for path in (ROOT / "generated").glob("golden-*") if path.is_dir())
MOST_BYTES = 150_000

pytestmark = pytest.mark.determinism


def make(out: Path, jobs: int, **environment: str) -> str:
    words = ["synthesize", "--domain", "public library", "--size", "small", "--tasks", "5", "--seed", "3", "--jobs", str(jobs)]
    values = {**os.environ, "PYTHONPATH": str(ROOT), **environment}
    done = subprocess.run([sys.executable, "-m", "envgen", *words, "--out", str(out)], capture_output=True, text=True, env=values)
    assert done.returncode == 0, done.stderr
    return read_manifest(out).digest


def test_hash_seed_time_zone_and_processes_do_not_matter(tmp_path: Path) -> None:
    one = make(tmp_path / "one", 1, PYTHONHASHSEED="1", TZ="Asia/Tokyo", LC_ALL="C")
    other = make(tmp_path / "other", 2, PYTHONHASHSEED="2", TZ="America/New_York", LC_ALL="C.UTF-8")
    assert one == other


def test_there_is_a_golden_bundle_of_each_family() -> None:
    assert [read_manifest(path).family for path in GOLDEN] == ["database", "fused"]


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.name)
def test_a_golden_bundle_is_whole_and_small(path: Path) -> None:
    read_bundle(path).verify_digest()
    assert sum(file.stat().st_size for file in path.iterdir()) < MOST_BYTES


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.name)
def test_a_golden_bundle_is_what_its_provenance_makes(path: Path, tmp_path: Path) -> None:
    manifest = read_manifest(path)
    again, said = again_fused(manifest, tmp_path) if manifest.family == "fused" else again_database(manifest, tmp_path)
    old = json.loads((path / "bundle.json").read_text())["parts"]
    changed = [name for name, digest in again.parts.items() if old[name] != digest]
    assert changed == [], f"{path.name} is not what is made now; make it again: {said} --force, and move it to {path}"


def again_database(manifest: Manifest, folder: Path) -> tuple[Manifest, str]:
    made_with = manifest.provenance
    options = SynthesisOptions(
        domain=made_with["domain"],
        out=folder / "again",
        size=made_with["size"],
        tasks=made_with["tasks"],
        kinds=tuple(made_with["kinds"]),
        difficulty=made_with["difficulty"],
        seed=made_with["seed"],
    )
    return synthesize(options).manifest, command(options)


def again_fused(manifest: Manifest, folder: Path) -> tuple[Manifest, str]:
    made_with = manifest.provenance
    options = FusedOptions(tasks=made_with["tasks"], depth=made_with["depth"], seed=made_with["seed"])
    said = f"envgen synthesize --family fused --tasks {options.tasks} --depth {options.depth} --seed {options.seed}"
    return synthesize_fused(options, folder / manifest.name).manifest, said


def test_the_golden_fused_bundle_is_sound() -> None:
    report = validate_fused(ROOT / "generated" / "golden-fused")
    assert report.sound, report.problems()
