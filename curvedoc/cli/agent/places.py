"""Which paths a caller may name: those below the roots that the server was started with."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from curvedoc.core.errors import UsageError

_MOST = 4096


@dataclass(frozen=True, slots=True)
class Roots:
    """Folders, links resolved."""

    folders: tuple[Path, ...]

    @classmethod
    def of(cls, folders: Sequence[Path]) -> Roots:
        """The folders given, else the working folder. Raises UsageError for one that is none."""
        for folder in folders:
            if not folder.is_dir():
                raise UsageError("no such directory", str(folder), "--root wants a directory")
        return cls(tuple(Path(os.path.realpath(f)) for f in folders or (Path.cwd(),)))

    def place(self, path: str) -> Path:
        """The path of an existing file or folder in a root. Raises UsageError for one that leads out, by a link too."""
        if not path or len(path) > _MOST or "\0" in path or "://" in path:
            raise UsageError("no path of this machine", path[:80], "give a file or folder below the server's roots")
        for root in self.folders:
            real = Path(os.path.realpath(root / path))
            if real.is_relative_to(root) and real.exists():
                return real
        raise UsageError("not below the server's roots", path[:200], f"they are {', '.join(map(str, self.folders))}")

    def run(self, place: str) -> str:
        """As `place`, with the name of a run behind `::` kept."""
        stem, mark, name = place.partition("::")
        return f"{self.place(stem)}{mark}{name[:_MOST]}"
