"""Where the files that ship with curvedoc lie, and what state they are in; importing this costs nothing."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Sequence
from pathlib import Path


def rules_dir() -> Path:
    """The rules that ship with curvedoc: inside the installed package, or beside it in a checkout."""
    here = Path(__file__).resolve().parent.parent
    inside = here / "_rules"
    return inside if inside.is_dir() else here.parent / "rules"


def signals_file() -> Path:
    """The roles of raw metric names that ship with curvedoc."""
    return rules_dir() / "signals.yaml"


#: Seconds in which a file may be saved again without another time: file systems count in ticks.
_TICK = 2.0


def shipped_state() -> tuple[tuple[str, int, int], ...]:
    """Path, time and size of every shipped rule file: what was made of them holds as long as this is the same.

    Empty where one was saved just now, so that the next save may look the same.
    """
    found = []
    for place, _, names in os.walk(rules_dir()):
        for name in names:
            if name.endswith(".yaml"):
                path = os.path.join(place, name)  # noqa: PTH118 -- two hundred paths at every call
                info = os.stat(path)  # noqa: PTH116
                found.append((path, info.st_mtime_ns, info.st_size))
    newest = max((changed for _, changed, _ in found), default=0)
    return tuple(sorted(found)) if abs(time.time() - newest / 1e9) > _TICK else ()


def files_digest(folders: Sequence[Path] = ()) -> str:
    """A hash of the shipped rule files and those in further folders, names and contents; they are not parsed."""
    digest = hashlib.sha256()
    for root in (rules_dir(), *folders):
        for path in sorted(root.rglob("*.yaml")):
            digest.update(f"{path}\0".encode("utf-8", "surrogatepass") + path.read_bytes() + b"\0")
    return digest.hexdigest()
