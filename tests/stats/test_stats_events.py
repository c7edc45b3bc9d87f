"""Noise, decay, jumps, spikes, blow-ups and non-finite values: truth from simulated curves, then every kind of dirt."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive_events import (
    naive_contrast,
    naive_inflation,
    naive_median5,
    naive_noise,
    naive_step_t,
    naive_trailing_median,
)
from simulate import Curve, curve, growth_change, spike_change, step_change

from curvedoc.core.series import Series
from curvedoc.stats.basic import finite, robust
from curvedoc.stats.events import blowup, event, jump_proof, jump_scan, jumps, spikes
from curvedoc.stats.events.event import CurveEvent, CurveEvents
from curvedoc.stats.noise import noise
from curvedoc.stats.shape import decay
from curvedoc.stats.shape.decay import DecayFit

NAN, INF = float("nan"), float("inf")


def rng(seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)


def smooth_curves(n: int, count: int, seed: int = 0) -> list[Curve]:
    return [curve(n, rng(seed + i)) for i in range(count)]


# --- healthy curves first -------------------------------------------------------------------


@pytest.mark.parametrize(("n", "count", "most"), [(60, 150, 2), (200, 150, 2), (2000, 150, 3)])
def test_a_smooth_noisy_decay_has_no_jump(n: int, count: int, most: int) -> None:
    fired = sum(bool(jumps.jumps(c.series(), jumps.ALPHA).items) for c in smooth_curves(n, count))
    assert fired <= most


@pytest.mark.parametrize("n", [12, 24, 60])
def test_a_short_decay_has_no_level_shift(n: int) -> None:
    fired = sum(jumps.level_shift(c.series(), 5.0) is not None for c in smooth_curves(n, 150))
    assert fired <= 2


@pytest.mark.parametrize("phi", [0.8, 0.95])
def test_noise_that_wanders_makes_hardly_any_spike_or_jump(phi: float) -> None:
    wandering = [curve(500, rng(i), phi=phi).series() for i in range(60)]
    assert sum(bool(spikes.spikes(s, 6.0).items) for s in wandering) <= 5
    assert sum(bool(jumps.jumps(s).items) for s in wandering) <= 5


def test_a_log_of_moving_averages_makes_hardly_any_spike_or_jump() -> None:
    fired = 0
    for c in smooth_curves(500, 40):
        weights = 0.1 * 0.9 ** np.arange(80)
        smoothed = np.convolve(np.concatenate([np.full(79, c.value[0]), c.value]), weights / weights.sum(), "valid")
        s = Series.of(smoothed)
        fired += bool(spikes.spikes(s, 6.0).items) or bool(jumps.jumps(s).items)
    assert fired <= 4


def test_gaussian_noise_makes_at_most_one_false_spike_in_ten_thousand_rows() -> None:
    found = [spikes.spikes(curve(2000, rng(i), law="gauss").series(), 6.0) for i in range(25)]
    assert sum(len(e.items) for e in found) <= 5


@pytest.mark.parametrize("n", [20, 60, 200, 2000])
def test_a_healthy_decay_has_no_blowup(n: int) -> None:
    fired = sum(blowup.blowup_onset(c.series()) is not None for c in smooth_curves(n, 60))
    assert fired == 0
    assert all(blowup.blowup_factor(c.series()) == 1.0 for c in smooth_curves(n, 5))


# --- truth ----------------------------------------------------------------------------------


def test_jumps_of_three_sigma_are_found_at_their_row() -> None:
    errors = []
    for i in range(60):
        c, r = curve(2000, rng(500 + i)), rng(900 + i)
        row = int(r.integers(400, 1800))
        found = jumps.jumps(c.plus(step_change(2000, row, 3.0 * c.sigma[row])).series())
        errors += [e.row - row for e in found.items if abs(e.row - row) <= 20][:1]
    assert len(errors) >= 0.92 * 60
    assert float(np.median(np.abs(errors))) == 0.0


def test_a_lasting_drop_and_a_lasting_rise_carry_their_levels() -> None:
    c = curve(600, rng(3), base="flat", law="gauss", phi=0.0, relative=0.01)
    level = float(c.smooth[0])
    down = jumps.biggest_drop(c.plus(step_change(600, 300, -0.5)).series(every=10))
    up = jumps.biggest_rise(c.plus(step_change(600, 300, 0.5)).series(every=10))
    assert down is not None and up is not None
    assert down.step == up.step == 3000.0
    assert down.size == pytest.approx(-0.5, abs=0.03) and up.size == pytest.approx(0.5, abs=0.03)
    assert down.before == pytest.approx(level, abs=0.03) and down.after == pytest.approx(level - 0.5, abs=0.03)
    assert not down.recovered and down.rows == 300


def test_a_bump_that_ends_soon_is_no_lasting_rise() -> None:
    c = curve(600, rng(3), base="flat", law="gauss", phi=0.0, relative=0.01)
    bump = c.plus(step_change(600, 300, 0.5)).plus(step_change(600, 330, -0.5))
    assert jumps.biggest_rise(bump.series()) is None
    first = event.first_event(jumps.jumps(bump.series()))
    assert first is not None and first.recovered and first.rows == pytest.approx(30, abs=3)


def test_a_shift_of_an_epoch_log_is_found_and_a_spike_is_not_taken_for_one() -> None:
    base = [1.0 / (1 + 0.2 * i) + 0.005 * ((i * 7) % 5 - 2) for i in range(40)]
    shifted = Series.of([v + (0.3 if i >= 24 else 0.0) for i, v in enumerate(base)])
    spiked = Series.of([v + (0.3 if i == 24 else 0.0) for i, v in enumerate(base)])
    found = jumps.level_shift(shifted, 5.0)
    assert found is not None and found.step == 24.0 and found.size == pytest.approx(0.3, abs=0.05)
    assert jumps.level_shift(spiked, 5.0) is None


def test_a_change_of_the_logging_interval_is_no_jump() -> None:
    fired = 0
    for i in range(40):
        step = np.concatenate([np.arange(100), 100 + 200 * np.arange(1, 200)])
        t = step + 1.0
        value = 2.0 + 5.0 * t**-0.3 + 0.01 * rng(i).standard_normal(len(t))
        fired += bool(jumps.jumps(Series(step.astype(np.int64), value)).items)
    assert fired <= 2


@pytest.mark.parametrize("tau", [0.0, 40.0])
def test_spikes_of_ten_sigma_are_found_and_recover(tau: float) -> None:
    hit = back = 0
    for i in range(30):
        c = curve(3000, rng(100 + i))
        for row in (900, 1700, 2400):
            c = c.plus(spike_change(3000, row, 10.0 * c.sigma[row], tau))
        found = spikes.spikes(c.series(), 6.0)
        for row in (900, 1700, 2400):
            near = [e for e in found.items if abs(e.row - row) <= 2]
            hit += bool(near)
            back += bool(near) and near[0].recovered
    assert hit >= 0.97 * 90
    assert back >= 0.97 * hit


def test_a_spike_that_settles_higher_has_not_recovered_and_later_ones_still_count() -> None:
    c = curve(1000, rng(5), base="flat", law="gauss", phi=0.0, relative=0.01)
    c = (
        c.plus(step_change(1000, 500, 0.3))
        .plus(spike_change(1000, 500, 0.5, 10.0))
        .plus(spike_change(1000, 800, 0.5, 0))
    )
    found = spikes.spikes(c.series(), 6.0)
    assert [e.row for e in found.items] == [500, 800]
    assert [e.recovered for e in found.items] == [False, True]
    assert found.items[0].rows == 500 and found.items[0].end == 999.0
    assert event.count(event.unrecovered(found)) == 1.0 and event.share_recovered(found) == 0.5


def test_a_spike_in_the_last_rows_is_not_judged() -> None:
    c = curve(400, rng(6), base="flat", law="gauss", phi=0.0, relative=0.01)
    found = spikes.spikes(c.plus(step_change(400, 396, 1.0)).series(), 6.0)
    assert len(found.items) == 1 and not found.items[0].recovered
    assert event.count(event.unrecovered(found)) == 0.0 and event.share_recovered(found) is None


def test_a_smooth_fall_with_hardly_any_noise_is_no_jump() -> None:
    row = np.arange(600)
    for width in (12.0, 30.0):
        value = 0.1 + 1.8 / (1.0 + np.exp((row - 200) / width)) + 0.002 * rng(1).standard_normal(600)
        assert jumps.jumps(Series.of(value)).items == ()


def test_an_outlier_that_fades_over_a_few_rows_is_no_jump() -> None:
    fired = 0
    for i in range(30):
        c = curve(1000, rng(i), phi=0.5, law="gauss")
        fired += bool(jumps.jumps(c.plus(spike_change(1000, 600, 25.0 * c.sigma[600], 2.0)).series()).items)
    assert fired <= 5


def test_a_jump_on_a_steep_smooth_fall_is_one() -> None:
    row = np.arange(600)
    value = 0.1 + 1.8 / (1.0 + np.exp((row - 200) / 30.0)) + 0.002 * rng(1).standard_normal(600)
    assert [e.row for e in jumps.jumps(Series.of(value + 0.1 * (row >= 215))).items] == [215]


def test_a_slow_climb_out_of_a_valley_is_no_spike() -> None:
    row = np.arange(40)
    for noise_scale in (0.0002, 0.001):
        value = 0.55 + 0.1 * np.exp(-row / 2.0) + 0.0015 * np.maximum(row - 9, 0)
        assert spikes.spikes(Series.of(value + noise_scale * rng(2).standard_normal(40)), 6.0).items == ()


def test_a_series_that_dips_and_returns_to_its_start_rose_from_the_dip() -> None:
    row = np.arange(168)
    value = 2.3 - 0.25 * np.exp(-(((row - 31) / 9.0) ** 2)) + 0.01 * rng(3).standard_normal(168)
    onset = blowup.blowup_onset(Series.of(value))
    assert onset is not None and 20 <= onset <= 45
    assert blowup.blowup_factor(Series.of(value)) == pytest.approx(1.07, abs=0.05)


def test_a_run_that_explodes_from_its_second_row_has_its_onset_there() -> None:
    growth = [1.1, 1.2, 2.1, 10.0, 27.0, 2e3, 2e6, 1e8, 2e10, 1e13, 1e16, 1e19, 1e22, 2e25]
    assert blowup.blowup_onset(Series.of([*growth, NAN, NAN])) == 2.0
    assert (blowup.blowup_factor(Series.of([*growth, NAN])) or 0.0) > 1e24


def test_an_explosion_after_a_restless_time_is_dated_by_its_own_pace() -> None:
    restless = np.exp(0.2 * rng(4).standard_normal(300)) * np.linspace(1.0, 0.5, 300) + np.linspace(0.0, 0.2, 300) ** 2
    s = Series.of([*restless.tolist(), 2.0, 17.0, 4e5, 5e9, 4e15, 8e20, NAN])
    onset = blowup.blowup_onset(s)
    assert onset is not None and 295 <= onset <= 301


def test_dips_are_spikes_upside_down() -> None:
    c = curve(800, rng(8), base="flat").plus(spike_change(800, 400, -3.0, 5.0))
    mirrored = Series(c.series().step, -c.value)
    down, up = spikes.dips(c.series(), 6.0), spikes.spikes(mirrored, 6.0)
    assert [e.row for e in down.items] == [e.row for e in up.items] and 400 in [e.row for e in down.items]
    assert down.items[0].size == pytest.approx(-up.items[0].size)


def test_log_spikes_see_a_factor_where_the_plain_ones_see_tails() -> None:
    r = rng(9)
    value = np.exp(0.4 * r.standard_normal(2000))
    value[1200] *= 60.0
    found = spikes.log_spikes(Series.of(value), 6.0)
    assert [e.row for e in found.items] == [1200]
    assert found.items[0].size == pytest.approx(value[1200] - found.items[0].before, rel=0.01)


@pytest.mark.parametrize(("n", "efold"), [(2000, 10.0), (2000, 50.0), (200, 3.0)])
def test_the_onset_of_a_blowup_is_found_to_half_an_efolding_or_four_rows(n: int, efold: float) -> None:
    errors, doubling = [], []
    for i in range(30):
        c, r = curve(n, rng(2000 + i)), rng(3000 + i)
        row = int(r.integers(int(0.4 * n), int(0.8 * n)))
        s = c.plus(growth_change(n, row, efold, c.sigma[row], INF)).series()
        onset, twice = blowup.blowup_onset(s), blowup.doubling_time(s)
        assert onset is not None and twice is not None
        errors.append(abs(onset - row))
        doubling.append(twice)
    assert float(np.median(errors)) <= max(4.0, 0.6 * efold)
    assert float(np.median(doubling)) == pytest.approx(efold * math.log(2.0), rel=0.25)


def test_a_run_that_ends_in_nan_after_one_wild_row_blew_up_there() -> None:
    quiet = [1.0 + 0.01 * ((i * 7) % 5) for i in range(60)]
    s = Series.of([*quiet, 500.0, NAN, NAN])
    assert blowup.blowup_onset(s) == pytest.approx(60.0, abs=2.0)
    assert blowup.blowup_factor(s) == pytest.approx(490, rel=0.05)
    assert blowup.blowup_onset(Series.of([*quiet, 500.0])) is None


def test_the_channel_that_left_its_baseline_first_has_the_lead() -> None:
    n, leads = 1000, []
    for i in range(20):
        a, b = curve(n, rng(40 + i), base="flat", law="gauss", phi=0.0), curve(n, rng(80 + i), law="gauss", phi=0.0)
        a = a.plus(growth_change(n, 600, 8.0, a.sigma[600], INF))
        b = b.plus(growth_change(n, 660, 8.0, b.sigma[660], INF))
        lead = blowup.first_to_move(a.series(), b.series())
        assert lead is not None
        assert blowup.first_to_move(b.series(), a.series()) == -lead
        leads.append(lead)
    assert float(np.median(leads)) == pytest.approx(60.0, abs=8.0)
    assert blowup.first_to_move(curve(n, rng(1)).series(), curve(n, rng(2)).series()) is None


def test_nonfinite_values_are_named_placed_and_counted() -> None:
    s = Series.of([1.0, 2.0, -INF, 4.0, NAN], step=[0, 10, 20, 30, 40])
    assert finite.first_nonfinite(s) == 20.0 and finite.nonfinite_kind(s) == 3.0
    assert finite.nonfinite_share(s) == 0.4 and finite.stays_nonfinite(s) is False
    assert finite.before_nonfinite(s).value.tolist() == [1.0, 2.0] and finite.last_finite(s) == 30.0
    assert finite.nonfinite_kind(Series.of([NAN])) == 1.0 and finite.stays_nonfinite(Series.of([1.0, INF])) is True
    clean = Series.of([1.0, 2.0])
    assert finite.first_nonfinite(clean) is None and finite.stays_nonfinite(clean) is None
    assert finite.before_nonfinite(clean) is clean


@pytest.mark.parametrize("phi", [0.0, 0.5, 0.8])
def test_autocorrelation_of_the_noise_is_measured_around_the_decay(phi: float) -> None:
    seen = [noise.phi(curve(2000, rng(i), phi=phi).series()) for i in range(12)]
    assert float(np.median([x for x in seen if x is not None])) == pytest.approx(phi, abs=0.06)


def test_noise_measures_its_scale_growth_and_tails() -> None:
    gauss = [curve(2000, rng(i), law="gauss", phi=0.0, relative=0.02) for i in range(12)]
    ratio = [(noise.noise(c.series()) or 0.0) / float(np.median(c.sigma)) for c in gauss]
    assert float(np.median(ratio)) == pytest.approx(1.0, abs=0.06)
    loud = Series.of(np.concatenate([rng(1).standard_normal(600), 3.0 * rng(2).standard_normal(600)]))
    assert noise.noise_growth(loud) == pytest.approx(math.log2(3.0), abs=0.25)
    assert noise.tail_ratio(gauss[0].series()) == pytest.approx(1.0, abs=0.12)
    assert (noise.tail_ratio(Series.of(rng(3).standard_t(2, 3000))) or 0.0) > 1.15
    rounded = Series.of(np.round(0.001 * rng(4).standard_normal(500), 2) + np.linspace(1, 0, 500).round(2))
    assert noise.quantum(rounded) == pytest.approx(0.01)
    assert (noise.noise(rounded) or 0.0) >= 0.01 / math.sqrt(12) * 0.999


def test_the_decay_fit_finds_family_floor_and_drop() -> None:
    errors = []
    for i in range(40):
        c = curve(1000, rng(i), phi=0.0, relative=0.02)
        fit = decay.decay_fit(c.series())
        assert fit is not None and fit.r2 > 0.6
        fall = float(c.smooth[0] - c.smooth[-1])
        errors.append(abs(fit.floor - float(c.smooth[-1])) / fall)
    assert float(np.median(errors)) < 0.01
    rising = decay.decay_fit(Series.of(1.0 - np.exp(-np.arange(300) / 40.0)))
    assert rising is not None and rising.kind == "exponential" and rising.drop < -0.9
    flat = decay.decay_fit(Series.of(rng(0).standard_normal(500)))
    assert flat is not None and flat.kind == "flat"


def test_the_residual_of_a_decay_is_its_noise() -> None:
    c = curve(1000, rng(11), base="power", law="gauss", phi=0.0, relative=0.02)
    r = decay.residual(c.series())
    assert len(r) == 1000
    assert float(np.std(r.value)) == pytest.approx(float(np.sqrt(np.mean(c.sigma**2))), rel=0.2)
    fit = decay.decay_fit(c.series())
    assert fit is not None
    assert decay.fit_floor(fit) == fit.floor and decay.fit_drop(fit) == fit.drop
    assert decay.fit_sigma(fit) == fit.sigma and decay.fit_r2(fit) == fit.r2


# --- oracles --------------------------------------------------------------------------------


@given(st.lists(st.floats(-100, 100, width=32), min_size=8, max_size=60))
@settings(max_examples=60, deadline=None)
def test_noise_equals_its_definition(values: list[float]) -> None:
    assert noise.noise(Series.of(values)) == pytest.approx(naive_noise(values), rel=1e-6, abs=1e-9)


@given(st.lists(st.floats(-9, 9, width=32), min_size=5, max_size=50))
@settings(max_examples=60, deadline=None)
def test_the_median_network_equals_sorting(values: list[float]) -> None:
    assert robust.median5(np.array(values)).tolist() == naive_median5(values)


@pytest.mark.parametrize("window", [5, 11, 33])
def test_the_trailing_level_equals_a_loop(window: int) -> None:
    values = rng(1).standard_normal(80)
    assert spikes.trailing_level(values, window) == pytest.approx(naive_trailing_median(values.tolist(), window))


@pytest.mark.parametrize(("h", "phi"), [(6, 0.2), (6, 0.5), (16, 0.5), (24, 0.8)])
def test_the_autocorrelation_factor_equals_the_covariance_form(h: int, phi: float) -> None:
    assert jump_proof.inflation(h, phi) == pytest.approx(naive_inflation(h, phi), rel=1e-6)


def test_the_running_contrast_equals_two_line_fits() -> None:
    values = rng(2).standard_normal(70)
    for h, found in jump_scan.contrasts(values):
        naive = [naive_contrast(values.tolist(), row, h) for row in range(h, 70 - h + 1)]
        assert found == pytest.approx(naive, abs=1e-9)


@pytest.mark.parametrize("row", [12, 20, 31])
def test_the_confirmation_equals_a_full_regression(row: int) -> None:
    values = rng(3).standard_normal(44)
    t, place = jump_proof.confirm(values, row, 0)
    assert place == row and t == pytest.approx(naive_step_t(values.tolist(), row), rel=1e-8)


# --- every kind of dirt ---------------------------------------------------------------------

Statistic = Callable[[Series], object]
ALL: tuple[Statistic, ...] = (
    noise.noise,
    noise.noise_rel,
    noise.noise_head,
    noise.noise_tail,
    noise.noise_growth,
    noise.tail_ratio,
    noise.phi,
    noise.quantum,
    decay.decay_fit,
    decay.fitted,
    decay.residual,
    lambda s: jumps.jumps(s, 2.0),
    jumps.biggest_drop,
    jumps.biggest_rise,
    lambda s: jumps.level_shift(s, 5.0),
    lambda s: spikes.spikes(s, 6.0),
    lambda s: spikes.dips(s, 6.0),
    lambda s: spikes.log_spikes(s, 6.0),
    lambda s: spikes.log_dips(s, 6.0),
    blowup.blowup_onset,
    blowup.blowup_factor,
    blowup.blowup_score,
    blowup.doubling_time,
    blowup.departure,
    lambda s: blowup.first_to_move(s, s),
    finite.first_nonfinite,
    finite.last_finite,
    finite.nonfinite_kind,
    finite.nonfinite_share,
    finite.nonfinite_rows,
    finite.stays_nonfinite,
    finite.before_nonfinite,
)


def check(s: Series) -> None:
    """Every statistic answers, with finite numbers where it promises numbers."""
    for f in ALL:
        match f(s):
            case bool() | None:
                pass
            case float() as x:
                assert math.isfinite(x), (f, x)
            case Series() as out:
                assert len(out) <= len(s)
            case DecayFit() as fit:
                assert 0.0 <= fit.r2 <= 1.0 and math.isfinite(fit.rate)
            case CurveEvent() as e:
                check_event(e, s)
            case CurveEvents() as found:
                assert found.rows <= len(s)
                assert [e.row for e in found.items] == sorted({e.row for e in found.items})
                for e in found.items:
                    check_event(e, s)
            case other:
                raise AssertionError(f"{f} returned {other!r}")


def check_event(e: CurveEvent, s: Series) -> None:
    assert e.step == float(s.step[e.row]) and e.end >= e.step
    assert e.z >= 0.0 and e.rows >= 1 and math.isfinite(e.z)
    assert math.isfinite(s.value[e.row])


shapes = st.sampled_from(["walk", "decay", "constant", "wild", "grid", "blowup", "two"])


@given(shapes, st.integers(0, 150), st.integers(0, 2**16), st.floats(0, 0.6))
@settings(max_examples=60, deadline=None)
def test_no_series_makes_a_statistic_raise_or_warn(shape: str, n: int, seed: int, bad: float) -> None:
    r = rng(seed)
    e = r.standard_normal(n)
    value = {
        "walk": np.cumsum(e),
        "decay": 1.0 / (1.0 + np.arange(n)) + 0.01 * e,
        "constant": np.full(n, 2.5),
        "wild": e * 10.0 ** r.integers(-300, 300, n),
        "grid": np.round(e, 0),
        "blowup": 1.0 + 0.01 * e + np.exp(np.minimum(np.arange(n) - 0.5 * n, 700.0)),
        "two": r.integers(0, 2, n).astype(float),
    }[shape]
    dirt = r.random(n) < bad
    value = np.where(dirt, r.choice([NAN, INF, -INF], n), value)
    step = np.cumsum(r.integers(1, 50, n)) if seed % 2 else np.arange(n)
    check(Series(step.astype(np.int64), value.astype(np.float64)))


@pytest.mark.parametrize("scale", [1e-320, 1e-300, 1e-12, 1e12, 1e300, 1.7e308 / 8])
def test_extreme_scales_are_only_scales(scale: float) -> None:
    c = curve(300, rng(4)).plus(step_change(300, 180, 2.0)).plus(spike_change(300, 240, 3.0, 0))
    check(Series.of(c.value / np.abs(c.value).max() * 7.0 * scale))


def test_steps_that_repeat_or_stand_still_are_survived() -> None:
    c = curve(200, rng(5)).plus(step_change(200, 120, 2.0))
    check(Series.of(c.value, step=[i // 3 for i in range(200)]))
    check(Series.of(c.value, step=[7] * 200))
    check(Series.of([1.0, NAN]))
    check(Series.of([]))


NUMBERS: tuple[Callable[[Series], float | None], ...] = (
    noise.noise,
    noise.quantum,
    noise.noise_head,
    lambda s: (e := jumps.biggest_rise(s)) and e.size,
    lambda s: (e := event.largest(spikes.spikes(s, 6.0))) and e.size,
)
PLACES: tuple[Callable[[Series], float | None], ...] = (
    noise.phi,
    noise.noise_growth,
    lambda s: (e := jumps.biggest_rise(s)) and e.step,
    lambda s: (e := event.largest(spikes.spikes(s, 6.0))) and e.step,
    lambda s: event.count(spikes.spikes(s, 6.0)),
    blowup.blowup_onset,
    blowup.doubling_time,
)


@given(st.integers(0, 500), st.sampled_from([0.125, 3.0, 1e6]), st.sampled_from([-40.0, 0.0, 11.0]))
@settings(max_examples=30, deadline=None)
def test_shift_and_scale_move_sizes_and_leave_places(seed: int, factor: float, shift: float) -> None:
    c = curve(240, rng(seed), relative=0.02)
    c = c.plus(step_change(240, 150, 20.0 * c.sigma[150])).plus(spike_change(240, 110, 25.0 * c.sigma[110], 0))
    a, b = Series.of(c.value), Series.of(c.value * factor + shift * factor)
    for f in NUMBERS:
        x, y = f(a), f(b)
        if f is noise.quantum:
            continue
        assert (x is None) == (y is None)
        assert x is None or y == pytest.approx(x * factor, rel=1e-6)
    for f in PLACES:
        x, y = f(a), f(b)
        assert (x is None) == (y is None)
        assert x is None or y == pytest.approx(x, rel=1e-6)


@given(st.integers(0, 500))
@settings(max_examples=30, deadline=None)
def test_nan_gaps_change_nothing_but_the_rows(seed: int) -> None:
    c = curve(240, rng(seed), relative=0.02)
    c = c.plus(step_change(240, 150, 20.0 * c.sigma[150])).plus(spike_change(240, 110, 25.0 * c.sigma[110], 0))
    gaps = np.sort(rng(seed).integers(0, 240, 12))
    full = Series.of(c.value)
    holed = Series(
        np.insert(full.step * 2, gaps, full.step[gaps] * 2 - 1), np.insert(full.value, gaps, [NAN, INF] * 6), "x"
    )
    plain = Series(full.step * 2, full.value)
    for f in (jumps.jumps, lambda s: spikes.spikes(s, 6.0)):
        found, clean = f(holed), f(plain)
        assert [e.step for e in found.items] == [e.step for e in clean.items]
        assert [e.size for e in found.items] == [e.size for e in clean.items]
        assert all(holed.step[e.row] == e.step for e in found.items)
    assert noise.noise(holed) == noise.noise(plain)


def test_a_long_sawtooth_costs_no_more_than_its_length() -> None:
    row = np.arange(60_000)
    saw = Series.of((row % 50) / 50.0 + 0.01 * rng(1).standard_normal(60_000))
    assert spikes.spikes(saw, 6.0).items == ()
    assert len(jumps.jumps(saw).items) > 1000


def test_values_at_the_edge_of_the_float_range_are_survived() -> None:
    check(Series.of(np.where(np.arange(120) % 7 == 0, 1e308, -1e308)))
    check(Series.of(np.where(np.arange(120) % 50 == 3, 1e200, 0.0)))
    check(Series.of(rng(1).standard_normal(90) * 10.0 ** rng(2).integers(-320, 308, 90)))


def test_constants_and_short_series_hold_no_events() -> None:
    for s in (Series.of([]), Series.of([1.0]), Series.of([1.0, 2.0]), Series.of([3.0] * 500), Series.of([NAN] * 90)):
        assert jumps.jumps(s).items == () and spikes.spikes(s, 6.0).items == ()
        assert blowup.blowup_onset(s) is None and jumps.level_shift(s) is None
        assert jumps.biggest_drop(s) is None and jumps.biggest_rise(s) is None


def test_accessors_answer_about_events() -> None:
    a = CurveEvent(10.0, 20.0, 1.0, 7.0, 0.0, 0.1, 10, True, 10)
    b = CurveEvent(40.0, 99.0, -3.0, 5.0, 0.0, -3.0, 59, False, 40)
    both = CurveEvents((a, b), 100)
    assert event.count(both) == 2.0 and event.rate(both) == 0.02 and event.rate(event.NO_EVENTS) is None
    assert event.largest(both) is b and event.strongest(both) is a
    assert event.first_event(both) is a and event.last_event(both) is b
    assert event.first_event(event.NO_EVENTS) is event.last_event(event.NO_EVENTS) is event.largest(CurveEvents((), 5))
    assert event.rises(both).items == (a,) and event.drops(both).items == (b,)
    assert event.unrecovered(both).items == (b,) and event.recovered_events(both).items == (a,)
    assert event.events_between(both, 10.0, 39.0).items == (a,) and event.held(both, 20.0).items == (b,)
    assert (event.step_of(a), event.end_of(a), event.size_of(a), event.score_of(a)) == (10.0, 20.0, 1.0, 7.0)
    assert (event.before_of(a), event.after_of(a), event.rows_of(a), event.recovered(a)) == (0.0, 0.1, 10.0, True)
