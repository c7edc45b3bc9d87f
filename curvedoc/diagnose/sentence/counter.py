"""How the steps of a run are told: in the unit that its user counts in."""

from __future__ import annotations

import numpy as np

from curvedoc.core.frozen import dataclass
from curvedoc.core.numbers import spelled
from curvedoc.core.run import Run
from curvedoc.core.series import Series

#: A fractional counter is at the end of an epoch within this share of it.
WHOLE = 0.01
#: Of all rows those that have an epoch of their own, one of training and one of evaluation counted as two.
SHARED = 0.5


@dataclass(frozen=True, slots=True)
class Counter:
    """What a run counts in (`axis`), and the epochs logged beside it, where they tell one row from another."""

    axis: str = "step"
    epochs: Series | None = None

    @property
    def noun(self) -> str:
        """What one of them is called.

        >>> Counter("samples").noun, Counter("step").noun
        ('sample', 'step')
        """
        return self.axis[:-1] if self.axis.endswith("s") and len(self.axis) > 1 else self.axis

    def at(self, step: float) -> str:
        """Where a step is: "epoch 12 (step 60)" at the end of an epoch, else "step 61".

        Rows mean nothing to a user: where epochs are logged beside them, "epoch 1.43".
        """
        plain = f"{self.noun} {spelled(step, 'step')}"
        value = self._epoch(step)
        if value is None:
            return plain
        whole = round(value)
        at_end = whole >= 1 and abs(value - whole) <= WHOLE and whole != round(step)
        if self.axis == "row":
            return f"epoch {whole:,}" if at_end else f"epoch {value:,.2f}"
        return f"epoch {whole:,} ({plain})" if at_end else plain

    def _epoch(self, step: float) -> float | None:
        if self.epochs is None or self.axis == "epoch":
            return None
        row = int(np.searchsorted(self.epochs.step, round(step)))
        if row >= len(self.epochs) or self.epochs.step[row] != round(step):
            return None
        return float(self.epochs.value[row])


STEPS = Counter()


def counter(run: Run) -> Counter:
    """What a run counts in. An epoch that many rows share places none of them; training and evaluation may be two."""
    epochs = run.series("epoch")
    if epochs is None:
        return Counter(run.axis)
    known = epochs.finite()
    steps = np.diff(known.value)
    rising = len(known) > 1 and bool((steps >= 0.0).all()) and int((steps > 0.0).sum()) >= SHARED * (len(known) - 1)
    return Counter(run.axis, known if rising else None)
