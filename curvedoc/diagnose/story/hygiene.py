"""What the log did to the values on their way: averaged, thinned or sampled them, left zeros, wrote steps again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from curvedoc.core.block import Block
from curvedoc.core.run import Note, Run
from curvedoc.core.series import Floats, Series
from curvedoc.rulebook.rule import Remark
from curvedoc.stats.basic.medians import median_of
from curvedoc.stats.noise.averaging import MOST, averaged_rows
from curvedoc.stats.noise.noise import quantum
from curvedoc.stats.pairs.runs import noise_correlation, share_equal_pairs

#: What common tools keep of a longer history.
_RESERVOIRS = {500: "W&B's run.history()", 1_000: "TensorBoard", 1_500: "a W&B chart", 10_000: "TensorBoard"}

#: The limits of one remark, as its file in rules/remarks sets them.
_Limits = Mapping[str, float]


def hygiene(run: Run, remarks: Mapping[str, Remark]) -> tuple[Note, ...]:
    """Notes on what the training loss cannot show for how it was logged; empty without a loss.

    remarks: those that may be made, with their limits.
    """
    loss = run.series("loss")
    if loss is None:
        return ()
    found: list[Note] = []
    for kind, remarked in MAKERS.items():
        if kind in remarks:
            found += remarked(run, loss, remarks[kind].program.given)
    return tuple(found)


def _averaged(run: Run, loss: Series, limits: _Limits) -> Iterator[Note]:
    rows = averaged_rows(loss)
    if rows and rows >= limits["rows_min"]:
        yield Note(
            "looks-averaged",
            f"The loss looks like a running average over {_about(rows)} rows: a spike shows as less than it was, "
            f"a change shows late",
        )


def _about(rows: float) -> str:
    return f"{MOST:.0f} or more" if rows == MOST else f"about {rows:.0f}"


def _gaps(run: Run, loss: Series, rows_min: float) -> Floats | None:
    """The gaps between its steps; None where there are few, or where the reader said that rows were sampled."""
    told = (n.kind for n in (*run.notes, *(n for s in run.sources for n in s.notes)))
    return None if len(loss) < rows_min or "looks-sampled" in told else np.diff(loss.step).astype(np.float64)


def _ends(gaps: Floats) -> tuple[float, float]:
    """The usual gap of the first and of the last quarter."""
    quarter = len(gaps) // 4
    return median_of(gaps[:quarter]), median_of(gaps[-quarter:])


def _grown(run: Run, loss: Series, limits: _Limits) -> Iterator[Note]:
    """An interval that grew."""
    gaps = _gaps(run, loss, limits["rows_min"])
    early, late = (0.0, -1.0) if gaps is None else _ends(gaps)
    if late >= limits["times"] * early:
        yield Note(
            "interval-grows",
            f"The loss was logged every {early:,.0f} {run.axis}s at first and every {late:,.0f} at the end: what is "
            f"short shows early in the run only",
        )


def _spaced(run: Run, loss: Series, limits: _Limits) -> Iterator[Note]:
    """Gaps of all lengths, as in a random sample."""
    gaps, n = _gaps(run, loss, limits["rows_min"]), len(loss)
    if gaps is None:
        return
    early, late = _ends(gaps)
    _, counts = np.unique(gaps, return_counts=True)
    regular = counts.max() >= limits["regular"] * len(gaps) or gaps.std() < limits["random"] * gaps.mean()
    if regular or late >= limits["grows"] * early:
        return
    tool = next((f", as {name} keeps of a longer history" for k, name in _RESERVOIRS.items() if abs(n - k) <= 1), "")
    yield Note(
        "gaps-at-random",
        f"The {n:,} rows of the loss stand at gaps of {gaps.min():,.0f} to {gaps.max():,.0f} {run.axis}s, like a "
        f"random sample{tool}: a spike shorter than a gap may not be in it",
    )


def _zeros(run: Run, loss: Series, limits: _Limits) -> Iterator[Note]:
    """Single values of exactly zero among ordinary ones."""
    v = loss.finite().value
    zero = v == 0.0
    count = int(zero.sum())
    if count == len(v) >= limits["rows_min"]:
        yield Note(
            "zero-values", f"All {count:,} values of the training loss are exactly zero: it was not logged", count=count
        )
    if not count or count == len(v) or bool(zero[-1]):
        return
    size = np.abs(v[~zero])
    if float(size.min()) > max(limits["near_zero"] * median_of(size), limits["digits"] * (quantum(loss) or 0.0)):
        yield Note(
            "zero-values",
            f"{count:,} of {len(v):,} values of the loss are exactly zero among ordinary ones: what an empty or fully "
            f"masked batch gives, or a NaN that was replaced; no loss of zero",
            count=count,
        )


def _repeated(run: Run, loss: Series, limits: _Limits) -> Iterator[Note]:
    """How alike the values are that a restart wrote again."""
    metric = loss.metric
    old, new = _superseded([b for b in run.blocks if b.metric == metric]), run.metric(metric)
    if new is None or len(old) < limits["rows_min"]:
        return
    same = share_equal_pairs(old, new)
    alike = noise_correlation(old, new)
    if same is None:
        return
    if same >= limits["same"]:
        what = "with the same values: the restart went on exactly as before"
    elif alike is not None and alike >= limits["alike"]:
        what = f"with like noise (correlation {alike:.2f}): the same data came again, the state was another"
    elif alike is not None and alike <= limits["unlike"]:
        what = f"with other noise (correlation {alike:.2f}): the data came in another order"
    else:
        return
    yield Note("steps-again", f"{len(old):,} steps were written again after a restart, {what}")


def _replayed(run: Run, loss: Series, limits: _Limits) -> Iterator[Note]:
    """Whether the data of the run's beginning came again after a restart, which the noise of the loss shows."""
    later = [b.step[b.segment > 0] for b in run.blocks if b.metric == loss.metric and b.segment is not None]
    again = min((int(step.min()) for step in later if len(step)), default=None)
    if again is None:
        return
    at = int(np.searchsorted(loss.step, again))
    count = min(at, len(loss) - at)
    if count < limits["rows_min"]:
        return
    rows = np.arange(count, dtype=np.int64)
    alike = noise_correlation(Series(rows, loss.value[:count].copy()), Series(rows, loss.value[at : at + count].copy()))
    if alike is not None and alike >= limits["alike"]:
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


#: Who makes each remark.
MAKERS: Mapping[str, Callable[[Run, Series, _Limits], Iterator[Note]]] = {
    "looks-averaged": _averaged,
    "zero-values": _zeros,
    "steps-again": _repeated,
    "data-again": _replayed,
    "interval-grows": _grown,
    "gaps-at-random": _spaced,
}
