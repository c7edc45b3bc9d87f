# ruff: noqa: E501 (lines as programs print them)
"""Numbers that no word names, progress in percent, shapes of arrays and splits that other words say: what people print
in their own way."""

from __future__ import annotations

from pathlib import Path

import pytest

import curvedoc
from curvedoc.core.errors import NothingToAnalyse
from curvedoc.core.run import Run

pytestmark = pytest.mark.fast

N = 40


def loss(i: int) -> float:
    return round(2.1 * 0.8 ** (i / 3) + 0.35 + 0.01 * (i % 3), 4)


def val(i: int) -> float:
    return round(loss(i) + 0.1, 4)


def read(folder: Path, line: str, name: str = "out.txt", above: str = "", **more: float) -> Run:
    text = above + "".join(
        line.format(i=i, s=5 * i, l=loss(i), v=val(i), a=90 - 20 * val(i), **more) + "\n" for i in range(N)
    )
    (folder / name).write_text(text)
    (run,) = curvedoc.read(folder / name)
    return run


def last(run: Run, role: str) -> tuple[int, float]:
    series = run.series(role)
    assert series is not None, role
    return len(series), round(float(series.value[-1]), 4)


@pytest.mark.parametrize("line", [
    "it {s} -> {l}", "step {s}: {l}", "({s}) -> {l}", "#{s} {l}", "Loss at {s}: {l}", "Cost @ {s} = {l}", "[iter {s}] {l}", "epoch {s} => {l}", "{s} -> {l}", "iter {s} ... {l}", "batch {s} | {l}",
])  # fmt: skip
def test_a_number_behind_a_counter_is_the_loss_where_it_falls(line: str, tmp_path: Path) -> None:
    run = read(tmp_path, line, "run1.txt")
    series = run.series("loss")
    assert series is not None and last(run, "loss") == (N, loss(N - 1))
    assert series.step.tolist() == [5 * i for i in range(N)]


@pytest.mark.parametrize("line", [
    "Chapter {i}: {x}.7", "page {i} -> {x}.2", "Round {i}: {i}.5", "Step {i}: 2.5 cups", "{i}. {x}.4", "Episode {i}: {x}.25 MB",
])  # fmt: skip
def test_other_numbered_lines_are_no_training(line: str, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("".join(line.format(i=i, x=i * 7 % 5) + "\n" for i in range(N)))
    with pytest.raises(NothingToAnalyse):
        curvedoc.read(tmp_path / "notes.txt")


@pytest.mark.parametrize(("step", "evaluation"), [
    ("  it {s} -> {l}", "== epoch {i}: fit {l}, held-out {v}"),
    ("step {s}: {l}", "  dev loss {v}"),
    ("{s} {l}", "# val {s} {v} nan"),
    ("{s}, {l}, 0.01", "test {s}, {v}"),
    ("|  {s:5} | {l:10.5f} | 1.00e-02 |", "| eval @ {s} | loss {v:.5f} | acc 0.3 |"),
    ("|  {s:5} | {l:10.5f} | 1.00e-02 |", "| dev loss: {v} |"),
])  # fmt: skip
@pytest.mark.parametrize("grows", [False, True])
def test_what_goes_with_the_loss_of_other_data_is_that_of_training(
    step: str, evaluation: str, grows: bool, tmp_path: Path
) -> None:
    def at(i: int) -> float:
        return round(1.2 + i * i / 100, 4) if grows else loss(i)

    text = ""
    for i in range(N):
        text += step.format(s=5 * i, l=at(i)) + "\n"
        if i % 5 == 4:
            text += evaluation.format(i=i // 5, s=5 * i, l=at(i), v=round(at(i) + 0.1, 4)) + "\n"
    (tmp_path / "log.txt").write_text(text)
    (run,) = curvedoc.read(tmp_path / "log.txt")
    assert last(run, "loss") == (N, at(N - 1))
    assert last(run, "val_loss") == (N // 5, round(at(N - 1) + 0.1, 4))


@pytest.mark.parametrize("line", [
    "{i}.5% loss {l} (lr 0.00200)\n     >> dev loss {v}", "[{i}%] train loss: {l} | val loss: {v}", "({i}%) | loss={l} | val_loss={v}",
])  # fmt: skip
def test_a_share_at_the_head_of_a_line_is_how_far_it_is(line: str, tmp_path: Path) -> None:
    run = read(tmp_path, line)
    assert last(run, "loss") == (N, loss(N - 1)) and last(run, "val_loss") == (N, val(N - 1))
    assert run.series("accuracy") is None


@pytest.mark.parametrize("line", [
    "out torch.Size([64, 10]) loss {l}", "batch shape: [64, 3, 32, 32] | loss = {l}", "x torch.Size([64]) step {i} loss {l}",
])  # fmt: skip
def test_the_shape_of_an_array_is_no_measure(line: str, tmp_path: Path) -> None:
    run = read(tmp_path, line)
    assert last(run, "loss") == (N, loss(N - 1)) and len(run.metrics()) == 1


@pytest.mark.parametrize("line", [
    "epoch {i}: train loss {l}, val loss {v}, accuracy {a:.4f}%", "Epoka {i}: strata ucząca {l}, strata walidacyjna {v}, dokładność {a:.4f}%",
    "<{i}> <train {l}> <dev {v}> <acc {a:.4f}>", "에폭 {i}/40 - 학습 손실: {l}, 검증 손실: {v}, 정확도: {a:.4f}%",
    "Epoche {i} von 40: Verlust (Training) = {l}, Verlust (Validierung) = {v}, Genauigkeit = {a:.4f} %",
])  # fmt: skip
def test_an_accuracy_behind_the_loss_of_other_data_is_of_these(line: str, tmp_path: Path) -> None:
    run = read(tmp_path, line)
    series = run.series("val_accuracy")
    assert series is not None and len(series) == N and run.series("accuracy") is None


@pytest.mark.parametrize("line", [
    "epoch {i}: loss {l}, acc {a:.4f}, val_loss {v}", "epoch {i}: train loss {l}, val loss {v}, train accuracy {a:.4f}", "epoch {i} loss {l} acc {a:.4f}",
])  # fmt: skip
def test_an_accuracy_that_stands_elsewhere_or_says_so_is_of_training(line: str, tmp_path: Path) -> None:
    run = read(tmp_path, line)
    assert run.series("accuracy") is not None and run.series("val_accuracy") is None


@pytest.mark.parametrize("line", [
    "event=epoch_start epoch={i}\nevent=train_metrics epoch={i} nll={l}\nevent=eval_metrics epoch={i} nll={v}",
    "type=train_step step={i} loss={l}\ntype=val_epoch step={i} loss={v}", "kind=train_end | epoch: {i} | loss: {l}\nkind=test_end | epoch: {i} | loss: {v}",
    "Epoch: {i:02} | Epoch Time: 0m 12s\n\tTrain Loss: {l}\n\t Val. Loss: {v}", "[Epoch {i}]\n  训练集 loss:{l}  acc:0.5\n  验证集 loss:{v}  acc:0.4",
    "ronde {i} van 40, fout op de oefendata {l}, fout op de testdata {v}",
])  # fmt: skip
def test_the_split_is_said_otherwise(line: str, tmp_path: Path) -> None:
    run = read(tmp_path, line)
    assert last(run, "loss") == (N, loss(N - 1)) and last(run, "val_loss") == (N, val(N - 1))


def test_a_list_of_names_above_lists_of_numbers(tmp_path: Path) -> None:
    run = read(tmp_path, "[{l}1, {v}1, 0.{i}]", "log.txt", above="[train loss, test loss, test accuracy]\n")
    assert last(run, "loss")[0] == N and last(run, "val_loss")[0] == N


@pytest.mark.parametrize("line", [
    "ep{i:03} loss{l:.4f} acc{a:.4f}% t0.144s eta60s", "step{i} loss{l:.4f} acc{a:.4f}", "e{i} s{s} loss{l:.4f} acc{a:.4f}",
])  # fmt: skip
def test_names_that_touch_their_numbers(line: str, tmp_path: Path) -> None:
    run = read(tmp_path, line)
    assert last(run, "loss") == (N, loss(N - 1)) and len(run.matches("accuracy")) == 1


@pytest.mark.parametrize("name", ["notes.log", "notes.txt"])
def test_notes_that_count_losses_are_a_log(name: str, tmp_path: Path) -> None:
    assert last(read(tmp_path, "After {s} updates the batch loss is {l}.", name), "loss") == (N, loss(N - 1))


@pytest.mark.parametrize("line", [
    "train {l} val {v}", "Train: {l}\nVal: {v}", "* Epoch {i}\n  * training: {l}\n  * validation: {v}", "training  {l}  test  {v}",
    "Epoch {i}: seen {l}, unseen {v}", "Epoch {i}\nTrain   {l}\nHeld-out {v}",
    "10/01 09:47:49 PM epoch {i}\n10/01 09:47:49 PM train_obj {l}\n10/01 09:48:15 PM valid_obj {v}\n10/01 09:48:29 PM valid_acc 0.5",
])  # fmt: skip
def test_splits_alone_name_losses(line: str, tmp_path: Path) -> None:
    run = read(tmp_path, line, "log.txt")
    assert last(run, "loss") == (N, loss(N - 1)) and last(run, "val_loss") == (N, val(N - 1))


@pytest.mark.parametrize("line", [
    "pass {i}: {m} mistakes on 5000 examples", "epoch {i}: {m} errors out of 5000", "Epoch {i}: made {m} mistakes", "iteration {i} - {m} misclassified of 5000 samples",
])  # fmt: skip
def test_how_many_answers_are_wrong_stands_for_a_loss(line: str, tmp_path: Path) -> None:
    (tmp_path / "log.txt").write_text("".join(line.format(i=i, m=int(400 * loss(i))) + "\n" for i in range(N)))
    (run,) = curvedoc.read(tmp_path / "log.txt")
    assert last(run, "loss") == (N, int(400 * loss(N - 1)))


@pytest.mark.parametrize(
    "line", ["compile step {i}: 0 errors in {i} files", "fold {i}: train 500 val 100", "train: 500\ntest: 100"]
)
def test_counts_of_other_things_are_no_training(line: str, tmp_path: Path) -> None:
    (tmp_path / "build.txt").write_text("".join(line.format(i=i) + "\n" for i in range(N)))
    with pytest.raises(NothingToAnalyse):
        curvedoc.read(tmp_path / "build.txt")


@pytest.mark.parametrize(
    "word", ["přesnost", "tarkkuus", "noggrannhet", "nøyaktighet", "pontosság", "točnost", "ακρίβεια", "akurasi"]
)
def test_an_accuracy_in_other_languages(word: str, tmp_path: Path) -> None:
    run = read(tmp_path, f"epoch {{i}}: train loss {{l}}, val loss {{v}}, {word} {{a:.4f}}%")
    assert len(run.matches("val_accuracy")) == 1
