"""Runs that log the same are judged as each by itself: what follows from what they have is only worked out once."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.drawn import run_of

from curvedoc.core.run import Note
from curvedoc.core.series import Series
from curvedoc.diagnose.judge.inventory import FIRST, KINDS, inventory_of
from curvedoc.diagnose.run import diagnose
from curvedoc.ingest import load_signals, plan, read_bundles, shards
from curvedoc.rulebook.load import load
from curvedoc.rulebook.location import signals_file
from curvedoc.rulebook.rule import Need

SAMPLES = Path(__file__).resolve().parents[2] / "sample_logs"


@pytest.mark.parametrize("sample", sorted(p.name for p in SAMPLES.iterdir() if p.is_dir()))
def test_a_run_is_judged_the_same_by_itself_and_as_one_of_its_kind(sample: str) -> None:
    book, table = load(lazy=True), load_signals(signals_file())
    for shard in shards(plan([SAMPLES / sample]).bundles):
        for run in read_bundles(shard, table).runs:
            said = [repr(diagnose(run, book, strict=True)) for _ in range(FIRST + 2)]
            assert said == said[:1] * (FIRST + 2)


def test_a_title_that_asks_once_after_an_alternative_is_told_of_the_first_run_of_all() -> None:
    falls = [8.0 / (1 + i / 4) for i in range(40)]
    grades = [0.15 + 0.02 * (i * 7 % 5) for i in range(40)]
    run = run_of({"loss": Series.of(falls), "val_metric": Series.of(grades)})
    titles = [f.title for f in diagnose(run, load(lazy=True), strict=True).findings]
    assert any("never gets better: about 0.1" in title for title in titles), titles


def test_what_a_kind_of_runs_lacks_is_known_before_one_is_looked_at() -> None:
    book = load(lazy=True)
    run = run_of({"loss": Series.of([2.0, 1.0])})
    assert inventory_of(run_of({"reward": Series.of([1.0])}), (), book) is not None  # the first kind of all
    assert [inventory_of(run, (), book) is None for _ in range(FIRST + 1)] == [True] * FIRST + [False]
    have = inventory_of(run, (), book)
    assert have is not None

    def said(source: str, target: str) -> object:
        fixed = have.fixed(Need("x", source, target, True))  # type: ignore[arg-type]
        return "a matter of each" if fixed is None else fixed.value

    assert said("role", "loss") == said("role", "any_loss") == said("restarts", "") == "a matter of each"
    assert said("role", "lr") is said("role", "wrong") is said("config", "lr") is said("log", "") is None
    assert (said("note", "torn"), said("axis", run.axis), said("axis", "epoch")) == (0.0, 1.0, 0.0)
    assert have.unknown("classes") or have.unknown("chance")
    # another note, another kind
    assert inventory_of(run, (Note("torn", "a record"),), book) is None


def test_only_so_many_kinds_are_remembered() -> None:
    book = load(lazy=True)
    for i in range(3 * KINDS):
        inventory_of(run_of({"loss": Series.of([2.0, 1.0])}, settings={f"setting_{i}": 1}), (), book)
    assert len(book.made["kinds"]) == KINDS
