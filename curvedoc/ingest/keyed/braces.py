"""Records in braces or brackets of other languages than JSON: text of protocol buffers, EDN, Ruby, PHP, Lisp."""

from __future__ import annotations

import re
from typing import Any

from curvedoc.core.late_regex import late_regex
from curvedoc.ingest.naming.log_words import is_outcome
from curvedoc.ingest.table.keys import COUNTERS
from curvedoc.ingest.table.values import number

_GROUP = late_regex(r"(?:([A-Za-z_]\w{0,40})[ \t]*:?[ \t]*)?\{([^{}]{5,2000})\}")
_PAIR = late_regex(
    r":?[\"']?([A-Za-z_][\w./-]{0,60})[\"']?\s{0,9}(?:=>|[=:]|(?=\s))\s{0,9}[\"']?"
    r"([-+]?(?:\d[\d.]{0,30}(?:[eE][-+]?\d{1,4})?|\.\d+|nan|inf(?:inity)?))(?![\w.])",
    re.IGNORECASE,
)
#: What says which one a record is of those that are called as it is: "epoch { number: 3 ... }".
_WHICH = ("number", "n", "no", "nr", "id", "index", "idx", "value", "num")
#: Fewer are no records; so much of a text they are.
_RECORDS, _SHARE = 4, 0.6


def braced(text: str) -> list[dict[str, Any]]:
    """The records of a text that are counted and measured; none where the text is about something else."""
    rows: list[dict[str, Any]] = []
    size = 0
    for m in _GROUP.finditer(text):
        row = {key: v for key, cell in _PAIR.findall(m[2]) if (v := number(cell)) is not None}
        called = (m[1] or "").lower()
        which = next((k for k in row if k.lower() in _WHICH), None) if called in COUNTERS else None
        if which is not None:
            row = {called: row.pop(which), **row}
        if len(row) > 1:
            rows.append(row)
            size += len(m[0])
    if len(rows) < _RECORDS or size < _SHARE * len(text.strip()):
        return []
    keys = [k for k in rows[0] if all(k in r for r in rows)]
    counted = any(k.lower() in COUNTERS for k in keys)
    return rows if counted and any(map(is_outcome, keys)) else []
