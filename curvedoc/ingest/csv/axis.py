"""The column that counts the steps of a CSV, and those that hold time and rank."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np
import polars as pl

from curvedoc.core.frozen import dataclass
from curvedoc.ingest.csv.cells import CellColumn, Floats
from curvedoc.ingest.naming.log_words import MORE_EPOCH_KEYS, MORE_STEPS
from curvedoc.ingest.table import clock
from curvedoc.ingest.trainings.counters import CounterEvents, resolve
from curvedoc.ingest.trainings.workers import of_workers

#: Names of the counter, best first; case, blanks and a path before the last word do not matter.
STEPS = (
    "step", "steps", "global_step", "trainer/global_step", "iteration", "iterations", "iter", "iters", "iter_num", "it",
    "num_updates", "current_steps", "update", "updates", "total_timesteps", "timesteps_total", "timesteps",
    "num_timesteps", "training_iteration", "env_steps", "total_env_steps", "frames", "frame", *MORE_STEPS,
)  # fmt: skip
#: Reinforcement learning counts these; beside them "time/iterations" counts something coarser.
TIMESTEPS = ("total_timesteps", "num_timesteps", "timesteps")
INNER = ("batch", "batch_idx", "batch_id", "minibatch")
EPOCHS = ("epoch", "epochs", "epoch_num", "round", "episode", *MORE_EPOCH_KEYS)
_RANKS = ("rank", "global_rank", "local_rank", "process_index")
_TIMES = (
    "wall_time",
    "wall time",
    "timestamp",
    "ts",
    "time",
    "created_at",
    "asctime",
    "datetime",
    "date",
    "created_at",
)
#: Names of a counter that has none: an index that was written along, a letter. It stands among the first columns.
_UNNAMED = ("column_1", "unnamed:_0", "index", "idx", "n", "i", "t", "row", "#")
_FIRST = 3
#: Rows that an epoch may have at most to stand for the step.
_ROWS = 4
#: A counter that falls on more of its rows than this counts something else.
_FALLING, _FALLING_LENGTH = 0.2, 0.05
_EPISODE = "episode"
#: Seconds since the epoch begin here; smaller numbers are durations.
_CLOCK_FLOOR = 1e9
_MILLIS_FLOOR = 1e11
_LIMIT = float(2**62)


@dataclass(frozen=True, slots=True)
class CsvAxis:
    """Which columns count.

    column: index of the counter (None for none); kind: "step", "epoch" or "row"; inner: a batch counter within epochs.
    """

    column: int | None
    kind: str
    rank: int | None = None
    inner: int | None = None

    def known(self) -> bool:
        """Whether any column counts."""
        return self.column is not None

    def steps(self, columns: Sequence[CellColumn], row: int) -> Floats:
        """The step of each row: NaN where the counter is missing or no number; rows counted from `row` without one."""
        n = len(columns[0].value)
        if self.column is None:
            return np.arange(row, row + n, dtype=np.float64)
        values = columns[self.column].value
        if self.inner is not None:
            values = _spread(values, columns[self.inner].value)
        ok = np.isfinite(values) & (np.abs(values) < _LIMIT)
        whole: Floats = np.round(values)
        return whole if bool(ok.all()) else np.where(ok, whole, np.nan)


def _spread(epoch: np.ndarray, batch: np.ndarray) -> np.ndarray:
    n = len(epoch)
    no, nan = np.zeros(n, bool), np.full(n, np.nan)
    return resolve(CounterEvents(nan, batch, nan, epoch, no, ~no, no, no, no)).step


def _plain(name: str) -> str:
    return name.strip().lower().replace(" ", "_").replace("-", "_")


@lru_cache(maxsize=1024)  # the files of a tree have a few headers between them
def axis_of(names: tuple[str, ...]) -> CsvAxis:
    """The axis that the header promises."""
    low = [_plain(n) for n in names]
    last = [n.rsplit("/", 1)[-1] for n in low]
    rank = next((low.index(r) for r in _RANKS if r in low), None)
    for cells, order in ((low, STEPS), (last, (*TIMESTEPS, *STEPS))):
        for wanted in order:
            if wanted in cells:
                return CsvAxis(cells.index(wanted), "step", rank)
    for wanted in EPOCHS:
        if wanted in low:
            inner = next((low.index(b) for b in INNER if b in low), None)
            return CsvAxis(low.index(wanted), "epoch" if inner is None else "step", rank, inner)
    for wanted in INNER:
        if wanted in low:
            return CsvAxis(low.index(wanted), "step", rank)
    return CsvAxis(None, "row", rank)


def usable(axis: CsvAxis, names: Sequence[str], column: Callable[[int], Floats]) -> CsvAxis:
    """The axis, or one that serves better: an epoch that holds for many rows, or comes in fractions, counts none of
    them. Then, and where nothing counts, a column without a real name (pandas' index) does if it ascends; else rows.

    column: the values of one. A "step" that falls again and again while another counter goes on by one is a length (the
    steps of an episode), and the other counts.
    """
    low = [_plain(n) for n in names]
    if axis.kind == "step" and axis.column is not None and axis.inner is None:
        epoch = next((low.index(e) for e in EPOCHS if e in low), axis.column)
        if epoch != axis.column and _within(column(axis.column), column(epoch)):
            return CsvAxis(epoch, "step", axis.rank, axis.column)
    if axis.kind == "epoch" and axis.column is not None and bool((np.diff(column(axis.column)) < 0).any()):
        wide = f"global_{low[axis.column]}"  # beside it, the other counts within a stage
        if wide in low and _ascends(column(low.index(wide))):
            return CsvAxis(low.index(wide), "epoch", axis.rank)
    if axis.kind == "step" and axis.column is not None and axis.inner is None and _falls(column(axis.column), low):
        for wanted in (*EPOCHS, *STEPS, *_UNNAMED):
            at = low.index(wanted) if wanted in low else axis.column
            if at != axis.column and (_ascends(column(at)) or of_workers(column(at))):
                return CsvAxis(at, "step", axis.rank)
        if not _falls(column(axis.column)):
            return axis
        # whatever it is called: a column that goes on by as much with each row
        paced = next((i for i in range(len(names)) if _paces(column(i))), None)
        return CsvAxis(paced, "row" if paced is None else "step", axis.rank)
    if axis.kind == "step" or (axis.column is not None and _few_rows_each(column(axis.column))):
        return axis
    for i, name in enumerate(names[:_FIRST]):
        if _plain(name) in _UNNAMED and _ascends(column(i)):
            return CsvAxis(i, "step", axis.rank)
    return CsvAxis(None, "row", axis.rank)


def _within(count: Floats, epoch: Floats) -> bool:
    """Whether a counter begins anew with each epoch, and goes on within it."""
    known = np.isfinite(count) & np.isfinite(epoch)
    up, on = np.diff(epoch[known]), np.diff(count[known])
    anew = on[up > 0]
    return len(anew) > 1 and bool((anew <= 0).all()) and bool((on[up == 0] > 0).all()) and bool((on[up == 0]).any())


def _falls(count: Floats, names: Sequence[str] = ()) -> bool:
    """Whether a counter goes down too often for restarts; the length of an episode mostly stands at its highest."""
    known, often = count[np.isfinite(count)], _FALLING_LENGTH if _EPISODE in names else _FALLING
    return len(known) > _ROWS and float((np.diff(known) < 0).mean()) > often


def _few_rows_each(epoch: Floats) -> bool:
    """Whether an epoch has a row or two (training, validation) and so can stand for the step."""
    known = epoch[np.isfinite(epoch)]
    return not len(known) or (bool((known == np.floor(known)).all()) and len(known) <= _ROWS * len(np.unique(known)))


def _ascends(value: Floats) -> bool:
    good = bool(np.isfinite(value).all()) and bool((np.abs(value) < _LIMIT).all())
    return len(value) > 1 and good and bool((value == np.floor(value)).all()) and bool((np.diff(value) > 0).all())


def _paces(value: Floats) -> bool:
    """Whether a column goes on by one and the same whole number with each row."""
    return _ascends(value) and bool((np.diff(value) == value[1] - value[0]).all())


def time_of(
    names: Sequence[str], cells: pl.DataFrame, columns: Sequence[CellColumn]
) -> tuple[Floats | None, int | None]:
    """(seconds since the Unix epoch, NaN where unknown; the column they stand in); a column of durations is a metric,
    not a clock."""
    low = [n.strip().lower() for n in names]
    for wanted in _TIMES:
        if wanted not in low:
            continue
        at = low.index(wanted)
        if columns[at].text:
            time = clock.seconds(cells[str(at)].fill_null(""))
            if time.null_count() < len(time):
                return time.cast(pl.Float64).to_numpy(), at
            continue
        values = columns[at].value
        known = values[~np.isnan(values)]
        floor = float(known.min()) if len(known) else 0.0
        if floor > _CLOCK_FLOOR:
            return (values / 1000.0 if floor > _MILLIS_FLOOR else values), at
    return None, None
