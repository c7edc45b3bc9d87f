"""Trees behind a URL -> a copy of their logs on this disk, which is then read like any other tree."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from urllib.parse import urlsplit

from curvedoc.core.diagnosis import Unreadable
from curvedoc.core.late_regex import late_regex

#: Only these, and only where the user wrote one: nothing else ever opens the network. A Path has one slash of the two.
_URL = late_regex(r"(s3a?|gs|gcs|hf|memory|https?):/+(.+)", re.DOTALL)

Progress = Callable[[str, int, int], None]


def url_of(path: Path) -> str | None:
    """The URL that a path argument spells, None for a path of this machine.

    >>> url_of(Path("s3://bucket/runs/a")), url_of(Path("runs/s3"))
    ('s3://bucket/runs/a', None)
    """
    found = _URL.fullmatch(path.as_posix())
    return f"{found[1]}://{found[2]}" if found else None


def title_of(paths: Sequence[Path]) -> str:
    """What a report of these paths is called: the name of the one, or how many they are. Never a URL's query, which
    may hold a signature."""
    if len(paths) != 1:
        return f"{len(paths)} paths"
    url = url_of(paths[0])
    if url is None:
        return paths[0].resolve().name
    parts = urlsplit(url)
    return parts.path.rstrip("/").rpartition("/")[2] or parts.netloc


def local_copies(paths: Sequence[Path], progress: Progress | None = None) -> tuple[list[Path], list[Unreadable]]:
    """The paths with a local copy in the place of each URL, and what could not be copied (by its local path).

    Raises UsageError where nothing can be had: an extra or credentials are missing, a bucket or prefix does not exist.
    """
    out: list[Path] = []
    lost: list[Unreadable] = []
    for path in paths:
        url = url_of(path)
        if url is None:
            out.append(path)
            continue
        from curvedoc.ingest.find.remote_copy import copied

        places, troubles = copied(url, progress)
        out += places
        lost += troubles
    return out, lost
