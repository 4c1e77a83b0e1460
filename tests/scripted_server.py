"""A real HTTP server that speaks Chat Completions and plays scripted replies, for tests. Standard library only.

    python tests/scripted_server.py --port 0 SCRIPT.json ... [--log LOG.jsonl] [--key KEY] [--on 3 "kill -9 $PID"]

prints `http://127.0.0.1:PORT/v1`. From Python: `with ScriptedServer([{"replies": ["hello"]}]) as server: server.url, server.requests`.

A script is a list of rules, or `{"rules": [...], "options": {...}}`. The first rule whose `when` fits a request plays its next reply; the
last reply repeats.

    when:     {"stage": "schema",                 the X-Envgen-Stage header
               "contains": "text" or [texts],     all of them in the last user message (any message with "anywhere": true)
               "regex": "...",                    in the same place
               "header": {"name": "regex"}}       {} or absent: every request
    replies:  "text" | {...}                      a bare object without any of the keys below is sent as JSON content
      content (text or JSON), finish, refusal, reasoning, tool_calls [{"name", "arguments"}], usage {...}, delay (seconds before the reply)
      status N, headers {...}, body (text or JSON)      an HTTP error, or any other answer
      fault: reset | hang | slow | truncated | invalid_utf8 | not_json | empty_choices | close
    options:  key: "..."              401 for any other key
              models: ["..."]         404 for any other model
              refuse: ["json_schema", "json_object", "response_format", "tools", "temperature", "seed", "max_tokens", ...]   400 when used
              context: N              400 when prompt and max_tokens together are longer
Rules given from Python may hold functions: a reply that is callable gets the body of the request and returns a reply.
"""

import argparse
import json
import re
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any, Self

KEYS = frozenset("content finish refusal reasoning tool_calls usage delay status headers body fault".split())


@dataclass
class Seen:
    """One request as the server saw it. number counts from 1; rule is the index of the rule that answered, None for none."""

    number: int
    path: str
    body: Any
    headers: dict[str, str]
    at: float
    rule: int | None = None

    @property
    def stage(self) -> str:
        return self.headers.get("x-envgen-stage", "")

    @property
    def prompt(self) -> str:
        """The text of the last user message."""
        users = [message for message in self.messages if message.get("role") == "user"]
        return text_of(users[-1]) if users else ""

    @property
    def messages(self) -> list[dict[str, Any]]:
        found = self.body.get("messages") if isinstance(self.body, dict) else None
        return found if isinstance(found, list) else []


def text_of(message: dict[str, Any]) -> str:
    content = message.get("content")
    return content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)


@dataclass
class Script:
    """The rules with the state of play, and the options of the endpoint."""

    rules: list[dict[str, Any]]
    options: dict[str, Any] = field(default_factory=dict)
    played: dict[int, int] = field(default_factory=dict)

    def reply(self, seen: Seen) -> Any:
        for index, rule in enumerate(self.rules):
            if fits(rule.get("when") or {}, seen):
                seen.rule = index
                replies = rule["replies"]
                turn = self.played.get(index, 0)
                self.played[index] = turn + 1
                reply = replies[min(turn, len(replies) - 1)]
                return reply(seen.body) if callable(reply) else reply
        return {"status": 418, "body": {"error": {"message": f"no rule of the script fits: {seen.prompt[:200]}", "code": "no_rule"}}}

    def refusal(self, seen: Seen) -> dict[str, Any] | None:
        """Return the answer of an endpoint that does not take the request as it is."""
        key, models = self.options.get("key"), self.options.get("models")
        if key is not None and seen.headers.get("authorization") != f"Bearer {key}":
            sent = seen.headers.get("authorization", "").removeprefix("Bearer ")
            return error(401, f"Incorrect API key provided: {sent}.", code="invalid_api_key")
        if models is not None and seen.body.get("model") not in models:
            return error(404, f"The model `{seen.body.get('model')}` does not exist.", code="model_not_found", param="model")
        for name in self.options.get("refuse", ()):
            kind = (seen.body.get("response_format") or {}).get("type")
            if name in seen.body or name == kind:
                param = "response_format" if name == kind else name
                return error(
                    400, f"Unsupported parameter: '{name}' is not supported with this model.", code="unsupported_parameter", param=param
                )
        return self._too_long(seen.body)

    def _too_long(self, body: dict[str, Any]) -> dict[str, Any] | None:
        limit, asked = self.options.get("context"), body.get("max_tokens") or body.get("max_completion_tokens") or 0
        used = len(json.dumps(body.get("messages"))) // 4
        if limit is None or used + asked <= limit:
            return None
        text = f"'max_tokens' is too large: {asked}. This model's maximum context length is {limit} tokens"
        text += f" and your request has {used} input tokens."
        return error(400, text, param="max_tokens")


def error(status: int, message: str, **rest: Any) -> dict[str, Any]:
    return {"status": status, "body": {"error": {"message": message, "type": "invalid_request_error", **rest}}}


def fits(when: dict[str, Any], seen: Seen) -> bool:
    text = "\n".join(text_of(message) for message in seen.messages) if when.get("anywhere") else seen.prompt
    contains = when.get("contains", [])
    parts = [contains] if isinstance(contains, str) else contains
    headers = when.get("header", {})
    return (
        when.get("stage", seen.stage) == seen.stage
        and all(part in text for part in parts)
        and re.search(when.get("regex", ""), text, re.DOTALL) is not None
        and all(re.search(pattern, seen.headers.get(name.lower(), "")) for name, pattern in headers.items())
    )


def completion(seen: Seen, reply: dict[str, Any]) -> dict[str, Any]:
    """Return the body of a chat completion that says `reply`."""
    content = reply.get("content")
    text = content if isinstance(content, str) or content is None else json.dumps(content, ensure_ascii=False)
    message: dict[str, Any] = {"role": "assistant", "content": text, "refusal": reply.get("refusal")}
    if "reasoning" in reply:
        message["reasoning_content"] = reply["reasoning"]
    if reply.get("tool_calls"):
        message["tool_calls"] = [_call(index, call) for index, call in enumerate(reply["tool_calls"])]
    finish = reply.get("finish", "tool_calls" if reply.get("tool_calls") else "stop")
    prompt, answer = len(json.dumps(seen.messages)) // 4, len(text or "") // 4
    return {
        "id": f"chatcmpl-{seen.number}",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": seen.body.get("model", ""),
        "choices": [{"index": 0, "message": message, "finish_reason": finish, "logprobs": None}],
        "usage": reply.get("usage", {"prompt_tokens": prompt, "completion_tokens": answer, "total_tokens": prompt + answer}),
    }


def _call(index: int, call: dict[str, Any]) -> dict[str, Any]:
    arguments = call.get("arguments", {})
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return {"id": call.get("id", f"call_{index}"), "type": "function", "function": {"name": call["name"], "arguments": text}}


class Handler(BaseHTTPRequestHandler):
    """Plays the script of its server."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # else each reply waits 40 ms for the client to acknowledge its head
    server: "HTTPServer"

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing: the server keeps its own log."""

    def do_GET(self) -> None:
        names = self.server.script.options.get("models") or ["scripted"]
        found = self.path.partition("?")[0].rstrip("/") == "/v1/models"
        listed = {"object": "list", "data": [{"id": name, "object": "model", "created": 0, "owned_by": "tests"} for name in names]}
        self._send(200 if found else 404, json.dumps(listed if found else {"error": {"message": "Not Found"}}).encode())

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        if self.path.partition("?")[0] != "/v1/chat/completions":
            self._send(404, b'{"detail": "Not Found"}')
            return
        seen = self.server.record(self.path, json.loads(raw), {name.lower(): value for name, value in self.headers.items()})
        with self.server.lock:
            reply = self.server.script.refusal(seen) or self.server.script.reply(seen)
        try:
            with self.server.busy():
                self._play(seen, reply)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def _play(self, seen: Seen, reply: Any) -> None:
        if not isinstance(reply, dict) or not KEYS & reply.keys():
            reply = {"content": reply}
        if reply.get("delay"):
            self.server.stopping.wait(reply["delay"])
        if "fault" in reply:
            self._fault(reply["fault"], json.dumps(completion(seen, reply)).encode())
        elif "status" in reply:
            body = reply.get("body", "")
            text = body if isinstance(body, str) else json.dumps(body)
            self._send(reply["status"], text.encode(), reply.get("headers"), plain=isinstance(body, str))
        else:
            self._send(200, json.dumps(completion(seen, reply)).encode(), reply.get("headers"))

    def _fault(self, fault: str, whole: bytes) -> None:
        if fault == "reset":  # a linger of 0 makes close send RST
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.connection.close()
            self.close_connection = True
        elif fault == "close":
            self.close_connection = True
        elif fault == "hang":
            self.server.stopping.wait(60)
            self.close_connection = True
        elif fault == "slow":
            self._head(200, len(whole) + 1_000_000)
            while not self.server.stopping.wait(0.05):  # JSON may begin with any number of spaces
                self.wfile.write(b" ")
        elif fault == "truncated":  # fewer bytes than announced
            self._head(200, len(whole))
            self.wfile.write(whole[: len(whole) // 2])
            self.close_connection = True
        else:
            bodies = {"invalid_utf8": b'{"choices": "\xff\xfe\x80"}', "not_json": b"<html>busy</html>", "empty_choices": b'{"choices": []}'}
            self._send(200, bodies[fault])

    def _head(self, status: int, length: int, headers: dict[str, str] | None = None, *, plain: bool = False) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "text/plain" if plain else "application/json")
        self.send_header("Content-Length", str(length))
        for name, value in (headers or {}).items():
            self.send_header(name, str(value))
        self.end_headers()

    def _send(self, status: int, body: bytes, headers: dict[str, str] | None = None, *, plain: bool = False) -> None:
        self._head(status, len(body), headers, plain=plain)
        self.wfile.write(body)


class HTTPServer(ThreadingHTTPServer):
    """The listening part. Every request is recorded, and the hook run, before it is answered."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, address: tuple[str, int], script: Script, log: Path | None, hook: Callable[[Seen], None] | None) -> None:
        super().__init__(address, Handler)
        self.script, self.log, self.hook = script, log, hook
        self.requests: list[Seen] = []
        self.lock = threading.Lock()
        self.stopping = threading.Event()
        self.at_once = self.most_at_once = 0

    @contextmanager
    def busy(self) -> Iterator[None]:
        """Count the requests that are being answered."""
        with self.lock:
            self.at_once += 1
            self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            yield
        finally:
            with self.lock:
                self.at_once -= 1

    def record(self, path: str, body: Any, headers: dict[str, str]) -> Seen:
        """Write one request down, without its key, and run the hook."""
        with self.lock:
            seen = Seen(len(self.requests) + 1, path, body, headers, time.time())
            self.requests.append(seen)
            if self.log is not None:
                with self.log.open("a", encoding="utf-8") as file:
                    file.write(json.dumps({"number": seen.number, "path": path, "stage": seen.stage, "at": seen.at, "body": body}) + "\n")
            if self.hook is not None:
                self.hook(seen)
        return seen

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of connections that the client cut."""
        problem = sys.exc_info()[1]
        if not isinstance(problem, OSError):
            super().handle_error(request, client_address)


class ScriptedServer:
    """The server in a thread of this process. `requests` holds what it was asked (only chat completions)."""

    def __init__(
        self,
        rules: list[dict[str, Any]] | None = None,
        *,
        options: dict[str, Any] | None = None,
        log: Path | None = None,
        hook: Callable[[Seen], None] | None = None,
        port: int = 0,
    ) -> None:
        self.script = Script(list(rules or [{"replies": ["ok"]}]), dict(options or {}))
        self._http = HTTPServer(("127.0.0.1", port), self.script, log, hook)
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    @property
    def requests(self) -> list[Seen]:
        return self._http.requests

    @property
    def most_at_once(self) -> int:
        """The most requests that were being answered at one moment."""
        return self._http.most_at_once

    def start(self) -> Self:
        self._thread.start()
        return self

    def close(self) -> None:
        """Stop, and let go of requests that hang."""
        self._http.stopping.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


def read_scripts(paths: Iterable[Path]) -> Script:
    """Return the scripts in the files `paths` as one."""
    script = Script([])
    for path in paths:
        document = json.loads(path.read_text(encoding="utf-8"))
        rules, options = (document, {}) if isinstance(document, list) else (document["rules"], document.get("options", {}))
        script.rules += rules
        script.options |= options
    return script


def command_hook(commands: dict[int, str]) -> Callable[[Seen], None]:
    """Return a hook that runs the shell command for the request of that number."""

    def hook(seen: Seen) -> None:
        if seen.number in commands:
            subprocess.run(commands[seen.number], shell=True, check=False)

    return hook


def main() -> None:
    parser = argparse.ArgumentParser(description="Plays scripted replies over the Chat Completions protocol.")
    parser.add_argument("scripts", nargs="+", type=Path, metavar="SCRIPT.json")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--log", type=Path, help="a JSON line per request is appended here")
    parser.add_argument("--key", help="answer 401 to any other key")
    parser.add_argument("--on", nargs=2, action="append", default=[], metavar=("N", "COMMAND"), help="run COMMAND when request N arrives")
    chosen = parser.parse_args()
    script = read_scripts(chosen.scripts)
    if chosen.key:
        script.options["key"] = chosen.key
    hook = command_hook({int(number): command for number, command in chosen.on})
    with ScriptedServer(script.rules, options=script.options, log=chosen.log, hook=hook, port=chosen.port) as server:
        print(server.url, flush=True)
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            return


if __name__ == "__main__":
    main()
