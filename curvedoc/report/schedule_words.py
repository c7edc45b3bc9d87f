"""A logged learning rate in words: its kind, warm-up, peak, end and whether the log got there."""

from __future__ import annotations

from curvedoc.core.series import Series
from curvedoc.stats.schedule.recognition import Schedule, recognize

_KINDS = {
    "constant": "constant",
    "warming-up": "still warming up",
    "linear": "linear decay",
    "exponential": "exponential decay",
    "cosine": "cosine decay",
    "inverse-sqrt": "decay with one over the square root of the step",
    "polynomial": "polynomial decay",
    "one-minus-sqrt": "decay with one minus a square root",
    "step": "decay in steps",
    "stable-decay": "held, then decayed",
    "one-cycle": "one cycle",
    "restarts": "decay with restarts",
    "cyclic": "cycles",
    "range-test": "range test",
    "other": "no schedule that is known",
}


def in_words(lr: Series, axis: str) -> str:
    """One line, such as "cosine decay, warm-up to step 100, peak 0.0003, ends at step 1,200 (reached)".

    "" for a series that holds no rate. axis: what steps are called. An end that lies beyond the log is where the
    formula would reach its low or zero.

    >>> in_words(Series.of([0.5, 1.0, 0.8, 0.6, 0.4, 0.2, 0.0]), "step")
    'linear decay, warm-up to step 1, peak 1, ends at step 6 (reached)'
    """
    found = recognize(lr)
    if found is None:
        return ""
    parts = [_KINDS[found.kind] + (", set once an epoch or so" if found.stepped and found.kind != "step" else "")]
    if found.warmup_end is not None and found.kind not in ("warming-up", "cyclic"):
        parts.append(f"warm-up to {axis} {found.warmup_end:,.0f}")
    parts.append(f"peak {found.peak:.4g}")
    if found.restarts:
        parts.append(f"rises again {found.restarts} times" if found.restarts > 1 else "rises again once")
    return ", ".join([*parts, *_end(found, lr, axis)])


def _end(found: Schedule, lr: Series, axis: str) -> list[str]:
    if found.horizon is None:
        return []
    if found.end_reached:
        return [f"ends at {axis} {found.horizon:,.0f} (reached)"]
    return [f"would end at {axis} {found.horizon:,.0f} (the log stops at {int(lr.step[-1]):,})"]
