"""The server that the tests of models rest on: it plays what its script says, and shows what it was asked."""

import json
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest
import scripted_server
from scripted_server import ScriptedServer


def post(url: str, text: str = "hello", headers: dict[str, str] | None = None, **rest: Any) -> Any:
    body = json.dumps({"model": "m", "messages": [{"role": "user", "content": text}], **rest}).encode()
    request = urllib.request.Request(f"{url}/chat/completions", body, {"Content-Type": "application/json", **(headers or {})})
    with urllib.request.urlopen(request, timeout=10) as response:
        return json.load(response)


def said(answer: Any) -> Any:
    return answer["choices"][0]["message"]["content"]


def test_the_first_rule_that_fits_plays_its_next_reply_and_the_last_one_repeats() -> None:
    rules = [
        {"when": {"stage": "tools"}, "replies": ["by stage"]},
        {"when": {"contains": ["two", "words"]}, "replies": ["by words"]},
        {"when": {"regex": "^n.mber \\d$"}, "replies": ["by pattern"]},
        {"when": {"header": {"X-Run": "^b"}}, "replies": ["by header"]},
        {"replies": ["first", {"a": 1}, {"content": [1]}]},
    ]
    with ScriptedServer(rules) as server:
        assert said(post(server.url, headers={"X-Envgen-Stage": "tools"})) == "by stage"
        assert said(post(server.url, "words, two")) == "by words"
        assert said(post(server.url, "number 3")) == "by pattern"
        assert said(post(server.url, headers={"X-Run": "blue"})) == "by header"
        assert [said(post(server.url)) for _ in range(4)] == ["first", '{"a": 1}', "[1]", "[1]"]
        assert [seen.rule for seen in server.requests] == [0, 1, 2, 3, 4, 4, 4, 4]


def test_a_rule_looks_at_the_last_user_message_or_anywhere() -> None:
    rules = [{"when": {"contains": "old"}, "replies": ["last"]}, {"when": {"contains": "old", "anywhere": True}, "replies": ["any"]}]
    messages = [{"role": "user", "content": "old"}, {"role": "assistant", "content": "x"}, {"role": "user", "content": "new"}]
    with ScriptedServer(rules) as server:
        assert said(post(server.url, messages=messages)) == "any"


def test_what_no_rule_fits_is_an_error_that_says_so() -> None:
    with ScriptedServer([{"when": {"contains": "x"}, "replies": ["x"]}]) as server, pytest.raises(urllib.error.HTTPError) as caught:
        post(server.url)
    with caught.value as problem:
        assert problem.code == 418
        assert "no rule of the script fits: hello" in problem.read().decode()


def test_usage_is_counted_or_scripted() -> None:
    with ScriptedServer([{"replies": [{"content": "x" * 40}, {"content": "x", "usage": {"prompt_tokens": 5}}]}]) as server:
        assert post(server.url)["usage"]["completion_tokens"] == 10
        assert post(server.url)["usage"] == {"prompt_tokens": 5}


def test_models_are_listed() -> None:
    with ScriptedServer(options={"models": ["a", "b"]}) as server, urllib.request.urlopen(f"{server.url}/models", timeout=10) as response:
        assert [model["id"] for model in json.load(response)["data"]] == ["a", "b"]


def test_it_runs_as_a_program(tmp_path: Path) -> None:
    (tmp_path / "one.json").write_text(json.dumps([{"when": {"contains": "one"}, "replies": ["first script"]}]))
    (tmp_path / "two.json").write_text(json.dumps({"rules": [{"replies": ["second script"]}], "options": {"models": ["m"]}}))
    log, mark = tmp_path / "log.jsonl", tmp_path / "mark"
    command = [sys.executable, scripted_server.__file__, "--port", "0", str(tmp_path / "one.json"), str(tmp_path / "two.json")]
    more = ["--log", str(log), "--key", "k", "--on", "2", f"echo done > {mark}"]
    with subprocess.Popen([*command, *more], stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            url = process.stdout.readline().strip()
            key = {"Authorization": "Bearer k", "X-Envgen-Stage": "tools"}
            assert said(post(url, "one", key)) == "first script"
            assert not mark.exists()
            assert said(post(url, "two", key)) == "second script"
            assert mark.read_text().strip() == "done"
        finally:
            process.terminate()
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert [(line["number"], line["stage"], line["body"]["messages"][0]["content"]) for line in lines] == [
        (1, "tools", "one"),
        (2, "tools", "two"),
    ]
    assert "Bearer" not in log.read_text()
