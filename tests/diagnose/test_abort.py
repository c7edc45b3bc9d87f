"""Rules that would have stopped a failed run: never before something was wrong, and with what they save."""

from __future__ import annotations

import numpy as np
from helpers.drawn import run_of
from hypothesis import given, settings
from hypothesis import strategies as st
from make_diagnosis import nan_run, of

from curvedoc.core.abort_rule import AbortRule
from curvedoc.core.diagnosis import RunDiagnosis
from curvedoc.core.series import Series
from curvedoc.diagnose.story.abort import PATIENCE, abort_rules
from curvedoc.report.abort import code, told
from curvedoc.report.html.page import to_html

RNG = np.random.default_rng(1)


def blown(at: int = 300, n: int = 1000) -> tuple[Series, Series]:
    """A loss that falls, then blows up and becomes NaN; its gradient norm jumps a little earlier."""
    steps = np.arange(n)
    loss = 2.0 * np.exp(-steps / 400) + 0.02 * RNG.random(n)
    loss[at:] = loss[at] * np.minimum(1e6, 1.2 ** np.arange(n - at))
    loss[at + 100 :] = np.nan
    norm = 1.0 + 0.1 * RNG.random(n)
    norm[at + 5 :] = 60.0
    return Series(steps, loss, "loss"), Series(steps, norm, "grad_norm")


def test_each_rule_stops_after_the_onset_and_the_earliest_comes_first() -> None:
    loss, norm = blown()
    rules = abort_rules(run_of({"loss": loss, "grad_norm": norm}), 300)
    assert [(r.kind, r.step) for r in rules if r.kind != "loss"] == [("grad-norm", 305), ("non-finite", 400)]
    by_loss = next(r for r in rules if r.kind == "loss")
    assert 300 + PATIENCE <= by_loss.step < 340
    assert all(r.steps_saved == 999 - r.step for r in rules)
    assert [r.step for r in rules] == sorted(r.step for r in rules)


def test_a_norm_that_jumped_while_all_was_well_makes_the_rule_blunter() -> None:
    loss, norm = blown()
    value = norm.value.copy()
    value[100] = 8.0  # a spike that did no harm
    rules = abort_rules(run_of({"loss": loss, "grad_norm": Series(norm.step, value, "grad_norm")}), 300)
    rule = next(r for r in rules if r.kind == "grad-norm")
    assert rule.factor == 10.0 and rule.step == 305


def test_a_jump_of_another_trouble_before_the_onset_stops_nothing() -> None:
    """What is told first begins at 700: a jump and a NaN long before it cost nothing that was spent after that."""
    loss, norm = blown(at=700)
    early = loss.value.copy()
    early[100], early[150:165] = np.nan, 30.0
    jumps = norm.value.copy()
    jumps[150:165] = 8.0
    run = run_of({"loss": Series(loss.step, early, "loss"), "grad_norm": Series(norm.step, jumps, "grad_norm")})
    rules = abort_rules(run, 700)
    assert rules and all(r.step >= 700 and r.steps_saved <= 999 - 700 for r in rules)
    assert abort_rules(run, None) == ()


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 999), st.lists(st.floats(allow_nan=True, allow_infinity=True), min_size=20, max_size=60))
def test_no_rule_speaks_before_the_onset_whatever_the_values(onset: int, values: list[float]) -> None:
    s = Series.of(values, range(0, 20 * len(values), 20), "loss")
    rules = abort_rules(run_of({"loss": s, "grad_norm": s}), onset)
    assert all(r.step >= onset for r in rules)


def test_what_it_saves_and_its_code_are_told() -> None:
    rule = AbortRule("grad-norm", 20.0, 100, 291, 1105, 8.1)
    run = nan_run()
    assert told(rule, run) == (
        "A gradient norm over 20 times its median of 100 values stops it at step 291: 1,105 steps, 8.1 h saved."
    )
    made: dict[str, object] = {}
    exec(code(rule), made)
    stop = made["stop"]
    assert callable(stop) and not any(stop(1.0) for _ in range(50)) and stop(21.0) and not stop(1.0)


def test_the_page_tells_them() -> None:
    from dataclasses import replace

    run: RunDiagnosis = replace(nan_run(), abort_rules=(AbortRule("non-finite", 0.0, 1, 7508, 5451, None),))
    page = to_html(of(run), baked=0)
    assert "A loss of NaN or Inf stops it at step 7,508: 5,451 steps saved." in page
