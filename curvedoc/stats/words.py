"""The vocabulary: every statistic that a rule may call, as one explicit tuple."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from curvedoc.stats.basic import BASIC
from curvedoc.stats.blowup import blowup_factor, blowup_onset, blowup_score, departure, doubling_time, first_to_move
from curvedoc.stats.decay import decay_fit, fit_drop, fit_floor, fit_r2, fit_sigma, fitted, residual
from curvedoc.stats.endstate import (
    change_high,
    change_low,
    change_over,
    end_slope,
    flat_end,
    flat_within,
    rising_end,
    still_falling,
)
from curvedoc.stats.events import (
    after_of,
    before_of,
    count,
    drops,
    end_of,
    events_between,
    first_event,
    held,
    largest,
    last_event,
    rate,
    recovered,
    recovered_events,
    rises,
    rows_of,
    score_of,
    share_recovered,
    size_of,
    step_of,
    strongest,
    unrecovered,
)
from curvedoc.stats.finite import (
    before_nonfinite,
    first_nonfinite,
    last_finite,
    nonfinite_kind,
    nonfinite_rows,
    nonfinite_share,
    stays_nonfinite,
)
from curvedoc.stats.jumps import biggest_drop, biggest_rise, jumps, level_shift
from curvedoc.stats.noise import noise, noise_growth, noise_head, noise_rel, noise_tail, phi, quantum, tail_ratio
from curvedoc.stats.numbers import NUMBERS
from curvedoc.stats.plateau import flat_from_start, plateau_level, plateau_share, plateau_start
from curvedoc.stats.spikes import dips, log_dips, log_spikes, spikes
from curvedoc.stats.trainval import (
    aligned,
    better_throughout,
    crossing_step,
    difference,
    gap_end,
    gap_of_drop,
    gap_ratio,
    gap_trend_z,
    ratio,
    val_noise_ratio,
)
from curvedoc.stats.trend import (
    best_progress,
    drop_in_noise,
    fraction_done,
    progress,
    slope,
    speed_left,
    total_change,
    total_drop,
    trend_z,
)
from curvedoc.stats.turning import (
    best_level,
    improves,
    never_improves,
    rise_after,
    rise_of_drop,
    rise_z,
    turn_high,
    turn_low,
    turn_step,
)
from curvedoc.stats.windows import WINDOWS

_Function = Callable[..., Any]

_EVENTS: tuple[_Function, ...] = (
    after_of, before_of, count, drops, end_of, events_between, first_event, held, largest, last_event, rate, recovered,
    recovered_events, rises, rows_of, score_of, share_recovered, size_of, step_of, strongest, unrecovered,
)  # fmt: skip
_SHAPES: tuple[_Function, ...] = (
    biggest_drop, biggest_rise, jumps, level_shift, dips, log_dips, log_spikes, spikes, blowup_factor, blowup_onset,
    blowup_score, departure, doubling_time, first_to_move, decay_fit, fit_drop, fit_floor, fit_r2, fit_sigma, fitted,
    residual,
)  # fmt: skip
_FINITE: tuple[_Function, ...] = (
    before_nonfinite, first_nonfinite, last_finite, nonfinite_kind, nonfinite_rows, nonfinite_share, stays_nonfinite,
)  # fmt: skip
_NOISE: tuple[_Function, ...] = (
    noise, noise_growth, noise_head, noise_rel, noise_tail, phi, quantum, tail_ratio,
)  # fmt: skip
_TRENDS: tuple[_Function, ...] = (
    best_progress, drop_in_noise, fraction_done, progress, slope, speed_left, total_change, total_drop, trend_z,
    change_high, change_low, change_over, end_slope, flat_end, flat_within, rising_end, still_falling, flat_from_start,
    plateau_level, plateau_share, plateau_start,
)  # fmt: skip
_TURNS: tuple[_Function, ...] = (
    aligned, better_throughout, crossing_step, difference, gap_end, gap_of_drop, gap_ratio, gap_trend_z, ratio,
    val_noise_ratio, best_level, improves, never_improves, rise_after, rise_of_drop, rise_z, turn_high, turn_low,
    turn_step,
)  # fmt: skip

#: Every function that a rule may call.
VOCABULARY: tuple[_Function, ...] = (
    *BASIC,
    *WINDOWS,
    *NUMBERS,
    *_EVENTS,
    *_SHAPES,
    *_FINITE,
    *_NOISE,
    *_TRENDS,
    *_TURNS,
)
