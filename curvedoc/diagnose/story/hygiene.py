"""What the log did to the values on their way: averaged, thinned or sampled them, left zeros, wrote steps again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from curvedoc.core.block import Block
from curvedoc.core.run import Note, Run
from curvedoc.core.series import Ints, Series
from curvedoc.stats.basic.medians import median_of
from curvedoc.stats.noise.averaging import MOST, averaged_rows
from curvedoc.stats.noise.noise import quantum
from curvedoc.stats.pairs.runs import noise_correlation, share_equal_pairs

#: Kinds of these notes. Their text is a sentence for the reader of a report.
KINDS = ("looks-averaged", "gaps-at-random", "interval-grows", "zero-values", "steps-again", "data-again")

_SAMPLE_ROWS = 200  # fewer rows have gaps of all lengths for many reasons
_REGULAR = 0.5  # of the gaps are the same: a logging interval
_RANDOM = 0.4  # standard deviation over mean of the gaps: a clock that starts a row every minute varies by less
_GROWS = 4.0  # times the interval of the first rows: a log that was thinned out as it grew
#: What common tools keep of a longer history.
_RESERVOIRS = {500: "W&B's run.history()", 1_000: "TensorBoard", 1_500: "a W&B chart", 10_000: "TensorBoard"}
_REPEATED_ROWS = 20  # steps that were written twice, to say how alike they are
_SAME = 0.95  # of them equal
_ALIKE, _UNLIKE = 0.5, 0.2  # correlation of noise
_ZERO_ROWS = 8  # fewer zeros may be an overfitted batch
_REPLAYED_ROWS = 60  # on either side, to tell one data order from another by noise
_NEAR_ZERO = 0.05  # of the median: a loss that has values there can come to exact zero by itself
_UNITS = 20.0  # of the last printed digit: values of a few units are printed as zero when they are a little smaller


def hygiene(run: Run) -> tuple[Note, ...]:
    """Notes on what the training loss cannot show for how it was logged; empty without a loss."""
    loss = run.series("loss")
    if loss is None:
        return ()
    told = {n.kind for n in (*run.notes, *(n for s in run.sources for n in s.notes))}
    found = [*_averaged(loss), *_zeros(loss), *_repeated(run, loss.metric), *_replayed(run, loss)]
    if "looks-sampled" not in told:
        found += _spaced(loss.step, run.axis)
    return tuple(found)


def _averaged(loss: Series) -> Iterator[Note]:
    rows = averaged_rows(loss)
    if rows:
        yield Note(
            "looks-averaged",
            f"The loss looks like a running average over {_about(rows)} rows: a spike shows as less than it was, "
            f"a change shows late",
        )


def _about(rows: float) -> str:
    return f"{MOST:.0f} or more" if rows == MOST else f"about {rows:.0f}"


def _spaced(step: Ints, axis: str) -> Iterator[Note]:
    """Gaps of all lengths, as in a random sample; or an interval that grew."""
    n = len(step)
    if n < _SAMPLE_ROWS:
        return
    gaps = np.diff(step).astype(np.float64)
    quarter = len(gaps) // 4
    early, late = median_of(gaps[:quarter]), median_of(gaps[-quarter:])
    if late >= _GROWS * early:
        yield Note(
            "interval-grows",
            f"The loss was logged every {early:,.0f} {axis}s at first and every {late:,.0f} at the end: what is short "
            f"shows early in the run only",
        )
        return
    _, counts = np.unique(gaps, return_counts=True)
    if counts.max() >= _REGULAR * len(gaps) or float(gaps.std()) < _RANDOM * float(gaps.mean()):
        return
    tool = next((f", as {name} keeps of a longer history" for k, name in _RESERVOIRS.items() if abs(n - k) <= 1), "")
    yield Note(
        "gaps-at-random",
        f"The {n:,} rows of the loss stand at gaps of {gaps.min():,.0f} to {gaps.max():,.0f} {axis}s, like a random "
        f"sample{tool}: a spike shorter than a gap may not be in it",
    )


def _zeros(loss: Series) -> Iterator[Note]:
    """Single values of exactly zero among ordinary ones."""
    v = loss.finite().value
    zero = v == 0.0
    count = int(zero.sum())
    if count == len(v) >= _ZERO_ROWS:
        yield Note(
            "zero-values", f"All {count:,} values of the training loss are exactly zero: it was not logged", count=count
        )
    if not count or count == len(v) or bool(zero[-1]):
        return
    size = np.abs(v[~zero])
    if float(size.min()) > max(_NEAR_ZERO * median_of(size), _UNITS * (quantum(loss) or 0.0)):
        yield Note(
            "zero-values",
            f"{count:,} of {len(v):,} values of the loss are exactly zero among ordinary ones: what an empty or fully "
            f"masked batch gives, or a NaN that was replaced; no loss of zero",
            count=count,
        )


def _repeated(run: Run, metric: str) -> Iterator[Note]:
    """How alike the values are that a restart wrote again."""
    old, new = _superseded([b for b in run.blocks if b.metric == metric]), run.metric(metric)
    if new is None or len(old) < _REPEATED_ROWS:
        return
    same = share_equal_pairs(old, new)
    alike = noise_correlation(old, new)
    if same is None:
        return
    if same >= _SAME:
        what = "with the same values: the restart went on exactly as before"
    elif alike is not None and alike >= _ALIKE:
        what = f"with like noise (correlation {alike:.2f}): the same data came again, the state was another"
    elif alike is not None and alike <= _UNLIKE:
        what = f"with other noise (correlation {alike:.2f}): the data came in another order"
    else:
        return
    yield Note("steps-again", f"{len(old):,} steps were written again after a restart, {what}")


def _replayed(run: Run, loss: Series) -> Iterator[Note]:
    """Whether the data of the run's beginning came again after a restart, which the noise of the loss shows."""
    later = [b.step[b.segment > 0] for b in run.blocks if b.metric == loss.metric and b.segment is not None]
    again = min((int(step.min()) for step in later if len(step)), default=None)
    if again is None:
        return
    at = int(np.searchsorted(loss.step, again))
    count = min(at, len(loss) - at)
    if count < _REPLAYED_ROWS:
        return
    rows = np.arange(count, dtype=np.int64)
    alike = noise_correlation(Series(rows, loss.value[:count].copy()), Series(rows, loss.value[at : at + count].copy()))
    if alike is not None and alike >= _ALIKE:
        yield Note(
            "data-again",
            f"After the restart at {run.axis} {again:,} the loss has the noise of the run's first rows (correlation "
            f"{alike:.2f}): the data was read from its beginning again",
        )


def _superseded(blocks: Sequence[Block]) -> Series:
    """The last value written for each step among those that a later segment wrote again."""
    last: dict[int, float] = {}
    for b in blocks:
        if b.superseded is not None:
            old = b.superseded & ~np.isnan(b.value)
            last.update(zip(b.step[old].tolist(), b.value[old].tolist(), strict=True))
    steps = sorted(last)
    return Series.of([last[s] for s in steps], steps, "again")
