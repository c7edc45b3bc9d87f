"""Curves for drawing: thinned, but for what is near a finding; and the columns that a report draws of them."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from curvedoc.core.diagnosis import Curve
from curvedoc.core.run import ASSEMBLED, RoleMatch, Run, empty_messages
from curvedoc.core.series import Series
from curvedoc.diagnose.curves import MOST_CURVES, curves
from curvedoc.diagnose.thinning import AROUND, MOST_STRETCHES, thin
from curvedoc.report.charts.columns import columns, every
from curvedoc.report.exchange.json_document import from_json, to_json


@st.composite
def thinned_series(draw: st.DrawFn) -> tuple[Series, Curve]:
    """A series of up to 3,000 rows with a few odd values, and its curve with stretches near some steps."""
    n = draw(st.integers(1, 3000))
    gap = draw(st.integers(1, 20))
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    step = np.cumsum(rng.integers(1, gap + 1, n))
    value = rng.standard_normal(n)
    for at in draw(st.lists(st.integers(0, n - 1), max_size=5)):
        value[at] = draw(st.sampled_from([math.nan, math.inf, -math.inf, 1e6, -1e6]))
    s = Series(step.astype(np.int64), value, "loss")
    near = draw(st.lists(st.integers(-5, int(step[-1]) + 5), max_size=5))
    return s, thin(s, "loss", "", draw(st.integers(1, 420)), near)


@settings(max_examples=60, deadline=None)
@given(thinned_series(), st.integers(1, 420))
def test_what_is_drawn_holds_every_extreme_in_order_and_every_row_of_its_stretches(
    made: tuple[Series, Curve], most: int
) -> None:
    s, curve = made
    drawn = columns(curve, most)
    finite = s.value[np.isfinite(s.value)]
    assert list(drawn.step) == sorted(set(drawn.step))
    if len(finite):
        assert np.nanmin(drawn.low) == finite.min()
        assert np.nanmax(drawn.high) == finite.max()
    logged = dict(zip(s.step.tolist(), s.value.tolist(), strict=True))
    for a, b in drawn.every:
        for step in (x for x in logged if a <= x <= b):
            at = drawn.step.index(step)
            value = logged[step] if math.isfinite(logged[step]) else math.nan
            assert np.array_equal([drawn.mean[at], drawn.low[at], drawn.high[at]], [value] * 3, equal_nan=True)
    rows = sum(1 for a, b in drawn.every for x in logged if a <= x <= b)
    assert len(drawn.step) - rows <= most + 2 * MOST_STRETCHES + 2
    assert columns(curve, most, raw=False).every == ()


@settings(max_examples=60, deadline=None)
@given(thinned_series())
def test_a_stretch_is_bounded_and_lies_around_a_step_that_was_asked_for(made: tuple[Series, Curve]) -> None:
    s, curve = made
    rows, values = curve.raw
    assert len(rows) == len(values) <= MOST_STRETCHES * (2 * AROUND + 2 + 2 * (len(s) // max(1, len(curve.step)) + 1))
    if len(s) == len(curve.step):
        assert rows == ()  # each row is a bucket already


def test_the_rows_near_a_spike_are_kept_and_the_rest_stays_in_buckets() -> None:
    value = 1.0 + 0.01 * np.sin(np.arange(10_000))
    value[7_000] = 50.0
    curve = thin(Series(np.arange(10_000), value, "loss"), "loss", "", 420, [7_000])
    drawn = columns(curve, 420)
    assert drawn.every == ((6_940, 7_060),)
    assert drawn.mean[drawn.step.index(7_000)] == 50.0 and drawn.mean[drawn.step.index(6_999)] < 1.02
    assert len(drawn.step) < 420 + 2 * AROUND + 4


def test_two_findings_far_apart_have_a_stretch_each_and_close_ones_share_one() -> None:
    s = Series(np.arange(50_000) * 10, np.cos(np.arange(50_000)), "loss")
    assert len(every(thin(s, "loss", "", 420, [100_000, 300_000]))) == 2
    assert len(every(thin(s, "loss", "", 420, [100_000, 101_500]))) == 1


def test_stretches_that_do_not_fit_the_buckets_lose_no_extreme() -> None:
    whole = thin(Series(np.arange(1000), np.sin(np.arange(1000)), "x"), "loss", "", 100)
    crooked = replace(whole, raw=(tuple(range(333, 478)), tuple(np.sin(np.arange(333, 478)))))
    drawn = columns(crooked, 100)
    assert min(drawn.low) == min(whole.low) and max(drawn.high) == max(whole.high)
    assert list(drawn.step) == sorted(set(drawn.step))
    assert drawn.every == ((340, 469),)


def test_kept_rows_survive_json() -> None:
    from make_diagnosis import nan_run, of

    value = np.concatenate([np.linspace(2, 1, 5_000), np.full(5_000, np.nan)])
    curve = thin(Series(np.arange(10_000), value, "loss"), "loss", "", 420, [5_000])
    back = from_json(to_json(of(replace(nan_run(), curves=(curve,))))).runs[0].curves[0]
    assert back.raw[0] == curve.raw[0] and len(back.raw[0]) == 2 * AROUND + 2
    assert np.allclose(back.raw[1], curve.raw[1], rtol=1e-4, equal_nan=True)


def _run(metrics: dict[str, str]) -> Run:
    import polars as pl

    n = 50
    parts = [
        pl.DataFrame(
            {"metric": [m] * n, "step": range(n), "value": np.linspace(2, 1, n), "time": [None] * n, "rank": [0] * n,
             "flags": [0] * n, "segment": [0] * n, "superseded": [False] * n},
            schema=dict(ASSEMBLED),
        )
        for m in metrics
    ]  # fmt: skip
    roles = tuple(RoleMatch(role, m, m) for m, role in metrics.items())
    return Run("r", pl.concat(parts), empty_messages(), roles, {}, {}, ())


def test_every_validation_loss_is_drawn_and_a_marked_metric_is_never_crowded_out() -> None:
    usual = {"acc": "accuracy", "gn": "grad_norm", "lr": "lr", "wn": "weight_norm", "ls": "loss_scale", "mem": "memory",
             "tp": "throughput", "st": "step_time", "gpu": "gpu_utilization"}  # fmt: skip
    layers = {f"layer{i}": "layer_grad_norm" for i in range(9)}
    run = _run({"loss": "loss", "val/a": "val_loss", "val/b": "val_loss", "val/c": "val_loss", **usual, **layers})
    found = [c.metric for c in curves(run, ["layer7", "layer2"], True)]
    assert found[:6] == ["loss", "val/a", "val/b", "val/c", "layer7", "layer2"]
    assert len(found) <= MOST_CURVES
    assert [c.metric for c in curves(run, [], False)] == ["loss", "val/a", "val/b", "val/c"]
