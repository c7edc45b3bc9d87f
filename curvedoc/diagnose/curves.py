"""The curves of a run, thinned for drawing: extremes and non-finite spans survive."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from curvedoc.diagnosis import Curve, Signal
from curvedoc.model import Run
from curvedoc.series import Series

#: Roles that a report draws, in its order of panels.
DRAWN = ("loss", "val_loss", "accuracy", "val_accuracy", "grad_norm", "lr", "weight_norm", "loss_scale", "memory",
         "throughput", "step_time", "gpu_utilization")  # fmt: skip
BUCKETS = 420
#: A healthy run is drawn small: its sparkline and one look at its loss.
BUCKETS_HEALTHY = 120
MOST_CURVES = 14


def thin(series: Series, role: str, label: str, buckets: int) -> Curve:
    """Buckets of equal row counts with mean, low and high of their finite values."""
    n = len(series)
    edges = np.unique(np.linspace(0, n, min(n, buckets) + 1).astype(np.int64))
    start = edges[:-1]
    value = series.value
    ok = np.isfinite(value)
    count = np.add.reduceat(ok.astype(np.int64), start)
    scale = float(np.max(np.abs(value[ok]))) if ok.any() else 1.0
    scale = scale if scale > 0 else 1.0
    total = np.add.reduceat(np.where(ok, value / scale, 0.0), start) * scale
    mean = np.where(count > 0, total / np.maximum(count, 1), np.nan)
    low = np.minimum.reduceat(np.where(ok, value, np.inf), start)
    high = np.maximum.reduceat(np.where(ok, value, -np.inf), start)
    return Curve(
        metric=series.metric,
        role=role,
        label=label,
        step=tuple(series.step[start].tolist()),
        mean=tuple(mean.tolist()),
        low=tuple(np.where(count > 0, low, np.nan).tolist()),
        high=tuple(np.where(count > 0, high, np.nan).tolist()),
        points=n,
        nonfinite=_spans(series, ok),
    )


def _spans(series: Series, ok: np.ndarray) -> tuple[tuple[int, int], ...]:
    """(first, last step) of every run of non-finite rows, at most 50."""
    edge = np.diff(np.concatenate([[0], (~ok).astype(np.int8), [0]]))
    begins, ends = np.flatnonzero(edge == 1), np.flatnonzero(edge == -1)
    return tuple((int(series.step[a]), int(series.step[b - 1])) for a, b in zip(begins[:50], ends[:50], strict=True))


def curves(run: Run, marked: Collection[str], flagged: bool) -> tuple[Curve, ...]:
    """The curves worth drawing: the usual roles, and every metric that a finding marks."""
    buckets = BUCKETS if flagged else BUCKETS_HEALTHY
    chosen: dict[str, tuple[str, str]] = {}
    for role in DRAWN if flagged else DRAWN[:2]:
        for match in run.matches(role)[:1]:
            chosen.setdefault(match.metric, (role, match.label))
    by_metric = {m.metric: m for m in run.roles}
    for metric in marked:
        known = by_metric.get(metric)
        chosen.setdefault(metric, (known.role, known.label) if known else ("", ""))
    out = []
    for metric, (role, label) in list(chosen.items())[:MOST_CURVES]:
        series = run.metric(metric)
        if series is not None and len(series):
            out.append(thin(series, role, label, buckets))
    return tuple(out)


def signals(run: Run) -> tuple[Signal, ...]:
    """Every role as it was found, with the extent of its metric."""
    out = []
    for match in run.roles:
        series = run.metric(match.metric)
        if series is None:
            continue
        finite = series.finite()
        last = float(finite.value[-1]) if len(finite) else None
        out.append(
            Signal(match.role, match.metric, len(series), int(series.step[0]), int(series.step[-1]), last, match.label)
        )
    return tuple(out)
