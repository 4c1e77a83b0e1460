import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from envgen.bundle.ledger import RunLedger, ledger_path, unfinished
from envgen.core.errors import InfrastructureError, UsageError

FLAGS = {"domain": "library", "tasks": 5}


def open_it(path: Path, *, seed: int = 1, force: bool = False, **flags: object) -> RunLedger:
    return RunLedger.open(path, command="synthesize", seed=seed, flags=FLAGS | flags, force=force)


def test_items_stay_and_are_never_made_twice(tmp_path: Path) -> None:
    path = tmp_path / "run.sqlite"
    with open_it(path) as ledger:
        assert ledger.begin("plan", {"world": "d1"})
        assert ledger.add("plan", "task", 0, "kept", payload={"id": "t-0"})
        assert ledger.add("plan", "task", 1, "rejected", reason="T8")
    with open_it(path) as again:
        assert again.begin("plan", {"world": "d1"})
        assert not again.add("plan", "task", 0, "rejected", reason="other")
        assert [(item.index, item.status, item.payload) for item in again.items("plan")] == [
            (0, "kept", {"id": "t-0"}),
            (1, "rejected", None),
        ]
        assert again.rejected() == {"T8": 1}


def test_a_finished_stage_is_not_done_again_unless_its_inputs_change(tmp_path: Path) -> None:
    with open_it(tmp_path / "run.sqlite") as ledger:
        assert ledger.begin("world", 1)
        ledger.add("world", "row", 0, "kept")
        ledger.finish("world", seconds=2, output={"rows": 9})
        assert not ledger.begin("world", 1)
        assert ledger.output("world") == {"rows": 9}
        assert ledger.begin("world", 2)
        assert ledger.output("world") is None
        assert list(ledger.items("world")) == []


def test_another_seed_or_flag_is_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "run.sqlite"
    open_it(path).close()
    with pytest.raises(UsageError, match=r"seed 1, not 2\. .*--out.*--resume.*--force"):
        open_it(path, seed=2)
    with pytest.raises(UsageError, match="tasks 5, not 6"):
        open_it(path, tasks=6)
    with open_it(path, seed=2, force=True) as fresh:
        assert not fresh.finished
        fresh.complete()
        assert fresh.finished


def test_json_for_the_bundle(tmp_path: Path) -> None:
    with open_it(tmp_path / "run.sqlite") as ledger:
        ledger.begin("plan", 0)
        ledger.add("plan", "task", 0, "kept")
        ledger.add("plan", "task", 1, "rejected", reason="T2", payload={"why": "solved by doing nothing"})
        ledger.finish("plan", seconds=0.5)
        data = ledger.to_json()
    assert data["kept"] == {"task": 1}
    assert data["rejected"] == {"T2": 1}
    assert data["rejects"] == [{"kind": "task", "index": 1, "reason": "T2", "payload": {"why": "solved by doing nothing"}}]
    assert data["stages"] == [{"name": "plan", "status": "done", "seconds": 0.5}]


def test_payloads_keep_the_order_of_their_fields(tmp_path: Path) -> None:
    with open_it(tmp_path / "run.sqlite") as ledger:
        ledger.begin("plan", 0)
        ledger.add("plan", "task", 0, "kept", payload={"zeta": 1, "alpha": 2})
        (item,) = ledger.items("plan")
    assert list(item.payload) == ["zeta", "alpha"]


def test_a_stage_must_be_begun(tmp_path: Path) -> None:
    with open_it(tmp_path / "run.sqlite") as ledger, pytest.raises(UsageError, match="was not begun"):
        ledger.finish("nothing")


def test_a_file_that_is_no_ledger(tmp_path: Path) -> None:
    path = tmp_path / "run.sqlite"
    path.write_bytes(b"something else entirely, long enough to be looked at" * 20)
    with pytest.raises(InfrastructureError, match="cannot be opened"):
        open_it(path)


def test_whether_a_run_was_stopped(tmp_path: Path) -> None:
    path = tmp_path / "run.sqlite"
    assert not unfinished(path)
    with open_it(path) as ledger:
        assert unfinished(path)
        ledger.complete()
    assert not unfinished(path)
    path.write_bytes(b"damaged" * 1000)
    assert unfinished(path)


def test_it_lies_beside_the_bundle(tmp_path: Path) -> None:
    assert ledger_path(tmp_path / "library").parent == tmp_path
    assert ledger_path(tmp_path / "library") != ledger_path(tmp_path / "hotel")


WRITER = """
import sys
from envgen.bundle.ledger import RunLedger
ledger = RunLedger.open(sys.argv[1], command="synthesize", seed=1, flags={"domain": "library", "tasks": 5})
ledger.begin("plan", 0)
for index in range(10**9):
    ledger.add("plan", "task", index, "kept", payload="x" * 500)
    print(index, flush=True)
"""


def test_kill_9_loses_no_committed_item(tmp_path: Path) -> None:
    path = tmp_path / "run.sqlite"
    with subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        seen = -1
        deadline = time.monotonic() + 20
        while seen < 50 and time.monotonic() < deadline:
            seen = int(writer.stdout.readline())
        os.kill(writer.pid, signal.SIGKILL)
        rest = writer.stdout.read().split("\n")
    last = int(rest[-2]) if len(rest) > 1 and rest[-2].isdigit() else seen
    with open_it(path) as ledger:
        found = [item.index for item in ledger.items("plan")]
    assert found == list(range(len(found)))
    assert len(found) > last >= 50


def test_a_full_disk_is_one_clear_error(tmp_path: Path) -> None:
    with open_it(tmp_path / "run.sqlite") as ledger:
        ledger.begin("plan", 0)
        ledger._db.execute("PRAGMA max_page_count = 9")
        with pytest.raises(InfrastructureError, match=r"full\. Free some disk space, then run again with --resume"):
            for index in range(10_000):
                ledger.add("plan", "task", index, "kept", payload="x" * 1000)
        assert list(ledger.items("plan"))
