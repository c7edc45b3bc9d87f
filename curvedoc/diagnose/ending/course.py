"""How far a run came of what it had planned."""

from __future__ import annotations

import math
import re
from typing import Literal

import numpy as np

from curvedoc.core.frozen import dataclass
from curvedoc.core.late_regex import late_regex
from curvedoc.core.run import Run
from curvedoc.core.series import Series
from curvedoc.stats.basic.medians import median_of

#: A logger that writes every n steps leaves out the last few, and an epoch counter starts at 0 or 1.
DONE = 0.95
#: What makes of a plan a ceiling: the training may stop before it by design.
_STOPPER = late_regex(r"early_?stop|patience|stop_?after|max_time|time_?limit", re.IGNORECASE)
#: Patience of a learning-rate schedule stops nothing.
_SCHEDULE = late_regex(r"lr|plateau|sched|reduce|anneal", re.IGNORECASE)
_LEFT = late_regex(r"(?i)(?:^|[_/ .])(?:remaining_time|time_remaining|time_left|eta(?:_seconds)?)$")
_TOTAL = late_regex(r"(?:^|[_/ .])train_runtime$")
_OFF = ("", "false", "none", "no", "off", "null", "0")


@dataclass(frozen=True, slots=True)
class Course:
    """done of planned, in one unit. length: the plan is how long the training goes, not how long it may go at most."""

    unit: Literal["step", "epoch"]
    done: float
    planned: float
    length: bool

    @property
    def share(self) -> float:
        """Part of the plan that was done, at most 1."""
        return min(1.0, self.done / self.planned)

    @property
    def complete(self) -> bool:
        """Whether the plan was done but for what a logger leaves out."""
        return self.share >= DONE

    @property
    def words(self) -> str:
        """Both numbers: "step 696 of 2,000"."""
        return f"{self.unit} {math.floor(self.done):,} of {math.ceil(self.planned):,}"


def course(run: Run) -> Course | None:
    """How far the run came, by its steps or by its epochs; None where the plan or the position is not known."""
    loss = run.series("loss") or run.series("val_loss")
    if loss is None or not len(loss):
        return None
    length = not _may_stop(run)
    steps, epochs = _count(run, "max_steps"), _count(run, "epochs")
    found = [Course("epoch", done, epochs, length) for done in _epochs_done(run, loss) if epochs is not None]
    if run.axis == "step":
        per = _count(run, "steps_per_epoch")
        if steps is not None:
            found.append(Course("step", _reached(loss, steps), steps, length))
        elif not found and per is not None and epochs is not None:
            found.append(Course("step", _reached(loss, per * epochs), per * epochs, length))
    # of two plans the one that ends first holds
    return max(found, key=lambda c: c.share, default=None)


def _epochs_done(run: Run, loss: Series) -> list[float]:
    """How many epochs were done, by the axis or by the epoch column."""
    if run.axis == "epoch":
        return [float(loss.step[-1]) + (int(loss.step[0]) == 0)]
    counted = run.series("epoch")
    value = counted.finite().value if counted is not None else np.array([])
    if not len(value):
        return []
    # a whole number names the epoch that is under way: it is taken for done, which errs to the side of finished
    whole = bool((value == np.rint(value)).all())
    return [float(value.max()) + (whole and float(value.min()) == 0.0)]


def closing(run: Run) -> str | None:
    """What says that the training came to its end: a time left that ends at zero, or a total that is logged last."""
    for metric in run.metrics():
        if _TOTAL.search(metric):
            return f"{metric} is logged, which is written when the training is over"
        s = run.metric(metric) if _LEFT.search(metric) else None
        value = s.finite().value if s is not None else np.array([])
        if len(value) > 1 and value[-1] == 0.0 and value[0] > 0.0:
            return f"{metric} ends at 0"
    return None


def interval(s: Series) -> float:
    """The usual distance of two logged steps."""
    return median_of(np.diff(s.step)) if len(s) > 1 else 1.0


def seconds_apart(s: Series) -> float | None:
    """The usual time between two logged points; None without a clock."""
    if s.time is None:
        return None
    gaps = np.diff(s.time[np.isfinite(s.time)])
    gaps = gaps[gaps > 0]
    return median_of(gaps) if len(gaps) else None


def _reached(s: Series, planned: float) -> float:
    """The last step, or the plan itself where the next logged step would have been past it."""
    last = float(s.step[-1])
    return planned if last < planned <= last + interval(s) else last


def _count(run: Run, key: str) -> float | None:
    value = run.settings.get(key)
    usable = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value) and value > 0
    return float(value) if usable and isinstance(value, int | float) else None


def _may_stop(run: Run) -> bool:
    return any(
        _STOPPER.search(key) and not _SCHEDULE.search(key) and str(value).strip().lower() not in _OFF
        for key, value in run.config.items()
    )
