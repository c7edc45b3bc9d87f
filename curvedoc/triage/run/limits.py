"""What one run may take."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # a tree that did not change is told without a reader
    from curvedoc.ingest.find.plan import Bundle

#: Bytes a second that are read of a long log at least, on a machine that has other work as well.
PACE = 4 << 20
#: Of a smaller file it does not matter whether it has holes.
_LARGE = 64 << 20


@dataclass(frozen=True, slots=True)
class Limits:
    """What one run may take in a worker. seconds: to be read or diagnosed, besides what its size takes; memory: bytes
    beyond the program's own."""

    seconds: float = 120.0
    memory: int = 4 << 30

    def seconds_of(self, bundles: Iterable[Bundle]) -> float:
        """How long these may take to be read together."""
        members = [m for b in bundles for m in b.members]
        return self.seconds + sum(_written(m.path, m.bytes) for m in members) / PACE


def _written(path: Path, size: int) -> int:
    """The bytes of a file without its holes, where that makes a difference."""
    if size < _LARGE:
        return size
    try:
        info = path.stat()
    except OSError:
        return 0
    return min(size, getattr(info, "st_blocks", size) * 512)
