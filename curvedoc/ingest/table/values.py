"""Numbers, clocks and splits as JSON logs spell them."""

from __future__ import annotations

from collections.abc import Sequence, Set
from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

from curvedoc.core.late_regex import late_regex
from curvedoc.core.run import Flag
from curvedoc.ingest.naming.split_words import SPLITS

#: What a cell holds where no value was logged.
MISSING = {"none", "null", "n/a", "na", "--", "-", "\u2013", "\u2014", ""}
_THOUSANDS = late_regex(r"[+-]?\d{1,3}(,\d{3})+(\.\d+)?")
_PERCENT = late_regex(r"[+-]?\d+(\.\d+)?\s?%")
#: A column of strings is taken for numbers only when nearly all of it is: run ids and dates hold digits too.
_MOSTLY = 0.9
#: A column of strings none of whose first probes is a number is text.
_PROBE = 64

_SPLIT_TAIL = late_regex(r"[ _.:/-]?(step|epoch|iter|iteration|batch|metrics|log|end|result|results|loop)s?(_end)?$")


def number(text: str) -> float | None:
    """The number that a string spells ("2.5", "nan", "-Infinity", "1,234", "12%" as 12), None where it spells none."""
    text = text.strip()
    if not text or len(text) > 40 or "_" in text:
        return None
    try:
        return float(text)
    except ValueError:
        pass
    if _THOUSANDS.fullmatch(text):
        return float(text.replace(",", ""))
    if _PERCENT.fullmatch(text):
        return float(text.rstrip("% "))
    return None


def numbers(
    cells: Sequence[object], kinds: Set[type] | None = None
) -> tuple[NDArray[np.float64], NDArray[np.uint16], NDArray[np.bool_]]:
    """One column's values, their flags, and which of its cells are numbers at all.

    null gives NaN with Flag.NULL, a number in quotes Flag.WAS_STRING. Strings count only where nine in ten of the
    column's strings spell a number (a missing mark like "N/A" is null then); other cells are no numbers.
    kinds: the cells' types, where they are known.
    """
    n = len(cells)
    flags = np.zeros(n, np.uint16)
    kinds = set(map(type, cells)) if kinds is None else kinds
    if kinds <= {float, int, bool}:
        return _floats(cells), flags, np.ones(n, bool)
    spelled = _spelled(cells) if str in kinds else {}
    if kinds == {str} and not spelled:
        return np.full(n, np.nan), flags, np.zeros(n, bool)
    value = np.full(n, np.nan)
    kept = np.zeros(n, bool)
    for i, c in enumerate(cells):
        if c is None:
            kept[i], flags[i] = True, Flag.NULL
        elif type(c) is str:
            v = spelled.get(c)
            if v is not None:
                value[i], kept[i], flags[i] = v, True, Flag.WAS_STRING
            elif spelled and c.strip().lower() in MISSING:
                kept[i], flags[i] = True, Flag.NULL
        elif isinstance(c, (float, int)):
            value[i], kept[i] = _float(c), True
    return value, flags, kept


def _spelled(cells: Sequence[object]) -> dict[str, float]:
    """The strings of a column that spell a number; none where they are few among its strings and it has no numbers."""
    strings = [c for c in cells if type(c) is str]
    pure = len(strings) == len(cells)
    if pure and all(number(c) is None for c in strings[:: 1 + len(strings) // _PROBE]):
        return {}
    parsed = {c: number(c) for c in set(strings)}
    spelled = {c: v for c, v in parsed.items() if v is not None}
    if any(type(c) is float or type(c) is int for c in cells):
        return spelled
    missing = sum(c.strip().lower() in MISSING for c in strings)
    return spelled if sum(c in spelled for c in strings) >= _MOSTLY * (len(strings) - missing) else {}


def _floats(cells: Sequence[object]) -> NDArray[np.float64]:
    try:
        # only numbers get here: of a string, this would take what it spells
        return np.fromiter(cells, np.float64, len(cells))
    except OverflowError:  # an integer past the float range
        return np.array([_float(c) for c in cells if isinstance(c, (float, int))])


def _float(c: float | int) -> float:
    try:
        return float(c)
    except OverflowError:
        return float("inf") if c > 0 else float("-inf")


def clock(value: float) -> float | None:
    """Seconds since the Unix epoch of a time stamp in s, ms, us or ns; None for what is no time after 2001."""
    for scale in (1.0, 1e3, 1e6, 1e9):
        if 1e9 < value / scale < 1e10:
            return value / scale
    return None


def moment(text: str) -> float | None:
    """Seconds since the Unix epoch of an ISO 8601 text (no zone: read as UTC), None for other text."""
    if len(text) < 10 or not text[:4].isdigit():
        return None
    try:
        when = datetime.fromisoformat(text.strip().replace(",", ".").removesuffix(" UTC"))
        return (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None


def split_of(text: str) -> str | None:
    """ "train", "train_inner", "val", "eval" or "test" where a mode or event names one ("Validation", "train_step")."""
    low = text.strip().lower()
    return SPLITS.get(low) or SPLITS.get(_SPLIT_TAIL.sub("", low))
