"""Where this user's caches lie."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def cache_place(kind: str) -> Path:
    """The folder for one kind of cache: $CURVEDOC_CACHE/kind, else below the platform's place for caches."""
    if chosen := os.environ.get("CURVEDOC_CACHE"):
        return Path(chosen) / kind
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "curvedoc" / kind
