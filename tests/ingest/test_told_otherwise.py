# ruff: noqa: E501 (lines as programs print them)
"""Records whose parts stand elsewhere than in most logs: the old value ahead of the new one, the split behind several
numbers, remarks and clocks behind the counter, sums of parts, counters that close their block, titles above values."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from printed_rows import N, acc, last, loss, printed, val
from printed_rows import read_printed as read

import curvedoc
from curvedoc.core.errors import NothingToAnalyse
from curvedoc.ingest.text.line.glued import MOVED

pytestmark = pytest.mark.fast


@pytest.mark.parametrize("form", [
    "- **Epoch {i}** ({h:02d}:{m:02d}): train loss {l}, dev loss {v}. Fine.", "* Epoch {i} ({h:02d}:{m:02d}:05) - train loss {l}, dev loss {v}",
    "Epoch {i} (slow today): train loss {l}, dev loss {v}", "Epoch {i} (warm): loss {l} val_loss {v}",
    "epoch {i}: {A}% accuracy and {l} loss on the training set, {B}% accuracy and {v} loss on the test set",
    "after epoch {i}, {l} loss in training and {v} loss in validation", "Epoch {i} - {l} loss on train, {v} loss on val",
    "=== ÉPOCA {i} DE {N} ===\nPérdida en entrenamiento...: {l}\nPérdida en validación......: {v}", "=== EPOCH {i} OF {N} ===\nTraining loss...: {l}\nValidation loss...: {v}",
    "ÉPOQUE {i} SUR {N}\nPerte d'entraînement : {l}\nPerte de validation : {v}", "EPOCHE {i} VON {N}\nVerlust im Training ..: {l}\nVerlust in der Validierung: {v}",
    "epoch {i} loss: train/val = {l}/{v}", "epoch {i}: {l}/{v} train/val loss", "Epoch {i}: training/validation loss of {l} and {v}", "epoch {i} train loss\n{l}\nepoch {i} val loss\n{v}",
    "Epoch {i} training loss is\n  {l}\nEpoch {i} validation loss is\n  {v}", "trainer | epoch {i} | loss {l}\nevaluator | epoch {i} | loss {v}", "learner: epoch {i} loss {l}\nvalidator: epoch {i} loss {v}",
    "epoch {i}: loss has fallen to {l}, validation loss to {v}", "Epoch {i} loss has come down to {l} and val loss comes to {v}", "[TRAIN] {i}: {l}\n[VALID] {i}: {v}", "train[{i}] = {l}\nval[{i}] = {v}", "train, {i}, {l}\ntest, {i}, {v}",
    "epoch {i}\n          train    val\nloss      {l}   {v}\nacc       {a}   {a}\n", "epoch {i}\n          loss    acc\ntrain     {l}   {a}\nval       {v}   {a}\n", "Epoch {i}\n      | Train | Valid\n-----------\nLoss | {l} | {v}\n",
    "loss: {l}\nval_loss: {v}\nepoch: {i}\n", "loss = {l}\nval_loss = {v}\nlr = {g}\nEpoch = {i}\n-----", "run: a\nlog:\n  loss: {l}\n  val_loss: {v}\ntraining_iteration: {i}\n",
    "train,run=r17,host=gpu2 epoch={i}i,loss={l},lr={g} 1709626327000000{i:03d}\nvalid,run=r17,host=gpu2 epoch={i}i,loss={v} 1709626327500000{i:03d}",
    "metrics,split=train,run=a epoch={i}i,loss={l} 1709626327{i:03d}\nmetrics,split=val,run=a epoch={i}i,loss={v} 1709626327{i:03d}",
    "epoch\t{i}\ntrain_loss\t{l}\ndev_loss\t{v}\ndev_uas\t{A}\n",
])  # fmt: skip
def test_an_epoch_and_the_losses_of_both_splits(form: str, tmp_path: Path) -> None:
    run = read(tmp_path, form)
    assert (last(run, "loss"), last(run, "val_loss")) == ((N, loss(N), 1, N), (N, val(N), 1, N))


@pytest.mark.parametrize("form", [
    "Epoch {i}: loss went from {before} to {l}. Validation accuracy: {A}%.", "epoch {i}: train loss fell from {before} to {l}, val acc rose from {was}% to {A}%",
    "[{i}] loss is down from {before} to {l} | val acc {A}%", "{A}% right and {l} loss in training, {A}% accuracy and {v} loss in validation (epoch {i})",
    "{l} loss and {B}% acc for train; {v} loss and {A}% acc for dev; epoch {i}",
])  # fmt: skip
def test_a_loss_and_the_accuracy_on_other_samples(form: str, tmp_path: Path) -> None:
    run = read(tmp_path, form)
    assert last(run, "loss") == (N, loss(N), 1, N)
    assert last(run, "val_accuracy")[:2] == (N, acc(N))


@pytest.mark.parametrize("form", [
    "epoch {i}: train ({l}, {a}) dev ({v}, {a})", "epoch {i}: train: {l}, {a} | dev: {v}, {a}", "epoch {i} train {l} {a} dev {v} {a}", "epoch {i} | train {l} {A}% | dev {v} {A}%", "epoch {i}: train=[{l}, {a}] dev=[{v}, {a}]",
])  # fmt: skip
def test_an_accuracy_that_nothing_names_behind_its_loss(form: str, tmp_path: Path) -> None:
    run = read(tmp_path, form)
    assert (last(run, "loss"), last(run, "val_loss")) == ((N, loss(N), 1, N), (N, val(N), 1, N))
    assert (last(run, "accuracy")[:2], last(run, "val_accuracy")[:2]) == ((N, acc(N)), (N, acc(N)))


@pytest.mark.parametrize("form", [
    "Epoch {i}/{N}\n======================== 50/50 - 12s - loss {l} / acc {a} -- val loss {v}", "Epoch {i}/{N}\n---------- 50/50 - loss {l} - val_loss {v}",
    "Epoch {i}/{N}\n########## 50/50 | loss {l} | val_loss {v}",
])  # fmt: skip
def test_a_bar_without_brackets(form: str, tmp_path: Path) -> None:
    run = read(tmp_path, form)
    assert (last(run, "loss")[:2], last(run, "val_loss")[:2]) == ((N, loss(N)), (N, val(N)))


@pytest.mark.parametrize("form", [
    "epoch {i}.25 (update {s}) train={l} lr={g} valid={v}", "Epoch {i} (step {s}): train loss {l}, val loss {v}", "epoch {i} (iteration {s}) | loss {l} | val_loss {v}",
    "it={s} loss=>{l} val_loss=>{v} ∥∇∥=>{g}",
])  # fmt: skip
def test_a_step_in_brackets_behind_its_epoch(form: str, tmp_path: Path) -> None:
    run = read(tmp_path, form)
    assert (last(run, "loss"), last(run, "val_loss")) == ((N, loss(N), 10, 10 * N), (N, val(N), 10, 10 * N))


@pytest.mark.parametrize("form", [
    "[{i:02d}] loss = {l} (= recon {rest} + KL 0.1)", "epoch {i} loss {l} = recon {rest} + kl 0.1", "step {s}: loss={l} (recon={rest} + kl=0.1)",
])  # fmt: skip
def test_the_parts_of_a_sum(form: str, tmp_path: Path) -> None:
    run = read(tmp_path, form)
    assert last(run, "loss")[:2] == (N, loss(N))
    assert round(float(next(b for b in run.blocks if b.metric == "recon").value[-1]), 4) == round(loss(N) - 0.1, 4)


def test_the_plain_sum_of_terms_that_go_alike(tmp_path: Path) -> None:
    form = "".join(
        f"#{i} total={loss(i):.4f} [cls={0.4 * loss(i):.4f} box={0.5 * loss(i):.4f} obj={0.1 * loss(i):.4f}]\n"
        for i in range(1, N + 1)
    )
    (tmp_path / "out.txt").write_text(form)
    (run,) = curvedoc.read(tmp_path / "out.txt")
    assert last(run, "loss")[:2] == (N, loss(N))


@pytest.mark.parametrize("form", [
    "Total T: {s} Episode Num: {i} Episode T: 10 Reward: {r}", "[INFO] 3DBall. Step: {s}. Time Elapsed: 21.3 s. Mean Reward: {r}. Std of Reward: 0.3. Training.",
    "[INFO] 2Walkers. Step: {s}. Mean Reward: {r}. Training.",
])  # fmt: skip
def test_steps_of_agents(form: str, tmp_path: Path) -> None:
    assert last(read(tmp_path, form), "reward") == (N, 172.0, 10, 10 * N)


@pytest.mark.parametrize("name", ["mean100", "avg_50", "ma10"])
def test_the_mean_of_the_last_scores(name: str, tmp_path: Path) -> None:
    run = read(tmp_path, f"Ep {{s}} :: score {{A}} :: {name}   {{r}} :: eps {{g}}")
    assert any(b.metric == f"score {name}" for b in run.blocks)


def test_evaluations_between_episodes(tmp_path: Path) -> None:
    run = read(
        tmp_path,
        "Total T: {s} Episode Num: {i} Episode T: 10 Reward: {r}\n-----\nEvaluation over 10 episodes: {A}\n-----",
    )
    assert last(run, "val_reward")[:2] == (N, round(100 * acc(N), 1))


ROWS = range(1, N + 1)


def block(title: str, values: list[object], row: str = "{v}", end: str = "") -> str:
    return title + "\n" + "".join(row.format(v=v, i=i) + "\n" for i, v in enumerate(values)) + end + "\n"


@pytest.mark.parametrize(("first", "second", "row"), [
    ("train loss:", "val loss:", "  {v}"), ("## train_loss\n", "## val_loss\n", "{v}"), ("Training loss\n-------------", "Validation loss\n------", "{v}"),
    ("train losses", "val losses", "epoch {i}: {v}"), ("Loss:", "Val loss:", "step {i} = {v}"), ("[train_loss]", "[val_loss]", "{v},"), ("1. Loss", "2. Validation loss", "  {v}"),
])  # fmt: skip
def test_values_alone_below_titles(first: str, second: str, row: str, tmp_path: Path) -> None:
    told = block(first, [loss(i) for i in ROWS], row) + block(second, [val(i) for i in ROWS], row)
    (tmp_path / "values.txt").write_text(told)
    (run,) = curvedoc.read(tmp_path / "values.txt")
    assert (last(run, "loss")[:2], last(run, "val_loss")[:2]) == ((N, loss(N)), (N, val(N)))


@pytest.mark.parametrize("form", [
    "Prices went from {before} to {l} in week {i}", "{A}% of the guests and {l} apples in the kitchen ({i})", "page {i} of {N}...: {l}", "height: {l}\nwidth: {v}\npage: {i}\n",
    "        left  right\nwidth   {l}  {v}\nheight  {a}  {a}\n", "validator {i} took {l} s", "room train ({l}, {a}) hall dev ({v}, {a})",
    "Shelf {i} ({h:02d}:{m:02d}): apples {l}, pears {v}", "total = {l} (= rent {v} + food {g})",
])  # fmt: skip
def test_the_like_of_other_things_is_no_training(form: str, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text(printed(form))
    with pytest.raises(NothingToAnalyse):
        curvedoc.read(tmp_path / "notes.txt")


def test_titles_of_other_things_are_no_training(tmp_path: Path) -> None:
    told = block("price:", [loss(i) for i in ROWS]) + block("weight:", [val(i) for i in ROWS])
    (tmp_path / "values.txt").write_text(told)
    with pytest.raises(NothingToAnalyse):
        curvedoc.read(tmp_path / "values.txt")


@pytest.mark.parametrize("form", ["{s}: {v}", "{s} {v}", "{s}, {v}"])
def test_a_counter_and_a_loss_that_blows_up(form: str, tmp_path: Path) -> None:
    values = [f"{loss(i):.3f}" for i in ROWS] + ["0.9", "3.2", "58.1", "nan", "nan", "nan", "nan"]
    told = "".join(form.format(s=50 * k, v=v) + "\n" for k, v in enumerate(values))
    (tmp_path / "out.txt").write_text(f"start\n{told}end\n")
    (run,) = curvedoc.read(tmp_path / "out.txt")
    series = run.series("loss")
    assert series is not None and len(series) == len(values)


@pytest.mark.parametrize("form", ["{s}: {r}", "{i}: {A}"])
def test_a_counter_and_what_rises_is_no_training(form: str, tmp_path: Path) -> None:
    (tmp_path / "out.txt").write_text(printed(form))
    with pytest.raises(NothingToAnalyse):
        curvedoc.read(tmp_path)


def test_what_began_somewhere_and_tells_no_end_keeps_its_number() -> None:
    assert re.search(MOVED, "lr from 0.1, loss 0.5") is None
    said = re.search(MOVED, "loss went from 0.7 to nan | lr 0.1")
    assert said is not None and said[1] == "loss" and said[2] == "nan"
