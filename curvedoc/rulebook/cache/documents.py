"""Shipped rule files as they were read and checked once: reading them again needs neither YAML nor pydantic.

A file is kept as JSON under a hash of its bytes and of the code that checks it. What comes back can say nothing that a
rule file could not; one that is damaged counts as absent.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from curvedoc.core.files.cache_files import cache_place, drop_old, read_entry, write_entry
from curvedoc.core.version import __version__

if TYPE_CHECKING:
    from pydantic import BaseModel

MAGIC = b"curvedoc-rule/1"
#: No document is longer: the cache is a file like any other.
_MOST = 1 << 20
#: The key that marks the fields of a model; a mapping of a rule file has names for keys.
_MODEL = ""
#: Cases are run from the files alone, and would be half of what is kept.
_LEFT_OUT = ("tests",)


def load_cached(content: bytes) -> Any | None:
    """The document of a file with this content, with the attributes of its model and without cases; None where none
    is kept."""
    body = read_kept(content)
    if body is None:
        return None
    try:
        return _read(json.loads(body))
    except (ValueError, TypeError, RecursionError):
        return None


def save_cached(content: bytes, document: BaseModel) -> None:
    """Keep the document of a file; a disk that is full or read-only costs the speed of the next call."""
    write_kept(content, b"", json.dumps(_written(document), separators=(",", ":")).encode())


def read_kept(content: bytes, context: bytes = b"") -> bytes | None:
    """What is kept for a file with this content; None where nothing is. context: what else went into it"""
    try:
        return read_entry(_place(content, context), MAGIC, _MOST)
    except RuntimeError:  # there is no home
        return None


def write_kept(content: bytes, context: bytes, body: bytes) -> None:
    """Keep something for a file; a disk that is full or read-only costs the speed of the next call."""
    try:
        path = _place(content, context)
        if not path.parent.is_dir():  # another version of the program left what nobody reads any more
            drop_old(path.parent.parent, ("*/*",))
        write_entry(path, MAGIC, body)
    except (OSError, RuntimeError):
        return


def _place(content: bytes, context: bytes = b"") -> Path:
    return cache_place("rules") / _code() / f"{hashlib.sha256(context + content).hexdigest()[:32]}.json"


@functools.cache
def _code() -> str:
    """A hash of what reads, checks and compiles a file: the rule language and its vocabulary."""
    rows = [__version__]
    here = Path(__file__).parent.parent
    for folder in (here, here.parent / "stats"):
        for place, _, names in os.walk(folder):
            for name in sorted(n for n in names if n.endswith(".py")):
                info = os.stat(os.path.join(place, name))  # noqa: PTH116, PTH118 -- a hundred paths at every start
                rows.append(f"{name} {info.st_size} {info.st_mtime_ns}")
    return hashlib.sha256("\n".join(sorted(rows)).encode()).hexdigest()[:16]


def _written(value: Any) -> Any:
    fields = getattr(type(value), "model_fields", None)
    if fields is not None:
        return {_MODEL: {name: _written(getattr(value, name)) for name in fields if name not in _LEFT_OUT}}
    if isinstance(value, dict):
        return {k: _written(v) for k, v in value.items()}
    return [_written(v) for v in value] if isinstance(value, (list, tuple)) else value


def _read(value: Any) -> Any:
    if isinstance(value, dict):
        made = {k: _read(v) for k, v in value.items()}
        return SimpleNamespace(**dict.fromkeys(_LEFT_OUT, ()), **made[_MODEL]) if _MODEL in made else made
    return [_read(v) for v in value] if isinstance(value, list) else value
