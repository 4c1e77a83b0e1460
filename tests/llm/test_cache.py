import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from envgen.core.errors import InfrastructureError
from envgen.core.events import Event
from envgen.llm.cache import ResponseCache, request_key
from envgen.llm.types import ModelRequest, ModelSettings

SETTINGS = ModelSettings("openai/gpt-5-mini", temperature=0.5, seed=1, reasoning_effort="low")
REQUEST = ModelRequest("schema", ({"role": "user", "content": "hello"},), schema={"type": "object"}, tools=({"type": "function"},))


@pytest.mark.parametrize(
    "changed",
    [
        {"model": "openai/gpt-5-nano"},
        {"base_url": "http://127.0.0.1:1/v1"},
        {"temperature": 0.6},
        {"max_tokens": 5},
        {"seed": 2},
        {"reasoning_effort": "high"},
        {"model": "litellm/openai/gpt-5-mini"},
    ],
)
def test_every_setting_that_affects_an_answer_is_in_the_key(changed: dict[str, Any]) -> None:
    assert request_key(replace(SETTINGS, **changed), REQUEST) != request_key(SETTINGS, REQUEST)


@pytest.mark.parametrize(
    "changed",
    [
        {"messages": ({"role": "user", "content": "hello!"},)},
        {"schema": {"type": "object", "properties": {}}},
        {"schema": None},
        {"sample": 1},
        {"tools": ()},
        {"max_tokens": 7},
        {"temperature": 0.0},
    ],
)
def test_everything_in_a_request_that_affects_its_answer_is_in_the_key(changed: dict[str, Any]) -> None:
    assert request_key(SETTINGS, replace(REQUEST, **changed)) != request_key(SETTINGS, REQUEST)


@pytest.mark.parametrize("changed", [{"timeout": 1.0}, {"retries": 0}, {"concurrency": 9}, {"model": "gpt-5-mini"}])
def test_how_a_request_is_sent_is_not_in_the_key(changed: dict[str, Any]) -> None:
    assert request_key(replace(SETTINGS, **changed), REQUEST) == request_key(SETTINGS, REQUEST)


@pytest.mark.parametrize("changed", [{"stage": "tools"}, {"schema_name": "other"}, {"temperature": 0.5}, {"max_tokens": 16_000}])
def test_names_and_overrides_that_change_nothing_are_not_in_the_key(changed: dict[str, Any]) -> None:
    assert request_key(SETTINGS, replace(REQUEST, **changed)) == request_key(SETTINGS, REQUEST)


def test_credentials_are_not_in_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    with_secret = replace(SETTINGS, base_url="http://me:secret@127.0.0.1:1/v1/?key=secret")
    key = request_key(with_secret, REQUEST)
    assert key == request_key(replace(SETTINGS, base_url="http://127.0.0.1:1/v1"), REQUEST)
    monkeypatch.setenv("OPENAI_API_KEY", "another")
    assert request_key(with_secret, REQUEST) == key


def test_a_prompt_with_half_a_surrogate_pair_has_a_key() -> None:
    assert len(request_key(SETTINGS, replace(REQUEST, messages=({"role": "user", "content": "\ud800"},)))) == 64


def test_what_is_put_can_be_got(tmp_path: Path) -> None:
    reply = {"text": 'ä "\n\ud800', "calls": [], "usage": {"usd": None}}
    with ResponseCache(tmp_path / "below" / "cache.sqlite") as cache:
        assert cache.get("k") is None
        assert cache.put("k", "schema", "m", reply) == reply
        assert len(cache) == 1
    with ResponseCache(tmp_path / "below" / "cache.sqlite") as cache:
        assert cache.get("k") == reply


def test_the_first_answer_stays(tmp_path: Path) -> None:
    with ResponseCache(tmp_path / "cache.sqlite") as cache:
        cache.put("k", "schema", "m", {"text": "first"})
        assert cache.put("k", "schema", "m", {"text": "second"}) == {"text": "first"}


def test_an_answer_is_there_for_others_the_moment_it_is_put(tmp_path: Path) -> None:
    with ResponseCache(tmp_path / "c.sqlite") as one, ResponseCache(tmp_path / "c.sqlite") as other:
        one.put("k", "schema", "m", {"text": "x"})
        assert other.get("k") == {"text": "x"}


def test_a_person_can_read_it(tmp_path: Path) -> None:
    with ResponseCache(tmp_path / "c.sqlite") as cache:
        cache.put("k", "schema", "openai/m", {"text": "x"})
    connection = sqlite3.connect(tmp_path / "c.sqlite")
    assert connection.execute("SELECT key, stage, model, reply FROM responses").fetchall() == [("k", "schema", "openai/m", '{"text": "x"}')]
    connection.close()


@pytest.mark.parametrize("damage", [b"not a database at all, but long enough to be one " * 40, b"SQLite format 3\x00" + b"\xff" * 4096])
def test_a_damaged_file_is_set_aside(damage: bytes, tmp_path: Path, events: list[Event]) -> None:
    path = tmp_path / "c.sqlite"
    path.write_bytes(damage)
    for number in (1, 2):
        with ResponseCache(path, events=events.append) as cache:
            cache.put("k", "schema", "m", {"text": "x"})
            assert cache.get("k") == {"text": "x"}
        assert (tmp_path / f"c.sqlite.damaged-{number}").read_bytes() == damage
        assert events[-1].kind == "warning" and f"set aside as c.sqlite.damaged-{number}" in events[-1].message
        path.write_bytes(damage)


def test_a_file_that_is_damaged_while_it_is_used_is_set_aside(tmp_path: Path, events: list[Event]) -> None:
    path = tmp_path / "c.sqlite"
    with ResponseCache(path) as cache:
        for number in range(200):
            cache.put(f"k{number}", "schema", "m", {"text": "x" * 500})
    with ResponseCache(path, events=events.append) as cache:
        with path.open("r+b") as file:
            file.seek(4096)
            file.write(b"\xff" * (path.stat().st_size - 4096))
        assert cache.get("k150") is None
        assert cache.put("k", "schema", "m", {"text": "y"}) == {"text": "y"}
        assert cache.get("k") == {"text": "y"}
    assert [event.kind for event in events] == ["warning"]


def test_a_damaged_record_is_a_miss(tmp_path: Path) -> None:
    with ResponseCache(tmp_path / "c.sqlite") as cache:
        cache.put("k", "schema", "m", {})
    connection = sqlite3.connect(tmp_path / "c.sqlite")
    connection.execute("UPDATE responses SET reply = '[1'")
    connection.commit()
    connection.close()
    with ResponseCache(tmp_path / "c.sqlite") as cache:
        assert cache.get("k") is None


def test_a_cache_that_cannot_be_written_does_not_end_the_run(tmp_path: Path, events: list[Event]) -> None:
    cache = ResponseCache(tmp_path / "c.sqlite", events=events.append)
    cache.close()
    cache.close()
    assert cache.put("k", "schema", "m", {"text": "x"}) == {"text": "x"}
    assert {event.kind for event in events} == {"warning"}
    assert "the run goes on without it" in events[0].message


def test_a_path_that_cannot_be_opened_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for path in (tmp_path, tmp_path / "file" / "c.sqlite"):
        with pytest.raises(InfrastructureError, match="the response cache cannot be opened"):
            ResponseCache(path)


def test_many_threads_share_one(tmp_path: Path) -> None:
    with ResponseCache(tmp_path / "c.sqlite") as cache:

        def work(number: int) -> None:
            for each in range(20):
                cache.put(f"{number}-{each}", "schema", "m", {"text": str(each)})

        threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(cache) == 120


WRITER = """
import sys
from envgen.llm.cache import ResponseCache
def warn(event): raise SystemExit(event.message)
with ResponseCache(sys.argv[1], events=warn) as cache:
    print("ready", flush=True)
    sys.stdin.readline()
    for number in range(150):
        cache.put(f"shared-{number}", "schema", "m", {"text": sys.argv[2]})
        cache.put(f"{sys.argv[2]}-{number}", "schema", "m", {"text": sys.argv[2]})
"""


def test_two_processes_write_at_once(tmp_path: Path) -> None:
    path = tmp_path / "c.sqlite"
    command: Callable[[str], list[str]] = lambda name: [sys.executable, "-c", WRITER, str(path), name]  # noqa: E731
    writers = [
        subprocess.Popen(command(name), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for name in "ab"
    ]
    for writer in writers:
        assert writer.stdout is not None and writer.stdout.readline() == "ready\n"
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write("\n")
        writer.stdin.flush()
    for writer in writers:
        assert writer.communicate(timeout=60)[1] == ""
        assert writer.returncode == 0
    with ResponseCache(path) as cache:
        assert len(cache) == 450


def test_a_file_that_another_process_has_replaced_is_used(tmp_path: Path, events: list[Event], monkeypatch: pytest.MonkeyPatch) -> None:
    with ResponseCache(tmp_path / "new.sqlite") as cache:
        cache.put("k", "schema", "m", {"text": "x"})
    path = tmp_path / "c.sqlite"
    ResponseCache(path).close()
    with ResponseCache(path, events=events.append) as cache:
        with path.open("r+b") as file:
            file.write(b"\xff" * path.stat().st_size)
        original = cache._start_over

        def replaced_meanwhile(problem: Exception) -> sqlite3.Connection:
            path.unlink()
            for ending in ("-wal", "-shm"):
                path.with_name(path.name + ending).unlink(missing_ok=True)
            (tmp_path / "new.sqlite").rename(path)
            return original(problem)

        monkeypatch.setattr(cache, "_start_over", replaced_meanwhile)
        assert cache.get("other") is None
        assert cache.get("k") == {"text": "x"}
    assert events == []
