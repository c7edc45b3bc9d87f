"""What stands in signals.yaml, as plain values: parsed once, and kept as JSON for the next call.

YAML takes a twentieth of a short call to import and to read. What comes back from the cache is checked like any
document; one that is damaged counts as absent.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from curvedoc.core.errors import RuleError
from curvedoc.core.files.cache_files import cache_place, drop_old, read_entry, write_entry

MAGIC = b"curvedoc-signals/1"
#: No document is longer: the cache is a file like any other.
_MOST = 1 << 20


def signals_document(text: bytes, where: str) -> Any:
    """The document in these bytes of a file. where: its path. Raises RuleError where they are no YAML."""
    place = _place(text)
    body = read_entry(place, MAGIC, _MOST) if place is not None else None
    if body is not None:
        try:
            return json.loads(body)
        except (ValueError, RecursionError):
            body = None
    found = _parsed(text, where)
    if place is not None and b"&" not in text:  # what aliases stand for may be far longer than the text
        try:
            drop_old(place.parent, ("*",))
            body = json.dumps(found, separators=(",", ":")).encode()
            if json.loads(body) == found:  # a number may be a key in YAML
                write_entry(place, MAGIC, body)
        except (OSError, TypeError, ValueError):  # a full disk costs the speed of the next call; a date is no JSON
            return found
    return found


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
