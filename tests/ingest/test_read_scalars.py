"""TensorBoard's JSON downloads, whole and damaged."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from curvedoc.ingest import read_runs
from curvedoc.ingest.json import scalars
from curvedoc.rulebook.load import signals_file

ROWS = [[1_700_000_000.5 + i, 10 * i, 2.0 / (i + 1) + 0.01 * math.sin(7 * i)] for i in range(40)]


@pytest.mark.parametrize("name", ["run-exp1_train-tag-loss.json", "loss.json"])
def test_a_download_is_a_curve_called_by_its_tag(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(json.dumps(ROWS))
    (run,) = read_runs([tmp_path], signals_file=signals_file()).runs
    found = run.series("loss")
    assert found is not None and found.step.tolist() == [10 * i for i in range(40)]
    assert found.value.tolist() == [v for _, _, v in ROWS]


def test_a_download_that_ends_in_a_row_keeps_what_was_before(tmp_path: Path) -> None:
    (tmp_path / "loss.json").write_text(json.dumps(ROWS)[:-20])
    (run,) = read_runs([tmp_path / "loss.json"], signals_file=signals_file()).runs
    found = run.series("loss")
    assert found is not None and len(found) == 39
    assert {n.kind for s in run.sources for n in s.notes} & {"damaged", "truncated"}


def test_numbers_that_are_not_finite_are_kept(tmp_path: Path) -> None:
    text = json.dumps(ROWS).replace(repr(ROWS[7][2]), "NaN").replace(repr(ROWS[9][2]), '"Infinity"')
    (tmp_path / "loss.json").write_text(text)
    (run,) = read_runs([tmp_path / "loss.json"], signals_file=signals_file()).runs
    found = run.series("loss")
    assert found is not None and math.isnan(found.value[7]) and math.isinf(found.value[9])


@pytest.mark.parametrize(
    "text",
    [
        "[[0.1, 0.2, 0.3], [0.4, 0.5, 0.6], [0.7, 0.8, 0.9]]",
        "[[1700000000, 3, 0.1], [1700000001, 2, 0.2], [1700000002, 1, 0.3]]",
        "[[1700000000, 1], [1700000001, 2]]",
        "[]",
        "[[",
    ],
)
def test_other_lists_are_none(text: str, tmp_path: Path) -> None:
    assert not scalars.claims(tmp_path / "loss.json", text.encode())
