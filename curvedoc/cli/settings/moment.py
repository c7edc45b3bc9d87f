"""A point in time as people and tools write it."""

from __future__ import annotations

import math
import re
from datetime import datetime

from curvedoc.core.errors import UsageError
from curvedoc.core.late_regex import late_regex

_UNIT = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0, "w": 604800.0}
_PART = late_regex(
    r"(\d+(?:\.\d+)?)[ .]?(w|weeks?|d|days?|h|hours?|hrs?|min|minutes?|mins?|m|s|sec|secs|seconds?)(?![a-z])",
    re.IGNORECASE,
)
#: What git prints: a blank before the zone, which ISO 8601 does not have.
_GIT = late_regex(r"(\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?) ([+-]\d\d:?\d\d|Z)")
_EPOCH = late_regex(r"@(\d{1,12}(?:\.\d+)?)(?: [+-]\d{4})?")
_HINT = "for example 2026-03-01, '2026-03-01 12:00:00 +0100', @1772366400, 12h, 2h30m or '3 days ago'"


def moment(text: str, now: float) -> float:
    """Seconds since the epoch of a date or an age: "2026-03-01", "2026-03-01T12:00Z", "90min", "2h30m", "3 days ago".

    Dates are ISO 8601, also as git prints them ("2026-03-01 12:00:00 +0100"), or @SECONDS since the epoch. A date
    without a zone is local. Raises UsageError for anything else.
    """
    words = " ".join(text.split())
    age = _age(words)
    if age is not None:
        return now - age
    if epoch := _EPOCH.fullmatch(words):
        return float(epoch[1])
    try:
        return datetime.fromisoformat(_GIT.sub(r"\1\2", words)).timestamp()
    except (ValueError, OverflowError, OSError) as error:
        raise UsageError(f"'{text}' is neither a date nor an age", "--since", _HINT) from error


def _age(words: str) -> float | None:
    """The seconds of "1h", "2h30m", "1 day 2 hours ago"; None where this is no age."""
    rest = re.sub(r"[ .]?ago$", "", words, flags=re.IGNORECASE)
    total, at = 0.0, 0
    for part in _PART.finditer(rest):
        if rest[at : part.start()].strip(" ,"):
            return None
        total += float(part[1]) * _UNIT[part[2][0].lower()]
        at = part.end()
    return total if at and at == len(rest) and math.isfinite(total) else None
