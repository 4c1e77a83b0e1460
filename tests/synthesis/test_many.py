"""Many domains: near-duplicates refused, coverage even, and a stopped run that goes on. The replies were written for the tests."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from scripted_server import ScriptedServer, Seen
from small_author import SmallAuthor

from envgen.bundle.read import read_bundle
from envgen.cli.app import main

# The workshop's words and those of a tailor, who keeps the same kinds of records under other names.
TAILOR = {
    "Spoke Workshop": "Needle Tailors", "bicycle workshop": "tailor", "book_repair": "order_alteration",
    "finish_repair": "hand_over_alteration",
    "cancel_repair": "stop_alteration", "get_repair": "show_alteration", "find_customers": "search_guests", "repair": "alteration",
    "bicycle": "garment", "bike": "garment", "customer": "guest", "work": "wish", "model": "cut", "price": "fee", "due_on": "promised_on",
}  # fmt: skip
DOMAINS = ["bicycle workshop by the canal", "bicycle repairs on wheels", "tailor for wedding clothes", "tailor for stage costumes"]


def renamed(value: Any) -> Any:
    text = json.dumps(value)
    for old, new in TAILOR.items():
        tail = "" if old in ("repair", "bicycle", "bike", "customer") else "(?![A-Za-z])"
        text = re.sub(rf"(?<![A-Za-z]){old}{tail}", new, text)
    return json.loads(text)


class TwoBusinesses:
    """Names businesses one after the other, and writes each of them as the workshop or as the tailor."""

    def __init__(self) -> None:
        self.workshop = SmallAuthor()
        self.tailor = SmallAuthor(**{name: renamed(part) for name, part in SmallAuthor().parts.items()})

    def reply(self, body: dict[str, Any]) -> Any:
        prompt = body["messages"][-1]["content"]
        if prompt.startswith("# Task: domain"):
            made = [name for name in DOMAINS if f"- {name}" in prompt]
            return {"domain": DOMAINS[min(len(made), len(DOMAINS) - 1)], "about": "A small business."}
        author = self.tailor if "tailor for" in prompt or "Needle" in prompt or "garment" in prompt else self.workshop
        return author.reply(body)


def arguments(server: ScriptedServer, folder: Path, count: int, *more: str) -> list[str]:
    return [
        "synthesize", "--count", str(count), "--model", "openai/scripted", "--base-url", server.url, "--size", "small", "--tools", "7",
        "--tasks", "3", "--jobs", "1", "--out", str(folder / "many"), "--cache", str(folder / "cache.sqlite"), "--json", *more,
    ]  # fmt: skip


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, ScriptedServer, list[Seen]]]:
    """Two environments, of which the second was refused once; the server that wrote them goes on."""
    folder = tmp_path_factory.mktemp("many")
    with ScriptedServer([{"replies": [TwoBusinesses().reply]}]) as server, pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENAI_API_KEY", "sk-test")
        assert main(arguments(server, folder, 2)) == 0
        yield folder, server, list(server.requests)


def coverage(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "many" / "coverage.jsonl").read_text(encoding="utf-8").splitlines()]


def test_a_near_duplicate_is_refused_and_replaced(made: tuple[Path, ScriptedServer, list[Seen]]) -> None:
    folder, _, requests = made
    drawn = coverage(folder)
    assert [line["domain"] for line in drawn] == DOMAINS[:3]
    assert [line["bundle"] is None for line in drawn] == [False, True, False]
    bundles = sorted(path.parent.name for path in (folder / "many").glob("*/bundle.json"))
    assert bundles == sorted(line["bundle"] for line in drawn if line["bundle"])
    assert not list((folder / "many").glob("*.ledger*"))
    names = [{tool["name"] for tool in read_bundle(folder / "many" / name).environment["tools"]} for name in bundles]
    assert not names[0] & names[1] - {"list_repairs"}
    assert [seen.stage for seen in requests].count("domain") == 3


def test_every_draw_is_in_another_sector(made: tuple[Path, ScriptedServer, list[Seen]]) -> None:
    sectors = [line["sector"] for line in coverage(made[0])]
    assert len(set(sectors)) == len(sectors)


def test_the_same_again_asks_for_nothing(made: tuple[Path, ScriptedServer, list[Seen]], capsys: pytest.CaptureFixture[str]) -> None:
    folder, server, _ = made
    before = len(server.requests)
    assert main(arguments(server, folder, 2)) == 0
    report = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert (report["already"], report["made"]) == (2, [])
    assert len(server.requests) == before


def test_a_budget_stops_in_the_middle_and_goes_on_without_paying_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    with ScriptedServer([{"replies": [TwoBusinesses().reply]}]) as server:
        assert main(arguments(server, tmp_path, 1, "--budget-tokens", "4000")) == 1
        assert "budget" in capsys.readouterr().err
        assert server.requests
        assert main(arguments(server, tmp_path, 1)) == 0
    bodies = [json.dumps(seen.body, sort_keys=True) for seen in server.requests]
    assert len(bodies) == len(set(bodies))
