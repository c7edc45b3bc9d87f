"""Records: what several statistics say of one thing, under one word; a rule reads it by a dot, `valley(val).step`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from curvedoc.stats.events.event import (
    CurveEvent,
    CurveEvents,
    after_of,
    before_of,
    count,
    end_of,
    first_event,
    largest,
    recovered_events,
    rows_of,
    score_of,
    size_of,
    step_of,
    strongest,
)
from curvedoc.stats.events.excursion import excursion_end, excursion_step, excursion_times, excursion_top
from curvedoc.stats.events.ladder import (
    collapse_factor,
    growth_factor,
    growth_per_step,
    growth_z,
    ladder_growth,
    ladder_steady,
    ladder_z,
    levelling,
)
from curvedoc.stats.events.pace import slow_clear, slow_factor, slow_step
from curvedoc.stats.events.surge import surge_factor, surge_step
from curvedoc.stats.noise.batch_order import order_kept
from curvedoc.stats.noise.period import epoch_amplitude, epoch_fold, sawtooth_sign
from curvedoc.stats.pairs.repeats import parting_gap, parting_share, parting_step, relative_gap, typical_gap
from curvedoc.stats.schedule.floor import floor_from, floor_share
from curvedoc.stats.shape.net_fall import fell_at_most, surely_fell
from curvedoc.stats.shape.turning import best_level, rise_after, rise_of_drop, rise_z, turn_step

_Fields = Mapping[str, Callable[..., Any]]

#: Word -> what it finds, and the fields of that; all fields of a word take the arguments of the word.
RECORDS: Mapping[str, tuple[str, _Fields]] = {
    "valley": (
        "The lowest point of a smoothed curve, and what comes after it.",
        {"step": turn_step, "level": best_level, "rise": rise_after, "of_drop": rise_of_drop, "z": rise_z},
    ),
    "excursion": (
        "The short stretch that stands highest above both of its neighbors and comes back.",
        {"step": excursion_step, "end": excursion_end, "top": excursion_top, "times": excursion_times},
    ),
    "burst": (
        "The value that stands highest above anything held before it.",
        {"step": surge_step, "factor": surge_factor},
    ),
    "slowdown": (
        "The step from which a time is at another level for good.",
        {"step": slow_step, "factor": slow_factor, "clear": slow_clear},
    ),
    "ladder": (
        "The low points of a curve, which climb and never come back where memory leaks.",
        {"growth": ladder_growth, "steady": ladder_steady, "z": ladder_z},
    ),
    "long_run": (
        "How a level that should stay goes up or down over a run.",
        {
            "factor": growth_factor,
            "of_peak": collapse_factor,
            "per_step": growth_per_step,
            "levelling": levelling,
            "z": growth_z,
        },
    ),
    "net_fall": (
        "How far a curve came down, noise taken off.",
        {"surely": surely_fell, "at_most": fell_at_most},
    ),
    "rate_floor": (
        "The floor on which a learning rate comes to rest.",
        {"start": floor_from, "share": floor_share},
    ),
    "parting": (
        "Where two logs of what should be the same numbers part, beyond their last digit.",
        {
            "step": parting_step,
            "share": parting_share,
            "gap": parting_gap,
            "gaps": relative_gap,
            "typical": typical_gap,
        },
    ),
    "rhythm": (
        "The pattern that a curve repeats with every epoch.",
        {"score": epoch_fold, "height": epoch_amplitude, "tilt": sawtooth_sign, "order": order_kept},
    ),
}

#: The fields of what statistics themselves give.
FIELDS: Mapping[type, _Fields] = {
    CurveEvent: {
        "step": step_of,
        "end": end_of,
        "size": size_of,
        "score": score_of,
        "before": before_of,
        "after": after_of,
        "rows": rows_of,
    },
    CurveEvents: {
        "count": count,
        "first": first_event,
        "largest": largest,
        "strongest": strongest,
        "back": recovered_events,
    },
}
