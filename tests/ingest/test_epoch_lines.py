# ruff: noqa: E501 (lines as programs print them)
"""One line an epoch in terse or odd spellings: read alike whether the loss falls, stays or rises, for what a sick run
prints is what one wants to read."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from curvedoc.ingest import read_runs
from curvedoc.rulebook.load import signals_file

EPOCHS = 16
#: Name of the spelling -> the line; e, t, v and a are the epoch, both losses and the accuracy.
LINES = {
    "codes": "E:{e} T:{t:.4f} V:{v:.4f} A:{a:.4f} LR:1.0e-03",
    "codes behind a counter": "#{e:03d} L={t:.4f} VL={v:.4f} VA={a:.4f}",
    "a counter and a clock": "[{e}] 00:01:{s:02d} loss_train {t:.4f} loss_dev {v:.4f} acc_dev {a:.4f} ETA 0:11:00 best 0.31",
    "names in brackets behind": "epoch {e} | {t:.4f} (train) | {v:.4f} (val) | {a:.4f} (acc)",
    "a list of a page": "- **Epoch {e}**: train loss `{t:.4f}`, val loss `{v:.4f}`, val acc `{a:.4f}`",
    "Julia's numbers": "[ Info: epoch = {e}  train_loss = {t:.6f}f0  test_loss = {v:.6f}f0  test_acc = {a:.4f}",
    "terse splits in a dict": '2024-03-01 10:00:{s:02d},123 INFO trainer: metrics={{"ep": {e}, "tr": {{"loss": {t:.4f}}}, "va": {{"loss": {v:.4f}, "acc": {a:.4f}}}}}',
    "terse splits as heads": "epoch {e} tr: loss {t:.4f} acc {a:.4f} va: loss {v:.4f} acc {a:.4f}",
    "splits alone beside an accuracy": "({e}/16) train={t:.4f} dev={v:.4f} dev_acc={p:.2f}%",
    "two splits at once": "ep {e}: loss {t:.4f}/{v:.4f} (train/val) acc {a:.4f}",
    "values assigned behind a counter": "{e}00: ctc={t:.4f} loss={t:.4f} dev_loss={v:.4f} rate=0.001 utt/s=33",
    "totals": "(iter: {e}00, time: 0.{s:03d}) train_total: {t:.5f} val_total: {v:.5f}",
    "splits alone, arrows": "epoch {e:>3} => trn {t:.5f} | val {v:.5f} | acc {a:.4f} | lr 1.00e-03",
}
#: The same of files that hold nothing else: their name, the first line, the others.
FILES = {
    "a table of a page": ("train.log", "| Epoch | Train Loss | Val Loss | Acc |\n|:--|--:|--:|--:|", "| {e} | {t:.4f} | {v:.4f} | {a:.4f} |"),
    "a short word for the epoch": ("results.tsv", "#ep\tL_train\tL_valid\tacc_valid", "{e}\t{t:.4f}\t{v:.4f}\t{a:.4f}"),
    "a phase, a name and a value": ("metrics.csv", "iteration,phase,name,val", "{e},train,loss,{t:.4f}\n{e},dev,loss,{v:.4f}\n{e},dev,acc,{a:.4f}"),
    "sentences in records": ("log.jsonl", "", '{{"msg": "epoch {e} train loss {t:.4f} val loss {v:.4f}", "level": "info", "time": "2024-05-02T11:{s:02d}:00"}}'),
}  # fmt: skip
COURSES = {"falls": (2.3, 0.5), "stays": (2.303, 2.302), "rises": (1.4, 6.8)}


@pytest.mark.parametrize("course", COURSES)
@pytest.mark.parametrize("spelling", [*LINES, *FILES])
def test_a_line_an_epoch_is_read_whatever_its_curve_does(tmp_path: Path, spelling: str, course: str) -> None:
    name, head, line = FILES.get(spelling) or ("train.log", "model has 1203420 parameters", LINES.get(spelling, ""))
    begin, end = COURSES[course]
    train = np.round(
        np.linspace(begin, end, EPOCHS) + np.random.default_rng(3).normal(0, 0.02 * max(begin, end), EPOCHS), 4
    )
    val = np.round(train + 0.05, 4)
    right = np.linspace(0.3, 0.8 if course == "falls" else 0.2, EPOCHS)
    rows = [
        line.format(e=i + 1, t=t, v=v, a=a, p=100 * a, s=i)
        for i, (t, v, a) in enumerate(zip(train, val, right, strict=True))
    ]
    (tmp_path / name).write_text("\n".join([*filter(None, [head]), *rows]) + "\n")
    (run,) = read_runs([tmp_path], signals_file=signals_file()).runs
    loss, other = run.series("loss"), run.series("val_loss") or run.series("test_loss")
    assert loss is not None and np.allclose(loss.value, train, atol=1e-3), run.metrics()
    assert other is not None and np.allclose(other.value, val, atol=1e-3), run.metrics()


def test_letters_in_running_text_are_no_record(tmp_path: Path) -> None:
    text = "".join(f"A {i} V 12 B 3\nS 4 of L 9\n#{i} 0x7f in main ()\n" for i in range(9))
    (tmp_path / "train.log").write_text(text)
    assert all(not run.metrics() for run in read_runs([tmp_path], signals_file=signals_file()).runs)


def test_names_between_bars_behind_a_counter_are_a_row(tmp_path: Path) -> None:
    noise = np.random.default_rng(5).normal(0, 0.02, (40, 2))
    rows = [(2 * 0.9**i + 0.3 + a, 0.9 * 0.95**i + b) for i, (a, b) in enumerate(noise)]
    text = "".join(
        f"It {i}00 | L_pde {a:.3e} | L_bc {b:.3e} | L {a + b:.3e} | err {b:.3e}\n" for i, (a, b) in enumerate(rows)
    )
    (tmp_path / "train.log").write_text(text)
    (run,) = read_runs([tmp_path], signals_file=signals_file()).runs
    loss = run.series("loss")
    assert loss is not None and loss.metric == "L" and loss.step.tolist() == [100 * i for i in range(40)]


def test_a_step_within_the_epoch_beside_the_global_one(tmp_path: Path) -> None:
    text = "".join(
        f"   --> STEP: {i % 4}/4 -- GLOBAL_STEP: {i + 1}\n     | > decoder_loss: {3 / (i + 1):.5f}  (1.0)\n     | > loss: {4 / (i + 1):.5f}  (1.3)\n"
        for i in range(24)
    )
    (tmp_path / "train.log").write_text(text)
    (run,) = read_runs([tmp_path], signals_file=signals_file()).runs
    loss = run.series("loss")
    assert loss is not None and loss.step.tolist() == list(range(1, 25))
