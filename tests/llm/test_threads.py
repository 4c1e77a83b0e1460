import threading
import time

import pytest

from envgen.llm.threads import DeadlinePassed, in_parallel, within


def test_within_returns_the_value_and_raises_what_was_raised() -> None:
    assert within(5, lambda: 3, lambda: None) == 3
    with pytest.raises(ZeroDivisionError):
        within(5, lambda: 1 // 0, lambda: None)


def test_within_abandons_at_the_deadline() -> None:
    freed = threading.Event()
    with pytest.raises(DeadlinePassed):
        within(0.05, lambda: freed.wait(5), freed.set)
    assert freed.is_set()


def test_in_parallel_keeps_the_order_and_the_limit() -> None:
    lock, now, most = threading.Lock(), 0, 0

    def work(item: int) -> int:
        nonlocal now, most
        with lock:
            now += 1
            most = max(most, now)
        time.sleep(0.01)
        with lock:
            now -= 1
        return item * item

    assert in_parallel(work, range(12), 3) == [item * item for item in range(12)]
    assert most == 3


def test_in_parallel_does_the_rest_before_it_raises_the_first_problem() -> None:
    done = []

    def work(item: int) -> None:
        if item in (1, 3):
            raise ValueError(item)
        done.append(item)

    with pytest.raises(ValueError, match="1"):
        in_parallel(work, range(5), 2)
    assert sorted(done) == [0, 2, 4]


def test_in_parallel_of_nothing_is_nothing() -> None:
    assert in_parallel(lambda item: item, [], 4) == []
