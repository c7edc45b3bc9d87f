"""What stands in signals.yaml, as plain values: parsed once, and kept as JSON for the next call.

YAML takes a twentieth of a short call to import and to read. Only what something could be made of is kept; what comes
back from the cache is read like any document, and one that is damaged counts as absent.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from curvedoc.core.errors import RuleError
from curvedoc.core.files.cache_files import cache_place, drop_old, read_entry, write_entry

MAGIC = b"curvedoc-signals/2"
#: No document is longer: the cache is a file like any other.
_MOST = 1 << 20

T = TypeVar("T")


def signals_document(text: bytes, where: str, read: Callable[[Any, bool], T]) -> T:
    """What `read` makes of the document in these bytes of a file; it is told whether it made something of it before.

    where: the path. Raises RuleError where they are no YAML.
    """
    place = _place(text)
    body = read_entry(place, MAGIC, _MOST) if place is not None else None
    if body is not None:
        try:
            kept = json.loads(body)
        except (ValueError, RecursionError):
            body = None
        else:
            return read(kept, True)
    found = _parsed(text, where)
    made = read(found, False)
    if place is not None and b"&" not in text:  # what aliases stand for may be far longer than the text
        _keep(place, found)
    return made


def _keep(place: Path, found: Any) -> None:
    try:
        drop_old(place.parent, ("*",))
        body = json.dumps(found, separators=(",", ":")).encode()
        if json.loads(body) == found:  # a number may be a key in YAML
            write_entry(place, MAGIC, body)
    except (OSError, TypeError, ValueError):  # a full disk costs the speed of the next call; a date is no JSON
        return


def _place(text: bytes) -> Path | None:
    try:
        return cache_place("signals") / f"{hashlib.sha256(text).hexdigest()[:32]}.json"
    except RuntimeError:  # there is no home
        return None


def _parsed(text: bytes, where: str) -> Any:
    import yaml

    try:
        # safe, and in C where it is built
        return yaml.load(text.decode(), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except (yaml.YAMLError, UnicodeDecodeError) as e:
        mark = getattr(e, "problem_mark", None)
        at = f"{where}:{mark.line + 1}:{mark.column + 1}" if mark else where
        raise RuleError(f"not YAML: {getattr(e, 'problem', None) or e}", at) from None
