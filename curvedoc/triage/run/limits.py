"""What one run may take."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """What one run may take in a worker. seconds: to be read or diagnosed; memory: bytes beyond the program's own."""

    seconds: float = 120.0
    memory: int = 4 << 30
