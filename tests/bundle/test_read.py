import json
from pathlib import Path

import pytest

from envgen.bundle.digest import PARTS
from envgen.bundle.read import read_bundle
from envgen.core.errors import BundleError, FormatError, UsageError


def test_round_trip(bundle: Path) -> None:
    read = read_bundle(bundle)
    assert read.manifest.name == "people"
    assert read.tasks[0].instruction == "Rename Ada 1.\u2028Please."
    assert read.gold[0].task == "t-1"
    assert read.evidence[0].gate == "T1"
    assert read.policy == "Be kind.\n"
    assert read.world.read_bytes()[:15] == b"SQLite format 3"
    read.verify_digest()


def test_gold_is_not_read_before_it_is_asked_for(bundle: Path) -> None:
    (bundle / "gold.jsonl").write_text("rubbish\n")
    read = read_bundle(bundle)
    with pytest.raises(BundleError, match=r"gold\.jsonl, line 1: not JSON"):
        _ = read.gold


@pytest.mark.parametrize("name", PARTS)
def test_a_missing_file_is_named(bundle: Path, name: str) -> None:
    (bundle / name).unlink()
    with pytest.raises(BundleError, match=f"{name} is missing"):
        read_bundle(bundle)


def test_a_truncated_line_is_named(bundle: Path) -> None:
    path = bundle / "tasks.jsonl"
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(BundleError, match=r"tasks\.jsonl, line 1: the line is cut off"):
        read_bundle(bundle)


def test_a_changed_byte_in_the_world_is_found(bundle: Path) -> None:
    path = bundle / "world.sqlite"
    data = path.read_bytes()
    path.write_bytes(data.replace(b"Ada 2", b"Ada 9"))
    assert path.read_bytes() != data
    with pytest.raises(BundleError, match=r"world\.sqlite: the content does not match the digest"):
        _ = read_bundle(bundle).world
    with pytest.raises(BundleError, match=r"world\.sqlite"):
        read_bundle(bundle).verify_digest()


def test_a_world_cut_short_is_damaged(bundle: Path) -> None:
    path = bundle / "world.sqlite"
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    with pytest.raises(BundleError, match=r"world\.sqlite"):
        read_bundle(bundle).verify_digest()


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("tasks.jsonl", "Rename", "Remove"),
        ("gold.jsonl", "rename", "delete"),
        ("evidence.jsonl", "T1", "T2"),
        ("environment.json", "people", "things"),
        ("policy.md", "kind", "rude"),
        ("verify.py", "verified", "forged"),
    ],
)
def test_an_altered_part_is_named(bundle: Path, name: str, old: str, new: str) -> None:
    path = bundle / name
    path.write_text(path.read_text().replace(old, new))
    with pytest.raises(BundleError, match=f"{name}: the content does not match the digest"):
        read_bundle(bundle).verify_digest()


def test_an_altered_manifest_is_found(bundle: Path) -> None:
    path = bundle / "bundle.json"
    path.write_text(path.read_text().replace('"seed": 7', '"seed": 8'))
    with pytest.raises(BundleError, match=r"bundle\.json"):
        read_bundle(bundle).verify_digest()


def test_what_is_outside_the_digest_may_change(bundle: Path) -> None:
    (bundle / "README.md").write_text("other words")
    (bundle / "ledger.json").write_text("{}")
    read_bundle(bundle).verify_digest()


def test_a_newer_format_is_refused_before_its_fields_are_read(bundle: Path) -> None:
    path = bundle / "bundle.json"
    path.write_text(json.dumps({"format": 2, "shape": "unheard of"}))
    with pytest.raises(FormatError, match="has format 2, this version of envgen reads up to 1"):
        read_bundle(bundle)


def test_no_bundle_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is not a bundle"):
        read_bundle(tmp_path)
    with pytest.raises(UsageError, match="is not a bundle"):
        read_bundle(tmp_path / "nowhere")


def test_a_record_with_a_wrong_field_names_file_line_and_field(bundle: Path) -> None:
    path = bundle / "tasks.jsonl"
    path.write_text(path.read_text().replace('"split":"train"', '"split":7'))
    with pytest.raises(BundleError, match=r"tasks\.jsonl, line 1: split"):
        read_bundle(bundle, check=False)


def test_json_nested_too_deep_is_damage(bundle: Path) -> None:
    (bundle / "tasks.jsonl").write_text("[" * 100_000 + "]" * 100_000 + "\n")
    with pytest.raises(BundleError, match=r"tasks\.jsonl, line 1"):
        read_bundle(bundle)


def test_bytes_that_are_not_text(bundle: Path) -> None:
    (bundle / "policy.md").write_bytes(b"Be \xff kind")
    with pytest.raises(BundleError, match="not UTF-8 at byte 3"):
        read_bundle(bundle)
