"""Charts, tables on their side, sections of settings and rows without any word are read as records."""

from __future__ import annotations

import math
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curvedoc.core.run import Run
from curvedoc.ingest import read_runs
from curvedoc.ingest.text.rewritten.drawn_bars import without_bars
from curvedoc.ingest.text.rewritten.sideways import upright
from curvedoc.rulebook.load import signals_file

pytestmark = pytest.mark.fast

R = Random(1)
N = 30
ROWS = [
    (
        i,
        2.3 * math.exp(-i / 8) + 0.3 + R.gauss(0, 0.02),
        2.3 * math.exp(-i / 8) + 0.4 + R.gauss(0, 0.02),
        0.95 - 0.8 * math.exp(-i / 7) + R.gauss(0, 0.01),
        0.9 - 0.8 * math.exp(-i / 7) + R.gauss(0, 0.01),
    )
    for i in range(1, N + 1)
]


def read(place: Path, text: str, name: str) -> list[Run]:
    (place / name).write_text(text)
    return list(read_runs([place], signals_file=signals_file()).runs)


def ends(run: Run, role: str) -> tuple[int, float]:
    found = run.series(role)
    assert found is not None
    return len(found), round(float(found.value[-1]), 3)


def lines(form: str) -> str:
    return "".join(form.format(i=i, j=i - 1, a=a, b=b, c=c, d=d, bar="#" * int(20 * a)) for i, a, b, c, d in ROWS)


def blocks(width: int, form: str) -> str:
    out = ""
    for k in range(0, N, width):
        part = ROWS[k : k + width]
        out += form.format(
            n="".join(f"{r[0]:10d}" for r in part),
            a="".join(f"{r[1]:10.4f}" for r in part),
            b="".join(f"{r[2]:10.4f}" for r in part),
        )
    return out


def of_page() -> str:
    names = ((f"epoch {r[0]}" for r in ROWS), (f"{r[1]:.4f}" for r in ROWS), (f"{r[2]:.4f}" for r in ROWS))
    return "".join(
        f"| {n} | {' | '.join(row)} |\n" for n, row in zip(("", "train loss", "val loss"), names, strict=True)
    )


BOTH = [
    (blocks(3, "epoch     {n}\ntrain loss{a}\nval loss  {b}\n\n"), "out.txt"),
    (blocks(10, "Step:     {n}\nLoss:     {a}\nVal loss: {b}\n"), "run.log"),
    (blocks(30, "epochs    {n}\nloss      {a}\nval_loss  {b}\n"), "out.txt"),
    (of_page(), "notes_of_run.txt"),
    (lines("[epoch {i}]\nloss = {a:.4f}\nval_loss = {b:.4f}\n\n"), "train.ini"),
    (lines("[[epochs]]\nepoch = {i}\nloss = {a:.4f}\nval_loss = {b:.4f}\n\n"), "history.toml"),
    (lines("[epoch.{i}]\ntrain_loss = {a:.4f}\nvalid_loss = {b:.4f}\n\n"), "state.toml"),
    ("model: mlp\nepochs:\n" + lines("  {i}: {{train: {a:.4f}, valid: {b:.4f}, secs: 3.0}}\n"), "history.yml"),
    ("run: a\nhistory:\n" + lines("  {i}:\n    loss: {a:.4f}\n    val_loss: {b:.4f}\n"), "a.yaml"),
    (lines("{i}:\n  train: {a:.4f}\n  test: {b:.4f}\n"), "a.yaml"),
    ("[train loss, test loss]\n" + lines("[{a}, {b}]\n"), "log.txt"),
    ("[epoch, loss, val_loss]\n" + lines("[{i}, {a}, {b}]\n"), "log.txt"),
    ("\\begin{tabular}{rrr}\nEpoch & Train loss & Test loss \\\\\n" + lines("{i} & {a:.4f} & {b:.4f} \\\\\n"), "t.tex"),
    (lines("{i} {a:.4f} {b:.4f} {c:.3f}\n"), "numbers.txt"),
    (lines("{j:5d} {a:9.4f} {b:9.4f} {c:8.2%}\n"), "table.txt"),
    (lines("({i}, {a:.4f}, {b:.4f}, {c:.4f}, {d:.4f})\n"), "curve.txt"),
    (lines("{i}\t{a:.4f}\t{c:.3f}\t{b:.4f}\t{d:.3f}\n"), "table.txt"),
]


@pytest.mark.parametrize(("text", "name"), BOTH)
def test_both_losses_are_read_from_each_layout(tmp_path: Path, text: str, name: str) -> None:
    (run,) = read(tmp_path, text, name)
    for role, column in (("loss", 1), ("val_loss", 2)):
        n, last = ends(run, role)
        assert n == N and last == pytest.approx(ROWS[-1][column], abs=1e-3)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (lines("{i:3d} | {bar:<60} {a:.3f}\n"), "train_history.txt"),
        (lines("{i:3d} {a:.3f} |{bar}\n"), "train.log"),
        ("loss per epoch\n" + lines("{i:3d} {bar} ({a:.3f})\n"), "run.log"),
        ("Training loss:\n" + lines("epoch {i} [{bar:<60}] {a:.3f}\n"), "train.log"),
    ],
)
def test_a_chart_of_characters_is_a_curve(tmp_path: Path, text: str, name: str) -> None:
    (run,) = read(tmp_path, text.replace("#", "█") if "(" in text else text, name)
    assert ends(run, "loss") == (N, round(ROWS[-1][1], 3))


def test_the_share_beside_two_losses_is_that_of_other_samples(tmp_path: Path) -> None:
    (run,) = read(tmp_path, lines("{i} {a:.4f} {b:.4f} {c:.3f}\n"), "numbers.txt")
    assert run.series("val_metric") is not None and run.series("metric") is None


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (lines("{i} {a:.4f} {b:.4f}\n"), "points.txt"),
        (lines("{i} {c:.4f} {d:.4f}\n"), "points.txt"),
        (
            "[client]\nloss = 0.1\n" + "".join(f"[zone {i}]\nrate = {i}\n" for i in range(9)),
            "a.ini",
        ),
        ("".join(f"[layer_{i}]\nloss = 0.{i}\n" for i in range(9)), "model.cfg"),
        ("stages:\n" + "".join(f"  {i}: {{lr: 0.{i}, size: {i}}}\n" for i in range(1, 9)), "plan.yaml"),
        ("".join(f"{i} {'#' * i} {i * 3}\n" for i in range(1, 30)), "counts.txt"),
        ("\\begin{tabular}{lrr}\nModel & Loss & Acc \\\\\n" + "M & 0.3 & 91 \\\\\n" * 9, "paper.tex"),
        ("year 2001 2002 2003 2004 2005 2006 2007\nsales 1.5 2.5 3.5 2.5 1.5 2.5 3.5\n", "sales.txt"),
    ],
)
def test_what_only_looks_alike_is_no_training(tmp_path: Path, text: str, name: str) -> None:
    assert read(tmp_path, text, name) == []


def test_an_epoch_of_so_many_is_no_row_of_counters() -> None:
    text = "".join(f"Epoch {i} 200 7\nloss 0.{i} 0.{i} 0.1\n" for i in range(1, 9))
    assert upright(text) == text


@given(st.text(alphabet="epoch 12#|=.\nloss", max_size=400))
def test_other_text_stays_as_it_is(text: str) -> None:
    assert len(without_bars(text)) <= len(text)
    assert upright(text).count("o") >= 0
