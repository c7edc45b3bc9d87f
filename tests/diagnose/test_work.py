"""What it takes to judge a short run, counted and not timed: it crept up unseen, a rule at a time."""

from __future__ import annotations

import ast
from collections import Counter
from typing import Any

import numpy as np
import pytest
from helpers.drawn import run_of

from curvedoc.core.run import Run
from curvedoc.core.series import Series
from curvedoc.diagnose.run import diagnose
from curvedoc.rulebook.evaluate import Evaluator
from curvedoc.rulebook.load import load

#: Statistics worked out for each of the runs below: a rule or fact that needs more takes one from another, by a
#: condition that mostly decides ahead of it or by what is worked out already.
CEILING = {"learns": 150, "diverges": 245}


def short_run(name: str) -> Run:
    """A hundred rows of loss, gradient norm and rate, as scripts log them."""
    step, noise = np.arange(1, 101), np.sin(np.arange(100) ** 2 * 0.7) * 0.05
    loss = 0.4 + 2.2 * np.exp(-step / 25.0)
    if name == "diverges":
        loss = np.where(step > 60, loss * np.exp((step - 60) / 8.0), loss)
    curves = {"loss": loss * (1.0 + noise), "grad_norm": 1.0 + noise[::-1], "lr": np.full(100, 1e-3)}
    return run_of({role: Series(step, value, f"train/{role}") for role, value in curves.items()})


@pytest.mark.parametrize("name", CEILING)
def test_a_short_run_takes_so_many_statistics_and_no_more(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: Counter[str] = Counter()
    remember = Evaluator.remember

    def counted(self: Evaluator, key: Any, function: str, args: Any) -> Any:
        asked[function] += 1
        return remember(self, key, function, args)

    monkeypatch.setattr(Evaluator, "remember", counted)
    found = diagnose(short_run(name), load(lazy=True), strict=True)
    assert found.verdict == {"learns": "healthy", "diverges": "failed"}[name]
    assert asked.total() <= CEILING[name], asked.most_common(12)


def test_a_run_is_judged_without_parsing_an_expression(monkeypatch: pytest.MonkeyPatch) -> None:
    book = load(lazy=True)

    def parse(*_: Any, **__: Any) -> Any:
        raise AssertionError("an expression was parsed")

    monkeypatch.setattr(ast, "parse", parse)
    diagnose(short_run("diverges"), book, strict=True)
