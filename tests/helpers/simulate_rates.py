"""Simulated learning-rate logs with known truth: every common schedule, as trainers set it and as logs print it.

A plan is a schedule over `total` updates; a log is what a logger kept of it: every k-th update, rounded or printed, cut
before its end, resumed from a checkpoint.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from curvedoc.core.series import Series
from curvedoc.stats.schedule.recognition import Schedule

Floats = NDArray[np.float64]
Random = np.random.Generator


@dataclass(frozen=True, slots=True)
class Plan:
    """What a scheduler does.

    rate:  of every update [total + 1], peak 1
    warm:  updates of warm-up; None where the first rise is none
    ends:  update at which the formula ends; None where it never does
    holds: updates before which the rate is constant after its warm-up, whatever comes then
    """

    kind: str
    rate: Floats
    warm: int | None = 0
    ends: int | None = None
    holds: int = 0


@dataclass(frozen=True, slots=True)
class Log:
    """What was logged of a plan; a kind besides the plan's, or for it, where what tells it was cut off."""

    form: str
    kinds: tuple[str, ...]
    lr: Series
    plan: Plan
    peak: float
    every: int
    printed: str

    @property
    def last(self) -> int:
        """The last update that was logged."""
        return int(self.lr.step[-1])


def _share(total: int, warm: int) -> Floats:
    t = np.arange(total + 1, dtype=np.float64)
    return np.clip((t - warm) / (total - warm), 0.0, 1.0)


def _warmed(rate: Floats, warm: int, start: float) -> Floats:
    """`rate` with its first `warm` updates replaced by a line from `start` of the peak."""
    t = np.arange(len(rate), dtype=np.float64)
    return np.where(t < warm, start + (1.0 - start) * t / max(warm, 1), rate)


def _half_cosine(u: Floats) -> Floats:
    return np.asarray(0.5 * (1.0 + np.cos(np.pi * u)), dtype=np.float64)


def _warm(total: int, rng: Random) -> tuple[int, float]:
    return _rise(total, rng, 0.0, 0.0, 0.03, 0.06, 0.1, 0.2), float(rng.choice([0.0, 0.0, 0.01, 0.1, 1.0 / 3.0]))


def _rise(total: int, rng: Random, *shares: float) -> int:
    """Length of a warm-up: a share of the run, three updates at least (fewer are a leap)."""
    share = float(rng.choice(shares))
    return max(3, int(total * share)) if share else 0


def _constant(total: int, rng: Random) -> Plan:
    return Plan("constant", np.ones(total + 1))


def _warm_constant(total: int, rng: Random) -> Plan:
    warm = _rise(total, rng, float(rng.uniform(0.02, 0.5)))
    return Plan("constant", _warmed(np.ones(total + 1), warm, float(rng.choice([0.0, 0.1]))), warm)


def _linear(total: int, rng: Random) -> Plan:
    warm, start = _warm(total, rng)
    low = float(rng.choice([0.0, 0.0, 0.1]))
    rate = 1.0 - (1.0 - low) * _share(total, warm)
    return Plan("linear", _warmed(rate, warm, start), warm, None if low else total)


def _cosine(total: int, rng: Random) -> Plan:
    warm, start = _warm(total, rng)
    low = float(rng.choice([0.0, 0.0, 0.01, 0.1]))
    rate = low + (1.0 - low) * _half_cosine(_share(total, warm))
    return Plan("cosine", _warmed(rate, warm, start), warm, total)


def _polynomial(total: int, rng: Random) -> Plan:
    warm, start = _warm(total, rng)
    power = float(rng.choice([0.5, 0.9, 1.5, 2.0, 3.0]))
    return Plan("polynomial", _warmed((1.0 - _share(total, warm)) ** power, warm, start), warm, total)


def _exponential(total: int, rng: Random) -> Plan:
    warm, start = _warm(total, rng)
    gone = math.log(float(rng.choice([5.0, 20.0, 100.0, 1000.0])))
    return Plan("exponential", _warmed(np.exp(-gone * _share(total, warm)), warm, start), warm)


def _inverse_sqrt(total: int, rng: Random) -> Plan:
    warm = _rise(total, rng, float(rng.uniform(0.02, 0.15)))
    t = np.arange(total + 1, dtype=np.float64)
    return Plan("inverse-sqrt", np.minimum(t / warm, np.sqrt(warm / np.maximum(t, 1.0))), warm)


def _step(total: int, rng: Random) -> Plan:
    """Drops at chosen updates, or by a factor every so many."""
    t = np.arange(total + 1)
    warm = _rise(total, rng, 0.0, 0.0, 0.02, 0.05)
    if rng.random() < 0.5:
        at = np.sort(rng.uniform(0.2, 0.9, int(rng.integers(1, 4)))) * total
        rate = float(rng.choice([0.1, 0.2, 0.5])) ** (t[:, None] >= at[None, :]).sum(axis=1)
    else:
        tread = total * rng.uniform(0.1, 0.4)
        rate = float(rng.choice([0.1, 0.2, 0.3, 0.5])) ** np.floor(t / tread)
    drop = int(np.argmax(rate < 1.0))
    return Plan("step", _warmed(rate.astype(np.float64), warm, 0.0), warm, holds=drop)


def _one_cycle(total: int, rng: Random) -> Plan:
    """Up and down by cosines, as the policy is usually set."""
    warm = int(total * rng.choice([0.2, 0.3, 0.4]))
    start = 1.0 / float(rng.choice([10.0, 25.0]))
    t = np.arange(total + 1, dtype=np.float64)
    up = start + (1.0 - start) * _half_cosine(1.0 - np.minimum(t / warm, 1.0))
    down = _half_cosine(_share(total, warm)) * (1.0 - start * 1e-4) + start * 1e-4
    return Plan("one-cycle", np.where(t < warm, up, down), warm, total)


def _cyclic(total: int, rng: Random) -> Plan:
    """Triangles, level or halved each time."""
    t = np.arange(total + 1, dtype=np.float64)
    half = total / float(rng.uniform(4.5, 12.0))
    cycle = np.floor(1.0 + t / (2.0 * half))
    height = np.maximum(0.0, 1.0 - np.abs(t / half - 2.0 * cycle + 1.0))
    low = float(rng.choice([0.01, 0.1, 0.2]))
    height = height * 0.7 ** (cycle - 1.0) if rng.random() < 0.3 else height
    return Plan("cyclic", low + (1.0 - low) * height, None)


def _restarts(total: int, rng: Random) -> Plan:
    """Cosines that begin anew, of equal or doubled length, at the full rate or a part of it."""
    warm = _rise(total, rng, 0.0, 0.0, 0.03)
    rate, first, top = np.ones(warm), total * rng.uniform(0.1, 0.3), 1.0
    longer, fade = float(rng.choice([1.0, 1.0, 2.0])), float(rng.choice([1.0, 1.0, 0.7]))
    while len(rate) <= total:
        rate = np.concatenate([rate, top * _half_cosine(np.arange(int(first)) / int(first))])
        first, top = first * longer, top * fade
    return Plan("restarts", _warmed(rate[: total + 1], warm, 0.0), warm)


def _stable_decay(total: int, rng: Random) -> Plan:
    """Warm-up, hold, then down over the last part by a line, a cosine or one minus a square root."""
    warm = _rise(total, rng, float(rng.uniform(0.01, 0.1)))
    start = 1.0 - float(rng.choice([0.1, 0.2, 0.3]))
    t = np.arange(total + 1, dtype=np.float64) / total
    u = np.clip((t - start) / (1.0 - start), 0.0, 1.0)
    down = [1.0 - u, _half_cosine(u), 1.0 - np.sqrt(u)][int(rng.integers(3))]
    return Plan("stable-decay", _warmed(down, warm, 0.0), warm, total, int(start * total))


def _range_test(total: int, rng: Random) -> Plan:
    """Up through two decades or more by a constant factor."""
    decades = float(rng.uniform(4.0, 8.0))
    return Plan("range-test", 10.0 ** (-decades * (1.0 - np.arange(total + 1) / total)), None)


FORMS: dict[str, Callable[[int, Random], Plan]] = {
    "constant": _constant, "warm-up then constant": _warm_constant, "linear": _linear, "cosine": _cosine,
    "step": _step, "exponential": _exponential, "one-cycle": _one_cycle, "cyclic": _cyclic,
    "restarts": _restarts, "stable-decay": _stable_decay, "range-test": _range_test, "polynomial": _polynomial,
    "inverse-sqrt": _inverse_sqrt,
}  # fmt: skip
#: From a decay of so much of the rate on, it can be told from a hold.
SEEN = 0.05
PRINTED = ("%.17g", "%.17g", "%.7g", "%.4g", "%.3g", "%.3e", "%.2e", "%.8f")
PEAKS = (3e-4, 1e-3, 1e-4, 6e-4, 0.1, 0.05, 2e-5, 3.7e-3)


def log(
    form: str, rng: Random, cut: bool = False, resumed: bool = False, by_epoch: bool = False, printed: str | None = None
) -> Log:
    """A log of `form` of 200 rows to 1,500.

    cut:      the log ends within the last 5 to 40 % of the schedule
    resumed:  rows around a checkpoint are missing and the grid of logged updates shifts, as after a restart
    by_epoch: the scheduler is stepped once an epoch, of 20 to 100 in all
    """
    rows, every = int(rng.integers(200, 1500)), int(rng.choice([1, 1, 5, 10, 37, 100]))
    keep = 1.0 - float(rng.uniform(0.05, 0.4)) * cut
    total = int(rows / keep) * every + int(rng.integers(0, every))
    plan = _plan(form, total, rng, by_epoch)
    peak = float(rng.choice(PEAKS))
    printed = printed or str(rng.choice(PRINTED[: -1 if peak < 1e-3 else None]))
    t = np.arange(0 if rng.random() < 0.5 else every, int(total * keep) + 1, every)
    if resumed:
        at = int(rng.uniform(0.2, 0.8) * len(t))
        gap, shift = int(rng.integers(0, 4)), int(rng.integers(0, every))
        t = np.concatenate([t[: max(at - gap, 2)], t[at:] + shift])
        t = t[t <= total]
    seen = plan.rate[t]
    fallen = 1.0 - float(seen[t >= plan.holds].min(initial=1.0)) if plan.holds else 1.0
    kinds = (("constant",) if fallen < SEEN else ()) + ((plan.kind,) if fallen > 0.0 else ())
    value = [float(printed % v) for v in peak * seen]
    return Log(form, kinds, Series.of(value, step=t.tolist(), metric="lr"), plan, peak, every, printed)


def _plan(form: str, total: int, rng: Random, by_epoch: bool) -> Plan:
    if not by_epoch:
        return FORMS[form](total, rng)
    epochs = int(rng.integers(20, 100))
    length = -(-(total + 1) // epochs)
    plan = FORMS[form](epochs, rng)
    updates = np.minimum(np.arange(total + 1) // length, epochs)
    return Plan(
        plan.kind,
        plan.rate[updates],
        None if plan.warm is None else plan.warm * length,
        None if plan.ends is None else plan.ends * length,
        plan.holds * length,
    )


@dataclass(frozen=True, slots=True)
class Told:
    """What of one log was told right; None where the log cannot show it."""

    kind: bool
    warm: bool | None
    peak: bool
    ends: bool | None  # the horizon, and whether it was reached


def judge(log: Log, found: Schedule | None) -> Told:
    """`found` against the truth: lengths to three rows or 3 % of the log, the end of a schedule to 6 %."""
    if found is None:
        return Told(False, False, False, None)
    warm, ends = log.plan.warm, None
    near = max(3.0 * log.every, 0.03 * log.last)
    if log.plan.ends is not None and found.kind == log.plan.kind:
        whole = log.last >= 0.99 * log.plan.ends
        ends = None if found.horizon is None and not whole else False
        if found.horizon is not None:
            right = abs(found.horizon - log.plan.ends) <= 0.06 * log.plan.ends
            ends = right and (found.end_reached is whole or abs(found.horizon - log.last) <= 0.02 * log.last)
    return Told(
        found.kind in log.kinds,
        None if warm is None else abs((found.warmup_end or 0.0) - warm) <= near,
        abs(found.peak / float(np.max(log.lr.value)) - 1.0) <= 1e-6,
        ends,
    )


def logs(form: str, rng: Random, count: int) -> list[Log]:
    """`count` logs of one form: whole, cut, resumed and set once an epoch in turn."""
    return [log(form, rng, cut=i % 3 == 1, resumed=i % 4 == 3, by_epoch=i % 5 == 4) for i in range(count)]
