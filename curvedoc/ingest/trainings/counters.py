"""Which step each record of a text log belongs to, from the counters on its line and the lines before it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from curvedoc.core.frozen import dataclass
from curvedoc.core.series import Floats, Ints
from curvedoc.ingest.trainings.alien_counters import EPOCHS, agree, counted_apart, stands
from curvedoc.ingest.trainings.delays import RESET_SHARE, carried, held_back, named_at_end, said_once
from curvedoc.ingest.trainings.starts import often_within

_LIMIT = float(2**62)

Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class CounterEvents:
    """The counters of the lines that have any, in file order; NaN where a line has none.

    step, inner, total, epoch: as logged (`inner` counts within an epoch, `total` is what it runs to)
    evaluation: the line counts an evaluation, so its `inner` says nothing about training
    record: the line has metrics
    bar: the line is a progress bar
    averaged: Keras' running averages, of which the last of an epoch counts
    samples: `inner` counts samples
    """

    step: Floats
    inner: Floats
    total: Floats
    epoch: Floats
    evaluation: Bools
    record: Bools
    bar: Bools
    averaged: Bools
    samples: Bools


@dataclass(frozen=True, slots=True)
class Steps:
    """The step of every event (NaN before the first), what it counts, and whether `epoch` served as a counter."""

    step: Floats
    axis: str
    epochs_whole: bool


def epochs_of(ev: CounterEvents) -> Floats:
    """The epoch of every event: that of the last line to name one; of the next one where each epoch is named when it
    ends, behind batches that were counted from the start."""
    last = carried(ev.epoch)
    known = np.flatnonzero(~np.isnan(ev.epoch))
    if named_at_end(ev.epoch, ev.record):
        ahead = carried(ev.epoch[::-1])[::-1]
        return np.where(np.isnan(ahead), last, ahead)
    count = np.where(np.isnan(ev.inner), ev.step, ev.inner)  # "step 20/100" may be of the epoch as well
    counted = np.flatnonzero(ev.record & ~ev.evaluation & ~np.isnan(count))
    named = ~np.isnan(ev.epoch[counted])
    batch = counted[~named]
    if len(known) < EPOCHS or not len(batch) or batch[0] > known[0]:
        return last
    if bool(
        (np.diff(count[counted])[named[1:]] < 0).any()
    ):  # the last batch may name the epoch, the first one begins it
        return last
    behind = np.searchsorted(known, batch)  # how many lines that name an epoch stand before each
    begins = np.flatnonzero(np.r_[True, ev.epoch[known][behind[1:] - 1] != ev.epoch[known][behind[:-1] - 1]])
    first = count[batch[begins]]
    if len(begins) < EPOCHS or float((first <= first[0]).mean()) < RESET_SHARE or not _whole(ev.epoch):
        return last
    ahead = carried(ev.epoch[::-1])[::-1]
    return np.where(np.isnan(ahead), last + 1, ahead)


def _counted_on(ev: CounterEvents) -> Floats:
    """The epoch of every event, carried; where a line of its own names the first one again behind records, another call
    of `fit` goes on, and its epochs are counted from where the last one ended."""
    named = np.flatnonzero(~np.isnan(ev.epoch))
    told = np.cumsum(ev.record)[named]
    epoch = ev.epoch.copy()
    first, last, shift, since = epoch[named[0]], epoch[named[0]], 0.0, int(told[0])
    for at, records in zip(named[1:].tolist(), told[1:].tolist(), strict=True):
        now = float(ev.epoch[at])
        if not ev.record[at] and records > since:
            if now <= min(first, last):
                shift += last - now + 1.0
            since, last = records, now
        epoch[at] = now + shift
    out = carried(epoch)
    if ev.record[: named[0]].any() and not ev.record[named[0]] and first >= 1:
        out[: named[0]] = first - 1  # an excerpt that begins below the line of its first epoch
    return out


def _whole(values: Floats) -> bool:
    known = values[~np.isnan(values)]
    return bool(len(known)) and bool((np.isfinite(known) & (known == np.floor(known)) & (np.abs(known) < _LIMIT)).all())


def _resets(count: Floats, epoch: Floats, total: Floats) -> bool:
    """Whether the counter goes back (or stands at its total again) at most of the places where the epoch goes on."""
    known = ~np.isnan(count) & ~np.isnan(epoch)
    c, e, full = count[known], epoch[known], (count == total)[known]
    on = np.diff(e) > 0
    back = (np.diff(c) < 0) | ((np.diff(c) == 0) & full[1:])
    return bool(on.any()) and float(back[on].mean()) >= RESET_SHARE


def _passes(count: Floats, epoch: Floats) -> Floats:
    """The epochs, or the passes where several begin within most of them: those of clients in a round."""
    seen = np.flatnonzero(~np.isnan(count) & ~np.isnan(epoch))
    fell = np.diff(count[seen]) < 0
    if not often_within(fell & (np.diff(epoch[seen]) == 0), epoch[seen]):
        return epoch
    out = np.full(len(count), np.nan)
    out[seen] = np.cumsum(np.r_[False, fell])
    return out


def _over_epochs(count: Floats, total: Floats, epoch: Floats) -> Floats:
    """A counter within the epoch as a counter of the whole run."""
    known = count[~np.isnan(count)]
    stride = np.diff(np.unique(known))
    # a counter that begins at 0 is one interval short of the epoch's length
    length = float(known.max()) + (0.0 if known.min() > 0 else float(np.median(stride)) if len(stride) else 1.0)
    totals = total[~np.isnan(total) & ~np.isnan(count)]
    if len(totals) and float(np.max(totals)) >= known.max():  # else it is the total of something else
        length = float(np.max(totals))
    return (epoch - np.nanmin(epoch)) * length + count


def _inner(ev: CounterEvents, epoch: Floats, whole: bool, main: Ints | None) -> Floats | None:
    """The counter within the epoch as one of the run, NaN where a line has none; None where it does not count.

    epoch: of every event, carried; whole: the epochs are whole numbers; main: the lines of the main curve
    """
    train = ~ev.evaluation
    inner = np.where(train & np.isfinite(ev.inner), ev.inner, np.nan)
    if ev.bar.any() and not (ev.record & ~np.isnan(inner) & ~ev.bar).any():
        # bars of downloads and evaluations run to other totals than the bar of the training does
        totals = np.where(ev.bar & ~np.isnan(inner), ev.total, np.nan)
        mine = totals[main] if main is not None else totals
        if whole and main is not None and not np.isnan(mine).all():
            # epochs may be of several lengths, but a bar to a total of no record of the main curve is another's,
            # and one that says nothing yet is of the epoch that is named next
            inner = np.where(np.isnan(totals) | (np.isin(totals, mine) & ev.record), inner, np.nan)
        elif not np.isnan(totals).all() and not whole:
            known, often = np.unique(mine[~np.isnan(mine)], return_counts=True)
            total = known[often == often.max()].max() if main is not None and len(known) else np.nanmax(totals)
            inner = np.where(totals == total, inner, np.nan)
    counted = not np.isnan(inner).all() and (bool((ev.record & ~np.isnan(inner)).any()) or not whole)
    if counted:
        if not np.isnan(epoch).all():
            if _resets(inner, epoch, ev.total):
                inner = _over_epochs(inner, np.where(train, ev.total, np.nan), _passes(inner, epoch))
        else:
            seen = ~np.isnan(inner)
            turn = np.zeros(len(inner))
            turn[np.flatnonzero(seen)[1:]] = np.diff(inner[seen]) < 0
            if turn.sum() > 0 and _same(ev.total[seen]):
                inner = _over_epochs(inner, ev.total, np.cumsum(turn))
        return inner
    return None


def _between(step: Floats, main: Ints) -> Floats:
    """The steps, carried; where the lines of the main curve name none and several stand between two that do, laid out
    evenly between these, and so on backward from the first."""
    reached = carried(step)
    mine = reached[main]
    known = ~np.isnan(mine)
    if not bool(np.isnan(step[main]).all()) or not bool(known.any()):
        return reached
    ahead, rows, mine = main[~known], main[known], mine[known]
    begins = np.flatnonzero(np.r_[True, mine[1:] != mine[:-1]])
    size = np.diff(np.r_[begins, len(mine)])
    level = mine[begins]
    if len(begins) < EPOCHS or float((size - 1).sum()) < (1 - RESET_SHARE) * len(mine) or (np.diff(level) <= 0).any():
        return reached
    stride = np.r_[np.diff(level), np.median(np.diff(level))]
    if bool((stride < size).any()):
        return reached
    place = np.arange(len(mine)) - np.repeat(begins, size)
    laid = np.repeat(level, size) + np.floor(np.repeat(stride / size, size) * place)
    out = reached.copy()
    since = level[0] - np.ceil(stride[0] / size[0] * np.arange(len(ahead), 0, -1))
    if len(ahead) and since[0] >= 0:
        first = np.arange(ahead[0], rows[0])
        out[first] = since[np.searchsorted(ahead, first, side="right") - 1]
    before = np.searchsorted(rows, np.arange(len(out)), side="right") - 1
    same = (before >= 0) & (reached == mine[np.maximum(before, 0)])
    out[same] = laid[before[same]]
    return out


def _several(main: Ints, epoch: Floats, ev: CounterEvents) -> bool:
    """Whether the main curve has several records an epoch (of a bar, and of a running average, the last counts)."""
    rows = main[~(ev.bar | ev.averaged)[main]]
    on = epoch[rows]
    on = on[~np.isnan(on)]
    if not len(on):
        return False
    counts = np.unique(on, return_counts=True)[1]
    return float(np.median(counts)) >= 2


def _of_the_run(step: Floats, main: Ints | None) -> Bools:
    """The lines beside the main curve whose steps count the whole run, where those of the main curve begin anew with
    each epoch ("[Rank 0] step=930, lr=1e-5" beside "Epoch: 1, Step: 10, loss = 2.1")."""
    out = np.zeros(len(step), bool)
    if main is None or not len(main):
        return out
    rest = ~np.isnan(step)
    rest[main] = False
    mine, told = step[main], step[rest]
    on = len(told) >= EPOCHS and bool((np.diff(told) >= 0).all()) and 2 * len(np.unique(told)) >= len(told)
    if on and told[-1] > np.nanmax(mine, initial=-np.inf):  # "Steps: 266" of each epoch counts nothing
        out = rest
    return out


def _on_each(step: Floats, main: Ints | None) -> bool:
    """Whether each record of the main curve, which may be logged less often than epochs are told, has a step of its
    own that counts on."""
    mine = step[main] if main is not None else step[:0]
    return len(mine) > EPOCHS and bool((np.diff(mine) > 0).all())


def resolve(ev: CounterEvents, main: Ints | None = None) -> Steps:
    """The steps of all events.

    A step beats a counter within the epoch, that beats the epoch; where other lines name a step than those with a
    counter that agrees with them, each line has its own. A line without a counter of the run's kind takes the
    last one before it. Axis "row" when nothing counts (all NaN), or nothing but an epoch with several records of the
    main curve (its lines: `main`), which are counted; "samples" where the counter does.
    """
    whole = _whole(ev.epoch)
    epoch = epochs_of(ev) if whole else np.full(len(ev.epoch), np.nan)
    train = ~ev.evaluation
    if ev.averaged.any() and whole:
        return Steps(_counted_on(ev), "epoch", True)
    step = np.where(np.isfinite(ev.step) & (np.abs(ev.step) < _LIMIT), ev.step, np.nan)
    own = np.where(train, step, np.nan)
    named = not np.isnan(step).all() and not said_once(step, ev.inner, main)
    if named and (np.isnan(own).all() or _on_each(own, main) or not stands(own, epoch, ev.record & train)):
        total = np.where(train, ev.total, np.nan)
        if _resets(own, epoch, total):
            through = _of_the_run(own, main)
            within = np.where(through, np.nan, own)
            step = np.where(through, own, np.where(np.isnan(own), np.nan, _over_epochs(within, total, epoch)))
        elif np.isnan(own[~np.isnan(ev.inner)]).all():
            inner = _inner(ev, epoch, whole, main)
            if inner is not None and agree(inner, step):
                step = np.where(np.isnan(step), inner, step)
            elif inner is not None and main is not None and counted_apart(inner, step, main):
                # the lines that name a step were printed at another time: a buffer held them back
                last = np.nanmax(inner)
                step = np.where(np.isnan(inner) & (step <= last), step, inner)
        return Steps(carried(step) if main is None else _between(step, main), "step", whole)
    inner = _inner(ev, epoch, whole, main)
    if inner is not None and not stands(inner, epoch, ev.record & train):
        laid = held_back(inner, ev.total, ev.record, main) if main is not None and len(main) else carried(inner)
        if laid is not None:
            return Steps(laid, "samples" if ev.samples.any() else "step", whole)
    if whole:
        if main is not None and _several(main, epoch, ev):
            counted = np.zeros(len(epoch))
            counted[main] = 1.0
            return Steps(np.cumsum(counted), "row", True)
        return Steps(epoch, "epoch", True)
    return Steps(np.full(len(ev.step), np.nan), "row", False)


def _same(values: Floats) -> bool:
    known = values[~np.isnan(values)]
    return bool(len(known)) and bool((known == known[0]).all())


def rows(names: list[list[str]]) -> list[int]:
    """A row number for each record of a log without any counter: a new row begins when a name comes again."""
    out: list[int] = []
    seen: set[str] = set()
    row = 0
    for line in names:
        if not seen.isdisjoint(line):
            row += 1
            seen = set()
        seen.update(line)
        out.append(row)
    return out
