"""A time limit for work in this very process, where nobody could end it from outside."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from curvedoc.core.errors import CurvedocError


class TooLate(CurvedocError):
    """Work on one run took longer than it may."""


@contextmanager
def alarm(seconds: float) -> Iterator[None]:
    """Raise TooLate inside after so many seconds, and again after each as many more: what catches the first as the
    fault of one file goes on with the next. Does nothing in a thread, or where the platform has no timer.

    A call into a library that never returns is not interrupted; what might make one goes to a worker process.
    """
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        yield
        return

    def ring(_number: int, _frame: FrameType | None) -> None:
        raise TooLate(f"it took longer than {seconds:g} s (--time-limit)", "", "")

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
