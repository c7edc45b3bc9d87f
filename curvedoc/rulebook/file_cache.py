"""Shipped rule and cause files as they were read and checked once: reading them again needs neither YAML nor pydantic.

A file is kept as JSON under a hash of its bytes and of the code that checks it. What comes back is compiled like any
other document, so that it can say nothing that a rule file could not; one that is damaged counts as absent.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import time
import zlib
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from curvedoc.core.cache_folder import cache_place
from curvedoc.core.version import __version__

if TYPE_CHECKING:
    from pydantic import BaseModel

MAGIC = b"curvedoc-rule/1"
#: No document is longer: the cache is a file like any other.
_MOST = 1 << 20
#: Documents of code that nobody ran for so long are dropped.
_KEEP_SECONDS = 30 * 86400
#: The key that marks the fields of a model; a mapping of a rule file has names for keys.
_MODEL = ""
#: Cases are run from the files alone, and would be half of what is kept.
_LEFT_OUT = ("tests",)


def load_cached(content: bytes) -> Any | None:
    """The document of a file with this content, with the attributes of its model and without cases; None where none
    is kept."""
    try:
        data = _place(content).read_bytes()
    except (OSError, RuntimeError):  # the latter where there is no home
        return None
    head, _, body = data.partition(b"\n")
    if len(data) > _MOST or head != MAGIC + b" %08x" % zlib.crc32(body):
        return None
    try:
        return _read(json.loads(body))
    except (ValueError, TypeError, RecursionError):
        return None


def save_cached(content: bytes, document: BaseModel) -> None:
    """Keep the document of a file; a disk that is full or read-only costs the speed of the next call."""
    try:
        path = _place(content)
        part = path.with_name(f"{path.name}.{os.getpid()}.part")
        if not path.parent.is_dir():
            path.parent.mkdir(parents=True, exist_ok=True)
            _tidy(path.parent.parent)
        body = json.dumps(_written(document), separators=(",", ":")).encode()
        part.write_bytes(MAGIC + b" %08x\n" % zlib.crc32(body) + body)
        part.replace(path)
    except (OSError, RuntimeError):
        return


def _place(content: bytes) -> Path:
    return cache_place("rules") / _code() / f"{hashlib.sha256(content).hexdigest()[:32]}.json"


@functools.cache
def _code() -> str:
    """A hash of what reads and checks a document."""
    rows = [__version__]
    for name in ("schema.py", "facts_schema.py", "yaml12.py", "file_cache.py"):
        info = (Path(__file__).parent / name).stat()
        rows.append(f"{name} {info.st_size} {info.st_mtime_ns}")
    return hashlib.sha256("\n".join(rows).encode()).hexdigest()[:16]


def _tidy(folder: Path) -> None:
    for old in folder.iterdir():
        if time.time() - old.stat().st_mtime > _KEEP_SECONDS:
            for path in old.iterdir():
                path.unlink(missing_ok=True)
            old.rmdir()


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
