"""Threads for calls that block: a deadline that holds whatever the other side does, and several calls at once."""

import queue
import threading
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

T = TypeVar("T")
A = TypeVar("A")


class DeadlinePassed(Exception):
    """The call was still running at its deadline and is left to itself."""


def within(seconds: float, call: Callable[[], T], abandon: Callable[[], None]) -> T:
    """Return `call()`, run in a thread of its own; what it raises is raised here.

    After `seconds` call `abandon` (which should cut the connection, so that the thread ends) and raise DeadlinePassed. Time limits
    of HTTP libraries count from byte to byte: against a server that trickles, only a clock outside the call holds.
    """
    outcome: queue.SimpleQueue[tuple[T | None, BaseException | None]] = queue.SimpleQueue()

    def work() -> None:
        try:
            outcome.put((call(), None))
        except BaseException as problem:
            outcome.put((None, problem))

    threading.Thread(target=work, name="envgen-model-call", daemon=True).start()
    try:
        value, problem = outcome.get(timeout=seconds)
    except queue.Empty:
        abandon()
        raise DeadlinePassed from None
    if problem is not None:
        raise problem
    return value  # type: ignore[return-value]


def in_parallel(work: Callable[[A], T], items: Sequence[A], limit: int) -> list[T]:
    """Return `work(item)` for each of `items`, in their order, at most `limit` at once.

    The threads are daemons, so that Ctrl-C ends a run at once. What `work` raises is raised here, after the others have ended.
    """
    todo: queue.SimpleQueue[int] = queue.SimpleQueue()
    done: queue.SimpleQueue[None] = queue.SimpleQueue()
    results: list[Any] = [None] * len(items)
    problems: dict[int, BaseException] = {}
    for index in range(len(items)):
        todo.put(index)

    def run() -> None:
        while True:
            try:
                index = todo.get_nowait()
            except queue.Empty:
                return
            try:
                results[index] = work(items[index])
            except BaseException as problem:
                problems[index] = problem
            done.put(None)

    for _ in range(min(limit, len(items))):
        threading.Thread(target=run, name="envgen-model-request", daemon=True).start()
    for _ in items:
        done.get()
    if problems:
        raise problems[min(problems)]
    return results
