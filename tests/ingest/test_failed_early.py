"""A program that failed before it logged a number, and a sentence between records of data, are heard as well."""

from __future__ import annotations

from pathlib import Path

import pytest
from corpus import SIGNALS

from curvedoc.analysis import analyze
from curvedoc.ingest import read_runs


@pytest.mark.parametrize(
    ("text", "runs"),
    [
        ("Loading data\nepoch 0\n[3021.5] Out of memory: Killed process 771 (python) total-vm:1kB, anon-rss:1kB\n", 1),
        ("Start training\nRuntimeError: MPS backend out of memory (MPS allocated: 8.95 GB)\n", 1),
        ("installing packages\nerror: could not find setup.cfg\n", 0),
        ("Start training\nmodel saved\n", 0),
    ],
)
def test_a_text_that_speaks_of_training_and_ends_in_an_error_is_a_run(text: str, runs: int, tmp_path: Path) -> None:
    (tmp_path / "train.log").write_text(text)
    assert len(read_runs([tmp_path], signals_file=SIGNALS).runs) == runs


def test_an_l2_that_is_all_that_comes_out_is_no_setting_of_a_search(tmp_path: Path) -> None:
    rows = [f"step {i} - l2: {(900 if i % 2 else 250) / (1 + i):.4f} - grad_norm: 0.7" for i in range(1, 30)]
    (tmp_path / "train.log").write_text("\n".join(rows) + "\n")
    assert [m.role for m in read_runs([tmp_path], signals_file=SIGNALS).runs[0].roles] == ["grad_norm", "loss"]


def test_a_last_word_after_records_of_data_is_judged(tmp_path: Path) -> None:
    rows = [f"{{'loss': {2.0 / (1 + i):.4f}, 'step': {i * 10}}}" for i in range(20)]
    (tmp_path / "train.log").write_text("\n".join([*rows, "Batch 200: Invalid loss, terminating training"]) + "\n")
    (found,) = analyze(tmp_path).diagnosis.runs
    assert "nan-reported" in {f.symptom for f in found.findings}
