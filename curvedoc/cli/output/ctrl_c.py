"""Whether Ctrl-C was pressed: in the middle of C code, its KeyboardInterrupt may come out as another error."""

from __future__ import annotations

import signal
from types import FrameType

_pressed: list[int] = []


def listen() -> None:
    """Remember Ctrl-C from here on; it raises KeyboardInterrupt as ever. A caller's own way of taking it stays."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _interrupt)


def was_pressed() -> bool:
    """Whether it was since `listen`."""
    return bool(_pressed)


def _interrupt(number: int, frame: FrameType | None) -> None:
    _pressed.append(number)
    signal.default_int_handler(number, frame)
