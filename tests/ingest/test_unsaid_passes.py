"""Passes over other data that bars of another length or the head of a line tell, and values by the parts of a name."""

from __future__ import annotations

from pathlib import Path

import pytest
from printed_rows import N, acc, last, loss, val
from text_log import read

pytestmark = pytest.mark.fast


def bar(batches: int, said: str) -> str:
    return f"100%|{'█' * 20}| {batches}/{batches} [00:37<00:00,  1.2it/s, {said}]\n"


@pytest.mark.parametrize("form", ["loss={l}, iou={a}", "loss={l}", "acc={a}, loss={l}"])
@pytest.mark.parametrize("lengths", [(30, 8), (400, 399), (12, 1)])
def test_the_second_of_two_bars_is_of_other_data(tmp_path: Path, form: str, lengths: tuple[int, int]) -> None:
    text = ""
    for i in range(1, N + 1):
        text += f"Epoch [{i}/{N}]\n" + bar(lengths[0], form.format(l=loss(i), a=acc(i)))
        text += bar(lengths[1], form.format(l=val(i), a=acc(i)))
    (run,) = read(tmp_path, text)
    assert last(run, "loss")[:2] == (N, loss(N))
    assert last(run, "val_loss")[:2] == (N, val(N))


def test_a_bar_behind_that_of_an_epoch_and_a_third_one_are_passes_too(tmp_path: Path) -> None:
    text = "".join(f"Epoch {i}/{N}: " + bar(20, f"loss={loss(i)}") + bar(50, f"loss={val(i)}") for i in range(1, N + 1))
    (run,) = read(tmp_path, text)
    assert last(run, "loss")[:2] == (N, loss(N))
    assert last(run, "val_loss")[:2] == (N, val(N))
    text = bar(3, "files=3") + "".join(
        bar(20, f"loss={loss(i)}") + bar(5, f"acc={acc(i)}") + bar(6, f"acc={acc(i) - 0.1:.3f}")
        for i in range(1, N + 1)
    )
    (run,) = read(tmp_path, text)
    assert last(run, "loss")[:2] == (N, loss(N))
    assert last(run, "val_accuracy")[:2] == (N, acc(N))
    assert last(run, "test_accuracy")[0] == N


def test_bars_of_one_length_and_of_two_trainings_are_of_training(tmp_path: Path) -> None:
    text = "".join(f"Epoch {i}/{N}\n" + bar(30, f"loss={loss(i)}") for i in range(1, N + 1))
    (run,) = read(tmp_path, text)
    assert last(run, "loss")[:2] == (N, loss(N))
    assert run.series("val_loss") is None


@pytest.mark.parametrize("form", [
    "INFO {s} epoch end => avg_loss={v}", "{s} epoch finished: loss={v}", "{s} done -> loss={v}",
    "[Net] {s} end of epoch | loss {v}",
    "{s} phase completed, loss: {v}", "12:00:01 {s} loop over; loss: {v}",
])  # fmt: skip
@pytest.mark.parametrize("splits", [("train", "val"), ("Training", "Validation")])
def test_what_is_over_names_the_split_of_what_is_told(tmp_path: Path, form: str, splits: tuple[str, str]) -> None:
    text = "".join(
        form.format(s=splits[0], v=loss(i)) + "\n" + form.format(s=splits[1], v=val(i)) + "\n" for i in range(1, N + 1)
    )
    (run,) = read(tmp_path, text)
    assert last(run, "loss")[:2] == (N, loss(N))
    assert last(run, "val_loss")[:2] == (N, val(N))


@pytest.mark.parametrize("form", [
    "(21/62) step {i} | Loss: {l} | IoU(text/kernel): {a}/{v} ", "step {i}: Dice[liver/tumor] = {a}/{v}, loss {l}",
    "it {i} loss {l} IoU (fg / bg): {a} / {v} f1(micro/macro): {v}/{a}",
])  # fmt: skip
def test_each_part_of_a_name_has_its_value(tmp_path: Path, form: str) -> None:
    text = "".join(form.format(i=i, l=loss(i), a=acc(i), v=val(i)) + "\n" for i in range(1, N + 1))
    (run,) = read(tmp_path, text)
    assert last(run, "loss")[:2] == (N, loss(N))
    parts = {n for n in run.metrics() if any(w in n for w in ("IoU", "Dice", "f1"))}
    assert len(parts) in (2, 4)
    found = [run.metric(n) for n in parts]
    assert {round(float(s.value[-1]), 4) for s in found if s is not None} == {acc(N), val(N)}


@pytest.mark.parametrize("form", [
    "episode: {i}; final reward (best): {r} (-12)", "epoch {i}: accuracy (best): {r} (0.99), loss: 0.5",
    "it {i} reward (avg): {r} ( 0.1)",
])  # fmt: skip
def test_a_remark_in_brackets_is_of_the_value_in_brackets(tmp_path: Path, form: str) -> None:
    text = "".join(form.format(i=i, r=acc(i)) + "\n" for i in range(1, N + 1))
    (run,) = read(tmp_path, text)
    role = "accuracy" if "accuracy" in form else "reward"
    assert last(run, role)[:2] == (N, acc(N))


@pytest.mark.parametrize("name", ["cross ent", "cross_ent", "Cross Ent."])
def test_a_cross_entropy_cut_short_is_a_loss(tmp_path: Path, name: str) -> None:
    text = "".join(
        f"epoch: \t{i}\n\ttrain\n\t{name}: \t{loss(i)}\n\taccu: \t{acc(i)}\n\ttest\n\t{name}: \t{val(i)}\n"
        for i in range(1, N + 1)
    )
    (run,) = read(tmp_path, text)
    assert last(run, "loss") == (N, loss(N), 1, N)
    assert last(run, "val_loss")[:2] == (N, val(N))


def test_a_letter_beside_other_letters_is_one_of_several_losses(tmp_path: Path) -> None:
    text = "".join(f"epoch {i} av_loss: {loss(i)} v_loss: {val(i)} MIL Loss: {loss(i)}\n" for i in range(1, N + 1))
    (run,) = read(tmp_path, text)
    assert all(m.label for m in run.roles if m.metric == "v_loss")
