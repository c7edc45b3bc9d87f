"""Numbers and lines as they are written in other places, and what single numbers tell by how they go."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from test_first_contact_shapes import CURVES, EPOCHS, values
from text_log import read

import curvedoc
from curvedoc.core.errors import CurvedocError
from curvedoc.ingest import read_runs
from curvedoc.rulebook.load import signals_file

pytestmark = pytest.mark.fast

Form = Callable[[int, float, float], str]

#: Of each line: the epoch from 1 on, the training loss and the validation loss.
FORMS: dict[str, Form] = {
    "decimal commas": lambda e, t, v: f"Epoche {e}/14  Trainingsverlust {t:.4f}  Validierungsverlust {v:.4f}".replace(
        ".", ","
    ),
    "LaTeX": lambda e, t, v: (
        ("Epoch & Train loss & Val loss \\\\ \\hline\n" if e == 1 else "") + f"{e} & {t} & {v} \\\\"
    ),
    "a table whose counter is a sign": lambda e, t, v: (
        ("| # | train | dev | dev-acc |\n|---|--:|--:|--:|\n" if e == 1 else "") + f"| {e} | {t} | {v} | 0.5 |"
    ),
    "the split within brackets": lambda e, t, v: f"10:{e:02d}:00 | INFO | done epoch {e:02d}: mean loss {t} (val {v})",
    "units and splits behind": lambda e, t, v: f"epoch {e}: loss = {t} bits/char (train), {v} bits/char (valid)",
    "how far it is": lambda e, t, v: (
        f"{7 * e}% done (epoch {e}), training loss {t}, validation loss {v}, {14 - e} epochs to go"
    ),
    "what it was": lambda e, t, v: f"epoch {e}: train 9.5 -> {t}, valid 9.75 -> {v}",
    "short splits in brackets": lambda e, t, v: f"E{e:03d}  loss(trn/val)={t}/{v}  acc(val)=0.5",
    "splits behind two losses": lambda e, t, v: f"(epoch {e}) (loss: {t} / {v} train/val) (acc: 0.5 val)",
    "doubled colons": lambda e, t, v: f"Epoch {e} :: train/loss :: {t} :: val/loss :: {v}",
    "an ordinal ahead": lambda e, t, v: f"{e}. epoch took 12.5 s; J_train = {t}; J_val = {v}",
    "sentences": lambda e, t, v: f"Finished epoch {e} in 10.5 seconds. Training loss was {t}. Validation loss was {v}.",
    "Dutch": lambda e, t, v: f"Ronde {e}/24 - trainingsfout {t} - testfout {v}",
    "Vietnamese": lambda e, t, v: f"Epoch {e}/24 - mất mát huấn luyện: {t} - mất mát kiểm định: {v}",
    "Portuguese": lambda e, t, v: f"Época {e}: custo de treino {t}, custo de validação {v}, acurácia 0.5",
    "about as much": lambda e, t, v: f">> epoch #{e} <<  avg_train_loss ~ {t}, avg_valid_loss ~ {v}, patience 3/10",
    "between tildes": lambda e, t, v: f"~ {e:3d} ~ tloss {t} ~ vloss {v} ~ vacc 0.5 ~",
    "German with brackets": lambda e, t, v: f"Epoche {e} fertig: Fehler (Training) {t}, Fehler (Validierung) {v}",
    "short prefixes": lambda e, t, v: f"[{e:03d}] tr_loss {t} tr_dice 0.5 | vl_loss {v} vl_dice 0.5 | lr 1e-3",
    "tracing of Rust": lambda e, t, v: f"2026-03-01T10:{e:02d}:00Z  INFO trainer::fit: epoch={e} loss={t} val_loss={v}",
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("course", CURVES)
def test_both_losses(tmp_path: Path, form: str, course: str) -> None:
    train = [CURVES[course](i) for i in range(EPOCHS)]
    valid = [round(1.1 * v, 4) for v in train]
    lines = [FORMS[form](e, t, v) for e, (t, v) in enumerate(zip(train, valid, strict=True), 1)]
    (run,) = read(tmp_path, "\n".join(lines) + "\n")
    known = [[-1.0 if math.isnan(v) else v for v in curve] for curve in (train, valid)]
    assert [values(run, "loss"), values(run, "val_loss")] == known


def test_lists_and_thousands_keep_their_commas(tmp_path: Path) -> None:
    lines = [f"step {1_000 * i:,} loss {2.5 - 0.1 * i:.3f} shape (3,{64 + i})" for i in range(1, 15)]
    (run,) = read(tmp_path, "\n".join(lines) + "\n")
    loss = run.series("loss")
    assert loss is not None and loss.step.tolist() == [1_000 * i for i in range(1, 15)]


def test_right_answers_of_all(tmp_path: Path) -> None:
    lines = [f"Epoch {e}: {9000 + 37 * (e * 3 % 7)} / 10000" for e in range(12)]
    (run,) = read(tmp_path, "\n".join(lines) + "\n")
    (quality,) = {m.metric for m in run.roles}
    series = run.metric(quality)
    assert series is not None and series.value.tolist() == pytest.approx(
        [0.9 + 0.0037 * (e * 3 % 7) for e in range(12)]
    )
    bars = [f"Epoch {e}: {b} / 200" for e in range(3) for b in (100, 200)]
    assert not any(len(r.points) for r in read(tmp_path, "\n".join(bars) + "\n", "bars.log"))


def test_an_objective_and_what_it_gained(tmp_path: Path) -> None:
    told = [-2465.5 + 180.25 * math.log(i) for i in range(1, 10)]
    gains = [math.nan, *(b - a for a, b in pairwise(told))]
    rows = [f"{i:10d} {v:16.8f} {g:+15.8f}" for i, (v, g) in enumerate(zip(told, gains, strict=True), 1)]
    (run,) = read(tmp_path, "\n".join(rows) + "\n")
    loss = run.series("loss")
    assert loss is not None and len(loss) == 9 and loss.value[-1] == pytest.approx(-told[-1])


def test_the_length_of_an_episode_is_no_step(tmp_path: Path) -> None:
    lengths = [19, 39, 55, 68, 68, 90, 101, 101, 120, 133, 140, 140, 155, 160]
    lines = [
        f"Ep {20 * i} finished after {n} steps, score = {n / 2:.2f}, epsilon = 0.1" for i, n in enumerate(lengths, 1)
    ]
    (run,) = read(tmp_path, "\n".join(lines) + "\n")
    reward = run.series("reward")
    assert reward is not None and reward.value.tolist() == [n / 2 for n in lengths]


def test_an_optimizer_by_its_letters(tmp_path: Path) -> None:
    lines = [f"i={i:<4d} f={2 - 0.01 * i:.6e} |df|=1.5e-01 t={0.25 * i:.2f}s" for i in range(1, 20)]
    (run,) = read(tmp_path, "\n".join(lines) + "\n")
    loss, norm = run.series("loss"), run.series("grad_norm")
    assert loss is not None and loss.step.tolist() == list(range(1, 20)) and loss.value[-1] == pytest.approx(1.81)
    assert norm is not None and norm.value[-1] == 0.15


@pytest.mark.parametrize("counted", [True, False])
def test_a_list_that_is_called_by_what_it_counts(tmp_path: Path, counted: bool) -> None:
    rows = [
        {**({"idx": i} if counted else {}), "train": {"nll": 2.3 - 0.1 * i}, "dev": {"nll": 2.4 - 0.1 * i}}
        for i in range(1, 15)
    ]
    (tmp_path / "history.json").write_text(json.dumps({"run": "first", "epochs": rows}))
    (run,) = read_runs([tmp_path], signals_file=signals_file()).runs
    loss, val = run.series("loss"), run.series("val_loss")
    assert run.axis == "epoch" and loss is not None and loss.step.tolist() == list(range(1, 15))
    assert val is not None and val.value[-1] == pytest.approx(1.0)


def test_what_is_said_with_its_mean_is_no_curve(tmp_path: Path) -> None:
    shares = [round(0.4 + 0.03 * (i * 7 % 11), 4) for i in range(20)]
    text = f"{{'ap': array({shares}), 'map': {sum(shares) / 20}}}\n"
    (tmp_path / "result_loss.txt").write_text(text * 5)
    with pytest.raises(CurvedocError):
        curvedoc.read(tmp_path / "result_loss.txt")


def test_settings_that_are_printed_again_and_again_are_no_run(tmp_path: Path) -> None:
    lines = [
        f"10:0{i}:00 args = Namespace(ada=False, batch_size=2, epochs=200, lr=0.01, port={5000 + 7 * i})"
        for i in range(9)
    ]
    assert not any(len(run.points) for run in read(tmp_path, "\n".join(lines) + "\n"))


def test_a_time_without_the_word(tmp_path: Path) -> None:
    lines = [f"epoch 1 iter {i} loss {2 - 0.01 * i:.3f} data 0.2{i % 10}s batch 0.35s" for i in range(20)]
    (run,) = read(tmp_path, "\n".join(lines) + "\n")
    assert run.series("data_time") is not None and run.series("loss") is not None


def _epoch(i: int) -> str:
    loss = 2.3 * 0.9**i
    return f"[{i:03d}] train_loss: {loss:.3f} | dev_loss: {loss + 0.1:.3f} | dev f1: {1 - loss / 3:.4f}"


@pytest.mark.parametrize(("ends", "trainings"), [(1, 1), (1, 3), (4, 1), (4, 3), (1_000, 1)])
def test_records_on_one_line_are_records(tmp_path: Path, ends: int, trainings: int) -> None:
    text = "reading the data\n"
    for _ in range(trainings):
        text += "".join(_epoch(i) + (" >>> saved\n" if i % ends == ends - 1 else " ") for i in range(30)) + "\n"
    found = read(tmp_path, text)
    assert [len(r.series("loss") or ()) for r in found] == [30] * trainings
    assert {len(r.series("val_loss") or ()) for r in found} == {30}


def test_the_classes_of_a_row_are_no_records(tmp_path: Path) -> None:
    def row(e: int) -> str:
        return f"epoch {e} loss: {2.3 * 0.9**e:.4f}\n" + " ".join(f"{c}: acc: {0.05 * c:.2f}" for c in range(8)) + "\n"

    (run,) = read(tmp_path, "".join(map(row, range(1, 21))))
    assert len(run.series("loss") or ()) == 20


def test_what_stands_among_settings_is_no_metric(tmp_path: Path) -> None:
    dump = "epochs = 30\ntrain_batch_size = 2048\nlearner = adam\nloss_places = 4\nstopping_step = 10\nseed: 7\n"
    rows = "".join(f"epoch {i} training [time: 0.9s, train loss: {28 * 0.95**i:.4f}]\n" for i in range(30))
    (run,) = read(tmp_path, f"Hyper Parameters:\n{dump}\n{rows}done\n{dump}")
    assert set(run.points["metric"]) == {"time", "train loss"}
    # the first evaluation stands ahead of the training, and among others
    checks = "val_loss: {:.3f}\nval_acc: {:.3f}\n"
    rows = "".join(f"epoch {i} loss: {2.3 * 0.95**i:.4f}\n" + checks.format(2.4 * 0.96**i, 0.5) for i in range(30))
    (run,) = read(tmp_path, checks.format(2.5, 0.5) + rows)
    assert {"loss", "val_loss", "val_acc"} <= set(run.points["metric"])


def test_a_blank_cell_that_no_name_is_for_shifts_no_row(tmp_path: Path) -> None:
    head = "EPOCH\tTRAIN_LOSS\tTRAIN_F\tDEV_LOSS\tDEV_F\n"
    rows = "".join(f"{i}\t{2.0 * 0.9**i:.4f}\t\t_\t{2.1 * 0.9**i:.4f}\t{1 - 0.9**i:.4f}\n" for i in range(20))
    (tmp_path / "loss.tsv").write_text(head + rows)
    (run,) = read_runs([tmp_path], signals_file=signals_file()).runs
    val = run.series("val_loss")
    assert val is not None and val.value[0] == 2.1 and len(val) == 20


def test_episodes_of_a_monitor_without_a_name(tmp_path: Path) -> None:
    rows = "".join(f"{10 + i}.5,{40 + i},{i / 10}\n" for i in range(30))
    (tmp_path / ".monitor.csv").write_text('#{"t_start": 1.7e9, "env_id": "Hopper"}\nr,l,t\n' + rows)
    (tmp_path / ".hidden.csv").write_text("step,loss\n1,2.5\n2,2.4\n")
    (run,) = read_runs([tmp_path], signals_file=signals_file()).runs
    assert run.series("reward") is not None


def test_shares_beside_their_perplexity_are_losses(tmp_path: Path) -> None:
    def row(e: int) -> str:
        batches = "".join(f"  step {20 * b}/100  loss {0.54 * 0.997 ** (5 * e + b):.4f}\n" for b in range(1, 6))
        val = 0.62 * 0.99**e
        return f"{batches}Epoch {e}/30 -- train: {0.54 * 0.985**e:.4f}  val: {val:.4f}  ppl: {math.exp(val):.2f}\n"

    (run,) = read(tmp_path, "".join(map(row, range(1, 16))))
    assert run.series("val_accuracy") is None
    assert len(run.series("val_loss") or ()) == 15
    assert len(run.series("loss") or ()) == 75


def test_rows_that_sum_others_up_are_no_epochs(tmp_path: Path) -> None:
    rows = "".join(f"{i},{2.0 * 0.9**i:.4f},{2.1 * 0.9**i:.4f}\n" for i in range(1, 21))
    (tmp_path / "log.csv").write_text(f"epoch,loss,val_loss\n{rows}mean,0.9,1.0\nbest,20,0.2,0.3\n")
    (run,) = read_runs([tmp_path], signals_file=signals_file()).runs
    loss = run.series("loss")
    assert loss is not None and len(loss) == 20 and loss.step[-1] == 20
    assert "summary-row" in {n.kind for s in run.sources for n in s.notes}


@pytest.mark.parametrize("sep", [",", " | "])
def test_two_tables_of_two_trainings_are_two_runs(tmp_path: Path, sep: str) -> None:
    def table(names: list[str], n: int, last: Callable[[float], float]) -> str:
        head = sep.join(names) + "\n"
        rows = ((i, f"{2.3 * 0.9**i + 0.1:.4f}", f"{last(2.3 * 0.9**i):.4f}") for i in range(n))
        return head + "".join(sep.join(map(str, r)) + "\n" for r in rows)

    text = table(["epoch", "train loss", "val loss"], 30, lambda v: v + 0.2)
    text += table(["epoch", "train loss", "val acc"], 20, lambda v: 1 - v / 3)
    (tmp_path / "log.csv").write_text(text)
    found = read_runs([tmp_path], signals_file=signals_file()).runs
    assert [len(r.series("loss") or ()) for r in found] == [30, 20]
    assert [len(r.series("val_loss") or ()) for r in found] == [30, 0]
    assert [len(r.series("val_accuracy") or ()) for r in found] == [0, 20]
