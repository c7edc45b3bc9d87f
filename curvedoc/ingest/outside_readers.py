"""Readers of other packages: the entry points of the group `curvedoc.readers`, asked before our own."""

from __future__ import annotations

import sys
import warnings
from functools import cache
from pathlib import Path
from typing import cast

from curvedoc.ingest.contract import Reader

GROUP = "curvedoc.readers"
_NEEDED = ("NAME", "FILES", "ABOUT", "claims", "read")


def _offered() -> bool:
    """Whether any installed package names the group at all."""
    return any(
        GROUP.encode() in file.read_bytes()
        for place in sys.path
        for file in Path(place or ".").glob("*-info/entry_points.txt")
    )


@cache
def outside_readers() -> tuple[Reader, ...]:
    """The readers that installed packages offer, by name. One that does not load is warned of and left out.

    An entry point names a module (or any object) that has what `ingest.contract.Reader` asks for.
    """
    found: list[Reader] = []
    if not _offered():
        return ()
    from importlib.metadata import entry_points  # takes longer to import than a small log to read

    for point in sorted(entry_points(group=GROUP), key=lambda p: p.name):
        try:
            reader = point.load()
        except Exception as e:  # another package's code: whatever is wrong with it costs its format alone
            warnings.warn(f"the reader '{point.name}' of {point.value} does not load: {e!r}", stacklevel=2)
            continue
        lacks = [n for n in _NEEDED if not hasattr(reader, n)]
        if lacks:
            warnings.warn(f"the reader '{point.name}' of {point.value} lacks {', '.join(lacks)}", stacklevel=2)
            continue
        found.append(cast(Reader, reader))
    return tuple(found)
