"""`curvedoc formats`: the log formats that are read."""

from __future__ import annotations

import json
import sys


def list_formats(as_json: bool) -> None:
    """Print each format's name, the usual names of its files and one line on what is read."""
    from curvedoc.ingest.registry import READERS

    if as_json:
        rows = [{"name": r.NAME, "files": list(r.FILES), "about": r.ABOUT} for r in READERS]
        sys.stdout.write(json.dumps(rows, indent=1, sort_keys=True) + "\n")
        return
    for r in READERS:
        sys.stdout.write(f"{r.NAME:13} {', '.join(r.FILES)}\n              {r.ABOUT}\n")
    sys.stdout.write(
        f"\n{len(READERS)} formats, told by content and not by name; text of any of them may be .gz or .zst. "
        "curvedoc doctor PATH shows which file was read as what\n"
    )
