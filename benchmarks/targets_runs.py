"""Targets of whole diagnoses on drawn runs: validation curves that turn or do not, and healthy runs of every kind."""

from __future__ import annotations

from collections.abc import Iterator

from helpers.drawn import run_of
from helpers.healthy_runs import healthy_run
from helpers.learning_curves import drawn_run
from targets import Row, rate, some

from curvedoc.diagnose.judge.detect import detect
from curvedoc.diagnose.judge.inputs import Bench
from curvedoc.diagnose.run import diagnose
from curvedoc.options import Options, rulebook

SURE = 5.0  # standard errors: one who knows the curve would swear to the turn


def turns_told(share: float) -> Iterator[Row]:
    """Overfitting on validation curves after published shapes: found where it turns, never where it does not."""
    rule = next(r for r in rulebook(Options()).rules if r.id == "overfitting")
    found, told, false = [], [], []
    for i in range(some(2_000, share)):
        run = drawn_run(i)
        fires = detect(rule, Bench(run_of({"loss": run.train, "val_loss": run.val})), strict=True).finding is not None
        if run.rise == 0.0:
            false.append(fires)
            continue
        found.append(fires)
        if run.sure > SURE:
            told.append(fires)
    hits, alarms = sum(found), sum(false)
    yield rate("overfitting told on a curve that does not turn (aim: 0)", false, high=0.002)
    # 2 TP of 2 TP + FP + FN, as a share of that many cases
    score = [True] * (2 * hits) + [False] * (alarms + len(found) - hits)
    # a twentieth of the turns are less than five standard errors high to one who knows the curve: .97 is out of reach
    yield rate("F1 of overfitting on turns of 2 to 100 % in noise of 0.2 to 5 % (aim: 0.97)", score, low=0.95)
    yield rate("the same turns found, of those five standard errors high", told, low=0.97)


def healthy_told(share: float) -> Iterator[Row]:
    """Healthy runs of every kind: verdicts of the whole rule book."""
    book = rulebook(Options())
    verdicts = []
    for i in range(some(1_000, share)):
        run = healthy_run(i)
        verdicts.append(diagnose(run_of(run.signals, settings=run.settings), book, strict=True).verdict)
    yield rate("healthy run of any kind failed", [v == "failed" for v in verdicts], high=0.0)
    yield rate("healthy run of any kind warned", [v == "warning" for v in verdicts], high=0.01)
    yield rate("healthy run of any kind called healthy", [v == "healthy" for v in verdicts], low=0.95)


TARGETS = (turns_told, healthy_told)
