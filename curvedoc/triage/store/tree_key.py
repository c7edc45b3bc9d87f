"""What stands for a call on a tree; apart from the store, which who keeps nothing need not import."""

from __future__ import annotations

from curvedoc.core.frozen import dataclass


@dataclass(frozen=True, slots=True)
class TreeKey:
    """What stands for a call (name), and the state of all that it depends on (mark); both "" where it has none."""

    name: str = ""
    mark: str = ""


NO_TREE = TreeKey()
