"""Units: in what each word of the vocabulary that gives a number counts, and each field of a record."""

from __future__ import annotations

from collections.abc import Mapping

#: What the numbers of a unit are, as a reader of the vocabulary sees it, and the words that give them.
_BY_UNIT: Mapping[str, str] = {
    "a step": """
        argmin argmax first_step last_step constant_tail_from first_above first_below last_above last_below blowup_onset
        departure first_nonfinite plateau_start lr_jump_step negligible_from restart_step double_descent
        late_breakthrough
    """,
    "steps": "run_length interval warmup_steps mean_period period",
    "rows": "count_rows count_finite nonfinite_rows",
    "a count": "distinct restarts examples_counted integer_factor",
    "classes": "classes_at_floor classes_at_rest classes_at_start",
    "nats": "chance_level double_softmax_floor entropy_of_answers",
    "units of the value": """
        first last at median mean quantile peak low spread head_level tail_level rounding noise noise_tail quantum
        promised_fall total_change lr_peak
    """,
    "a share": """
        share_above share_below share_equal ramp nonfinite_share fraction_done better_throughout flip_rate
        repeated_share climbing_share
    """,
    "a share of the first level": "best_progress progress",
    "a share of the level": "noise_rel",
    "a ratio": """
        speed_left gap_of_drop gap_ratio val_noise_ratio lr_final_ratio swing wander power_of_two_factor carried_over
    """,
    "doublings": "noise_growth",
    "widths of the noise": "drop_in_noise",
    "standard deviations": "trend_z upturn_z",
    "a correlation": "phi lag1 one_way",
    "1 NaN, 2 inf, 3 -inf": "nonfinite_kind",
    "a number": "log exp size nearest",
}
UNITS: Mapping[str, str] = {name: unit for unit, names in _BY_UNIT.items() for name in names.split()}

_FIELDS_BY_UNIT: Mapping[str, str] = {
    "a step": "step end start",
    "rows": "rows",
    "a count": "count",
    "units of the value": "size before after level top height per_step",
    "a share": "share growth steady surely",
    "a share of the level": "rise at_most gap typical",
    "a ratio": "factor times clear of_drop of_peak",
    "standard deviations": "z",
    "standard deviations of chance": "score",
    "a correlation": "tilt order",
}
#: The same of the fields of records, by their names.
FIELD_UNITS: Mapping[str, str] = {name: unit for unit, names in _FIELDS_BY_UNIT.items() for name in names.split()}
