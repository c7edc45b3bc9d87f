"""Whether a dask scheduler still has workers: without any, what was submitted waits for ever."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

#: How often the scheduler is asked.
LOOK_SECONDS = 5.0
#: Workers that were killed are started anew within seconds; a scheduler may have its first ones later than itself.
WORKERS_SECONDS = 120.0


@contextmanager
def workers_watched(client: Any, futures: Any, most: float = WORKERS_SECONDS) -> Iterator[list[float]]:
    """Cancel the futures once the scheduler has had no worker for `most` seconds: whoever waits for them then hears.

    futures: a view of those that still wait. Yields a list that then holds for how long there was none.
    """
    done, lost = threading.Event(), list[float]()

    def watch() -> None:
        since: float | None = None
        while not done.wait(min(LOOK_SECONDS, most)):
            try:
                there = bool(client.scheduler_info(n_workers=-1)["workers"])
            except (OSError, RuntimeError, TimeoutError, KeyError):
                there = False  # a scheduler that does not answer has no worker for us
            since = None if there else since or time.monotonic()
            if since is not None and time.monotonic() - since >= most:
                lost.append(time.monotonic() - since)
                client.cancel(list(futures))
                return

    thread = threading.Thread(target=watch, name="curvedoc-dask-workers", daemon=True)
    thread.start()
    try:
        yield lost
    finally:
        done.set()
        thread.join(LOOK_SECONDS)
