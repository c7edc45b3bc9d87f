"""Evaluations that say no split: behind the training on its own line, and printed once more below the one that does."""

from __future__ import annotations

from pathlib import Path

import pytest
from text_log import read

pytestmark = pytest.mark.fast


@pytest.mark.parametrize("often", [1, 4], ids=["every epoch", "now and then"])
def test_names_that_stand_once_more_on_a_line_are_of_validation(tmp_path: Path, often: int) -> None:
    text = ""
    for e in range(1, 17):
        text += f"2031-03-04-05-{e:02}: epoch: {e} |loss {3 / e:.4f} | box_loss {1 / e:.4f} | time 7.250000 | "
        if e % often == 0:
            text += f"loss {3.5 / e:.4f} | box_loss {1.5 / e:.4f} | time 0.900000 | "
        text += "\n"
    run = read(tmp_path, text)[0]
    loss, val = run.series("loss"), run.series("val_loss")
    assert loss is not None
    assert val is not None
    assert loss.value.tolist() == [round(3 / e, 4) for e in range(1, 17)]
    assert val.value.tolist() == [round(3.5 / e, 4) for e in range(often, 17, often)]
    assert val.step.tolist() == list(range(often, 17, often))


def test_what_an_evaluation_returns_is_no_point_of_the_training(tmp_path: Path) -> None:
    text = "".join(f"INFO:app:loss = {2 / (i + 1):.4f}, step = {100 * i + 1}\n" for i in range(12))
    text += "INFO:app:Saving dict for global step 1200: accuracy = 0.9, global_step = 1200, loss = 0.5\n"
    text += "{'accuracy': 0.9, 'loss': 0.5, 'global_step': 1200}\n"
    run = read(tmp_path, text)[0]
    loss, val = run.series("loss"), run.series("val_loss")
    assert loss is not None
    assert val is not None
    assert (len(loss), val.value.tolist()) == (12, [0.5])


def test_an_evaluation_told_batch_by_batch_has_the_value_that_sums_it_up(tmp_path: Path) -> None:
    text = ""
    for e in range(10):
        for b in (0, 30, 60):
            text += f"Epoch: [{e}][{b}/90]\tLoss {2 / (e + 1):.4f} (2.0000)\tPrec@1 {50 + e:.3f} (50.000)\n"
        for b in (0, 30):  # a batch is far from the mean
            far = 20 * ((e + b) % 3)
            text += f"Test: [{b}/40]\tLoss {3 / (e + 1) + far:.4f} ({2.5 / (e + 1):.4f})\t"
            text += f"Prec@1 {30 + far:.3f} ({44 + e:.3f})\n"
        text += f" * Prec@1 {45 + e:.3f}\n"
    run = read(tmp_path, text)[0]
    loss, val, right = run.series("loss"), run.series("val_loss"), run.series("val_accuracy")
    assert loss is not None
    assert val is not None
    assert right is not None
    assert len(loss) == 30
    assert val.value.tolist() == [round(2.5 / (e + 1), 4) for e in range(10)]
    assert right.value.tolist() == pytest.approx([(45 + e) / 100 for e in range(10)])


def test_a_line_that_says_the_last_mean_of_an_evaluation_again_is_none_of_the_training(tmp_path: Path) -> None:
    text = ""
    for e in range(1, 11):
        for b in (5, 10):
            text += f" | Epoch: [{e}][{b}/12]    Time 0.020  Err {2 / e:.4f}  top1  {90 / e:.3f}  top5  {40 / e:.3f}\n"
        mean = f"top1  {30 + e / 7:.3f} (  {99 / e:.3f})  top5  {10 + e / 7:.3f} (  {45 / e:.3f})"
        text += f" | Test: [{e}][3/4]    Time 0.010  {mean}\n"
        text += f" * Finished epoch # {e}     top1:  {99 / e:.3f}  top5:  {45 / e:.3f}\n\n"
    run = read(tmp_path, text)[0]
    assert not [n for n in run.metrics() if n.startswith("epoch ")]
    val = run.metric("test top1")
    assert val is not None
    assert val.value.tolist() == [round(99 / e, 3) for e in range(1, 11)]


COCO = """\
Average forward time: 5.10 ms
 Average Precision  (AP) @[ IoU=0.50:0.95 | area=   all | maxDets=100 ] = {v:.3f}
 Average Precision  (AP) @[ IoU=0.50      | area=   all | maxDets=100 ] = {w:.3f}
 Average Precision  (AP) @[ IoU=0.50:0.95 | area= small | maxDets=100 ] = -1.000
 Average Recall     (AR) @[ IoU=0.50:0.95 | area=   all | maxDets=100 ] = {w:.3f}
"""


def test_the_summary_of_coco_is_told_by_the_names_that_everybody_gives_its_lines(tmp_path: Path) -> None:
    text = ""
    for e in range(1, 9):
        for b in (10, 20):
            text += f"2031-02-03 04:{e:02}:05 | INFO     | det.core.trainer:270 - epoch: {e}/8, iter: {b}/20, "
            text += f"iter_time: 0.31s, total_loss: {9 / e:.1f}, box_loss: {4 / e:.1f}, lr: 1.0e-03\n"
        text += COCO.format(v=0.3 + e / 50, w=0.4 + e / 50)
    run = read(tmp_path, text)[0]
    found = {n: m for n in run.metrics() if (m := run.metric(n)) is not None}
    assert {"val AP", "val AP50"} <= found.keys()
    assert not {"val APs", "det.core.trainer", "maxDets", "IoU"} & found.keys()
    assert found["val AP"].value.tolist() == pytest.approx([round(0.3 + e / 50, 3) for e in range(1, 9)])


def test_numbers_in_numpys_spelling_and_a_misspelled_epoch_are_read(tmp_path: Path) -> None:
    text = ""
    for e in range(9):
        text += f"=>Epoches {e}, learning rate = {0.1 / (e + 1):.4f}, \t\tprevious best = 0.0000\n"
        text += f"train_loss {-0.1 * e:.4f}\nval_loss {-0.09 * e:.4f}\n"
        text += f"Pseudo dice [np.float32({0.1 * e:.3f}), np.float32({0.05 * e:.3f})]\n"
    run = read(tmp_path, text)[0]
    lr, dice = run.series("lr"), run.metric("Pseudo dice")
    assert lr is not None
    assert dice is not None
    assert lr.step.tolist() == list(range(9))
    assert dice.value.tolist() == pytest.approx([round(0.1 * e, 3) for e in range(9)])
