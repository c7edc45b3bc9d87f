"""A number that print() leaves behind or below a progress bar is the loss where it comes down as one."""

from pathlib import Path

import pytest

import curvedoc
from curvedoc.core.errors import CurvedocError

LOSS = [20 * 0.97**i + 2 + (i * 7919 % 13) / 10 for i in range(100)]
BAR = "{i}%|{done:<10}| {i}/100 [00:{i:02}<00:59, 1.8it/s]"
FORMS = (
    "{i}it [00:{i:02}, 1.8it/s]{v:.4f}\n",
    BAR + "{v:.4f}\n",
    BAR + "\n{v:.4f}\n",
    BAR + "\r\n{v:.4f}\n",
    BAR + " tensor({v:.4f}, device='cuda:0', grad_fn=<NllLossBackward0>)\n",
    "Epoch 1: " + BAR.replace("it/s", "s/it") + "{v:.3e}\n",
)


def _written(form: str, values: list[float]) -> str:
    return "".join(form.format(i=i, v=v, done="#" * (i // 10)) for i, v in enumerate(values))


@pytest.mark.parametrize("form", FORMS)
def test_what_comes_down_behind_a_bar_is_the_loss(form: str, tmp_path: Path) -> None:
    (tmp_path / "out.txt").write_text(_written(form, LOSS))
    (run,) = curvedoc.read(tmp_path)
    loss = run.series("loss")
    assert loss is not None and len(loss) == 100
    assert loss.value[-1] == pytest.approx(LOSS[-1], rel=1e-3)


@pytest.mark.parametrize("form", FORMS)
def test_numbers_that_go_nowhere_behind_a_bar_are_none(form: str, tmp_path: Path) -> None:
    (tmp_path / "out.txt").write_text(_written(form, [2.0 + (i * 7919 % 13) for i in range(100)]))
    with pytest.raises(CurvedocError, match="no "):
        curvedoc.read(tmp_path)
