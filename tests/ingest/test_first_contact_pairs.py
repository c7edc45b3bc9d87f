"""Two losses side by side, as strangers tie each to its split, whether they fall, rest, rise or are NaN."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from test_first_contact_shapes import curve as curve
from test_first_contact_shapes import rows, told, values
from text_log import read

from curvedoc.ingest.naming.languages import in_english
from curvedoc.ingest.text.line.plan import plan_of
from curvedoc.ingest.text.line.template import NUMBER

pytestmark = pytest.mark.fast


@pytest.mark.parametrize(
    "line",
    [
        lambda i, t, v: f"epoch {i} | xent = ({t}, {v}) (train, dev)",
        lambda i, t, v: f"ep {i} > ce is [{t}, {v}] [trn, vld]",
        lambda i, t, v: f"epoch {i}: huber loss => {t:.4f}/{v:.4f} (trn/vld) 12 s",
        lambda i, t, v: f"step={50 * i} mae={t:.4f}/{v:.4f}(val) lr=0.01",
        lambda i, t, v: f"[Ep: {i}], Training -> CE: {t}, top1: 0.5, vld -> CE: {v}, top1: 0.4",
        lambda i, t, v: f"Ep no. {i} & fit: Loss of {t} & dev: Loss of {v}",
        lambda i, t, v: f"ep({i}) | [tr] Loss: {t} — [va] Loss: {v}",
        lambda i, t, v: f"epoch:{i} ((Train) xent, {t}) ((Val) xent, {v})",
        lambda i, t, v: f"Epoch,{i},TRAIN: loss,{t},VAL: loss,{v}",
        lambda i, t, v: f"<epoch {i}> & cross_entropy/train -> {t} (val -> {v}) & lr -> 0.01",
        lambda i, t, v: f"epoch {i} | trn set error\t{t} (validation\t{v})",
        lambda i, t, v: f"{i},NLL_Train {t},NLL_Val {v}",
        lambda i, t, v: f"epoch {i}; loss on tr is {t}; loss on vld is {v}",
        lambda i, t, v: f"epoch {i}; loss over train ~ {t}; loss over valid ~ {v}",
        lambda i, t, v: f"[{i}s] epoch {i} - train::mae => {t}, validation::mae => {v}",
        lambda i, t, v: f"#{i}\nbce is {t}\n[va] bce is {v}",
        lambda i, t, v: f"{i})  |  train loss {t}\n--> held-out loss {v}",
        lambda i, t, v: f"{7 * i}.2s epoch {i} | tr cost {t}\n{7 * i + 3}.2s va cost {v}",
        lambda i, t, v: f"epoch {i}\n  * tr: ce {t}\n  * va: ce {v}",
        lambda i, t, v: f"[{i:02}] in-sample {t}   out-of-sample {v}   hits 0.5",
        lambda i, t, v: f"b{i:04}  L={t}  eta=0.01\n      >>> dev L={v}  (epoch {i})",
        lambda i, t, v: f"(epoch {i}) [t] {t} [v] {v} [acc] 0.5",
        lambda i, t, v: f"epoch={i};split=train;nll={t}\nepoch={i};split=dev;nll={v}",
        lambda i, t, v: f"Epoch {i}: MAE train/val = {t:.4f} / {v:.4f} eV",
        lambda i, t, v: f"epoch\t{i}\ntrain\t{t}\nval\t{v}\n",
        lambda i, t, v: f"Validation loss after epoch {i}: {v} (training loss was {t})",
        lambda i, t, v: f"{i}: {t} (train) vs {v} (val)",
        lambda i, t, v: f"epoch {i} train({t}) valid({v}) best(0.2)",
        lambda i, t, v: f"<08:{i:02}:00> E{i} / xent={t}\n<08:{i:02}:30> E{i} / val_xent={v}",
    ],
)
def test_each_loss_is_tied_to_its_split(
    tmp_path: Path, line: Callable[[int, float, float], str], curve: Callable[[int], float]
) -> None:
    run = read(tmp_path, rows(line, curve))[0]
    assert values(run, "loss") == told(curve)
    assert values(run, "val_loss") == told(curve, 1.1)


def test_what_an_agent_is_paid_may_be_a_letter_beside_its_share_of_guesses(tmp_path: Path) -> None:
    text = "".join(
        f"eps= {20 * i:4} | R= {3.5 * i:6.2f} | len={40 + i % 3} | ε={1 - i / 40:.2f}\n" for i in range(1, 31)
    )
    run = read(tmp_path, text)[0]
    assert values(run, "reward")[-1] == 105.0
    assert not run.matches("loss")


def test_the_epoch_of_the_best_is_not_that_of_the_line(tmp_path: Path) -> None:
    text = "".join(f"step {10 * i} loss {2 / i:.3f}\nbest loss {2 / i:.3f} (epoch 3)\n" for i in range(1, 20))
    run = read(tmp_path, text)[0]
    series = run.metric("loss")
    assert series is not None and series.step.tolist() == list(range(10, 200, 10))


def test_an_article_ahead_of_a_split_is_no_discriminator() -> None:
    assert in_english("perte_d_entrainement") == "perte_train"


@pytest.mark.parametrize("line", ["if a == 3 and b > 4", "assert loss_weight > 0", "x := 5", "Note: tr: 4 (see 7)"])
def test_code_and_prose_are_no_records(line: str) -> None:
    masked = "".join(NUMBER if c.isdigit() else c for c in line)
    assert plan_of(masked).kind in ("", "member")
