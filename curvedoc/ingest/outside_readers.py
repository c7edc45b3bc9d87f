"""Readers of other packages: the entry points of the group `curvedoc.readers`, asked before our own."""

from __future__ import annotations

import warnings
from functools import cache
from typing import cast

from curvedoc.core.entry_points import brought
from curvedoc.ingest.contract import Reader

GROUP = "curvedoc.readers"
_NEEDED = ("NAME", "FILES", "ABOUT", "claims", "read")


@cache
def outside_readers() -> tuple[Reader, ...]:
    """The readers that installed packages offer, by name. One that is none is warned of and left out.

    An entry point names a module (or any object) that has what `ingest.contract.Reader` asks for.
    """
    found: list[Reader] = []
    for called, reader in brought(GROUP):
        lacks = [n for n in _NEEDED if not hasattr(reader, n)]
        if lacks:
            warnings.warn(f"the reader {called} lacks {', '.join(lacks)}", stacklevel=2)
            continue
        found.append(cast(Reader, reader))
    return tuple(found)
