"""The configuration file: curvedoc.toml, or [tool.curvedoc] of the nearest pyproject.toml upward."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from curvedoc.errors import UsageError


class FileConfig(BaseModel):
    """What a configuration file may hold."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, populate_by_name=True, alias_generator=lambda n: n.replace("_", "-")
    )

    rules: list[str] = []
    select: list[str] = []
    ignore: list[str] = []
    set: list[str] = []
    sensitivity: float = 0.0
    signals: dict[str, str] = {}
    fail_on: Literal["never", "note", "warning", "error", "failed", "fatal"] = "never"


def find(start: Path) -> tuple[Path, dict[str, Any]] | None:
    """The nearest configuration file at or above a directory, with its curvedoc table."""
    for folder in (start, *start.parents):
        own, project = folder / "curvedoc.toml", folder / "pyproject.toml"
        for path in (own, project):
            if not path.is_file():
                continue
            try:
                document = tomllib.loads(path.read_text(encoding="utf-8"))
            except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
                if path == own:
                    raise UsageError(f"not TOML: {error}", str(path)) from error
                continue  # somebody else's broken pyproject is not ours to report
            table = document if path == own else document.get("tool", {}).get("curvedoc")
            if isinstance(table, dict):
                return path, table
    return None


def load(start: Path) -> FileConfig:
    """The configuration that holds in a directory; defaults where there is no file."""
    found = find(start.resolve())
    if found is None:
        return FileConfig()
    path, table = found
    try:
        config = FileConfig.model_validate(table)
    except ValidationError as error:
        lines = "; ".join(f"{'.'.join(str(p) for p in e['loc'])}: {e['msg']}" for e in error.errors())
        raise UsageError(lines, str(path)) from error
    return config.model_copy(update={"rules": [str(path.parent / r) for r in config.rules]})
