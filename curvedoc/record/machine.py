"""The memory that a process holds: of its device where torch has one, else of itself."""

from __future__ import annotations

import os
import sys
from pathlib import Path

_STATM = Path("/proc/self/statm")
_GB = 1 << 30


def memory() -> dict[str, float]:
    """{"memory_allocated_gb": ...} of the device, or {"memory_rss_gb": ...}; {} where neither is told."""
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_available():
        return {"memory_allocated_gb": torch.cuda.memory_allocated() / _GB}
    try:
        pages = int(_STATM.read_text(encoding="ascii").split()[1])
    except (OSError, ValueError, IndexError):
        return {}
    return {"memory_rss_gb": pages * os.sysconf("SC_PAGE_SIZE") / _GB}
