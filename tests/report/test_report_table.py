"""The findings as a table."""

from __future__ import annotations

from make_diagnosis import healthy_run, nan_run, of, sweep

from curvedoc.report.exchange.table import to_polars


def test_each_finding_is_a_row_with_the_likeliest_cause_that_names_it() -> None:
    table = to_polars(of(nan_run()))
    assert table["symptom"].to_list() == ["nan-after-blowup", "grad-norm-growth", "loss-spike-recovered"]
    assert table["cause"].to_list() == ["lr-too-high", "lr-too-high", None]
    assert table["first_step"][0] == 7508
    assert len(to_polars(sweep())) == sum(len(r.findings) for r in sweep().runs)


def test_without_findings_the_columns_are_there_all_the_same() -> None:
    assert to_polars(of(healthy_run())).columns == to_polars(of(nan_run())).columns
    assert to_polars(of()).height == 0
