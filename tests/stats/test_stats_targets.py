"""The targets of the statistics hold in a small run, and the command that checks them tells a miss."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

import stats_targets
import targets
import targets_cost
import targets_events
import targets_runs
import targets_shapes

#: The targets that decide whether a report is right and quiet, with the share of the full run that fits a test.
MATTER = [
    (targets_events.false_jumps, 0.05),
    (targets_events.found_jumps, 0.2),
    (targets_events.found_spikes, 0.2),
    (targets_events.onsets, 0.2),
    (targets_shapes.trends, 0.1),
    (targets_shapes.ends, 0.2),
    (targets_shapes.periods, 0.1),
    (targets_shapes.pairs, 0.1),
    (targets_runs.turns_told, 0.1),
    (targets_runs.healthy_told, 0.1),
    (targets_cost.sameness, 1.0),
]


@pytest.mark.parametrize(("target", "share"), MATTER, ids=lambda v: getattr(v, "__name__", ""))
def test_a_target_that_matters_holds_in_a_small_run(target: targets.Target, share: float) -> None:
    rows = list(target(share))
    assert rows
    assert [r for r in rows if not stats_targets.passed(r, quick=True)] == []


def test_all_statistics_of_a_long_series_take_time_in_proportion() -> None:
    rows = [r for r in targets_cost.times(0.1) if "100,000" in r.name]
    assert len(rows) == 1 and rows[0].held


def test_a_missed_target_is_named_and_ends_in_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def bad(share: float) -> Iterator[targets.Row]:
        yield targets.rate("half of all", [True, False] * 50, high=0.01)

    def good(share: float) -> Iterator[targets.Row]:
        yield targets.rate("none", [False] * 50, high=0.01)

    monkeypatch.setattr(stats_targets, "TARGETS", (bad, good))
    assert stats_targets.main(["--quick"]) == 1
    said = capsys.readouterr().out
    assert "missed: half of all" in said and "1 of 2 held" in said
    monkeypatch.setattr(stats_targets, "TARGETS", (good,))
    assert stats_targets.main(["--quick"]) == 0


def test_a_small_run_leaves_open_what_its_interval_leaves_open() -> None:
    row = targets.rate("two of twenty", [True] * 2 + [False] * 18, high=0.05)
    assert not row.held and row.possible
    assert stats_targets.passed(row, quick=True) and not stats_targets.passed(row, quick=False)


def test_the_page_is_written_from_a_full_run_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(stats_targets, "TARGETS", (lambda share: [targets.fact("one", "yes", True)],))
    page = tmp_path / "statistics.md"
    stats_targets.main(["--quick", "--write", str(page)])
    assert not page.exists()
    stats_targets.main(["--write", str(page)])
    assert "| one | yes | yes |" in page.read_text(encoding="utf-8")
