# ruff: noqa: E501 (lines as programs print them)
"""Styles in which people print a training: letters glued to numbers, names behind them, two names ahead of two values,
sentences, splits and counters of other languages, countdowns."""

from __future__ import annotations

from pathlib import Path

import pytest
from printed_rows import N, acc, last, loss, printed, val
from printed_rows import read_printed as read

import curvedoc
from curvedoc.core.errors import NothingToAnalyse

pytestmark = pytest.mark.fast


@pytest.mark.parametrize("form", [
    "epoch{i}loss{l}acc{a}time3.01s", "epoch_{i}_loss_{l}_acc_{a}", "E{i} L{l} A{a}", "Epoch{i}:loss{l},acc{a}", "ep{i};loss{l};acc{a}",
    "epoch#{i}/{N}\nTRAIN>> L={l}  A={A}%", "epoch {i}\n[train] L {l} A {A}%", "Epoch {i}/{N}\ntrain: l={l} a={a}",
    "~~ EPOCH {i} ~~\n   my loss is..... {l} !!!\n   acc (train) is. {a}", "Denoiser ep{i:02d}: loss(train)={l} acc(train)={a} [24s]",
    "E:{i} L:{l} A:{a} # best so far", "e{i}\tL:{l}\tA:{a}\t<- hmm what is this", "Эпоха №{i}: потери {l}, точность {a}", "Pusingan ke-{i}: kerugian {l}; akurasi {A}%",
    "{i} epoch  {l} loss  {a} acc", "epoch {i}: loss and acc: {l} {a}", "epoch {i} loss/acc {l}/{a}", "Epoch {i}, loss/accuracy: {l}/{A}%",
    "After epoch {i} the loss and accuracy are {l} and {a}",
    "エポック{i}: 損失={l} 精度={a}", "Dönem {i}: eğitim kaybı {l}, doğruluk %{A}", "[epoch {i}] train: {l} ({A}%)", "epoch_{i} | loss_{l} | acc_{a}", "Completed epoch {i} with training loss {l} and accuracy {a}",
    "epoch;{i};loss;{l};acc;{a}", "At the end of epoch {i} we got {l} as training loss and {A}% as accuracy", "Εποχή {i}: απώλεια {lc}, ακρίβεια {ac}",
])  # fmt: skip
def test_an_epoch_its_loss_and_its_accuracy(form: str, tmp_path: Path) -> None:
    run = read(tmp_path, form)
    assert last(run, "loss") == (N, loss(N), 1, N)
    found = run.series("accuracy") or run.series("val_accuracy")
    assert found is not None and round(float(found.value[-1]), 3) == acc(N)


@pytest.mark.parametrize("form", [
    "({s}/{S}) >> {l}", "[{s}/{S}] {l}", "{s}/{S} ... {l}", "<{s}/{S}> {l}", "({s}) >> {l}", "{s} ~> {l}", "{l}\tloss\t{s}\tstep\t2024/03/05-09:12",
    "{l} loss | {s} step", "{s} step  {l} loss  12:03:04", "step{s}_loss{l}_lr{g}", "resnet18 it{s}: loss {l}, acc {a}", "my model step{s} loss={l}",
    "Langkah {s}: kerugian {l}", "adım {s} kayıp {l}", "After {s} batches the loss is {l}",
    "The network's error after {s} iterations is {l}!", "k = {s}, f(x_k) = {l}, ||grad|| = {g}", "iter {s}: J(theta) = {l}", "{l} is the loss at step {s}", "{l} loss at step {s}",
    "Batch {s} of {S}: average loss so far {l}", "the loss so far: {l} (step {s})", "iter;{s};loss;{l};acc;{a}", "{s};loss;{l};val_loss;{v}",
    "LOG (nnet3-train:main():nnet3-train.cc:90) Iteration {s}: Overall average objective function for 'output' is -{l} over 227640 frames.",
])  # fmt: skip
def test_a_step_and_its_loss(form: str, tmp_path: Path) -> None:
    assert last(read(tmp_path, form), "loss") == (N, loss(N), 10, 10 * N)


@pytest.mark.parametrize("form", [
    "ep{i}-tl{l}-vl{v}", "E{i} L{l} V{v}", "e{i}/l{l}/v{v}", "e{i}\tT:{l}\tV:{v}\t<- hmm V is going up", "varv {i}: förlust {lc} (träning), {vc} (validering)",
    "epoca {i}: perdita {lc} (addestramento), {vc} (validazione)", "epok {i}: strata {l} (trening) {v} (walidacja)", "Epoche {i}: Verlust {lc} (Training) / {vc} (Validierung)",
    "Epoch {i}\nthe loss was... {l}\nthe validation loss was... {v}", "epoch {i}: train loss and val loss = {l}, {v}", "Putaran ke-{i}: rugi pelatihan (loss) {l}; rugi validasi (loss) {v}",
])  # fmt: skip
def test_an_epoch_and_the_losses_of_both_splits(form: str, tmp_path: Path) -> None:
    run = read(tmp_path, form)
    assert (last(run, "loss"), last(run, "val_loss")) == ((N, loss(N), 1, N), (N, val(N), 1, N))


@pytest.mark.parametrize("form", [
    "still training... iteration {s}, error = {l}\n   -> checking on test images: {A} % right", "step {s} loss {l}\n  got {A}% of the validation set right",
    "step {s}, loss {l}, {A}% correct on the test set", "step {s}, loss {l}, dev: {A}% correct",
])  # fmt: skip
def test_percents_that_are_right(form: str, tmp_path: Path) -> None:
    run = read(tmp_path, form)
    assert last(run, "loss")[:2] == (N, loss(N)) and last(run, "val_accuracy") == (N, acc(N), 10, 10 * N)


@pytest.mark.parametrize("form", [
    " {left:2d} hundred batches left. Loss now: {l}. Learning rate: {g}.", "{left} epochs to go, loss {l}", "{left} remaining | loss {l} | acc {a}",
    "loss={l} ({left} batches left)",
])  # fmt: skip
def test_what_is_left_counts_nothing(form: str, tmp_path: Path) -> None:
    assert last(read(tmp_path, form), "loss") == (N, loss(N), 0, N - 1)


@pytest.mark.parametrize("form", [
    "After {s} episodes the average reward of the last 50 is {r} (epsilon={g})", "Episode {s} finished after 120 timesteps with reward {r}", "episode {s} ended with a return of {r} after 120 steps", "After {s} rounds the mean reward over the last 10 was {r}",
    "== Generation {s} ==\naverage reward: {r} stdev: 2.12\nBest one: {A} - size: (2, 4) - id {i}", "Gen{s:04d} fit(mean)={r} fit(best)={A} sigma={g} t=1.2s",
])  # fmt: skip
def test_what_agents_and_populations_are_paid(form: str, tmp_path: Path) -> None:
    assert last(read(tmp_path, form), "reward") == (N, 172.0, 10, 10 * N)


def test_an_objective_beside_the_norm_of_its_gradient(tmp_path: Path) -> None:
    run = read(tmp_path, "24/03/05 09:12:07 INFO LBFGS: Val and Grad Norm: {l} (rel: 2.413e-02) {g}")
    assert last(run, "loss")[:2] == (N, loss(N)) and last(run, "grad_norm")[:2] == (N, round(0.9**N, 4))


@pytest.mark.parametrize("form", [
    "{left} tickets left. Price now: {l}", "room{i}bed{s}", "chapter_{i}_page_{s}", "section {i}: salt and pepper: {l} {a}", "{l}  meters  {i}  trees", "street nº {i}, flat {s}",
    "{A}% of the guests were right", "player {i} T:{l}",
])  # fmt: skip
def test_the_like_of_other_things_is_no_training(form: str, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text(printed(form))
    with pytest.raises(NothingToAnalyse):
        curvedoc.read(tmp_path / "notes.txt")
