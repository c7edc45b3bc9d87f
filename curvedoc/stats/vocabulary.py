"""The vocabulary: every statistic that a rule may call, as one explicit tuple."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from curvedoc.stats.basic.anchors import (
    chance_accuracy,
    chance_level,
    classes_at_chance,
    classes_at_floor,
    double_softmax_ceiling,
    double_softmax_floor,
    in_nats,
    init_excess,
    integer_factor,
    power_of_two_factor,
    smoothing_floor,
)
from curvedoc.stats.basic.arithmetic import NUMBERS, sqrt
from curvedoc.stats.basic.counting import examples_counted
from curvedoc.stats.basic.finite import (
    before_nonfinite,
    first_nonfinite,
    last_finite,
    nonfinite_kind,
    nonfinite_rows,
    nonfinite_share,
    stays_nonfinite,
)
from curvedoc.stats.basic.guessing import classes_at_rest, classes_at_start
from curvedoc.stats.basic.levels import BASIC
from curvedoc.stats.basic.windows import WINDOWS
from curvedoc.stats.events.blowup import (
    blowup_factor,
    blowup_onset,
    blowup_score,
    departure,
    doubling_time,
    first_to_move,
)
from curvedoc.stats.events.event import (
    drops,
    enduring,
    events_between,
    held,
    last_event,
    rate,
    recovered,
    rises,
    share_recovered,
    unrecovered,
)
from curvedoc.stats.events.jumps import biggest_drop, biggest_rise, jumps, level_shift
from curvedoc.stats.events.ladder import (
    projected_step,
)
from curvedoc.stats.events.pace import inverse, row_seconds
from curvedoc.stats.events.setback import setback
from curvedoc.stats.events.spikes import dips, log_dips, log_spikes, spikes
from curvedoc.stats.events.surge import rounding
from curvedoc.stats.noise.noise import noise, noise_growth, noise_head, noise_rel, noise_tail, phi, quantum, tail_ratio
from curvedoc.stats.noise.oscillation import back_and_forth, flip_rate, lag1, oscillating, swing, wander, wanders
from curvedoc.stats.noise.period import (
    period,
    period_amplitude,
    period_score,
)
from curvedoc.stats.noise.restarted_means import mean_period
from curvedoc.stats.pairs.answers import above_error_line, entropy_of_answers, repeated_share
from curvedoc.stats.pairs.carry import carried_over
from curvedoc.stats.pairs.runs import (
    first_difference,
    noise_correlation,
    paired_shift,
    paired_z,
    same_order,
    share_equal_pairs,
)
from curvedoc.stats.pairs.train_val import (
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
from curvedoc.stats.schedule.floor import decays_to_floor, negligible_from
from curvedoc.stats.schedule.mirror import mirrored_cosine
from curvedoc.stats.schedule.phases import (
    cycle_count,
    is_constant_lr,
    lr_final_ratio,
    lr_jump_step,
    lr_peak,
    lr_peak_step,
    restart_step,
    restarts,
    warmup_share,
    warmup_steps,
)
from curvedoc.stats.schedule.promise import by_rate, one_way, promised_fall
from curvedoc.stats.schedule.steps import coincide, is_range_test, is_staircase, lr_drop_steps
from curvedoc.stats.shape.climb import climbing_share
from curvedoc.stats.shape.decay import decay_fit, fit_drop, fit_floor, fit_r2, fit_sigma, fitted, residual
from curvedoc.stats.shape.end_state import (
    change_high,
    change_low,
    change_over,
    end_slope,
    flat_end,
    flat_within,
    rising_end,
    still_falling,
)
from curvedoc.stats.shape.net_fall import lost_of_gain
from curvedoc.stats.shape.plateau import flat_from_start, hovers, plateau_level, plateau_share, plateau_start
from curvedoc.stats.shape.transition import (
    delay_share,
    double_descent,
    grokking_gap,
    grokking_step,
    half_fall_time,
    half_time,
    late_breakthrough,
)
from curvedoc.stats.shape.trend import (
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
from curvedoc.stats.shape.turning import (
    improves,
    never_improves,
    turn_high,
    turn_low,
)
from curvedoc.stats.shape.upturn import upturn_z

_Function = Callable[..., Any]

_EVENTS: tuple[_Function, ...] = (
    enduring, events_between,
)  # fmt: skip
_SHAPES: tuple[_Function, ...] = (
    biggest_drop, biggest_rise, level_shift, spikes, blowup_onset, departure, fitted, rounding,
    setback,
)  # fmt: skip
_FINITE: tuple[_Function, ...] = (
    first_nonfinite, nonfinite_kind, nonfinite_rows, nonfinite_share,
)  # fmt: skip
_NOISE: tuple[_Function, ...] = (
    noise, noise_growth, noise_rel, noise_tail, phi, quantum,
)  # fmt: skip
_TRENDS: tuple[_Function, ...] = (
    best_progress, by_rate, drop_in_noise, fraction_done, one_way, progress, promised_fall, speed_left, total_change,
    trend_z, flat_end, still_falling, flat_from_start, hovers, plateau_start,
)  # fmt: skip
_TURNS: tuple[_Function, ...] = (
    better_throughout, difference, gap_of_drop, gap_ratio, ratio, val_noise_ratio,
    never_improves, upturn_z,
)  # fmt: skip

_RATES: tuple[_Function, ...] = (
    is_range_test, is_staircase, lr_drop_steps, is_constant_lr, lr_final_ratio,
    lr_jump_step, lr_peak, mirrored_cosine, negligible_from, restart_step, restarts, warmup_steps,
)  # fmt: skip
_CYCLES: tuple[_Function, ...] = (
    flip_rate, lag1, oscillating, swing, wander, wanders, mean_period, period,
)  # fmt: skip
_TRANSITIONS: tuple[_Function, ...] = (
    double_descent, late_breakthrough,
)  # fmt: skip
_ANCHORS: tuple[_Function, ...] = (
    chance_level, classes_at_floor, classes_at_rest, classes_at_start, double_softmax_floor, examples_counted,
    integer_factor, power_of_two_factor,
)  # fmt: skip
_PAIRS: tuple[_Function, ...] = (
    above_error_line, carried_over,
    entropy_of_answers, repeated_share,
)  # fmt: skip
_PACE: tuple[_Function, ...] = (
    climbing_share, inverse, row_seconds,
)  # fmt: skip

#: Every function that a rule may call.
VOCABULARY: tuple[_Function, ...] = (
    *BASIC, *WINDOWS, *NUMBERS, *_EVENTS, *_SHAPES, *_FINITE, *_NOISE, *_TRENDS, *_TURNS, *_RATES, *_CYCLES,
    *_TRANSITIONS, *_ANCHORS, *_PAIRS, *_PACE,
)  # fmt: skip

#: What no shipped file calls any more: files of users may, with a warning, until release 0.3.
RETIRED: tuple[_Function, ...] = (
    aligned, back_and_forth, before_nonfinite,
    blowup_factor, blowup_score, chance_accuracy, change_high, change_low, change_over,
    classes_at_chance, coincide, crossing_step, cycle_count, decay_fit, decays_to_floor, delay_share, dips,
    double_softmax_ceiling, doubling_time, drops, end_slope, first_difference, first_to_move, fit_drop, fit_floor,
    fit_r2, fit_sigma, flat_within, gap_end, gap_trend_z, grokking_gap, grokking_step, half_fall_time, half_time,
    held, improves,
    in_nats, init_excess, jumps, last_event, last_finite, log_dips, log_spikes, lost_of_gain, lr_peak_step,
    noise_correlation, noise_head, paired_shift, paired_z, period_amplitude, period_score, plateau_level,
    plateau_share, projected_step, rate, recovered, residual, rises, rising_end, same_order, share_equal_pairs,
    share_recovered, slope, smoothing_floor, sqrt, stays_nonfinite, tail_ratio, total_drop, turn_high, turn_low,
    unrecovered, warmup_share,
)  # fmt: skip
