"""Curves that fall by the same amount at every row, to the last digit: values that were made up, not measured."""

from __future__ import annotations

import numpy as np

from curvedoc.core.numbers import spelled
from curvedoc.core.run import Run
from curvedoc.core.series import Series
from curvedoc.diagnose.grounds.contradictions import Doubt
from curvedoc.stats.noise.noise import quantum

#: So many rows in turn, each of which is so many times the rounding of the log below the one before.
_ROWS, _DIGITS = 100, 10.0
#: Of the rounding: steps that are the same differ by less. Two curves take to it within so many rows.
_SAME, _AT_ONCE = 0.5, 5


def even_steps(run: Run) -> Doubt | None:
    """What is said of a run whose loss and validation both fall by one amount from some row to the end."""
    told = [(name, s.finite()) for name in ("loss", "val_loss") if (s := run.series(name)) is not None]
    if len(told) < 2 or run.axis == "row":
        return None
    (_, loss), (_, val) = told
    begun = [_since(loss), _since(val)]
    if begun[0] is None or begun[1] is None or abs(begun[0] - begun[1]) > _AT_ONCE * _gap(loss):
        return None
    since, unit = max(begun[0], begun[1]), "epoch" if run.axis == "epoch" else "step"
    steps = [spelled(abs(float(s.value[-1] - s.value[-2])), ".2g") for s in (loss, val)]
    return f"from {unit} {since:,} on the loss falls by {steps[0]} and validation by {steps[1]} at every row", (
        f"Evaluate the last weights again, and look for what writes the log after {unit} {since:,}: no measured loss "
        f"falls by the same amount each time."
    )


def _gap(s: Series) -> int:
    return int(np.median(np.diff(s.step))) if len(s) > 1 else 1


def _since(s: Series) -> int | None:
    """The step from which on a curve falls by one amount to its end; None where it does not for `_ROWS` rows."""
    digit = quantum(s)
    if len(s) <= _ROWS or digit is None:
        return None
    down = -np.diff(s.value)
    other = np.flatnonzero(np.abs(down - down[-1]) > _SAME * digit)
    first = int(other[-1]) + 1 if len(other) else 0
    # one that does so from its first row on is an example
    return int(s.step[first]) if first and len(down) - first >= _ROWS and down[-1] >= _DIGITS * digit else None
