"""What a logged learning rate did, against schedules made from their formulas."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from simulate_rates import FORMS, judge, logs

from curvedoc.core.series import Series
from curvedoc.stats.schedule import floor, phases, recognition, steps
from curvedoc.stats.schedule.mirror import mirrored_cosine

quick = settings(max_examples=40, deadline=None)
ONE: list[Callable[[Series], object]] = [
    phases.is_constant_lr, phases.lr_peak, phases.lr_peak_step, phases.lr_final_ratio, phases.warmup_steps,
    phases.warmup_share, phases.restarts, phases.restart_step, phases.cycle_count,
    floor.decays_to_floor, floor.floor_from,
    floor.floor_share, floor.lowest_share, phases.lr_jump_step,
    steps.lr_drop_steps, steps.is_staircase,
    steps.is_range_test, mirrored_cosine,
    recognition.lr_horizon, recognition.decays_smoothly, recognition.lr_cut_short,
    recognition.recognize, lambda s: floor.negligible_from(s, 0.01), lambda s: steps.coincide(s, s, 1.0),
]  # fmt: skip
ANY = st.one_of(
    st.floats(allow_nan=True, allow_infinity=True, width=64),
    st.sampled_from([0.0, 1e-300, -1e-300, 1e300, -1e300, 5e-324, 1.7e308, float("nan"), 1e-3, 1e-3]),
)


def cosine(n: int, warm: int, total: int, low: float = 0.0, peak: float = 3e-4) -> list[float]:
    """Linear warm-up, then half a cosine down to `low` of the peak at `total`, the floor from there on."""
    out = []
    for i in range(n):
        share = min(1.0, (i - warm) / (total - warm))
        fall = low + (1 - low) * 0.5 * (1 + math.cos(math.pi * share))
        out.append(peak * (i / warm if i < warm else fall))
    return out


def restarted(n: int, period: int) -> list[float]:
    """Cosine with warm restarts."""
    return [1e-3 * 0.5 * (1 + math.cos(math.pi * (i % period) / period)) for i in range(n)]


@quick
@given(st.lists(ANY, max_size=60))
def test_any_values_give_an_answer_or_none_without_a_warning(values: list[float]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for f in ONE:
            answer = f(Series.of(values))
            assert not isinstance(answer, float) or math.isfinite(answer)


@quick
@given(st.integers(20, 400), st.integers(0, 30), st.floats(0.0, 0.2), st.sampled_from([3, 4, 17]))
def test_a_cosine_warms_up_falls_once_and_rests_at_most_at_its_end(n: int, share: int, low: float, digits: int) -> None:
    warm = n * share // 100
    lr = Series.of(float(f"{v:.{digits - 1}e}") for v in cosine(n, warm, n, low))
    assert phases.is_constant_lr(lr) is False
    assert phases.restarts(lr) == 0.0
    assert phases.cycle_count(lr) == 1.0
    assert phases.lr_jump_step(lr) is None
    assert steps.is_range_test(lr) is False
    assert phases.warmup_steps(lr) == pytest.approx(warm, abs=2 + 0.03 * n)
    assert (floor.floor_share(lr) or 0.0) < 0.06


@quick
@given(st.integers(60, 400), st.floats(0.2, 0.8), st.floats(0.0, 0.2))
def test_a_schedule_that_ends_early_rests_on_its_floor_for_the_rest(n: int, part: float, low: float) -> None:
    total = int(n * part)
    lr = Series.of(cosine(n, 5, total, low))
    start = floor.floor_from(lr)
    assert floor.decays_to_floor(lr) is True
    assert start == pytest.approx(total, abs=1 + 0.02 * n)
    assert floor.floor_share(lr) == pytest.approx(1 - part, abs=0.05)


@quick
@given(st.integers(2, 5), st.integers(12, 60))
def test_warm_restarts_are_counted_and_leap(count: int, period: int) -> None:
    lr = Series.of(restarted(count * period, period))
    assert phases.restarts(lr) == count - 1
    assert phases.cycle_count(lr) == count
    assert phases.lr_jump_step(lr) == period
    assert phases.restart_step(lr) == period - 1


def test_a_leap_long_after_the_warm_up_is_no_part_of_it() -> None:
    lr = Series.of([*np.linspace(1e-4, 3e-3, 5), *([3e-3] * 50), *([0.12] * 30)])
    assert phases.lr_jump_step(lr) == 55
    assert phases.warmup_steps(lr) == 4.0


def test_a_warm_up_in_steps_of_one_length_is_a_warm_up() -> None:
    lr = Series.of([*([1e-4] * 10), *([5e-4] * 10), *([1e-3] * 80)])
    assert phases.lr_jump_step(lr) is None
    assert phases.warmup_steps(lr) == 20.0


def test_triangular_cycles_rise_again_without_a_leap() -> None:
    lr = Series.of([1e-3 * (0.1 + 0.9 * abs((i % 40) / 20 - 1)) for i in range(160)])
    assert phases.lr_jump_step(lr) is None
    assert phases.restarts(lr) == 4.0


def test_step_decay_is_a_staircase_whose_last_tread_is_no_floor() -> None:
    lr = Series.of([0.1] * 30 + [0.01] * 30 + [0.001] * 30)
    assert steps.is_staircase(lr) is True
    assert floor.floor_share(lr) == 0.0
    found = steps.lr_drop_steps(lr)
    assert found.step.tolist() == [30, 60]
    assert found.value.tolist() == pytest.approx([0.1, 0.1])


def test_a_staircase_stepped_every_batch_reaches_a_negligible_rate() -> None:
    lr = Series.of([0.1 * 0.1 ** min(i // 10, 9) for i in range(500)])
    assert floor.decays_to_floor(lr) is True
    assert floor.negligible_from(lr, 1e-3) == pytest.approx(30, abs=10)


def test_a_leap_in_a_constant_rate_is_a_jump_and_no_warmup() -> None:
    lr = Series.of([1e-3] * 50 + [1e-2] * 50)
    assert phases.lr_jump_step(lr) == 50.0
    assert phases.warmup_steps(lr) == 0.0


def test_an_exponential_sweep_is_a_range_test_and_a_warmup_is_none() -> None:
    sweep = Series.of([1e-7 * 10 ** (i / 20) for i in range(120)])
    assert steps.is_range_test(sweep) is True
    assert phases.warmup_steps(sweep) is None
    for warm in (50, 100):
        lr = Series.of([1e-3 * (i + 1e-4) / warm for i in range(warm)])
        assert steps.is_range_test(lr) is False
        assert phases.warmup_share(lr) == pytest.approx(1.0)


def test_warmup_per_epoch_is_a_warmup() -> None:
    lr = Series.of([1e-3 * min(1.0, (i // 10 + 1) / 5) for i in range(200)])
    assert phases.warmup_steps(lr) == 40.0
    assert phases.lr_jump_step(lr) is None


def test_steps_coincide_within_their_tolerance() -> None:
    a, b = Series.of([1.0] * 3, step=[10, 50, 90]), Series.of([1.0] * 2, step=[12, 85])
    assert steps.coincide(a, b, 5.0) == pytest.approx(2 / 3)
    assert steps.coincide(b, a, 1.0) == 0.0
    assert steps.coincide(a, Series.of([]), 5.0) is None


def test_a_staircase_that_rests_low_for_most_of_the_run_came_down_too_early() -> None:
    early = Series.of([0.1] * 20 + [0.01] * 20 + [0.001] * 200)
    planned = Series.of([0.1] * 80 + [0.01] * 80 + [0.001] * 80)
    assert floor.floor_share(early) == pytest.approx(5 / 6, abs=0.01)
    assert floor.floor_share(planned) == 0.0
    assert floor.lowest_share(planned) == pytest.approx(1 / 3, abs=0.01)


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_200_rows_and_more_is_recognized_with_its_parts(form: str) -> None:
    rng = np.random.default_rng([41, *form.encode()])
    drawn = logs(form, rng, 30)
    told = [judge(log, recognition.recognize(log.lr)) for log in drawn]
    wrong = [(log.printed, log.kinds, len(log.lr)) for log, t in zip(drawn, told, strict=True) if not t.kind]
    assert len(wrong) <= 1, wrong
    assert all(t.peak for t in told)
    assert sum(t.warm is False for t in told) <= 1
    assert sum(t.ends is False for t in told) <= 2


def test_groups_of_parameters_that_share_a_schedule_are_each_recognized() -> None:
    base = np.array(cosine(600, 30, 600))
    for share in (1.0, 0.1, 1e-4):
        found = recognition.recognize(Series.of(float(f"{v:.3g}") for v in base * share))
        assert found is not None and found.kind == "cosine"
        assert found.peak == pytest.approx(3e-4 * share, rel=1e-3)
        assert found.warmup_end == pytest.approx(30, abs=15)


def test_a_descent_printed_in_single_digits_is_given_no_formula() -> None:
    found = recognition.recognize(Series.of(float(f"{v:.0e}") for v in cosine(600, 30, 600)))
    assert found is not None and found.kind == "other" and found.horizon is None


@pytest.mark.parametrize(("form", "part"), [("cosine", 0.6), ("cosine", 0.7), ("linear", 0.3)])
def test_the_horizon_of_a_schedule_is_known_before_its_end(form: str, part: float) -> None:
    whole = FORMS[form](2000, np.random.default_rng(3)).rate[::2]
    seen = int(len(whole) * part)
    lr = Series.of((1e-3 * whole[:seen]).tolist(), step=range(0, 2 * seen, 2))
    assert recognition.lr_horizon(lr) == pytest.approx(2000, rel=0.12)
    assert recognition.lr_cut_short(lr) is True


def test_a_schedule_set_once_an_epoch_is_stepped_and_keeps_its_formula() -> None:
    lr = Series.of([1e-3 * 0.5 * (1 + math.cos(math.pi * (i // 20) / 30)) for i in range(600)])
    found = recognition.recognize(lr)
    assert found is not None and found.stepped and found.kind == "cosine"


@pytest.mark.parametrize("part", [0.6, 1.0, 2.5])
def test_a_cosine_stepped_past_its_end_comes_back_the_way_it_went(part: float) -> None:
    t = np.arange(0.0, 1.0 + part, 0.02)
    warm = np.linspace(0.0, 1.0, 8, endpoint=False)
    rate = Series.of(1e-3 * np.concatenate((warm, (1 + np.cos(np.pi * t)) / 2)))
    assert mirrored_cosine(rate) is True


def test_leaps_straight_cycles_and_single_decays_are_no_mirror() -> None:
    t = np.arange(0.0, 1.0, 0.02)
    down = (1 + np.cos(np.pi * t)) / 2
    straight = np.abs(1 - np.arange(0.0, 4.0, 0.02) % 2)
    for rate in (down, np.tile(down, 3), straight, np.tile(1 - t, 3), np.concatenate((down, np.full(40, 0.3)))):
        assert mirrored_cosine(Series.of(rate)) is False
    assert mirrored_cosine(Series.of(down[:5])) is None
