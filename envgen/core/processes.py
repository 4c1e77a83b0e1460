"""Worker processes that do not outlive the process that started them."""

import os
import threading
from multiprocessing import connection, parent_process


def exit_with_parent() -> None:
    """End this worker process as soon as its parent is gone, also by `kill -9`. Call it in the worker, as a pool's initializer.

    A pool's workers hold both ends of their queue, so that they would wait for ever for a parent that was killed.
    """
    parent = parent_process()
    if parent is not None:
        threading.Thread(target=_wait, args=(parent.sentinel,), name="exit-with-parent", daemon=True).start()


def _wait(sentinel: int) -> None:
    connection.wait([sentinel])
    os._exit(1)
