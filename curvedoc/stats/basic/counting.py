"""Counting: over how few examples a share was counted, as the values that it takes tell."""

from __future__ import annotations

import numpy as np

from curvedoc.core.series import Floats, Series

#: Shares of more examples than the first take so many values that three rounded digits are near one of them; more
#: digits tell more examples apart.
_MOST, _FURTHER = 24, 1000
#: So seldom do as many different values fit a number of examples by chance.
_CHANCE = 1e-3
#: Digits after the point of a number that nobody rounded.
_DIGITS = 9
#: Shares of one or two examples are no measure of anything: a metric of 0 and 1 says nothing of its set.
_LEAST = 3
#: Printed shares are off by half of their fourth digit.
_ROUNDED = 6e-4
#: No share is as large: above this a metric is in percent.
_WHOLE = 1.5
#: Values that are looked at first.
_FEW = 16


def examples_counted(share: Series) -> float | None:
    """The least number of examples, from 3 to 1,000, of which every finite value is a whole number of examples.

    share: an accuracy, as a fraction or in percent. A set of 12 that only ever gets 9 or 12 right counts as 4. None
    where no number fits, below two different values, without finite rows, and where more than 24 examples fit values
    of so few digits by chance.

    >>> examples_counted(Series.of([0.1667, 0.5, 0.6667, 0.8333]))
    6.0
    >>> examples_counted(Series.of([0.113, 0.482, 0.655, 0.871])) is None
    True
    """
    value = share.finite().value
    if not len(value) or float(np.min(value)) < 0.0:
        return None
    shares = value / (100.0 if float(np.max(value)) > _WHOLE else 1.0)
    # most curves are told from a few of their values
    left = _counts(shares[:: max(1, len(shares) // _FEW)], np.arange(1.0, _MOST + 1.0))
    seen = np.unique(shares)
    if len(seen) < 2 or seen[-1] > 1.0 + _ROUNDED:
        return None
    for n in left.tolist():
        if len(_counts(seen, np.array([n]))):
            return float(n) if n >= _LEAST else None
    return _further(seen)


def _further(seen: Floats) -> float | None:
    """The least number of examples above `_MOST` that fits, where all digits are known so well that it is no chance."""
    digits = next((d for d in range(1, _DIGITS) if bool((seen == np.round(seen, d)).all())), _DIGITS)
    off = 0.51 * 10.0**-digits
    numbers = np.arange(_MOST + 1.0, _FURTHER + 1.0)
    numbers = numbers[numbers * (2.0 * numbers * off) ** len(seen) < _CHANCE]
    parts = np.multiply.outer(numbers, seen[:: max(1, len(seen) // _FEW)])
    for n in numbers[(np.abs(parts - np.round(parts)) <= numbers[:, None] * off).all(axis=1)].tolist():
        parts = n * seen
        if bool((np.abs(parts - np.round(parts)) <= n * off).all()):
            return float(n)
    return None


def _counts(seen: Floats, numbers: Floats) -> Floats:
    """Those of the numbers of which every value is a whole number of examples."""
    parts = np.multiply.outer(numbers, seen)
    fits: Floats = numbers[(np.abs(parts - np.round(parts)) <= numbers[:, None] * _ROUNDED).all(axis=1)]
    return fits
