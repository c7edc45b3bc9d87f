"""Whether Ctrl-C was pressed: in the middle of C code, its KeyboardInterrupt may come out as another error."""

from __future__ import annotations

import signal
import sys
from types import FrameType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

_pressed: list[int] = []
#: Seconds of processor time until an import that held Ctrl-C up is looked at again, or one that was lost is repeated.
_AGAIN = 0.02


def listen() -> None:
    """Remember Ctrl-C from here on; it raises KeyboardInterrupt as ever, after an import if one is under way.

    A library in C (numpy, polars) that is interrupted while it is imported may end the process with a segmentation
    fault; one that calls Python, as pydantic does to ask for a type, may drop the interrupt with a backtrace: it comes
    again. A caller's own way of taking Ctrl-C stays.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _interrupt)
        if hasattr(signal, "setitimer"):
            signal.signal(signal.SIGVTALRM, _interrupt)
            sys.unraisablehook = _repeat


def was_pressed() -> bool:
    """Whether it was since `listen`."""
    return bool(_pressed)


def _interrupt(number: int, frame: FrameType | None) -> None:
    _pressed.append(number)
    if hasattr(signal, "setitimer") and _importing(frame):
        signal.setitimer(signal.ITIMER_VIRTUAL, _AGAIN)
    else:
        signal.default_int_handler(signal.SIGINT, frame)


def _repeat(lost: UnraisableHookArgs) -> None:
    if issubclass(lost.exc_type, KeyboardInterrupt):
        signal.setitimer(signal.ITIMER_VIRTUAL, _AGAIN)
    else:
        sys.__unraisablehook__(lost)


def _importing(frame: FrameType | None) -> bool:
    while frame is not None and not frame.f_code.co_filename.startswith("<frozen importlib._bootstrap"):
        frame = frame.f_back
    return frame is not None
