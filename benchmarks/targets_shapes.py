"""Targets of trends, ends, turning points, periods, pairs and learning-rate schedules, on simulated curves."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from simulate import curve, noise
from simulate_rates import FORMS, judge, logs
from targets import Row, quantile, rate, some

from curvedoc.core.series import Series
from curvedoc.stats.noise.period import period
from curvedoc.stats.pairs.runs import paired_z, same_order
from curvedoc.stats.schedule.recognition import recognize
from curvedoc.stats.shape.end_state import flat_end, still_falling
from curvedoc.stats.shape.trend import trend_z
from curvedoc.stats.shape.turning import rise_z, turn_high, turn_low, turn_step

FALLING_Z = 2.6  # of rise_z: 1 % of curves that only fall


def drawn(seed: int, i: int) -> np.random.Generator:
    """The i-th generator of a target; every target has a seed of its own."""
    return np.random.default_rng([seed, i])


def trends(share: float) -> Iterator[Row]:
    """Flat curves at a nominal 5 %, however correlated."""
    for phi in (0.0, 0.2, 0.5, 0.8):
        z = [trend_z(Series.of(noise(500, "gauss", drawn(201, i), phi))) for i in range(some(2_000, share))]
        claimed = [abs(v) > 1.96 for v in z if v is not None]
        yield rate(f"trend claimed on a flat curve, lag-1 correlation {phi}, nominal .05", claimed, 0.03, 0.07)


def ends(share: float) -> Iterator[Row]:
    """A last quarter that still falls by three percent of the drop or more, and one that is flat."""
    wrong, seen = [], []
    for i in range(some(1_500, share)):
        r = drawn(202, i)
        n, sigma = int(r.choice([150, 200, 2_000])), float(r.choice([0.01, 0.05, 0.1]))
        t, fall = np.arange(n) / n, float(r.uniform(0.03, 0.3))
        mean = np.exp(-t * 15) + fall * np.clip(1 - t, 0, 0.25) / 0.25
        wrong.append(flat_end(Series.of(mean + sigma * r.standard_normal(n))) is True)
    yield rate("end called flat while it falls by 3 % or more", wrong, high=0.0)
    for i in range(some(200, share)):
        r, t = drawn(203, i), np.arange(2_000) / 2_000
        seen.append(flat_end(Series.of(np.exp(-t * 40) + 0.01 * r.standard_normal(2_000))) is True)
        seen.append(still_falling(Series.of(1 - t + 0.05 * r.standard_normal(2_000))) is True)
    yield rate("flat end called flat, falling end falling", seen, low=0.95)


def turns(share: float) -> Iterator[Row]:
    """A validation loss with one minimum: the 90 % interval of its place, and curves that never turn."""
    inside, off = [], []
    for i in range(some(400, share)):
        r = drawn(204, i)
        m, turn = int(r.integers(20, 60)), float(r.uniform(0.3, 0.7))
        t = np.arange(m) / m
        mean = np.where(t < turn, (1 - t / turn) ** 2, 0.6 * ((t - turn) / (1 - turn)) ** 2)
        s = Series.of(mean + 0.05 * r.standard_normal(m), step=range(0, 100 * m, 100))
        low, at, high = turn_low(s), turn_step(s), turn_high(s)
        if low is not None and at is not None and high is not None:
            inside.append(low - 50 <= turn * 100 * m <= high + 50)
            off.append(abs(at / (100 * m) - turn))
    yield rate("90 % interval of a turning point holds it", inside, 0.88, 0.999)
    yield quantile("turning point, 90 %, share of the run", off, 0.9, 0.12)
    for phi, most in ((0.0, 0.01), (0.2, 0.03), (0.5, 0.08)):
        falls = []
        for i in range(some(1_000, share)):
            r = drawn(205, i)
            falls.append((rise_z(curve(int(r.integers(15, 120)), r, phi=phi).series()) or 0.0) > FALLING_Z)
        yield rate(f"turn of z > {FALLING_Z} on a curve that only falls, lag-1 correlation {phi}", falls, high=most)


def periods(share: float) -> Iterator[Row]:
    """A sine of one noise deviation in 5,000 rows, and curves without one."""
    hits, false = [], []
    for i in range(some(200, share)):
        r = drawn(206, i)
        c, cycle = curve(5_000, r, phi=0.0), float(r.uniform(7, 400))
        wave = c.sigma * np.sin(2 * math.pi * np.arange(5_000) / cycle + r.uniform(0, 6))
        found = period(c.plus(wave).series())
        hits.append(found is not None and abs(found / cycle - 1) < 0.02)
    yield rate("period of 1 sigma in 5,000 rows within 2 %", hits, low=0.98)
    for i in range(some(600, share)):
        r = drawn(207, i)
        false.append(period(curve(int(r.integers(150, 3_000)), r).series()) is not None)
    yield rate("period in a curve without one", false, high=0.02)


def pairs(share: float) -> Iterator[Row]:
    """Two runs over one data order, one of them worse by a tenth of the noise from a row on; and two orders."""
    found, false, told = [], [], []
    for i in range(some(300, share)):
        r = drawn(208, i)
        c = curve(1_200, r, phi=0.0, law="gauss")
        own = [0.04 * c.sigma * r.standard_normal(1_200) for _ in range(2)]
        lift = np.where(np.arange(1_200) > 700, 0.1 * c.sigma, 0.0)
        a = Series.of(c.value + own[0])
        found.append((paired_z(Series.of(c.value + own[1] + lift), a) or 0.0) > 4)
        false.append(abs(paired_z(Series.of(c.value + own[1]), a) or 0.0) > 4)
        n = int(r.integers(500, 3_000))
        d = curve(n, r, phi=0.0)
        near, far = d.value + 0.1 * d.sigma * r.standard_normal(n), d.smooth + d.sigma * r.standard_normal(n)
        told.append(same_order(Series.of(d.value), Series.of(near)) is True)
        told.append(same_order(Series.of(d.value), Series.of(far)) is not True)
    yield rate("shift of .1 sigma between runs of one data order", found, low=0.99)
    yield rate("shift between runs that do not differ", false, high=0.005)
    yield rate("one data order told from two, 500 common steps and more", told, low=1.0)


def schedules(share: float) -> Iterator[Row]:
    """Every form, whole, cut, resumed, rounded and once an epoch."""
    warm: list[bool] = []
    ended: list[bool] = []
    for form in FORMS:
        drawn_logs = logs(form, np.random.default_rng([209, *form.encode()]), some(200, share))
        told = [judge(log, recognize(log.lr)) for log in drawn_logs]
        warm += [t.warm for t in told if t.warm is not None]
        ended += [t.ends for t in told if t.ends is not None]
        yield rate(f"schedule recognized: {form}", [t.kind and t.peak for t in told], low=0.96)
    yield rate("length of the warm-up within 3 %", warm, low=0.97)
    yield rate("end of the schedule within 6 %, and whether it was reached", ended, low=0.96)


TARGETS = (trends, ends, turns, periods, pairs, schedules)
