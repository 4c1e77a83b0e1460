"""What a server process per episode costs: a small FastAPI app with 24 routes, started, called and stopped.

Run as a program it is the server; imported it measures one. It stands for systems that start a tool server for each episode.
"""

import http.client
import json
import socket
import sqlite3
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

ROUTES = 24
CALLS = 6


@dataclass(frozen=True)
class PeerCost:
    """Median seconds of one episode on a server of its own, and its parts."""

    start: float
    calls: float
    stop: float

    @property
    def episode(self) -> float:
        """Seconds from the start of the process to its end."""
        return self.start + self.calls + self.stop


def serve(port: int) -> None:
    """Serve 24 routes over an in-memory database until terminated."""
    import uvicorn
    from fastapi import FastAPI

    app = FastAPI()
    store = sqlite3.connect(":memory:", check_same_thread=False)
    store.execute("CREATE TABLE items (id INTEGER PRIMARY KEY, title TEXT, status TEXT)")
    store.executemany("INSERT INTO items VALUES (?, ?, ?)", [(n, f"item {n}", "open") for n in range(400)])

    def route(number: int) -> None:
        @app.post(f"/tool_{number}")
        def tool(item_id: int, limit: int = 20) -> list[dict[str, Any]]:
            """List items from an id on."""
            rows = store.execute("SELECT id, title, status FROM items WHERE id >= ? ORDER BY id LIMIT ?", (item_id, limit))
            return [{"id": row[0], "title": row[1], "status": row[2]} for row in rows]

    for number in range(ROUTES):
        route(number)
    uvicorn.run(app, host="127.0.0.1", port=port, log_level="error")


def measure(episodes: int = 3) -> PeerCost:
    """Run `episodes` episodes of six calls, each on a fresh server process, and return the median seconds."""
    results = [_episode() for _ in range(episodes)]
    return PeerCost(*(median(parts) for parts in zip(*results, strict=True)))


def _episode() -> tuple[float, float, float]:
    port = _free_port()
    started = time.perf_counter()
    process = subprocess.Popen([sys.executable, str(Path(__file__)), str(port)])
    try:
        connection = _connect(port)
        ready = time.perf_counter()
        for number in range(CALLS):
            connection.request("POST", f"/tool_{number}?item_id={number}")
            json.loads(connection.getresponse().read())
        called = time.perf_counter()
        connection.close()
    finally:
        process.terminate()
        process.wait(timeout=20)
    return ready - started, called - ready, time.perf_counter() - called


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _connect(port: int, patience: float = 30.0) -> http.client.HTTPConnection:
    deadline = time.monotonic() + patience
    while True:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
        try:
            connection.connect()
            return connection
        except ConnectionRefusedError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.005)


if __name__ == "__main__":
    serve(int(sys.argv[1]))
