"""What says how good a sound run's model is beside its loss, and which of its evaluations was best."""

from __future__ import annotations

import numpy as np

from curvedoc.core.finding import Finding
from curvedoc.core.frozen import dataclass
from curvedoc.core.late_regex import late_regex
from curvedoc.core.numbers import spelled
from curvedoc.core.run import ABSOLUTE_ERROR, RoleMatch, Run
from curvedoc.core.series import Series
from curvedoc.diagnose.judge.inputs import Bench
from curvedoc.diagnose.judge.transcript import shortened
from curvedoc.stats.basic.finite import nonfinite_rows
from curvedoc.stats.noise.noise import noise

#: A last value within this share of the best is as good as the best.
AS_GOOD = 0.02
#: An accuracy that lost a hundredth and has twice the wrong answers of the best one is worse, near 100 % as well.
LOST, TWICE = 0.01, 2.0
#: Fewer evaluations have no best one.
FEW = 3
#: A name that is longer is no word of a sentence.
_LONGEST = 40
#: Measures of what is rare, as the few pixels of a tumor, which tell more than the share of all answers that are right.
_OF_THE_RARE = late_regex(r"(?i)(?:^|[^a-z])m?(?:dice|iou|io_u|jaccard|ap|map|f1)(?:[^a-z]|$)")
#: Precision averaged over overlaps from 0.5 to 0.95, which rates boxes better than that of one overlap.
_STRICTER = late_regex(r"(?i)(?:50|0\.5)\W{0,2}(?:0\.)?95(?!\d)")
#: Errors against a solution that is known, which no training loss is.
_OF_A_SOLUTION = late_regex(
    r"(?i)(?:^|[^a-z])(?:rel(?:ative)?[ _]?(?:l2|err(?:or)?)|l2[ _]?(?:rel|err(?:or)?))(?:[^a-z]|$)"
)
#: What a finding is about that is told better with the answers beside it.
_BESIDE = ("loss", "val_loss", "lr")
#: Words of a title that tells the answers itself.
_TOLD = ("accuracy", "answers", "quality")


@dataclass(frozen=True, slots=True)
class Quality:
    """A measure on data that the model did not train on, with its finite values; falls: whether less is better."""

    name: str
    series: Series
    falls: bool = False

    @property
    def best(self) -> int:
        """The row of the best evaluation, the last of those that are alike."""
        turned = -self.series.value if self.falls else self.series.value
        return len(turned) - 1 - int(np.argmax(turned[::-1]))

    @property
    def still_best(self) -> bool:
        """Whether the last evaluation is as good as the best."""
        most, last = float(self.series.value[self.best]), float(self.series.value[-1])
        fell = self.of_answers(last) and most - last > max(LOST, noise(self.series) or 0.0)
        if fell and 1.0 - last >= TWICE * (1.0 - most):
            return False
        return abs(most - last) <= AS_GOOD * abs(most)

    def as_good_at(self, step: int) -> bool:
        """Whether the evaluation of a step was no worse than the last."""
        then = self.series.value[self.series.step == step]
        if not len(then):
            return False
        gained = float(then[-1]) - float(self.series.value[-1])
        return gained <= 0.0 if self.falls else gained >= 0.0

    def told(self, row: int) -> str:
        """The value of a row."""
        return self.spelled(float(self.series.value[row]))

    def spelled(self, value: float) -> str:
        """A value: a share of right answers as a percentage."""
        return spelled(value, ".1%" if self.of_answers(value) else ".4g")

    def of_answers(self, value: float) -> bool:
        """Whether a value is a share of right answers."""
        return self.name == "validation accuracy" and 0.0 <= value <= 1.0


def quality(run: Run, bench: Bench) -> Quality | None:
    """The measure that the run is for, where it was taken on other data than those of training; else None.

    A measure that names no split and rises is one: training logs its loss and its share of right answers.
    """
    rare = [m for m in run.matches("val_metric") if _OF_THE_RARE.search(m.metric)]
    overlap = min(rare, key=_looser, default=None)
    found = None if overlap is None else run.metric(overlap.metric)
    if overlap is not None and found is not None and len(found.finite()):
        return Quality(_called(overlap), found.finite())
    right = run.series("val_accuracy")
    if right is not None and len(right.finite()):
        return Quality("validation accuracy", right.finite())
    for role in ("val_metric", "metric"):
        match = min(run.matches(role), key=_looser, default=None)
        found = None if match is None else run.metric(match.metric)
        # what merely behaves like one may be any gauge
        if match is None or found is None or not len(found.finite()) or match.trust == "guess":
            continue
        known = found.finite()
        if role == "metric":
            if "train" in match.metric.lower():
                return None
            if _OF_A_SOLUTION.search(match.metric):
                return Quality(_called(match), known, falls=True)
            rises = known.value[-1] > known.value[0]
            return Quality(_called(match), known) if rises and not bench.is_error(role) else None
        return Quality(_called(match), known, bench.value_of("main_quality", False) == "val_metric_down")
    return None


def answers(run: Run, bench: Bench, lead: Finding) -> str:
    """How right the model was meanwhile, beside a finding about its loss that does not tell it; "" where that is not
    known: "validation accuracy went from 24% to 71%".
    """
    about = next((s for role in _BESIDE if (s := run.series(role)) is not None and s.metric == lead.metric), None)
    # where numbers end, answers say no more
    if about is None or nonfinite_rows(about):
        return ""
    rated = quality(run, bench)
    said = lead.title.lower()
    if rated is None or len(rated.series) < FEW or rated.name.lower() in said or any(w in said for w in _TOLD):
        return ""
    first, last = rated.told(0), rated.told(-1)
    if first == last:
        return f"{rated.name} stays at {last}"
    if rated.still_best:
        return f"{rated.name} went from {first} to {last}"
    return f"{rated.name} went from {rated.told(rated.best)} at best to {last}"


def _looser(match: RoleMatch) -> bool:
    return _STRICTER.search(match.metric) is None


def _called(match: RoleMatch) -> str:
    return "validation's absolute error" if match.label == ABSOLUTE_ERROR else as_logged(match.metric)


def as_logged(metric: str) -> str:
    """A metric as the log spells it, without the folder that it stands in.

    >>> as_logged("metrics/mAP50(B)")
    'mAP50(B)'
    """
    return shortened(metric.rsplit("/", 1)[-1], _LONGEST)
