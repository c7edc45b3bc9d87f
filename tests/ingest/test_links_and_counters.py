"""Names that a mark joins to their numbers, letters that count, and cells that hold nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_first_contact_shapes import CURVES, EPOCHS, told, values
from text_log import read

pytestmark = pytest.mark.fast


@pytest.mark.parametrize("mark", ["→", "⇒", "≈"])
@pytest.mark.parametrize("count", ["step {i} ", "{i} ", "e{i} ", "[00:0{i}] it {i} · "])
@pytest.mark.parametrize("way", ["falls", "rests"])
def test_an_arrow_without_blanks_links_a_name_to_its_number(tmp_path: Path, mark: str, count: str, way: str) -> None:
    curve = CURVES[way]
    lines = [f"{count.format(i=i)}loss{mark}{curve(i)} |g|{mark}{2 + curve(i):.3f}" for i in range(EPOCHS)]
    run = read(tmp_path, "\n".join(lines) + "\n")[0]
    assert values(run, "loss") == told(curve)
    assert len(values(run, "grad_norm")) == EPOCHS


@pytest.mark.parametrize(
    "line", ["#{i} loss@{v} lr@1.0e-04 gn@0.3{i}", "{i} trainloss@{v} devmse@0.{i}", "it {i} nll@{v}"]
)
def test_a_name_stands_at_its_value(tmp_path: Path, line: str) -> None:
    curve = CURVES["falls"]
    run = read(tmp_path, "".join(line.format(i=i, v=curve(i)) + "\n" for i in range(EPOCHS)))[0]
    assert values(run, "loss") == told(curve)


def test_a_rank_or_a_threshold_behind_the_same_mark_stays_part_of_the_name(tmp_path: Path) -> None:
    curve = CURVES["falls"]
    text = "".join(f"epoch {i} loss {curve(i)} mAP@0.5 0.{40 + i} precision@1 0.{30 + i}\n" for i in range(EPOCHS))
    run = read(tmp_path, text)[0]
    assert values(run, "loss") == told(curve)
    assert {m for m in run.metrics() if "@" in m} == {"mAP@0.5", "precision@1"}


@pytest.mark.parametrize(
    "head", ["e{e} b{b} ", "ep {e} b{b} ", "T+0.{e}s e{e} b{b} ", "e{e}/it{b}: ", "epoch {e} it{b} "]
)
def test_a_letter_counts_inside_an_epoch(tmp_path: Path, head: str) -> None:
    curve = CURVES["falls"]
    at = [(e, b) for e in range(EPOCHS // 2) for b in (0, 12)]
    text = "".join(head.format(e=e, b=b) + f"loss={curve(i)}\n" for i, (e, b) in enumerate(at))
    run = read(tmp_path, text)[0]
    assert values(run, "loss") == told(curve)[: len(at)]


@pytest.mark.parametrize("name", ["held-out L", "val L", "dev L"])
def test_a_letter_of_other_data_is_their_loss(tmp_path: Path, name: str) -> None:
    curve = CURVES["falls"]
    text = "".join(f"it {i} L={curve(i)}\n    ↳ {name}={round(1.1 * curve(i), 4)}\n" for i in range(EPOCHS))
    run = read(tmp_path, text)[0]
    assert values(run, "loss") == told(curve) and values(run, "val_loss") == told(curve, 1.1)


@pytest.mark.parametrize("empty", ["–", "—", "n/a", "-", "", "None"])
@pytest.mark.parametrize("last", [False, True])
def test_a_cell_of_a_page_may_hold_nothing(tmp_path: Path, empty: str, last: bool) -> None:
    curve = CURVES["falls"]
    cells = [["Ep", "Train loss", "Val acc", "LR"], ["---"] * 4]
    cells += [[str(i), str(curve(i)), empty, "4.0e-03"] for i in range(EPOCHS)]
    if last:
        cells = [[*row[:2], row[3], row[2]] for row in cells]
    run = read(tmp_path, "".join(f"| {' | '.join(row)} |\n" for row in cells))[0]
    assert values(run, "loss") == told(curve)
    assert len(values(run, "lr")) == EPOCHS


def test_steps_that_went_once_to_their_total_are_the_whole(tmp_path: Path) -> None:
    text = "epochs : 30\n" + "".join(f"[00:01] it {20 * i}/600 · loss={1 / (i + 1):.4f}\n" for i in range(30))
    run = read(tmp_path, text)[0]
    assert run.settings["max_steps"] == 600


def test_steps_of_an_epoch_that_was_cut_off_are_no_whole(tmp_path: Path) -> None:
    text = "".join(f"epoch 1 it {20 * i}/600 · loss={1 / (i + 1):.4f}\n" for i in range(12))
    run = read(tmp_path, text)[0]
    assert run.settings.get("max_steps") != 600
