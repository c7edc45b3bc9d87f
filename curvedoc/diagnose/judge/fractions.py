"""Accuracies as fractions, whatever the log counts in."""

from __future__ import annotations

import numpy as np

from curvedoc.core.series import Series

#: Roles whose values are shares of 1 to every rule.
ACCURACIES = ("accuracy", "val_accuracy", "test_accuracy")
#: No share is as large, not even one that was smoothed or interpolated, so such a curve counts in percent.
_WHOLE = 1.5


def as_fraction(role: str, series: Series | None) -> Series | None:
    """The series of an accuracy as a fraction: divided by 100 where any finite value is above 1.5; others untouched.

    A curve in percent that never passes 1.5 % cannot be told from a fraction and stays as it is.
    """
    if series is None or role not in ACCURACIES:
        return series
    finite = series.finite()
    if not len(finite) or float(np.max(finite.value)) <= _WHOLE:
        return series
    return Series(series.step, series.value / 100.0, series.metric, series.time)
