"""Where the files that ship with curvedoc lie, and what state they are in; importing this costs nothing."""

from __future__ import annotations

import hashlib
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


def files_digest(folders: Sequence[Path] = ()) -> str:
    """A hash of the shipped rule files and those in further folders, names and contents; they are not parsed."""
    digest = hashlib.sha256()
    for root in (rules_dir(), *folders):
        for path in sorted(root.rglob("*.yaml")):
            digest.update(f"{path}\0".encode("utf-8", "surrogatepass") + path.read_bytes() + b"\0")
    return digest.hexdigest()
