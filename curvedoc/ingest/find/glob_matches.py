"""What a pattern of paths stands for, found without following links: `**` in a tree that links to itself has an end."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterator
from fnmatch import translate
from pathlib import Path

from curvedoc.core.errors import UsageError

#: A pattern that meets more files than this was not meant so (`/**`).
MOST_SEEN = 2_000_000


def matches(pattern: str) -> list[Path]:
    """The existing paths that match, sorted; `**` stands for any number of folders, none of them a link.

    Hidden names are matched where the pattern names the dot. Raises UsageError where there are too many to look at.
    """
    parts = Path(pattern).parts
    if "**" not in parts:
        return sorted(Path(f) for f in glob.glob(pattern))  # noqa: PTH207
    top = top_of(pattern)
    wanted = parts[_fixed(parts) :]
    found = {p for p in _below(top, pattern) if _fits(p.relative_to(top).parts, wanted)}
    if top.is_dir() and set(wanted) == {"**"}:
        found.add(top)
    return sorted(found)


def top_of(pattern: str) -> Path:
    """The folder that a pattern is looked for in: what stands before its first wildcard."""
    parts = Path(pattern).parts
    return Path(*parts[: _fixed(parts)])


def _fixed(parts: tuple[str, ...]) -> int:
    return next(i for i, part in enumerate(parts) if glob.has_magic(part))


def _below(top: Path, pattern: str) -> Iterator[Path]:
    seen = 0
    for place, folders, names in os.walk(top):
        hidden = "/." in pattern or pattern.startswith(".")
        folders[:] = [f for f in folders if hidden or not f.startswith(".")]
        seen += len(folders) + len(names)
        if seen > MOST_SEEN:
            raise UsageError(f"more than {MOST_SEEN:,} files lie below {top}", pattern, "give a narrower pattern")
        yield from (Path(place, name) for name in (*folders, *names) if hidden or not name.startswith("."))


def _fits(parts: tuple[str, ...], wanted: tuple[str, ...]) -> bool:
    """Whether the parts of a path fit those of a pattern."""
    if not wanted:
        return not parts
    if wanted[0] == "**":
        return any(_fits(parts[i:], wanted[1:]) for i in range(len(parts) + 1)) or (len(wanted) == 1)
    return bool(parts) and re.match(translate(wanted[0]), parts[0]) is not None and _fits(parts[1:], wanted[1:])
