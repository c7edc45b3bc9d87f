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
