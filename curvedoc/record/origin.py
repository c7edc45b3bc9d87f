"""Where a run comes from: versions, seed, git revision, command line."""

from __future__ import annotations

import os
import platform
import sys
from pathlib import Path
from typing import Any

#: Packages of which the version says something, where the program has imported them.
_PACKAGES = ("torch", "numpy", "transformers", "lightning", "pytorch_lightning", "keras", "tensorflow", "jax")
_RANKS = ("WORLD_SIZE", "RANK", "SLURM_JOB_ID")


def origin(folder: Path | None = None) -> dict[str, Any]:
    """What tells this run from another of the same settings; what is not known is left out."""
    found: dict[str, Any] = {"python": platform.python_version(), "command": " ".join(sys.argv)}
    for name in _PACKAGES:
        version = getattr(sys.modules.get(name), "__version__", None)
        if version is not None:
            found[f"{name}_version"] = str(version)
    torch = sys.modules.get("torch")
    if torch is not None and hasattr(torch, "initial_seed"):
        seed = torch.initial_seed()
        if seed < 1 << 62:  # one that nobody chose is drawn from 64 bits
            found["seed"] = seed
        if torch.cuda.is_available():
            found["device"] = torch.cuda.get_device_name()
    revision = git_revision(folder or Path.cwd())
    if revision:
        found["git_revision"] = revision
    found.update({name.lower(): os.environ[name] for name in _RANKS if name in os.environ})
    return found


def git_revision(folder: Path) -> str:
    """The revision that is checked out in or above a folder, read without git; "" where there is none."""
    for place in (folder, *folder.parents):
        git = place / ".git"
        if not git.exists():
            continue
        try:
            if git.is_file():  # of a further work tree: a pointer
                git = (place / git.read_text(encoding="utf-8").partition("gitdir:")[2].strip()).resolve()
            head = (git / "HEAD").read_text(encoding="utf-8").strip()
            if not head.startswith("ref:"):
                return head[:40]
            return _reference(git, head.partition(":")[2].strip())
        except (OSError, UnicodeDecodeError):
            return ""
    return ""


def _reference(git: Path, name: str) -> str:
    """What a branch points at, as a file of its own or packed."""
    shared = git / "commondir"
    common = (git / shared.read_text(encoding="utf-8").strip()).resolve() if shared.exists() else git
    for base in (git, common):
        if (base / name).exists():
            return (base / name).read_text(encoding="utf-8").strip()[:40]
    packed = common / "packed-refs"
    lines = packed.read_text(encoding="utf-8").splitlines() if packed.exists() else []
    return next((line.split()[0] for line in lines if line.endswith(f" {name}")), "")
