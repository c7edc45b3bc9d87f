"""The tasks that one model learns one after another, whose counters begin anew with each."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from curvedoc.core.late_regex import late_regex
from curvedoc.core.series import Floats

#: What such a task is called, and its number ("Task 2, Epoch 1/20", "=== experience: 3 ===", "Session 1").
_STAGE = late_regex(
    r"\b(task|split|experience|session|increment|incremental (?:step|stage|task))[ _-]?(?:id|index|number|no\.?|#)?"
    r"[ :=#]{0,3}(\d{1,3})(?![\d.]*\d)",
    re.IGNORECASE,
)
#: What numbers the folds of a validation too: only a model that is evaluated on several of them learns them in turn.
_PERHAPS = "split"
#: Lines ahead of the first record that may name its task.
_LOOK = 60


def stages_in(lines: Sequence[str]) -> list[tuple[str, int]]:
    """The tasks that lines name, in their order."""
    return [(found[0].lower(), int(found[1])) for line in lines for found in _STAGE.findall(line)]


def next_stages(lines: Sequence[str], record: Sequence[int], back: Sequence[int]) -> list[int]:
    """Those of the records at which counters went back (`back`) where the next task begins, not another training.

    record: the line of each record of the main curve. The task stands on the record or between it and the one before,
    and the last one that is named has a number above that of the task before; or the model was evaluated on several
    tasks before most of them.
    """
    if not back:
        return []
    last = stages_in(lines[max(record[0] - _LOOK, 0) : record[0] + 1])[-1:]
    out, evaluated = [], 0
    for row in sorted(back):
        named = stages_in(lines[record[row - 1] + 1 : record[row] + 1])
        now = named[-1:]
        if now and last and now[0][0] == last[0][0] != _PERHAPS and now[0][1] > last[0][1]:
            out.append(row)
        evaluated += len({number for _, number in named}) > 1
        last = now or last
    return sorted(back) if 2 * evaluated > len(back) else out


def counted_on(count: Floats, at: Sequence[int]) -> Floats:
    """The counter as one of the whole run: from each of these lines on it goes on behind all before it."""
    out = count.copy()
    for begin, end in zip(at, [*at[1:], len(count)], strict=True):
        before, mine = out[:begin], out[begin:end]
        if np.isnan(before).all() or np.isnan(mine).all():
            continue
        first = np.nanmin(count[: at[0]]) if not np.isnan(count[: at[0]]).all() else np.nanmin(mine)
        if np.nanmin(mine) <= np.nanmax(before):
            out[begin:end] = mine + np.nanmax(before) - first + 1
    return out
