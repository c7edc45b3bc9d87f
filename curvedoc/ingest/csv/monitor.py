"""Episodes as Gym's and Stable-Baselines' monitors write them: settings in a comment, then `r,l,t` and rows."""

from __future__ import annotations

#: The settings of the environment, as JSON behind a mark.
_MARK = (b"#{", b"# {")
_HEADER = b"r,l,t"
_NAMES = b"reward,episode_length,time"


def is_monitor(head: bytes) -> bool:
    """Whether a file is such a monitor's."""
    return head.startswith(_MARK) and head[head.find(b"\n") + 1 :].startswith(_HEADER)


def monitored(data: bytes) -> bytes:
    """The rows of a monitor under the names that its letters stand for; any other text as it is."""
    if not is_monitor(data):
        return data
    return _NAMES + data[data.find(b"\n") + 1 + len(_HEADER) :]
