"""Short tables of epochs whose names no list holds are runs on a walk: what counts epochs is a word of training."""

from __future__ import annotations

from pathlib import Path

import pytest

import curvedoc
from curvedoc.core.errors import CurvedocError

SINKS = [2.25, 1.71, 1.32, 1.1, 0.91, 0.82, 0.74, 0.7]


def written(folder: Path, header: str, *columns: list[float], first: list[float] | None = None) -> Path:
    """A CSV in a folder of its own: its first column counts from 1."""
    counted = first or [float(i) for i in range(1, len(columns[0]) + 1)]
    rows = [";".join(f"{v:g}" for v in row) for row in zip(counted, *columns, strict=True)]
    (folder / "sortie.csv").write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    return folder


def roles(folder: Path) -> dict[str, str]:
    (run,) = curvedoc.read(folder)
    return {m.role: m.metric for m in run.roles}


@pytest.mark.parametrize("stem", ["quux", "vraisemblable", "penalty of it"])
@pytest.mark.parametrize(("seen", "unseen"), [("{} (appr.)", "{} (valid.)"), ("train {}", "val {}")])
def test_a_measure_of_two_splits_is_judged_whatever_it_is_called(
    tmp_path: Path, stem: str, seen: str, unseen: str
) -> None:
    header = f"epoch;{seen.format(stem)};{unseen.format(stem)};durée (s)"
    folder = written(tmp_path, header, SINKS, [v * 1.1 for v in SINKS], [1.5 + 0.01 * i for i in range(8)])
    assert roles(folder) == {"loss": seen.format(stem), "val_loss": unseen.format(stem)}


def test_where_nothing_that_is_measured_ever_is_a_number_the_loss_is_none(tmp_path: Path) -> None:
    lost = [float("nan")] * 8
    folder = written(
        tmp_path, "epoch;quux (appr.);quux (valid.);durée (s)", lost, lost, [1.5 + 0.01 * i for i in range(8)]
    )
    (judged,) = curvedoc.analyze(folder).diagnosis.runs
    assert judged.verdict == "failed" and judged.findings[0].symptom == "nan-at-start"


def test_a_validation_loss_that_stays_is_not_called_healthy(tmp_path: Path) -> None:
    stays = [2.3 + 0.01 * ((7 * i) % 5 - 2) for i in range(30)]
    (judged,) = curvedoc.analyze(written(tmp_path, "epoch;val_loss", stays)).diagnosis.runs
    assert judged.verdict in ("warning", "inconclusive") and "validation loss" in judged.headline.lower()


def test_seconds_since_1970_that_are_called_an_epoch_count_none(tmp_path: Path) -> None:
    clock = [1.7e9 + 60.0 * i for i in range(8)]
    with pytest.raises(CurvedocError, match="no training run"):
        curvedoc.analyze(written(tmp_path, "epoch;quux", [3.1, 2.9, 3.3, 3.0, 3.2, 2.8, 3.1, 3.0], first=clock))
