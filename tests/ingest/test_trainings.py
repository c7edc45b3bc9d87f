"""Several trainings in one log are several runs; a resume, an epoch and a row out of order are none."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

import pytest

from curvedoc.core.run import Run
from curvedoc.ingest import read_runs
from curvedoc.ingest.text import reader as text_reader
from curvedoc.rulebook.load import signals_file

BANNER = "=========== Training Loss (Sat Jun  {} 16:47:21 2020) ==========="


def losses(n: int, seed: int, low: float = 0.2) -> list[float]:
    """A loss that falls from 2.3, with a little noise."""
    r = Random(seed)
    return [low + (2.3 - low) * 0.93**i + r.gauss(0, 0.01) for i in range(n)]


def runs(text: str) -> list[list[tuple[int | None, float]]]:
    """Steps and values of `loss` in each training of a text."""
    logs = text_reader.logs_in(Path("train.log"), text, len(text))
    frames = [log.points.filter(log.points["metric"] == "loss") for log in logs]
    return [list(f.select("step", "value").iter_rows()) for f in frames]


def epochs(values: Sequence[float], first: int = 1) -> str:
    return "".join(f"Epoch {i}, loss: {v:.4f}\n" for i, v in enumerate(values, first))


@pytest.mark.parametrize("word", ["Round", "Episode"])
@pytest.mark.parametrize("ends", [False, True])
def test_epochs_within_rounds_are_one_training(word: str, ends: bool) -> None:
    values, text = losses(120, 5), ""
    for i in range(12):
        heading = f"{word} {i + 1}/12 finished, mean reward: {i / 3:.2f}\n" if ends else f"{word} {i + 1}/12\n"
        rows = "".join(f"   | Epoch {k + 1}/10 - loss : {values[10 * i + k]:.4f}\n" for k in range(10))
        text += rows + heading if ends else heading + rows
    (only,) = runs(text)
    assert [v for _, v in only] == [round(v, 4) for v in values]
    assert [s for s, _ in only] == sorted({s for s, _ in only if s is not None})


def test_an_epoch_counter_back_at_one_with_the_loss_back_at_its_level_is_another_training() -> None:
    text = epochs(losses(30, 1)) + epochs(losses(40, 2)) + epochs(losses(20, 3))
    assert [len(r) for r in runs(text)] == [30, 40, 20]
    assert [r[0][0] for r in runs(text)] == [1, 1, 1]


def test_each_training_keeps_its_own_messages_and_a_traceback_ends_the_one_before() -> None:
    crash = 'Traceback (most recent call last):\n  File "train.py", line 3, in <module>\nRuntimeError: boom\n'
    head = "INFO: reading /data\n"
    text = head + epochs(losses(9, 1)) + crash + head + epochs(losses(9, 2))
    logs = text_reader.logs_in(Path("train.log"), text, len(text))
    assert [log.messages["level"].to_list() for log in logs] == [["INFO", "TRACEBACK"], ["INFO"]]
    assert [log.run for log in logs] == ["1", "2"]


def test_a_resume_is_one_training() -> None:
    values = losses(40, 1)
    logs = runs("Loading data\n" + epochs(values[:20]) + "Loading data\n" + epochs(values[15:], 16))
    assert [len(r) for r in logs] == [45]


def test_a_second_stage_that_goes_on_with_the_loss_is_no_other_training() -> None:
    values = losses(60, 1)
    assert len(runs(epochs(values[:30]) + epochs(values[30:]))) == 1


def test_a_batch_counter_that_begins_anew_every_epoch_counts_one_training() -> None:
    values = losses(100, 1)
    text = "".join(f"batch {10 * (i % 20)}: loss={v:.4f}\n" for i, v in enumerate(values))
    assert len(runs(text)) == 1


def test_a_batch_counter_that_begins_anew_at_no_regular_place_counts_several_trainings() -> None:
    parts = [losses(n, n) for n in (7, 18, 5)]
    text = "".join(f"batch: {10 * i + 9}, loss: {v:.2f}\n" for p in parts for i, v in enumerate(p))
    assert [len(r) for r in runs(text)] == [7, 18, 5]


def test_a_banner_before_each_training_tells_them_apart_where_the_loss_does_not() -> None:
    r = Random(5)

    def training(day: int, n: int) -> str:
        rows = "".join(
            f"(epoch: {i // 2 + 1}, iters: {i % 2 * 500 + 500}) loss: {r.gauss(1, 0.3):.3f}\n" for i in range(n)
        )
        return BANNER.format(day) + "\n" + rows

    text = "".join(training(d, n) for d, n in enumerate((2, 1, 8, 30), 1))
    assert [len(x) for x in runs(text)] == [2, 1, 8, 30]


def test_a_warning_that_comes_back_after_the_first_step_begins_nothing() -> None:
    text = "WARNING: slow loader\n" + "".join(
        f"step {i} loss={v:.4f}\n" + ("WARNING: slow loader\n" if i in (0, 3) else "")
        for i, v in enumerate(losses(30, 1))
    )
    assert len(runs(text)) == 1


def table_csv(parts: Sequence[Sequence[float]]) -> str:
    rows = "".join(f"{i},{v:.5f},{v + 0.1:.5f}\n" for p in parts for i, v in enumerate(p))
    return "epoch,loss,val_loss\n" + rows


def table_jsonl(parts: Sequence[Sequence[float]]) -> str:
    return "".join(
        f'{{"step": {i}, "loss": {v:.5f}, "val_loss": {v + 0.1:.5f}}}\n' for p in parts for i, v in enumerate(p)
    )


@pytest.mark.parametrize(("name", "write"), [("log.csv", table_csv), ("metrics.jsonl", table_jsonl)])
def test_a_table_that_was_appended_to_is_cut_the_same_way(
    tmp_path: Path, name: str, write: Callable[[Sequence[Sequence[float]]], str]
) -> None:
    (tmp_path / name).write_text(write([losses(30, 1), losses(40, 2)]))
    found: tuple[Run, ...] = read_runs([tmp_path], signals_file=signals_file()).runs
    lengths = [len(r.series("loss") or ()) for r in found]
    assert lengths == [30, 40]
    assert [len(r.series("val_loss") or ()) for r in found] == [30, 40]


def test_a_heading_before_each_of_equal_stretches_begins_no_training_while_the_loss_goes_on() -> None:
    values = losses(60, 1)
    text = "".join(
        (f"--- task {i // 6} ---\n" if i % 6 == 0 else "") + f"it: {100 * (i % 6) + 1}, loss: {v:.4f}\n"
        for i, v in enumerate(values)
    )
    assert len(runs(text)) == 1


def test_settings_that_are_told_more_often_than_the_loss_do_not_count_its_steps() -> None:
    text = "".join(f"epoch {e} lr: 0.01\n" * 3 + f"epoch {e} loss: {v:.4f}\n" for e, v in enumerate(losses(10, 1), 1))
    assert [s for s, _ in runs(text)[0]] == list(range(1, 11))


def test_rows_of_several_seeds_are_several_runs_however_alike_their_lengths(tmp_path: Path) -> None:
    rows = [f"{k},{10 + 60 * min(k, 12) + 3 * ((7 * k + seed) % 5)},{seed}" for seed in (1, 2, 3) for k in range(30)]
    (tmp_path / "log.csv").write_text("\n".join(["step,episode_reward,seed", *rows]) + "\n")
    found = read_runs([tmp_path], signals_file=signals_file()).runs
    assert [len(r.series("reward") or ()) for r in found] == [30, 30, 30]


def boxes(values: Sequence[float]) -> str:
    """What an agent prints: a box for every 2048 steps."""
    out = ["Using cpu device", "Wrapping the env with a `Monitor` wrapper"]
    for i, v in enumerate(values, 1):
        rows = (("ep_rew_mean", f"{20 - v:.3f}"), ("total_timesteps", 2048 * i), ("loss", f"{v:.4f}"))
        out += ["-" * 36, *(f"| {name:<18} | {value!s:<11} |" for name, value in rows), "-" * 36]
    return "\n".join(out) + "\n"


def test_boxes_of_several_agents_are_several_trainings() -> None:
    text = "".join(f"=== seed {k} ===\n" + boxes(losses(15, k)) for k in range(3))
    assert [len(r) for r in runs(text)] == [15, 15, 15]
    assert [r[0][0] for r in runs(text)] == [2048] * 3


def test_boxes_whose_counter_begins_anew_while_the_agent_goes_on_are_one_training() -> None:
    values = losses(30, 1)
    text = boxes(values[:12]).split("\n", 2)
    more = boxes(values[12:]).split("\n", 2)[2]
    assert [len(r) for r in runs("\n".join(text) + more)] == [30]


def by_columns(path: Path, rows: Sequence[dict[str, object]]) -> list[tuple[str, int]]:
    """Name and length of the training of each run in a table of rows, as JSON lines or CSV."""
    if path.suffix == ".csv":
        path.write_text("\n".join([",".join(rows[0]), *(",".join(map(str, r.values())) for r in rows)]) + "\n")
    else:
        path.write_text("".join(json.dumps(r) + "\n" for r in rows))
    found = read_runs([path], signals_file=signals_file()).runs
    return [(r.name.partition("::")[2], len(r.metric("loss") or ())) for r in found]


@pytest.mark.parametrize("name", ["log.jsonl", "log.csv"])
@pytest.mark.parametrize("together", [False, True])
def test_rows_that_name_their_run_are_told_apart_by_it(tmp_path: Path, name: str, together: bool) -> None:
    rows = [{"model": m, "epoch": e, "loss": v} for m in ("cnn", "mlp") for e, v in enumerate(losses(20, 7), 1)]
    if together:  # two processes write into one file
        rows.sort(key=lambda r: int(str(r["epoch"])))
    assert by_columns(tmp_path / name, rows) == [("cnn", 20), ("mlp", 20)]


def test_runs_by_the_hundred_in_one_table(tmp_path: Path) -> None:
    rows = [{"run_id": f"r{i}", "step": s, "loss": v} for i in range(250) for s, v in enumerate(losses(6, i))]
    assert by_columns(tmp_path / "log.jsonl", rows) == [(f"r{i}", 6) for i in range(250)]


def test_a_seed_that_changes_from_episode_to_episode_names_no_run(tmp_path: Path) -> None:
    rows = [{"episode": e, "seed": e % 7, "loss": v} for e, v in enumerate(losses(20, 7))]
    assert by_columns(tmp_path / "log.csv", rows) == [("", 20)]


def test_how_many_epochs_there_will_be_is_no_epoch() -> None:
    text = ""
    for k, n in enumerate((20, 3, 25)):
        text += (
            f"TRAIN started at Fri Oct 24 1{k}:45:03 2025\nParameters:\n  mode: train\n  epochs: {n}\n  device: cuda\n"
        )
        text += "".join(f"Epoch {e}/{n} | loss={v:.4f} | Time=11.2s\n" for e, v in enumerate(losses(n, k), 1))
    assert [len(r) for r in runs(text)] == [20, 3, 25]
    assert [r[-1][0] for r in runs(text)] == [20, 3, 25]


def test_what_follows_the_summary_of_a_training_is_another_one() -> None:
    """The second begins with an evaluation, and its first loss stands at an epoch that is no start."""
    row = "{{'loss': {:.4f}, 'learning_rate': 1e-05, 'epoch': {:.1f}}}\n"
    text = "".join(row.format(v, i / 5) for i, v in enumerate(losses(15, 3), 1))
    text += "{'train_runtime': 912.4, 'train_samples_per_second': 21.3, 'train_loss': 0.91, 'epoch': 3.0}\n"
    for epoch in range(1, 9):
        if epoch % 2 == 0:
            text += row.format(0.3 / epoch, epoch + 0.3)
        text += f"{{'eval_loss': {0.2 / epoch:.4f}, 'eval_f1': 0.9{epoch}, 'epoch': {epoch}.0}}\n"
    text += "{'train_runtime': 118.1, 'train_samples_per_second': 22.6, 'train_loss': 0.1, 'epoch': 8.0}\n"
    assert [len(r) for r in runs(text)] == [15, 4]


def table_timed(parts: Sequence[Sequence[float]]) -> str:
    """Records with a clock and an epoch that begins anew."""
    row = '{{"time": {}, "epoch": {}, "loss": {:.5f}, "val_loss": {:.5f}}}\n'
    found, at = "", 1_700_000_000
    for p in parts:
        for i, v in enumerate(p):
            found, at = found + row.format(at, i, v, v + 0.1), at + 40
    return found


@pytest.mark.parametrize("name", ["training_log.json", "log.jsonl"])
def test_records_with_a_clock_are_cut_where_their_epochs_begin_anew(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(table_timed([losses(10, k, 1.5) for k in range(6)]))
    found = read_runs([tmp_path], signals_file=signals_file()).runs
    assert [len(r.series("loss") or ()) for r in found] == [10] * 6
    assert {r.axis for r in found} == {"epoch"}
    assert [len(r.series("val_loss") or ()) for r in found] == [10] * 6


@pytest.mark.parametrize("fell", [0.05, 0.6])
def test_a_first_value_back_at_the_first_level_begins_a_training_however_little_was_learned(fell: float) -> None:
    """The second value is already nearer to where the training before it ended."""
    r = Random(4)
    parts = [[0.68 - fell * (1 - 0.3**i) + r.gauss(0, 0.004) for i in range(40)] for _ in range(3)]
    assert [len(p) for p in runs("".join(map(epochs, parts)))] == [40, 40, 40]


def test_settings_that_are_said_again_begin_a_training_where_nothing_counts() -> None:
    told = "2024-05-0{0} 10:00:00 | INFO | main - Namespace(batch_size={0}, lr=3e-05, seed=7)\n"
    text = "2024-05-01 09:59:59 | INFO | main - hello\n"
    for k in (1, 2, 3):
        text += told.format(k)
        text += "".join(
            f"2024-05-0{k} 10:00:{i:02} | INFO | train - loss: {v:.4f}\n" for i, v in enumerate(losses(40, k))
        )
    assert [len(r) for r in runs(text)] == [40, 40, 40]


def test_a_log_of_a_thousand_closing_records_holds_no_thousand_trainings() -> None:
    row = "{{'loss': {:.4f}, 'epoch': {:.1f}}}\n{{'train_runtime': 9.4, 'train_loss': 0.91, 'epoch': 1.0}}\n"
    text = "".join(row.format(v, e) for v in losses(1_100, 3) for e in (0.5,))
    assert len(runs(text)) == 1


def test_a_column_that_a_short_training_never_fills_is_cut_with_the_others(tmp_path: Path) -> None:
    rows = ["Episode,Loss,WinRate"]
    for seed, length in enumerate((60, 30, 2, 40), 1):
        for i, v in enumerate(losses(length, seed), 1):
            rows.append(f"{50 * i},{v:.4f}," + (f"{50 + i}.0%" if i % 5 == 0 else ""))
    (tmp_path / "metrics.csv").write_text("\n".join(rows) + "\n")
    found = read_runs([tmp_path], signals_file=signals_file()).runs
    assert [len(r.metric("Loss").value) for r in found] == [60, 30, 40]  # type: ignore[union-attr]
    assert [len(r.metric("WinRate").value) for r in found] == [12, 6, 8]  # type: ignore[union-attr]


def test_measures_under_a_heading_each_and_an_epoch_that_a_rate_stands_below(tmp_path: Path) -> None:
    text = ""
    for seed, low in ((1, 0.2), (2, 2.0)):
        text += "Model is built.\n"
        for i, v in enumerate(losses(40, seed, low), 1):
            text += f"Epoch {i}\n  Learning rate is {0.001 / i:.7f}\n  Training measures:\n    loss = {v + low:.4f},"
            text += f" accuracy = {0.9 - v / 10:.4f}\n  Validation measures:\n    accuracy = {0.8 - v / 10:.4f}\n"
    (tmp_path / "train.log").write_text(text)
    found = read_runs([tmp_path], signals_file=signals_file()).runs
    assert [len(r.series("loss").value) for r in found] == [40, 40]  # type: ignore[union-attr]
    assert [r.series("lr").value[0] for r in found] == [0.001, 0.001]  # type: ignore[union-attr]
    ends = [[r.series(role).value[-1] for role in ("accuracy", "val_accuracy")] for r in found]  # type: ignore[union-attr]
    assert all(a - v == pytest.approx(0.1, abs=1e-3) for a, v in ends)
