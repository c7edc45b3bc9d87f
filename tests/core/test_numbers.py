"""How numbers are written for people, in every sentence of every rule and cause."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curvedoc.core.numbers import spelled
from curvedoc.core.series import Series
from curvedoc.diagnose.sentence.counter import Counter
from curvedoc.diagnose.sentence.fields import fill
from curvedoc.rulebook.load import load

FORMS = ("", ".2g", ".3g", ".4g", ".6g", ".0f", ".1f", ".2f", ",.0f", ".0%", ".1%", "+.0%", "+.2f", ".1e", "step")
EXTREMES = (
    0.0,
    1e-300,
    4e-17,
    0.99999,
    1.0,
    999.9996,
    123_456.7,
    5.7e14,
    4.96e29,
    1e308,
    math.inf,
    -math.inf,
    math.nan,
)
UNITS = re.compile(r"\{(unit\.\w+)\}")
FIELD = re.compile(r"\{([^{}:]+)(?::([^{}]*))?\}")
#: A number as a reader meets it, with the grouping and the power of ten that belong to it.
SPELLED = re.compile(r"[-+]?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?")


def sentences() -> list[tuple[str, str]]:
    """(file, sentence) of all that rules and causes say with numbers."""
    book = load()
    out = [(r.id, s.text) for r in book.rules for s in r.evidence]
    for c in book.causes.values():
        out += [(c.id, p.sentence.text) for p in c.predicts]
        out += [(c.id, k.because) for k in c.checks if k.because]
    return [(owner, text) for owner, text in out if FIELD.search(text)]


@pytest.mark.parametrize("value", EXTREMES)
def test_no_sentence_of_a_rule_or_cause_spells_out_a_number_of_any_size(value: float) -> None:
    told = sentences()
    assert len(told) > 300
    for owner, text in told:
        names = {name: value for name, _ in FIELD.findall(text) if not name.startswith("unit.")}
        # a step is written whole: a log may count tokens
        said = fill(text.replace(":step}", ":.0f}"), names, dict.fromkeys(UNITS.findall(text), " GB"))
        assert said is not None and "{" not in said, (owner, text)
        parts = iter(FIELD.split(text)[::3])
        literal = "".join(parts)
        for number in SPELLED.findall(said):
            if number in literal:
                continue
            digits = re.sub(r"\D", "", number.partition("e")[0])
            assert len(digits.strip("0")) <= 6 and len(number) <= 12, (owner, said)
        if not math.isfinite(value):
            assert "nan" not in said.split() and ("inf" in said or "NaN" in said), (owner, said)


@settings(max_examples=60, deadline=None)
@given(st.floats(allow_nan=True), st.sampled_from(FORMS))
def test_a_number_is_short_and_tells_its_size(v: float, form: str) -> None:
    text = spelled(v, form)
    assert len(text) <= {"step": 20, ".6g": 14}.get(form, 12)
    if not math.isfinite(v) or text == "over 99%":
        return
    scale = 100.0 if text.endswith("%") else 1.0
    mantissa, _, power = text.rstrip("%").replace(",", "").partition("e")
    if int(power or 0) > 300:
        return  # 100 times the largest numbers has no float
    read = float(f"{mantissa}e{int(power or 0)}") / scale
    if form == "step":
        assert read == pytest.approx(round(v), rel=0.06)
    else:
        assert (read == 0) == (v == 0)  # the smallest numbers too are not nothing
        assert read == pytest.approx(v, rel=0.51, abs=1e-320) or abs(read - v) <= 0.5


@pytest.mark.parametrize(
    ("text", "value", "said"),
    [
        ("over {n:.0f} rows", 1.0, "over 1 row"),
        ("over {n:.0f} rows", 3.0, "over 3 rows"),
        ("on {n:.0f} logged steps,", 1.0, "on 1 logged step,"),
        ("{n:.0f} classes", 1.0, "1 class"),
        ("it left {n:.0f} time(s) in all", 1.0, "it left once in all"),
        ("it left {n:.0f} time(s) in all", 2.0, "it left 2 times in all"),
        ("only {n:.0f} sample(s)", 1.0, "only 1 sample"),
        ("{n:.0f} times its level", 1.4, "1.4 times its level"),
        ("{n:.0f} times its level", 14.2, "14 times its level"),
        ("{n:.1f} times its median", 4.96063446526318057550015102976e29, "5e+29 times its median"),
        ("{n:.0f} times its median", 810125064987131.0, "8.1e+14 times its median"),
        ("above on {n:.0%} of the rows", 0.9999, "above on over 99% of the rows"),
        ("only {n:.0%} of the loss is gone", 0.0004, "only 0.04% of the loss is gone"),
    ],
)
def test_a_sentence_agrees_with_its_number(text: str, value: float, said: str) -> None:
    assert fill(text, {"n": value}, {}) == said


def test_a_step_is_called_what_the_run_counts_in() -> None:
    text = "best near step {at:step} of {n:.0f} steps, from steps {at:step} to {n:step}"
    values = {"at": 1200.0, "n": 3.0}
    assert fill(text, values, {}, Counter("epoch")) == "best near epoch 1,200 of 3 steps, from epochs 1,200 to 3"
    assert fill(text, values, {}) == "best near step 1,200 of 3 steps, from steps 1,200 to 3"


def test_a_row_is_told_by_the_epoch_that_is_logged_beside_it() -> None:
    epochs = Series(np.arange(5), np.array([0.36, 0.71, 1.0, 1.07, 2.0]), "epoch")
    said = [Counter("row", epochs).at(row) for row in (0, 1, 2, 4, 7)]
    assert said == ["epoch 0.36", "epoch 0.71", "epoch 1", "epoch 2", "logged row 7"]
    assert [Counter("step", epochs).at(step) for step in (1, 2)] == ["step 1", "epoch 1 (step 2)"]


def test_an_epoch_that_many_rows_share_is_told_with_its_steps() -> None:
    """The counter of a row begins anew in each epoch, so that its sum stands nowhere in the log."""
    passes = Series(np.arange(0, 90, 10), np.repeat([1.0, 2.0, 3.0], [3, 3, 3]), "epoch")
    torn = passes.cut(slice(None, 8))
    at = Counter("step", None, passes)
    assert [at.at(s) for s in (10, 20, 60, 80)] == [
        "step 10 (epoch 1)",
        "epoch 1 (step 20)",
        "step 60 (epoch 3)",
        "epoch 3 (step 80)",
    ]
    assert at.inside(20) == "epoch 1, step 20"
    assert Counter("step", None, torn).at(70) == "step 70 (epoch 3)"
    assert [Counter("samples", None, passes).at(s) for s in (40, 50)] == ["sample 10 of epoch 2", "epoch 2"]
    assert [Counter("row", None, passes).at(s) for s in (40, 50)] == ["logged row 40 (epoch 2)", "epoch 2"]
    assert fill("best (0.2 at step {at:step})", {"at": 10.0}, {}, at) == "best (0.2 at step 10, epoch 1)"
