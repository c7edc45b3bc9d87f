"""The records of a log at which another training begins, told from the counter, the loss and what stands between."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from curvedoc.core.frozen import dataclass
from curvedoc.core.series import Floats, Ints
from curvedoc.ingest.trainings.workers import of_workers

#: Records that tell a level.
_LEVEL = 3
#: A jump of so many typical differences of neighbors is no continuation.
_JUMP = 6.0
#: A loss that is as near as this to a level, in parts of how far it had moved, is at it.
_NEAR = 0.25
#: Fewer records before a fall say nothing about where the loss had got to.
_PAST = 3
#: So many rows have quarters, whose middles are apart by no more than so many second differences by chance.
_QUARTERS, _SCATTERS = 24, 2.0
#: Counters that end so many times further than others are no epochs.
_APART = 3.0
#: Of the rows of a training that is seen to learn, so many are below the one before.
_MOSTLY = 0.6
#: A loss of another quantity is so many times smaller.
_ANOTHER = 10.0
#: Fewer epochs may be those of a stage, or of a client in a round.
_LONG = 10
#: Whoever goes on from a checkpoint goes back to more than this share of what was reached.
_CHECKPOINT = 0.1
#: A log of more restarts than that is a counter of something else.
MAX_TRAININGS = 1_000

Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Progress:
    """The main curve of a log, record by record, in file order.

    epoch, count: its counters (NaN where unknown), the second within the epoch or of the run; loss: its value
    """

    epoch: Floats
    count: Floats
    loss: Floats

    def __len__(self) -> int:
        return len(self.loss)


@dataclass(frozen=True, slots=True)
class Returns:
    """Rows at which the counters are where a training begins.

    start: back where those of the log's first record stood; early: back to so little of what had been reached that it
    is no checkpoint, or where the last such fall went; again: at the start, but nothing had got on since
    """

    start: Ints
    early: Ints
    again: Ints


def returns(p: Progress) -> Returns:
    """Where the counters of a log are back at its start, or close to it."""
    n = len(p)
    none = np.zeros(0, np.int64)
    by_epoch = bool(np.isfinite(p.epoch).all())
    by_count = bool(np.isfinite(p.count).all())
    if n < 2 or not (by_epoch or by_count):
        return Returns(none, none, none)
    if of_workers(p.epoch if by_epoch else p.count):
        return Returns(none, none, none)
    epoch = p.epoch if by_epoch else np.zeros(n)
    count = p.count if by_count else np.zeros(n)
    up = np.diff(count)[(np.diff(epoch) == 0) & (np.diff(count) > 0)]
    stride = float(np.median(up)) if len(up) else 0.0
    within = (np.diff(epoch) == 0) & (np.diff(count) < 0)
    down = np.diff(epoch) < 0
    if not often_within(within, epoch):
        down |= within
    first = epoch[1:] <= epoch[0]
    back = first & ((count[1:] <= count[0] + stride) | (np.diff(epoch) < 0))
    same = first & ((count[1:] <= count[0]) if by_count else (np.diff(epoch) == 0))
    far = epoch if by_epoch else count
    early, last = [], 0
    for row in (np.flatnonzero(down) + 1).tolist():
        as_before = (epoch[row], count[row]) <= (epoch[last], count[last] + stride)
        if back[row - 1] or far[row] <= far[0] + _CHECKPOINT * (far[row - 1] - far[0]) or (last and as_before):
            early.append(row)
            last = row
    start = np.flatnonzero(down & back) + 1
    return Returns(start, np.array(early, dtype=np.int64), np.flatnonzero(same & ~down) + 1)


def often_within(fell: Bools, epoch: Floats) -> bool:
    """Whether what falls within an epoch (`fell`, between neighbors) does so several times in each, in later ones as in
    the first: clients that train one after the other in each round."""
    later = fell & (epoch[1:] > np.min(epoch, initial=np.inf))
    return int(later.sum()) >= max(_PAST, 2 * int((np.diff(epoch) > 0).sum())) and 2 * int(later.sum()) > int(
        fell.sum()
    )


def starts(p: Progress, found: Returns, announced: Bools) -> list[int]:
    """Rows at which another training begins: the counters are back at their start and the loss does not go on from
    where it was, or what was printed before the first record was printed again (`announced`).

    A counter that begins anew after every so many records counts within the epoch; a resume goes back to later than
    the start.
    """
    at = found.start
    if not len(found.early) or len(found.early) >= MAX_TRAININGS:
        return []
    epochs = bool(np.isfinite(p.epoch).all())
    ends = p.count[at - 1]
    # of one length each: epochs, unless the epochs are counted themselves
    within = not epochs and len(at) > 1 and bool((ends == ends[0]).all())
    if within and _repeated(p.loss, at):
        return list(at.tolist())
    uneven = len(at) > 1 and not within
    # no epoch is so many times as long as another one
    apart = uneven and not epochs and float(ends.max()) > _APART * max(float(ends.min()), 1.0)
    fell = np.zeros(len(p), bool)
    fell[at] = True
    out: list[int] = []
    for row in np.union1d(found.early, found.again).tolist():
        begin = out[-1] if out else 0
        past = bool(fell[row]) and row - begin >= _PAST
        if announced[row]:
            begins = not within or (past and anew(p.loss, begin, row, False))
        else:
            begins = not within and past and anew(p.loss, begin, row, epochs or uneven, epochs or apart)
        if begins:
            out.append(row)
    return out


def _repeated(loss: Floats, at: Ints) -> bool:
    """Whether the loss falls in each part and begins each next one where it began the first: the same training again
    and again. What an epoch begins with lies lower from epoch to epoch."""
    parts = [loss[a:b] for a, b in cut(at.tolist(), len(loss))]
    if not all(len(v) > _PAST and np.isfinite(v).all() for v in parts):
        return False
    first, last = np.array([[v[0], v[-1]] for v in parts]).T
    fell = float(np.median(first - last))
    level = bool((np.abs(first - first[0]) <= _NEAR * fell).all())
    return level and all(v[0] - v[-1] > fell / 2 > 0 and float((np.diff(v) < 0).mean()) >= _MOSTLY for v in parts)


def anew(loss: Floats, begin: int, row: int, anywhere: bool, counted: bool = False) -> bool:
    """Whether the loss at `row` is none that goes on from the rows before it.

    anywhere: a jump to any other level tells; a counter that may be the epoch's own needs the loss back where it began
    (the first value of an epoch may lie far below the last of the one before). counted: the epochs are
    """
    past = loss[begin:row]
    past, after = past[np.isfinite(past)], loss[row:]
    after = after[np.isfinite(after)]
    if len(past) < _PAST or not len(after) or goes_on(loss[begin:], row - begin):
        return False
    few = min(_LEVEL, len(after), max(1, len(past) // _LEVEL))
    first, before, now = (float(np.median(v)) for v in (past[:few], past[-few:], after[:few]))
    if anywhere and after[0] == past[0] and past[0] not in past[1:]:
        return True  # to the last digit what it began with: the same seed
    if counted and _is_another(first, before, now):
        return True
    move = np.diff(past)
    pace = float(np.median(move))
    noise = float(np.median(np.abs(move - pace)))
    falls = bool((move < 0).all())
    if falls and abs(now - first) <= _NEAR * abs(first - before):
        return True  # the steps of a few falling values are no noise
    if counted and falls and after[0] - past[-1] > _NEAR * (past[0] - past[-1]):
        return True
    if abs(now - before) <= _JUMP * noise + few * abs(pace):
        # of a loss that never got away from where it began, or is back there, what counts the epochs tells
        back = any(abs(v - first) < abs(v - before) for v in (now, float(after[0])))
        return counted and len(past) >= _LONG and (back or abs(first - before) <= _JUMP * noise)
    return anywhere or abs(now - first) < abs(now - before)


def goes_on(loss: Floats, row: int, by_quarters: bool = False) -> bool:
    """Whether the loss had left the level where it began, by far, and is at `row` where the row before left it.

    by_quarters: that it had is told by the middle of its first quarter and of its last, which a noisy curve can show
    """
    past, after = loss[:row], loss[row:]
    past, after = past[np.isfinite(past)], after[np.isfinite(after)]
    if len(past) < _PAST or not len(after):
        return False
    few = min(_LEVEL, len(after), max(1, len(past) // _LEVEL))
    first, before, now = (float(np.median(v)) for v in (past[:few], past[-few:], after[:few]))
    pace = float(np.median(np.diff(past[-few - 1 :])))
    off = min(abs(now - before), abs(now - before - few * pace))
    if min(first, before, now) > 0.0:
        if now * now > first * before:
            return False  # of a loss that fell by powers of ten, a quarter of the way back is nearly all of it
        if _is_another(first, before, now):
            return False
    return off <= _NEAR * abs(first - before) and _away(past, first - before, by_quarters)


def _is_another(first: float, before: float, now: float) -> bool:
    """Whether a loss falls at once by more powers of ten than on its whole way: it is another quantity."""
    return min(first, before, now) > 0.0 and before > _ANOTHER * now and now * first < before * before


def _away(past: Floats, moved: float, by_quarters: bool = False) -> bool:
    """Whether a curve moved by more than it scatters."""
    if by_quarters and len(past) >= _QUARTERS:
        part = len(past) // 4
        apart = abs(float(np.median(past[:part])) - float(np.median(past[-part:])))
        return apart > _SCATTERS * float(np.median(np.abs(np.diff(past, 2))))
    return abs(moved) > _JUMP * float(np.median(np.abs(np.diff(past, 2)))) if len(past) > _PAST else moved != 0.0


def cut(at: Sequence[int], n: int) -> list[tuple[int, int]]:
    """(first, past the last) of each part of n rows cut at these rows."""
    return list(zip([0, *at], [*at, n], strict=True))
