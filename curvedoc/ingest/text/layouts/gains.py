"""Rows whose numbers tell by themselves what they are: an objective with what it gained, right answers of all."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import polars as pl
from numpy.typing import NDArray

from curvedoc.core.late_regex import late_regex
from curvedoc.ingest.text.cells import numbers
from curvedoc.ingest.text.line.plan import LinePlan
from curvedoc.ingest.text.line.prefix import Prefix
from curvedoc.ingest.text.line.slots import EPOCH, METRIC, STEP, NumberSlot
from curvedoc.ingest.text.line.template import FRACTION, NUMBER, slots

_EMPTY = Prefix(0, 0, "", -1, -1, False)
#: So many rows show that a column is the difference of another one, to as many parts of its size.
_ROWS, _NEAR, _MOST = 5, 0.02, 0.9
#: Nielsen's book: "Epoch 3: 9012 / 10000".
_SHARE = late_regex(rf"(?i)\W*epoch[ :=#]{{0,3}}{NUMBER} ?[:,|>-]{{1,3}} ?{FRACTION}\W*")

Floats = NDArray[np.float64]


def gain_plan(table: Floats | None) -> LinePlan | None:
    """The plan of rows of a counter, an objective that is made as high as can be, and what it gained (hmmlearn's)."""
    if table is None or table.shape[1] != 3 or len(table) < _ROWS:
        return None
    count, value, gain = table.T
    moved = np.diff(value)
    known = np.isfinite(moved)
    if not bool((np.diff(count) == 1).all()) or int(known.sum()) < _ROWS - 1:
        return None
    moved, gained = moved[known], gain[1:][known]
    fits = np.abs(moved - gained) <= _NEAR * np.abs(moved) + 1e-3 * float(np.median(np.abs(moved)))
    if float(fits.mean()) < _MOST:
        return None
    found = (NumberSlot(STEP, 0, "iteration"), NumberSlot(METRIC, 1, "log likelihood"), NumberSlot(METRIC, 2, "gain"))
    return LinePlan("record", found, _EMPTY)


def share_plans(lines: pl.DataFrame, plans: Mapping[str, LinePlan]) -> dict[str, LinePlan]:
    """The plans of lines that tell, an epoch each, how many of all were right."""
    could = [t for t, p in plans.items() if p.kind != "record" and _SHARE.fullmatch(t) is not None]
    if not could:
        return {}
    rows = lines.filter(pl.col("template").is_in(could))
    tokens = rows.select(slots(pl.col("masked")).alias("t"))["t"]
    if len(rows) < _ROWS or not bool((tokens.list.len() == 2).all()):
        return {}
    value, of = numbers(tokens.explode())
    epoch, right, whole = value[::2], value[1::2], of[1::2]
    # a bar of its own stands at its total, and its batches share their epoch
    counted = bool((np.diff(epoch) != 0).all()) and bool((whole == whole[0]).all()) and bool((right < whole).any())
    if not counted:
        return {}
    found = LinePlan("record", (NumberSlot(EPOCH, 0, "epoch"), NumberSlot(METRIC, 1, "accuracy")), _EMPTY)
    return dict.fromkeys(could, found)
