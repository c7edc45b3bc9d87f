"""Rows that no word names at all, and that show by their values what they are of."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import polars as pl

from curvedoc.core.series import Floats
from curvedoc.ingest.naming.values.curve_shape import comes_down, gains
from curvedoc.ingest.naming.values.rivals import are_twins
from curvedoc.ingest.text.cells import numbers
from curvedoc.ingest.text.line.plan import LinePlan
from curvedoc.ingest.text.line.template import slots

#: Fewer rows may be anything; with fewer columns they are points of any curve, with more a matrix.
_ROWS, _COLUMNS, _MOST = 20, 4, 8


def shows_training(lines: pl.DataFrame, plans: Sequence[LinePlan]) -> bool:
    """Whether rows count from 0 or 1 and hold a loss of two parts of the data, which comes down, and a share that
    rises: what one epoch after the other is summed up by.

    lines: columns masked and template; plans: of each line
    """
    record = pl.Series([p.kind == "record" for p in plans])
    tokens = lines.filter(record).select(slots(pl.col("masked")).alias("t"))["t"]
    width = tokens.list.len()
    if len(tokens) < _ROWS or width.n_unique() != 1 or not _COLUMNS <= int(width[0]) <= _MOST:
        return False
    table: Floats = numbers(tokens.explode())[0].reshape(-1, int(width[0]))
    count, values = table[:, 0], table[:, 1:].T
    if not np.isfinite(table).all() or count[0] not in (0.0, 1.0) or not (np.diff(count) == 1.0).all():
        return False
    shares = [gains(v) for v in values]
    losses = [v for v, share in zip(values, shares, strict=True) if not share]
    return any(shares) and any(are_twins(a, b) and (comes_down(a) or comes_down(b)) for a, b in pairwise(losses))
