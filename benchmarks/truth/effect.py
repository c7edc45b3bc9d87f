"""Whether a fault can be seen: what was logged of a run beside what the same log of its healthy twin would hold.

The criterion, apart from any detector. S is how far the twin's curve comes down (its first tenth against its last),
or, where that is little, three times its scatter. A training loss (or a reward) is

  broken   where a value is not finite, or one rises above everything in the twin by S and by three scatters
  worse    where its last quarter ends above the twin's by a fifth of S and by three standard errors
  poor     where it does so by half of S: what takes half of the progress away shows without a twin
  spiked   where single rows rise above all of the twin's by three tenths of S and by four scatters

Validation is val-worse where its last half is above the twin's by three tenths of S (or four tenths of its level) and
the log shows it by itself: the curve ends above training by three tenths of S, or comes down by less than a third of S.
It is val-ragged where it is three times as ragged as the twin's, by a sixth of S or of its level.
Gradient and weight norms: medians of the second half apart by a factor of 10 (3 for weights). Rates: apart by a factor
of 2 in a fifth of the rows.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from benchmarks.truth.logs.written import Log

Values = Sequence[float]


def column(rows: Sequence[dict[str, float]], name: str) -> list[float]:
    """A channel's values."""
    return [r[name] for r in rows if name in r]


def scatter(x: Values) -> float:
    """The spread of one value around its neighbors."""
    steps = [abs(b - a) for a, b in pairwise(x) if math.isfinite(a) and math.isfinite(b)]
    return median(steps) / 0.954 if steps else 0.0


def finite(x: Values) -> list[float]:
    """The values that are numbers."""
    return [v for v in x if math.isfinite(v)]


def tail(x: Values, share: float) -> list[float]:
    """The last share of values, one at least."""
    return list(x[-max(1, round(len(x) * share)) :])


def size(twin: Values) -> float:
    """S of a twin's curve."""
    x = finite(twin)
    head = x[: max(1, len(x) // 10)]
    return max(abs(median(head) - median(tail(x, 0.1))), 3 * scatter(x), 1e-9)


def progress(x: Values, twin: Values, sign: float) -> set[str]:
    """broken, worse, poor, spiked of a curve that is to come down (sign 1) or to rise (-1)."""
    if not x or not twin:
        return set()
    if len(finite(x)) < len(x):
        return {"broken", "worse", "poor"}
    a, b = [sign * v for v in x], [sign * v for v in finite(twin)]
    s, grain = size(b), max(scatter(b), 1e-12)
    top = max(b)
    out = set()
    if max(a) > top + max(s, 3 * grain):
        out.add("broken")
    ends = tail(a, 0.25)
    more = sum(ends) / len(ends) - sum(tail(b, 0.25)) / len(tail(b, 0.25))
    error = max(scatter(ends), grain) * (2 / len(ends)) ** 0.5
    if more > 0.2 * s and more > 3 * error:
        out.add("worse")
    if more > 0.5 * s and more > 3 * error:
        out.add("poor")
    later = a[len(a) // 10 + 1 :]
    calm = b[len(b) // 10 + 1 :] or b
    if later and max(later) > max(calm) + max(0.3 * s, 4 * grain):
        out.add("spiked")
    return out


def validation(x: Values, twin: Values, training: Values) -> set[str]:
    """val-worse, val-ragged of a validation curve beside the training loss of its own log."""
    if len(x) < 3 or len(twin) < 3:
        return set()
    if len(finite(x)) < len(x):
        return {"val-worse"}
    b = finite(twin)
    s, level = size(b), abs(median(tail(b, 0.5)))
    end = median(tail(x, 0.5))
    more = end - median(tail(b, 0.5))
    out = set()
    beside = finite(training)
    gap = bool(beside) and end - median(tail(beside, 0.3)) > 0.3 * s
    unmoved = median(x[: max(1, len(x) // 10)]) - end < s / 3
    if (more > 0.3 * s or (level and more > max(0.4 * level, 0.1 * s))) and (gap or unmoved):
        out.add("val-worse")
    ragged = scatter(tail(x, 0.8))
    if ragged > 3 * scatter(tail(b, 0.8)) and ragged > max(s, abs(end)) / 6:
        out.add("val-ragged")
    return out


def norm(x: Values, twin: Values, factor: float) -> bool:
    """Whether the levels of two norms are that far apart, or one is not finite or zero alone."""
    if not x or not twin:
        return False
    a, b = median(tail(x, 0.5)), median(tail(twin, 0.5))
    if not math.isfinite(a) or len(finite(x)) < len(x):
        return True
    return abs(math.log((abs(a) + 1e-30) / (abs(b) + 1e-30))) > math.log(factor)


def effects(log: Log, twin: Log, aim: str) -> set[str]:
    """What can be seen in a log. aim: the measure of progress of the task (loss, reward, none)."""
    out: set[str] = set()
    rows, beside = log.rows, twin.rows
    if aim == "reward":
        out |= progress(column(rows, "reward"), column(beside, "reward"), -1.0)
    if aim == "loss":
        out |= progress(column(rows, "loss"), column(beside, "loss"), 1.0)
    for part in ("loss", *(k for k in rows[0] if k.endswith("_loss"))):
        if len(finite(column(rows, part))) < len(column(rows, part)):
            out |= {"broken", "worse", "poor"}
        elif aim == "none":
            out |= {"broken", "worse"} & progress(column(rows, part), column(beside, part), 1.0)
    out |= validation(column(log.evaluations, "val_loss"), column(twin.evaluations, "val_loss"), column(rows, "loss"))
    for name in ("grad_norm", *(k for k in rows[0] if k.startswith("gradients/"))):
        if norm(column(rows, name), column(beside, name), 10):
            out.add("gradient" if name == "grad_norm" else "layers")
    for name in ("weight_norm", *(k for k in rows[0] if k.startswith("weights/"))):
        x = column(rows, name)
        if norm(x, column(beside, name), 3) or (len(x) > 3 and len(set(x)) == 1):
            out.add("weights" if name == "weight_norm" else "layers")
    if any(norm(column(rows, n), column(beside, n), 1.6) for n in rows[0] if n.startswith("off/")):
        out.add("off")
    pairs = list(zip(column(rows, "lr"), column(beside, "lr"), strict=False))
    if pairs and sum(max(a, b) > 2 * min(a, b) + 1e-12 for a, b in pairs) > 0.2 * len(pairs):
        out.add("rate")
    scale = column(rows, "loss_scale")
    if scale and min(scale) < scale[0] / 16:
        out.add("scale")
    return out


def learned(log: Log, aim: str) -> bool:
    """Whether a healthy run did what it is to do."""
    x = column(log.rows, "reward" if aim == "reward" else "loss")
    if len(finite(x)) < len(x) or not x:
        return False
    if aim == "none":
        return True
    gain = median(x[: max(1, len(x) // 12)]) - median(tail(x, 0.2))
    return (gain if aim == "loss" else -gain) > 1.5 * scatter(x)
