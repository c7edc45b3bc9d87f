"""How the steps of a run are told: in the unit that its user counts in."""

from __future__ import annotations

import numpy as np

from curvedoc.core.frozen import dataclass
from curvedoc.core.numbers import spelled
from curvedoc.core.run import Run, once_a_run
from curvedoc.core.series import Series

#: A fractional counter is at the end of an epoch within this share of it.
WHOLE = 0.01
#: Of all rows those that have an epoch of their own, one of training and one of evaluation counted as two.
SHARED = 0.5
#: Of all rows of training those that were evaluated as well, where a bare number counts epochs.
EVALUATED = 0.9
#: Fewer rows show no rhythm.
FEWEST = 3
#: What says how good a model is on data that it did not train on.
_EVALUATIONS = ("val_loss", "val_accuracy", "val_metric")
#: Formats whose counter may have no name in the log: another has a column that is called step or epoch.
_NAMELESS = ("text", "tensorboard")


@dataclass(frozen=True, slots=True)
class Counter:
    """What a run counts in (`axis`), and the epochs logged beside it: those that tell one row from another (`epochs`),
    or those that many rows share (`passes`).
    """

    axis: str = "step"
    epochs: Series | None = None
    passes: Series | None = None

    @property
    def noun(self) -> str:
        """What one of them is called.

        >>> Counter("samples").noun, Counter("step").noun
        ('sample', 'step')
        """
        return self.axis[:-1] if self.axis.endswith("s") and len(self.axis) > 1 else self.axis

    def at(self, step: float) -> str:
        """Where a step is: "epoch 12 (step 60)" at the end of an epoch, else "step 61".

        Rows and samples mean nothing to a user: where epochs are logged beside them, "epoch 1.43", "epoch 2", and
        within one "the start of epoch 2" and "sample 320 of epoch 2". A step that the log counts anew in each epoch is
        told with its epoch.
        """
        plain = f"{'logged row' if self.axis == 'row' else self.noun} {spelled(step, 'step')}"
        if self.passes is not None and self.axis != "epoch":
            return self._within(self.passes, step, plain)
        value = self._epoch(step)
        if value is None:
            return plain
        whole = round(value)
        at_end = whole >= 1 and abs(value - whole) <= WHOLE and whole != round(step)
        if self.axis == "row":
            return f"epoch {whole:,}" if at_end else f"epoch {value:,.2f}"
        return f"epoch {whole:,} ({plain})" if at_end else plain

    def _within(self, passes: Series, step: float, plain: str) -> str:
        """A step among epochs that many rows share: that of its row, or of the last row before it."""
        row = int(np.searchsorted(passes.step, round(step), side="right")) - 1
        if row < 0:
            return plain
        epoch = f"epoch {spelled(float(passes.value[row]), 'step')}"
        begins = int(np.searchsorted(passes.value, passes.value[row]))
        # the last epoch of a log may have been broken off
        last, rows = row + 1 == len(passes), row + 1 - begins
        before = begins - int(np.searchsorted(passes.value, passes.value[begins - 1])) if begins else 0
        ends = 0 < before <= rows if last else passes.value[row + 1] > passes.value[row]
        if ends and self.axis != "step":
            return epoch
        if self.axis == "samples":
            into = round(step) - int(passes.step[begins])
            return f"sample {spelled(into, 'step')} of {epoch}" if into else f"the start of {epoch}"
        return f"{epoch} ({plain})" if ends else f"{plain} ({epoch})"

    def inside(self, step: float) -> str:
        """Where a step is, within parentheses: "epoch 12, step 60"."""
        return self.at(step).replace(" (", ", ").replace(")", "")

    def _epoch(self, step: float) -> float | None:
        if self.epochs is None or self.axis == "epoch":
            return None
        row = int(np.searchsorted(self.epochs.step, round(step)))
        if row >= len(self.epochs) or self.epochs.step[row] != round(step):
            return None
        return float(self.epochs.value[row])


STEPS = Counter()


@once_a_run
def counter(run: Run) -> Counter:
    """What a run counts in. An epoch that many rows share places none of them alone; training and evaluation may be
    two rows of one.
    """
    epochs = run.series("epoch")
    if epochs is None:
        nameless = run.axis in ("step", "row") and any(s.format in _NAMELESS for s in run.sources)
        return Counter("epoch" if nameless and _each_evaluated(run) else run.axis)
    known = epochs.finite()
    steps = np.diff(known.value)
    if len(known) < 2 or not bool((steps >= 0.0).all()):
        return Counter(run.axis)
    if int((steps > 0.0).sum()) >= SHARED * (len(known) - 1):
        return Counter(run.axis, known)
    whole = bool((known.value == np.rint(known.value)).all()) and bool((steps > 0.0).any())
    return Counter(run.axis, None, known if whole else None)


def _each_evaluated(run: Run) -> bool:
    """Whether a bare number counts epochs: it goes up by one, and each row of training is evaluated: "[ 3/14]"."""
    loss = run.series("loss")
    judged = next((s for role in _EVALUATIONS if (s := run.series(role)) is not None), None)
    if loss is None or judged is None or len(loss) < FEWEST or int(loss.step[0]) not in (0, 1):
        return False
    together = np.isin(loss.step, judged.step)
    return bool((np.diff(loss.step) == 1).all()) and int(together.sum()) >= EVALUATED * max(len(loss), len(judged))
