"""Targets of jumps, spikes and blow-ups, on simulated decays whose truth is known."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from simulate import LAWS, Curve, curve, growth_change, spike_change, step_change
from targets import Row, quantile, rate, some

from curvedoc.stats.events.blowup import blowup_onset
from curvedoc.stats.events.jumps import ALPHA, jumps
from curvedoc.stats.events.spikes import spikes

SENSITIVE = 0.8  # of `jumps`: finds more, with more false alarms
SPIKE_K = 6.0
SMOOTHED = 0.9  # of the value before: a running average as loggers write it


def drawn(seed: int, i: int) -> np.random.Generator:
    """The i-th generator of a target; every target has a seed of its own."""
    return np.random.default_rng([seed, i])


def false_jumps(share: float) -> Iterator[Row]:
    """Smooth decays, four noise laws, white or correlated."""
    for n, full in ((200, 1500), (2_000, 1000), (20_000, 150)):
        curves = [curve(n, drawn(101, i)).series() for i in range(some(full, share))]
        yield rate(f"false jump on a smooth decay of {n:,} rows", [bool(jumps(s).items) for s in curves], high=0.01)
        hits = [bool(jumps(s, SENSITIVE).items) for s in curves]
        yield rate(f"the same, sensitive (alpha {SENSITIVE})", hits, high=0.05)


def found_jumps(share: float) -> Iterator[Row]:
    """One step of three deviations; found within 20 rows, and how far off."""
    for what, plain, least in (("Gaussian", True, 0.99), ("four laws, correlated up to .5,", False, 0.92)):
        hits, off = [], []
        for i in range(some(500, share)):
            r = drawn(102, i)
            c = curve(2_000, r, law="gauss" if plain else None, phi=0.0 if plain else None)
            row = int(r.integers(400, 1_800))
            found = jumps(c.plus(step_change(2_000, row, 3.0 * c.sigma[row])).series())
            near = [abs(e.row - row) for e in found.items if abs(e.row - row) <= 20]
            hits.append(bool(near))
            off += near[:1]
        yield rate(f"jump of 3 sigma found in {what} noise", hits, low=least)
        yield quantile("its place, median", off, 0.5, 0.0, "rows")
        yield quantile("its place, 90 %", off, 0.9, 1.0, "rows")


def found_spikes(share: float) -> Iterator[Row]:
    """Ten deviations, gone at once or over 40 rows."""
    for tau, what in ((0.0, "gone at once"), (40.0, "recovers over 40 rows")):
        hits, back = [], []
        for i in range(some(250, share)):
            c = curve(3_000, drawn(103, i))
            rows = (900, 1_700, 2_400)
            for row in rows:
                c = c.plus(spike_change(3_000, row, 10.0 * c.sigma[row], tau))
            found = spikes(c.series(), SPIKE_K).items
            near = [[e for e in found if abs(e.row - row) <= 2] for row in rows]
            hits += [bool(e) for e in near]
            back += [e[0].recovered for e in near if e]
        yield rate(f"spike of 10 sigma found, {what}", hits, low=0.97)
        yield rate(f"and its recovery seen, {what}", back, low=0.97)


def false_spikes(share: float) -> Iterator[Row]:
    """Rows of noise that are taken for a spike: Gaussian, and every law mixed."""
    for law, most in (("gauss", 1e-4), (None, 5e-4)):
        rows = false = 0
        for i in range(some(200, share)):
            s = curve(2_000, drawn(104, i), law="gauss" if law else LAWS[i % 4]).series()
            false += len(spikes(s, SPIKE_K).items)
            rows += len(s)
        hits = [True] * false + [False] * (rows - false)
        yield rate(
            f"row of {'Gaussian' if law else 'mixed, half of it heavy-tailed,'} noise called a spike", hits, high=most
        )


def onsets(share: float) -> Iterator[Row]:
    """Exponential growth without end from one deviation on."""
    missed = []
    for what, plain, middle, most in (("Gaussian", True, 0.5, 1.5), ("any", False, 0.7, 2.0)):
        off = []
        for i in range(some(400, share)):
            r = drawn(105, i)
            efold = float(r.choice([10.0, 30.0, 50.0]))
            c = curve(2_000, r, law="gauss" if plain else None, phi=0.0 if plain else None)
            row = int(r.integers(800, 1_600))
            onset = blowup_onset(c.plus(growth_change(2_000, row, efold, c.sigma[row], np.inf)).series())
            missed.append(onset is None)
            if onset is not None:
                off.append(abs(onset - row) / efold)
        yield quantile(f"divergence onset in {what} noise, median", off, 0.5, middle, "e-foldings")
        yield quantile(f"divergence onset in {what} noise, 90 % (aim: 1)", off, 0.9, most, "e-foldings")
    yield rate("divergence missed", missed, high=0.01)
    healthy = [blowup_onset(_any(i).series()) is not None for i in range(some(2_000, share))]
    yield rate("divergence on a healthy decay", healthy, high=0.005)


def _any(i: int) -> Curve:
    r = drawn(106, i)
    return curve(int(r.choice([20, 60, 200, 2_000])), r)


def wandering(share: float) -> Iterator[Row]:
    """What loggers smooth and noise that wanders: neither has events."""
    hits = []
    for i in range(some(300, share)):
        hits.append(_fires(curve(500, drawn(107, i), phi=0.8).value))
    yield rate("jump or spike in noise of lag-1 correlation .8", hits, high=0.1)
    smoothed = []
    for i in range(some(300, share)):
        c = curve(500, drawn(108, i))
        weights = (1.0 - SMOOTHED) * SMOOTHED ** np.arange(80)
        padded = np.concatenate([np.full(79, c.value[0]), c.value])
        smoothed.append(_fires(np.convolve(padded, weights / weights.sum(), "valid")))
    yield rate("jump or spike in a running average", smoothed, high=0.1)


def _fires(value: np.ndarray) -> bool:
    s = Curve(value, value, value, "flat", "gauss", 0.0).series()
    return bool(jumps(s, ALPHA).items) or bool(spikes(s, SPIKE_K).items)


TARGETS = (false_jumps, found_jumps, found_spikes, false_spikes, onsets, wandering)
