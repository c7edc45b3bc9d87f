"""Upturn: how sure it is that a curve turned upward for good. Vocabulary of the rules."""

from __future__ import annotations

import math

from curvedoc.core.series import Floats, Series
from curvedoc.stats.basic.grid import curve_of, drift_of
from curvedoc.stats.shape.turning import rise_z, turn_step

#: Rows from the turn on below which no line is drawn through them.
LINE_ROWS = 6
#: Deviates that a trend counts at most: what lies beyond says no more than that it is certain.
MOST = 10.0
#: A run of rises after a chosen minimum is as rare as this many times its plain deviate (measured on falling curves).
CHOSEN = 1.35


def upturn_z(s: Series) -> float | None:
    """How sure it is that the curve turned upward for good: above 5.8 in 2 of 1,000 curves that only fall.

    The sum of two deviates: that it ends above its lowest stretch (rise_z), and that it went on rising from there on.
    Either alone is made by luck now and then, and by correlated noise more often. None below five finite rows.

    >>> upturn_z(Series.of([5.0, 4.0, 3.2, 2.9, 3.1, 3.4, 3.8, 4.1, 4.5, 5.0, 5.2])) > 5.8
    True
    >>> upturn_z(Series.of([5.0, 4.0, 3.2, 2.9, 2.7, 2.6, 2.5, 2.45, 2.4, 2.4, 2.38])) < 2
    True
    """
    rise, turn = rise_z(s), turn_step(s)
    if rise is None or turn is None:
        return None
    c = curve_of(s)
    since = c.calm[int(c.x.searchsorted(turn)) :]
    return rise + (_line_z(since) if len(since) >= LINE_ROWS else _run_z(since))


def _line_z(y: Floats) -> float:
    """The trend over rows as a deviate, none where it falls."""
    found = drift_of(y)
    return 0.0 if found is None else min(max(found.z, 0.0), MOST)


def _run_z(y: Floats) -> float:
    """A few rows that rise at each step: as rare as one order of all of theirs. Anything else says nothing."""
    n = len(y)
    if n < 3 or not bool((y[1:] > y[:-1]).all()):
        return 0.0
    from statistics import NormalDist  # which brings fractions; most runs do not come here

    return CHOSEN * NormalDist().inv_cdf(1.0 - 1.0 / math.factorial(n))
