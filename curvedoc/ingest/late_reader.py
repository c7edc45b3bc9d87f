"""A reader whose module is imported when a file may be one of its own: most calls meet one format, and import one."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from curvedoc.ingest.contract import Log, Reader


class LateReader:
    """Stands for a module that is a reader.

    may: whether the module could claim a file of this name and head; it may say yes too often, never no too often
    optional: which of the further functions the module has, see `Reader`
    """

    def __init__(
        self,
        module: str,
        name: str,
        files: tuple[str, ...],
        about: str,
        may: Callable[[str, bytes], bool],
        optional: tuple[str, ...] = (),
    ) -> None:
        self.module = f"curvedoc.ingest.{module}"
        self.NAME, self.FILES, self.ABOUT = name, files, about
        self.may, self.optional = may, optional

    def load(self) -> Reader:
        """The module itself."""
        found: Any = importlib.import_module(self.module)
        reader: Reader = found
        return reader

    def claims(self, path: Path, head: bytes) -> bool:
        """As the module says."""
        return self.may(path.name, head) and self.load().claims(path, head)

    def read(self, paths: Sequence[Path]) -> list[Log]:
        """As the module does."""
        return self.load().read(paths)

    def __getattr__(self, name: str) -> Any:
        if name not in ("guesses", "read_mapped") or name not in self.optional:
            raise AttributeError(name)
        return getattr(self.load(), name)
