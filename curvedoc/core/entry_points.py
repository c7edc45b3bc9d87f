"""What other installed packages bring, by the entry points `curvedoc.readers`, `curvedoc.rules`, `curvedoc.statistics`.

An installed package is trusted as any import is. A rule file, whoever wrote it, runs no code.
"""

from __future__ import annotations

import sys
import warnings
from functools import cache
from pathlib import Path

GROUPS = ("curvedoc.readers", "curvedoc.rules", "curvedoc.statistics")


@cache
def _offered() -> frozenset[str]:
    """The groups that any installed package names at all: asking `importlib` takes longer than reading a small log."""
    listed = [file.read_bytes() for place in sys.path for file in Path(place or ".").glob("*-info/entry_points.txt")]
    return frozenset(group for group in GROUPS if any(group.encode() in text for text in listed))


@cache
def brought(group: str) -> tuple[tuple[str, object], ...]:
    """(what it is called in messages, what it stands for) of each entry point of a group, by name.

    One that does not load is warned of and left out: whatever is wrong with another package costs what it brings alone.
    """
    if group not in _offered():
        return ()
    from importlib.metadata import entry_points

    found: list[tuple[str, object]] = []
    for point in sorted(entry_points(group=group), key=lambda p: p.name):
        called = f"'{point.name}' of {point.value}"
        try:
            found.append((called, point.load()))
        except Exception as e:
            warnings.warn(f"{group}: {called} does not load: {e!r}", stacklevel=2)
    return tuple(found)


def brought_by() -> tuple[str, ...]:
    """A line for each entry point with the version of its package: what was found with others does not hold."""
    if not _offered():
        return ()
    from importlib.metadata import entry_points

    points = (p for group in sorted(_offered()) for p in entry_points(group=group))
    return tuple(sorted(f"{p.group} {p.name} {p.value} {p.dist.version if p.dist else ''}" for p in points))


def forget() -> None:
    """Look again when asked next, as a test does that adds a package."""
    _offered.cache_clear()
    brought.cache_clear()
