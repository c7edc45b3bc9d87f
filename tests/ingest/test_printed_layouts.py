# ruff: noqa: E501 (lines as programs print them)
"""Names that stand apart from their numbers: legends, titles of the same pattern, headings of blocks and of epochs,
labels in a column, clients of a round, what was asked for at a prompt."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from printed_rows import N, acc, last, loss, val

import curvedoc
from curvedoc.core.errors import NothingToAnalyse
from curvedoc.core.run import Run
from curvedoc.ingest.text.rewritten.laid_out import laid_out

pytestmark = pytest.mark.fast


def rows(form: str) -> str:
    each = ((i, loss(i), val(i), acc(i)) for i in range(1, N + 1))
    return "".join(form.format(i=i, N=N, l=a, v=b, a=c, A=round(100 * c, 1)) + "\n" for i, a, b, c in each)


def read(folder: Path, text: str, name: str = "out.txt") -> Run:
    (folder / name).write_text(text)
    (run,) = curvedoc.read(folder / name)
    return run


BOTH = ((N, loss(N), 1, N), (N, val(N), 1, N))


@pytest.mark.parametrize(("above", "form", "below"), [
    ("legend: 📉 training loss, 🧪 validation loss, 🎯 validation accuracy", "🚀 epoch {i:2d} 📉 {l} 🧪 {v} 🎯 {A}% 💾 best!", ""),
    ("X = training loss, Y = validation loss", "e{i}\tX:{l}\tY:{v}", ""),
    ("# p: train loss; q: val loss; z: val accuracy in percent", "epoch {i} p={l} q={v} z={A}", ""),
    ("▲ train loss | ▼ val loss", "{i} | ▲ {l} | ▼ {v}", ""),
    ("", "ep {i}: tl {l} hl {v}", "(tl = train loss, hl = held-out loss)"),
    ("# epoch: train loss / val loss", "{i}: {l} / {v}", ""),
    ("Format: epoch: train / val / acc", "{i}: {l} / {v} / {a}", ""),
    ("% epoch -> training loss (validation loss)", "{i} -> {l} ({v})", ""),
    ("epoch <train loss> <val loss>", "{i} <{l}> <{v}>", ""),
    ("", "Epoch {i}\n{l}\n{v}", ""),
    ("", "--- epoch {i}\n{l} {v}\n{a}", ""),
    ("", "[epoch {i} of {N}]\n{l}, {v}", ""),
    ("", "Epoch {i}\n\ttrain\t{l}\t{a}\n\tvalid\t{v}\t{a}", ""),
    ("", "[epoch {i}]\n[train] {l}\n[valid] {v}", ""),
    ("", "=====\nEPOCH\n{i}\nLOSS\n{l}\nVAL LOSS\n{v}", ""),
    ("", "Epoch\n{i}\nTrain loss:\n  {l}\nTest loss:\n  {v}\n", ""),
    ("# epoch: train loss / val loss", "epoch {i}: {l} / {v}", ""),
    ("Columns: epoch train_loss val_loss", "{i} {l} {v}", ""),
    ("1st column epoch, 2nd column train loss, 3rd column val loss", "{i} {l} {v}", ""),
    ("col 1: epoch\ncol 2: train loss\ncol 3: val loss", "{i} {l} {v}", ""),
])  # fmt: skip
def test_names_that_stand_apart(above: str, form: str, below: str, tmp_path: Path) -> None:
    run = read(tmp_path, f"{above}\n{rows(form)}{below}\n".lstrip("\n"))
    assert (last(run, "loss"), last(run, "val_loss")) == BOTH


@pytest.mark.parametrize(("form", "first", "second"), [
    ("{i}\t{l}", "# block 0: {} loss\n# epoch loss\n", "curves.dat"), ("{i} {l}", "# {} loss\n", "out.txt"), ("{i}: {l}", "== {} loss ==\n", "out.log"),
    ("({i}, {l})", "{} loss:\n", "train_log.txt"),
])  # fmt: skip
def test_blocks_below_their_titles(form: str, first: str, second: str, tmp_path: Path) -> None:
    text = f"{first.format('training')}{rows(form)}\n\n{first.format('validation')}{rows(form.replace('l}', 'v}'))}"
    run = read(tmp_path, text, second)
    assert (last(run, "loss"), last(run, "val_loss")) == BOTH


@pytest.mark.parametrize("form", [
    "Round {i}\nclient 0 local loss {v}\nclient 1 local loss {v}\nglobal loss {l} global acc {a}",
    "Round {i}: selected clients 3, 7\nclient 3 local loss {v}\nclient 7 local loss {v}\nround {i} global loss {l} acc {A}%",
    "round {i}: avg loss {l}, acc {a}\n    client 0 loss {v}\n    client 1 loss {v}",
    "worker 0 loss {v}\nworker 1 loss {v}\nepoch {i} done, mean loss {l}",
])  # fmt: skip
def test_clients_that_count_nothing_stand_beside_the_rounds(form: str, tmp_path: Path) -> None:
    assert last(read(tmp_path, rows(form)), "loss") == BOTH[0]


def test_clients_alone_are_read(tmp_path: Path) -> None:
    run = read(tmp_path, rows("client 0 loss {l}\nclient 1 loss {v}"))
    assert sum(len(b.value) for b in run.data if "loss" in b.metric) >= N


@pytest.mark.parametrize("form", [
    "Ep. {i}: dice loss = {l}\n    liver    IoU {a}\n    spleen   IoU {v}\n    mean IoU {v}", "Epoch {i} loss {l}\n  road    dice: {a}\n  car     dice: {v}",
    "Epoch {i} loss {l}\n  cat   acc {a}\n  dog   acc {v}",
])  # fmt: skip
def test_labels_in_a_column_tell_values_of_one_name_apart(form: str, tmp_path: Path) -> None:
    run = read(tmp_path, rows(form))
    assert last(run, "loss") == BOTH[0]
    curves = {b.metric: float(b.value[-1]) for b in run.data}
    assert sorted(v for n, v in curves.items() if n.split()[0] in ("liver", "road", "cat")) == [acc(N)]


@pytest.mark.parametrize("form", [
    "In [12]: losses\nOut[12]:\n[{}]\n", "In [12]: losses\nOut[12]: [{}]\n", "In [3]: np.array(losses)\nOut[3]: array([{}])\n", ">>> losses\n[{}]\n",
])  # fmt: skip
def test_what_was_asked_for_at_a_prompt(form: str, tmp_path: Path) -> None:
    run = read(tmp_path, form.format(",\n ".join(str(loss(i)) for i in range(1, N + 1))))
    assert last(run, "loss")[:2] == BOTH[0][:2]


def test_columns_below_a_header_of_two_lines(tmp_path: Path) -> None:
    head = "average  since         example        example  current  current  current\nloss     last          counter         weight    label  predict features\n"
    text = head + "".join(f"{loss(i)} {val(i)}   {2**i}   {2**i}.0   1.0000   0.3686   57\n" for i in range(N))
    assert last(read(tmp_path, text), "loss") == (N, loss(N - 1), 1, 2 ** (N - 1))


@pytest.mark.parametrize("text", [
    "A = accuracy of shooting, B = loss of blood\n" + "".join(f"Day {i}: the band B played {i} songs\n" for i in range(40)),
    "".join(f"Chapter {i}\n{i * 7 % 5}.5\n" for i in range(1, 40)),
    "".join(f"Round {i}\n{i * 7 % 5}.5 {i * 3 % 4}.2\n" for i in range(1, 40)),
    "prices of bread\n" + "".join(f"{i} {9 - i / 9}\n" for i in range(9)) + "\nprices of milk\n" + "".join(f"{i} {8 - i / 9}\n" for i in range(9)),
    "# n: width / height\n" + "".join(f"{i}: {i * 2}.5 / {i * 3}.1\n" for i in range(40)),
    "".join(f"{name}\n{i * 7 % 9}.5\n" for i in range(20) for name in ("Bread", "Milk", "Loss of weight")),
    "".join(f"client {i} has lost {i * 7 % 5}.5 dollars\n" for i in range(40)),
])  # fmt: skip
def test_the_like_of_other_things_is_no_training(text: str, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text(text)
    with pytest.raises(NothingToAnalyse):
        curvedoc.read(tmp_path / "notes.txt")


@given(st.text(alphabet="epoch loss=:;/|()\n\t0123456789.-# T V", max_size=400))
def test_any_text_is_laid_out_in_some_way(text: str) -> None:
    assert isinstance(laid_out(text), str)


@pytest.mark.parametrize("text", [
    "epoch 1\n" + " " * 50_000 + "x", "T = train loss, V = val loss\n" + "T " * 50_000, "# loss\n" + "1" * 50_000, "1 " * 50_000 + "left",
    "e1" + "loss1" * 20_000, "# epoch: loss / acc\n" + "1: " * 30_000, "a" * 50_000 + "\n1 2.5\n", "# loss\n" + ("1 " + " " * 2_000 + "\n") * 20,
])  # fmt: skip
def test_long_lines_take_no_longer(text: str) -> None:
    assert isinstance(laid_out(text), str)
