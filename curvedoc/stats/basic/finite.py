"""Non-finite values of a series: where they begin, of what kind they are, what stood before them."""

from __future__ import annotations

import numpy as np

from curvedoc.core.series import Series

NAN, PLUS_INF, MINUS_INF = 1.0, 2.0, 3.0


def first_nonfinite_row(s: Series) -> int | None:
    """Row of the first NaN or infinity, None if every value is finite."""
    return None if s.finite() is s else int((~np.isfinite(s.value)).argmax())


def first_nonfinite(s: Series) -> float | None:
    """Step of the first NaN or infinity, None if every value is finite.

    >>> first_nonfinite(Series.of([1.0, 2.0, float("nan"), 3.0]))
    2.0
    """
    row = first_nonfinite_row(s)
    return None if row is None else float(s.step[row])


def last_finite(s: Series) -> float | None:
    """Step of the last finite value, None without one.

    >>> last_finite(Series.of([1.0, 2.0, float("nan")]))
    1.0
    """
    f = s.finite()
    return float(f.step[-1]) if len(f) else None


def nonfinite_kind(s: Series) -> float | None:
    """Kind of the first non-finite value: 1 NaN, 2 plus infinity, 3 minus infinity; None if all are finite.

    >>> nonfinite_kind(Series.of([1.0, float("inf")]))
    2.0
    """
    row = first_nonfinite_row(s)
    if row is None:
        return None
    v = float(s.value[row])
    if v != v:
        return NAN
    return PLUS_INF if v > 0 else MINUS_INF


def nonfinite_share(s: Series) -> float | None:
    """Share of the rows that are NaN or infinite; None for a series without rows.

    >>> nonfinite_share(Series.of([1.0, float("nan")]))
    0.5
    """
    return nonfinite_rows(s) / len(s) if len(s) else None


def nonfinite_rows(s: Series) -> float:
    """Number of rows that are NaN or infinite.

    >>> nonfinite_rows(Series.of([1.0, float("nan")]))
    1.0
    """
    return float(len(s) - len(s.finite()))


def stays_nonfinite(s: Series) -> bool | None:
    """No finite value follows the first non-finite one; None if every value is finite.

    >>> stays_nonfinite(Series.of([1.0, float("nan"), 2.0])), stays_nonfinite(Series.of([1.0, float("nan")]))
    (False, True)
    """
    row = first_nonfinite_row(s)
    return None if row is None else not bool(np.isfinite(s.value[row:]).any())


def before_nonfinite(s: Series) -> Series:
    """The finite rows before the first non-finite one: the whole series where every value is finite.

    >>> before_nonfinite(Series.of([1.0, 2.0, float("nan"), 3.0])).value.tolist()
    [1.0, 2.0]
    """
    row = first_nonfinite_row(s)
    return s if row is None else s.cut(slice(0, row))
