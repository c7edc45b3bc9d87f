"""The logs of one run become one frame: steps, restarts, ranks, nulls, copies."""

import json
import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from corpus import CORPUS, SIGNALS, needs_corpus
from hypothesis import given, settings
from hypothesis import strategies as st
from tensorboardX import SummaryWriter

from curvedoc.core.errors import UsageError
from curvedoc.core.run import ASSEMBLED, MESSAGES, Flag, Run
from curvedoc.ingest import Harvest, read_runs
from curvedoc.ingest.assemble.axis import number_rows
from curvedoc.ingest.assemble.likeness import same_curve
from curvedoc.ingest.assemble.nulls import settle_nulls
from curvedoc.ingest.assemble.restarts import mark, rewinds
from curvedoc.ingest.assemble.stream_curves import StreamBlock

NAN = float("nan")


def write(path: Path, rows: Sequence[dict[str, object]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(r) + "\n" for r in rows))
    return path


def harvest(path: Path, **signals: str) -> Harvest:
    return read_runs([path], signals_file=SIGNALS, signals=signals)


def only(path: Path) -> Run:
    (run,) = harvest(path).runs
    return run


def strand(step: Sequence[int | None], time: Sequence[float] | None = None, metric: str = "loss") -> StreamBlock:
    n = len(step)
    return StreamBlock(
        metric, 0,
        np.array([s or 0 for s in step], dtype=np.int64),
        np.array([2.0 / (1.0 + (s or 0) / 20) for s in step]),
        np.array(time if time is not None else [NAN] * n, dtype=np.float64),
        np.zeros(n, dtype=np.uint16),
        np.array([s is not None for s in step]),
        stream=0, file=np.zeros(n, dtype=np.int64),
    )  # fmt: skip


def steps(*spans: range) -> list[int]:
    return [s for span in spans for s in span]


# Restarts


def test_a_resumed_counter_starts_a_segment_and_supersedes_what_it_writes_again() -> None:
    (marked,), notes = mark([strand(steps(range(0, 100, 2), range(60, 140, 2)))])
    assert marked.segment.tolist() == [0] * 50 + [1] * 40
    assert marked.superseded.tolist() == [False] * 30 + [True] * 20 + [False] * 40
    assert [n.kind for n in notes] == ["step-rewind"]
    assert "from 98 to 60" in notes[0].text


def test_what_a_short_resumption_never_reached_stays() -> None:
    (marked,), _ = mark([strand(steps(range(100), range(40, 60)))])
    kept = marked.step[~marked.superseded]
    assert sorted(kept.tolist()) == list(range(100))


def test_a_restart_from_scratch_supersedes_the_whole_first_attempt() -> None:
    (marked,), notes = mark([strand(steps(range(100), range(30)))])
    assert marked.superseded.tolist() == [True] * 100 + [False] * 30
    assert "from the beginning" in notes[0].text


def test_a_counter_that_starts_anew_under_a_loss_that_goes_on_is_counted_on() -> None:
    s = strand(steps(range(1, 16), range(1, 11)))
    on = replace(s, value=2.0 * 0.9 ** np.arange(25.0))
    val = strand(s.step.tolist(), metric="val_loss")
    (loss, evaluated), notes = mark([on, val])
    assert loss.step.tolist() == evaluated.step.tolist() == list(range(1, 26))
    assert loss.superseded is None and [n.kind for n in notes] == ["step-unrolled"]


def test_an_evaluation_row_written_one_step_early_is_no_restart() -> None:
    early = steps(range(0, 50), range(49, 100))
    assert rewinds(np.array(early), np.full(len(early), NAN)) == []
    assert mark([strand(early)])[1] == []


def test_rows_of_asynchronous_writers_are_no_restarts() -> None:
    rng = np.random.default_rng(0)
    shuffled = np.arange(400) + rng.integers(-20, 20, 400)
    assert rewinds(shuffled, np.full(400, NAN)) == []


def test_one_row_that_goes_back_is_no_restart() -> None:
    assert rewinds(np.array([*range(100), 10, *range(100, 200)]), np.full(201, NAN)) == []


def test_a_sparse_metric_follows_the_restart_of_the_dense_one_by_the_clock() -> None:
    main = strand(steps(range(0, 300), range(210, 400)), [float(i) for i in range(490)])
    sparse = strand([100, 200, 290, 280, 380], [100.0, 200.0, 290.0, 370.0, 470.0], "val_loss")
    (_, marked), _ = mark([main, sparse])
    assert marked.segment.tolist() == [0, 0, 0, 1, 1]
    assert marked.superseded.tolist() == [False, False, True, False, False]


def test_a_sparse_metric_follows_the_restart_by_its_own_steps_without_a_clock() -> None:
    main = strand(steps(range(0, 300), range(210, 400)))
    (_, marked), _ = mark([main, strand([100, 200, 290, 280, 380], metric="val_loss")])
    assert marked.segment.tolist() == [0, 0, 0, 1, 1]


def test_two_restarts_make_three_segments() -> None:
    (marked,), notes = mark([strand(steps(range(100), range(50, 120), range(80, 200)))])
    assert sorted(set(marked.segment.tolist())) == [0, 1, 2]
    assert marked.step[~marked.superseded].tolist() == list(range(200))
    assert len(notes) == 2


def test_a_counter_that_starts_anew_every_epoch_is_counted_on() -> None:
    (marked,), notes = mark([strand(steps(*[range(0, 50, 5)] * 6))])
    assert marked.step.tolist() == list(range(0, 300, 5))
    assert marked.superseded is None or not marked.superseded.any()
    assert [n.kind for n in notes] == ["step-unrolled"]


def test_the_epoch_column_tells_a_second_epoch_from_a_restart() -> None:
    loss = strand(steps(range(50), range(50)))
    epoch = strand(loss.step.tolist(), metric="epoch")
    again = replace(epoch, value=np.repeat([0.0, 1.0], 50))
    (unrolled, _), _ = mark([loss, again])
    assert unrolled.step.tolist() == list(range(100))
    (restarted,), _ = mark([loss])
    assert restarted.superseded.sum() == 50


@given(st.lists(st.tuples(st.integers(4, 30), st.integers(6, 40)), min_size=1, max_size=4))
@settings(max_examples=60, deadline=None)
def test_every_step_is_current_exactly_once_after_marking(pieces: list[tuple[int, int]]) -> None:
    """However often a run is resumed, the live point of every step is the one written last."""
    rows = list(range(50))
    for back, length in pieces:
        start = max(2, rows[-1] + 1 - back)  # never back to the beginning, which drops all that was before
        rows += range(start, start + length)
    (marked,), _ = mark([strand(rows)])
    last = {step: row for row, step in enumerate(rows)}
    live = np.flatnonzero(~marked.superseded) if len(marked.superseded) else np.arange(len(rows))
    assert live.tolist() == sorted(last.values())


# Steps


def test_a_log_without_steps_counts_its_records(tmp_path: Path) -> None:
    write(tmp_path / "m.jsonl", [{"loss": 2.0 - 0.1 * i, "lr": 0.1} for i in range(10)])
    run = only(tmp_path)
    loss = run.series("loss")
    assert run.axis == "row" and loss is not None and loss.step.tolist() == list(range(10))


def test_points_all_at_step_zero_are_counted(tmp_path: Path) -> None:
    with SummaryWriter(str(tmp_path)) as w:
        for i in range(10):
            w.add_scalar("train/loss", 2 - 0.1 * i, 0)
    loss = only(tmp_path).series("loss")
    assert loss is not None and loss.step.tolist() == list(range(10))


def test_a_metric_without_steps_is_laid_along_the_others_by_the_clock() -> None:
    main = strand(range(100), [float(i) for i in range(100)])
    (_, filled), rows, notes = number_rows([main, strand([None, None], [49.5, 99.5], "val_loss")])
    assert filled.step.tolist() == [49, 99] and not rows
    assert [n.kind for n in notes] == ["step-filled"]


def test_a_metric_without_steps_or_clock_is_laid_out_evenly() -> None:
    (_, filled), _, _ = number_rows([strand(range(101)), strand([None] * 4, metric="val_loss")])
    assert filled.step.tolist() == [25, 50, 75, 100]


def test_values_per_epoch_are_placed_on_the_steps_of_the_log_beside_them(tmp_path: Path) -> None:
    write(tmp_path / "steps.jsonl", [{"step": i, "epoch": i // 10, "loss": 2 - i / 50} for i in range(50)])
    write(tmp_path / "epochs.jsonl", [{"epoch": e, "val_loss": 2.1 - e / 5} for e in range(5)])
    (tmp_path / "history.json").write_text(json.dumps({"val_accuracy": [0.1, 0.2, 0.3, 0.4, 0.5]}))
    run = only(tmp_path)
    assert run.axis == "step"
    val = run.metric("val_accuracy")
    assert val is not None and val.step.max() > 5


# Ranks and files


def keras(folder: Path, epochs: int = 12, first: int = 0, batches: int = 0) -> None:
    """What Keras' TensorBoard callback writes."""
    with SummaryWriter(str(folder / "train")) as train, SummaryWriter(str(folder / "validation")) as val:
        for e in range(first, first + epochs):
            loss = 2 * math.exp(-e / 5) + 0.3
            train.add_scalar("epoch_loss", loss, e)
            train.add_scalar("epoch_learning_rate", 1e-3, e)
            train.add_scalar("gradient_norm", 1 + loss, e)
            val.add_scalar("epoch_loss", loss + 0.2, e)
            val.add_scalar("evaluation_loss_vs_iterations", loss + 0.2, 10 * e + 10)
            for b in range(batches):
                train.add_scalar("batch_loss", loss - 0.01 * b, e * batches + b)


def test_the_epochs_that_keras_counts_are_epochs(tmp_path: Path) -> None:
    keras(tmp_path)
    run = only(tmp_path)
    assert run.axis == "epoch"
    assert run.metrics() == ("train/epoch_loss", "train/epoch_learning_rate", "train/gradient_norm", "val/epoch_loss")
    assert {m.role: m.metric for m in run.roles}["val_loss"] == "val/epoch_loss"
    assert all(b.step.tolist() == list(range(12)) for b in run.blocks)


def test_epochs_of_keras_and_of_what_it_prints_are_one_axis(tmp_path: Path) -> None:
    keras(tmp_path)
    (tmp_path / "run.json").write_text(json.dumps({"steps_per_epoch": 10}))
    (tmp_path / "other.jsonl").write_text("".join(f'{{"epoch": {e}, "weight_norm": {e}.5}}\n' for e in range(12)))
    run = only(tmp_path)
    assert run.axis == "epoch"
    assert {b.metric: b.step.tolist() for b in run.blocks}["weight_norm"] == list(range(12))


def test_epochs_of_keras_beside_batches_stand_at_the_ends_of_epochs(tmp_path: Path) -> None:
    keras(tmp_path, batches=10)
    run = only(tmp_path)
    assert run.axis == "step"
    steps = {b.metric: b.step for b in run.blocks}
    assert steps["train/batch_loss"].tolist() == list(range(120))
    assert steps["train/epoch_loss"].tolist() == list(range(9, 120, 10))
    assert np.abs(steps["val/epoch_loss"] - steps["train/epoch_loss"]).max() <= 1


def test_steps_that_go_no_further_than_the_epochs_of_another_file_are_epochs(tmp_path: Path) -> None:
    with SummaryWriter(str(tmp_path)) as w:
        for e in range(12):
            w.add_scalar("loss", 2 * math.exp(-e / 5), e)
    rows = "".join(f'{{"epoch": {e}, "val_loss": {0.2 + 2 * math.exp(-e / 5)}}}\n' for e in range(12))
    (tmp_path / "val.jsonl").write_text(rows)
    (tmp_path / "config.json").write_text(json.dumps({"steps_per_epoch": 10}))
    run = only(tmp_path)
    assert run.axis == "epoch"
    assert {b.metric: b.step.tolist() for b in run.blocks} == {"loss": list(range(12)), "val_loss": list(range(12))}


def test_a_curve_called_by_the_epoch_that_was_logged_at_steps_keeps_them(tmp_path: Path) -> None:
    with SummaryWriter(str(tmp_path)) as w:
        for e in range(12):
            w.add_scalar("epoch_loss", 2 * math.exp(-e / 5), 100 * e + 99)
    run = only(tmp_path)
    assert run.axis == "step" and run.blocks[0].step.tolist() == list(range(99, 1200, 100))


def test_event_files_that_follow_each_other_are_restarts_and_parallel_ones_ranks(tmp_path: Path) -> None:
    for folder, start in (("a", 1000.0), ("b", 20.0)):
        for part, (first, noise) in enumerate(((0, 0.0), (40, 0.2))):
            with SummaryWriter(str(tmp_path / folder), filename_suffix=f".{part}") as w:
                for i in range(60):
                    w.add_scalar("loss", 2 - 0.01 * i + noise, first + i, walltime=1.7e9 + start * part + i)
    a, b = harvest(tmp_path).runs
    assert a.ranks() == (0,) and a.points["segment"].max() == 1 and a.points["superseded"].sum() == 20
    assert b.ranks() == (0, 1) and not b.points["superseded"].any()


@pytest.mark.parametrize("array", [False, True])
def test_numbered_files_are_ranks_unless_their_learning_rates_differ(tmp_path: Path, array: bool) -> None:
    for task in range(3):
        lr = 1e-3 * (task + 1 if array else 1)
        rows = (f"step {i}: loss {2 * math.exp(-i / 9) + 0.01 * task * (i % 3):.4f} lr {lr:.2e}\n" for i in range(30))
        (tmp_path / f"slurm-4711_{task}.out").write_text("".join(rows))
    runs = harvest(tmp_path).runs
    assert len(runs) == (3 if array else 1)
    assert {b.rank for r in runs for b in r.blocks} == ({0} if array else {0, 1, 2})


def test_an_evaluator_that_writes_other_tags_at_the_same_time_is_no_rank(tmp_path: Path) -> None:
    for part, tag in enumerate(("train/loss", "eval/loss")):
        with SummaryWriter(str(tmp_path), filename_suffix=f".{part}") as w:
            for i in range(30):
                w.add_scalar(tag, 2 - 0.01 * i, i, walltime=1.7e9 + i)
    run = only(tmp_path)
    assert run.ranks() == (0,) and {m.role for m in run.roles} == {"loss", "val_loss"}


def test_hparams_and_add_scalars_folders_fold_into_the_run(tmp_path: Path) -> None:
    with SummaryWriter(str(tmp_path / "run")) as w:
        for i in range(20):
            w.add_scalar("lr", 0.1, i)
            w.add_scalars("loss", {"train": 2 - 0.05 * i, "val": 2.2 - 0.04 * i}, i)
        w.add_hparams({"batch_size": 32}, {"hparam/acc": 0.5})
    run = only(tmp_path)
    assert run.settings["batch_size"] == 32
    assert {m.role: m.metric for m in run.roles} == {"loss": "train/loss", "val_loss": "val/loss", "lr": "lr"}


def test_one_curve_in_two_formats_is_kept_once_and_told(tmp_path: Path) -> None:
    values = [2.0 - 0.031 * i + 0.2 * math.sin(i) for i in range(40)]
    write(
        tmp_path / "metrics.jsonl",
        [{"step": i, "loss": round(v, 4), "only_here": float(i)} for i, v in enumerate(values)],
    )
    with SummaryWriter(str(tmp_path)) as w:
        for i, v in enumerate(values):
            w.add_scalar("train/loss", v, i)
    run = only(tmp_path)
    assert sorted(run.points["metric"].unique()) == ["only_here", "train/loss"]
    assert [n.kind for n in run.notes] == ["duplicate-curves"]
    assert len(run.sources) == 2


def test_of_two_copies_that_count_differently_all_curves_come_from_one(tmp_path: Path) -> None:
    values = [2.0 - 0.031 * i + 0.2 * math.sin(i) for i in range(40)]
    write(tmp_path / "metrics.jsonl", [{"step": 10 * i, "loss": v, "lr": 1e-3} for i, v in enumerate(values)])
    lines = [
        f"2024-01-01 00:00:{i:02d} INFO step {10 * i + 1} loss {v:.4f} lr 1.000e-03\n" for i, v in enumerate(values)
    ]
    (tmp_path / "train.log").write_text("".join(lines))
    run = only(tmp_path)
    loss, lr = run.series("loss"), run.series("lr")
    assert loss is not None and lr is not None and run.has_text
    assert loss.step.tolist() == lr.step.tolist() == list(range(0, 400, 10))


def test_a_copy_with_steps_beats_one_whose_records_were_counted(tmp_path: Path) -> None:
    values = [2.0 - 0.031 * i + 0.2 * math.sin(i) for i in range(40)]
    rows = [{"step": 5 * i + 5, "epoch": i / 10, "loss": round(v, 4)} for i, v in enumerate(values)]
    (tmp_path / "trainer_state.json").write_text(json.dumps({"global_step": 200, "log_history": rows}))
    lines = [f"{{'loss': {v:.4f}, 'learning_rate': 5e-05, 'epoch': {i / 10}}}\n" for i, v in enumerate(values)]
    (tmp_path / "train.log").write_text("".join(lines))
    run = only(tmp_path)
    loss = run.series("loss")
    assert run.axis == "step" and loss is not None and loss.step[-1] == 200


def test_two_formats_that_disagree_under_one_name_are_both_kept(tmp_path: Path) -> None:
    write(tmp_path / "metrics.jsonl", [{"step": i, "loss": 2 - 0.03 * i} for i in range(40)])
    with SummaryWriter(str(tmp_path)) as w:
        for i in range(20):
            w.add_scalar("loss", 1 + 0.01 * i, i)
    run = only(tmp_path)
    assert sorted(run.points.group_by("metric").len()["len"]) == [20, 40]
    assert next(m.metric for m in run.matches("loss")) == "loss" and len(run.matches("loss")) == 2


@pytest.mark.parametrize("nan", [True, False])
def test_an_attempt_whose_rates_are_those_of_another_keeps_them(tmp_path: Path, nan: bool) -> None:
    for k, name in enumerate(("a", "b")):
        with SummaryWriter(str(tmp_path), filename_suffix=f".{name}") as w:
            for i in range(12):
                at = 1_700_000_000 + 10_000 * k + i
                w.add_scalar("lr", 1e-4 if i < 6 else 5e-5, i, walltime=at)
                w.add_scalar("loss", NAN if nan else 1.0 / (1 + i), i, walltime=at)
                w.add_scalar("acc", 0.5 + 0.01 * i * (k + 1), i, walltime=at)
    run = only(tmp_path)
    found = [run.series(role) for role in ("lr", "loss", "accuracy")]
    assert all(s is not None and len(s) == 12 for s in found)
    assert {float(s.time[0]) for s in found if s is not None and s.time is not None} == {1_700_010_000.0}


def test_nan_equals_nan_when_copies_are_compared() -> None:
    a = strand(range(10))
    holes = replace(a, value=np.where(np.arange(10) > 6, NAN, a.value))
    assert same_curve(holes, holes)
    assert not same_curve(a, holes)


def test_the_only_run_of_an_export_needs_no_name_of_its_own(tmp_path: Path) -> None:
    rows = "".join(f'"{i}","{2 - i / 50}"\n' for i in range(40))
    (tmp_path / "one.csv").write_text('"Step","calm-sun-1 - train/loss"\n' + rows)
    assert only(tmp_path).name == "."
    both = "".join(f'"{i}","{2 - i / 50}","{2 + i / 50}"\n' for i in range(40))
    (tmp_path / "one.csv").write_text('"Step","calm-sun-1 - train/loss","wild-sea-2 - train/loss"\n' + both)
    assert [r.name for r in harvest(tmp_path).runs] == [".::calm-sun-1", ".::wild-sea-2"]


# Nulls


def test_a_null_after_numbers_in_every_record_is_a_nan(tmp_path: Path) -> None:
    write(tmp_path / "m.jsonl", [{"step": i, "loss": 2.0 - 0.1 * i if i < 12 else None} for i in range(20)])
    run = only(tmp_path)
    loss = run.series("loss")
    assert loss is not None and len(loss) == 20 and np.isnan(loss.value[12:]).all()
    assert (run.points["flags"].filter(run.points["value"].is_nan()) & int(Flag.NULL) != 0).all()
    assert [n.kind for n in run.notes] == ["null-as-nan"]


def test_a_null_in_a_sparse_column_is_a_value_that_was_not_there(tmp_path: Path) -> None:
    rows = [{"step": i, "loss": 2.0 - 0.1 * i, "val_loss": 2.0 if i % 5 == 4 else None} for i in range(20)]
    write(tmp_path / "m.jsonl", rows)
    val = only(tmp_path).series("val_loss")
    assert val is not None and val.step.tolist() == [4, 9, 14, 19] and np.isfinite(val.value).all()


def test_a_loss_that_is_null_from_the_first_record_on_is_nan_and_an_unused_column_is_nothing() -> None:
    null = np.full(20, int(Flag.NULL), dtype=np.uint16)
    logged = [strand(range(20), metric=m) for m in ("lr", "loss", "val_loss")]
    kept, notes = settle_nulls([logged[0], *(replace(s, value=np.full(20, NAN), flags=null) for s in logged[1:])])
    assert [s.metric for s in kept] == ["lr", "loss"] and [n.kind for n in notes] == ["null-as-nan"]


# The frame and the interface


def test_the_frames_have_the_columns_of_the_model(tmp_path: Path) -> None:
    write(tmp_path / "m.jsonl", [{"step": i, "loss": 1.0} for i in range(5)])
    run = only(tmp_path)
    assert run.points.schema == pl.Schema(ASSEMBLED) and run.messages.schema == pl.Schema(MESSAGES)


def test_values_that_are_not_finite_arrive(tmp_path: Path) -> None:
    write(tmp_path / "m.jsonl", [{"step": i, "loss": v} for i, v in enumerate([1.0, NAN, math.inf, -math.inf, 2.0])])
    loss = only(tmp_path).series("loss")
    assert loss is not None
    np.testing.assert_array_equal(loss.value, [1.0, NAN, math.inf, -math.inf, 2.0])


def test_the_user_may_choose_the_metric_of_a_role(tmp_path: Path) -> None:
    write(tmp_path / "m.jsonl", [{"step": i, "loss": 1.0, "my/metric": 2.0} for i in range(5)])
    (run,) = harvest(tmp_path, loss="my/metric").runs
    assert run.matches("loss")[0].metric == "my/metric" and run.matches("loss")[0].why == "set by --signal"
    with pytest.raises(UsageError, match="did you mean"):
        harvest(tmp_path, loss="my/metrik")


def test_steps_per_epoch_are_read_off_the_epoch_counter(tmp_path: Path) -> None:
    write(tmp_path / "m.jsonl", [{"step": i, "epoch": i // 25, "loss": 1.0} for i in range(0, 300, 5)])
    assert only(tmp_path).settings["steps_per_epoch"] == 25


def test_reading_twice_gives_the_same(tmp_path: Path) -> None:
    for n in "ab":
        write(tmp_path / n / "m.jsonl", [{"step": i, "loss": 1.0 / (i + 1), n: 1.0} for i in range(5)])
    one, two = harvest(tmp_path), harvest(tmp_path)
    assert [r.name for r in one.runs] == [r.name for r in two.runs]
    assert all(a.points.equals(b.points) and a.roles == b.roles for a, b in zip(one.runs, two.runs, strict=True))


@given(
    st.binary(max_size=400),
    st.sampled_from(["m.jsonl", "train.log", "x.csv", "events.out.tfevents.1", "a.wandb", "trainer_state.json"]),
)
@settings(max_examples=60, deadline=None)
def test_no_content_makes_reading_fail(tmp_path_factory: pytest.TempPathFactory, data: bytes, name: str) -> None:
    folder = tmp_path_factory.mktemp("x")
    (folder / name).write_bytes(data)
    found = harvest(folder)
    assert all("reader failed" not in u.reason for u in found.unreadable)


@needs_corpus
def test_every_labeled_run_is_read_and_has_its_loss() -> None:
    found = read_runs([CORPUS], signals_file=SIGNALS)
    runs = {r.name: r for r in found.runs}
    rows = [json.loads(line) for line in (CORPUS / "labels.jsonl").read_text().splitlines()]
    wanted = {r["run"] + (f"::{r['subrun']}" if r.get("subrun") else "") for r in rows}
    assert wanted - set(runs) == set()
    assert set(runs) - wanted == set()
    assert found.unreadable == ()
    for name in wanted:
        loss = runs[name].series("loss")
        logged = [m for m in runs[name].points["metric"].unique() if "loss" in m.lower()]
        assert (loss is not None and len(loss)) or not logged, name


def test_a_traceback_in_a_file_that_counts_no_steps_ends_the_run(tmp_path: Path) -> None:
    write(tmp_path / "m.jsonl", [{"step": 10 * i, "loss": 2.0 - 0.1 * i} for i in range(15)])
    (tmp_path / "stderr.log").write_text(
        "loading data set\nTraceback (most recent call last):\n"
        '  File "train.py", line 9, in <module>\n    main()\nKeyError: 1\n'
    )
    messages = only(tmp_path).messages
    assert dict(zip(messages["level"], messages["step"], strict=True)).get("TRACEBACK") == 140
    assert messages.filter(pl.col("level") != "TRACEBACK")["step"].null_count() == len(messages) - 1


def test_nulls_of_two_kinds_of_records_are_values_that_were_not_there(tmp_path: Path) -> None:
    """One table for training and evaluation, as a data frame writes it: what a row lacks is null."""
    rows: list[dict[str, object]] = []
    for i in range(60):
        rows.append({"step": i, "loss": 2.0 - 0.01 * i, "lr": 0.1, "grad_norm": 1.0, "val_loss": None})
        if i % 4 == 3:
            rows.append({"step": i, "loss": None, "lr": None, "grad_norm": None, "val_loss": 2.1 - 0.01 * i})
    write(tmp_path / "m.jsonl", rows)
    run = only(tmp_path)
    loss, val = run.series("loss"), run.series("val_loss")
    assert loss is not None and len(loss) == 60 and bool(np.isfinite(loss.value).all())
    assert val is not None and len(val) == 15 and not run.notes


def test_nulls_from_the_blow_up_on_are_nan_beside_evaluations_that_still_have_records(tmp_path: Path) -> None:
    rows: list[dict[str, object]] = []
    for i in range(60):
        rows.append({"step": i, "loss": 2.0 - 0.01 * i if i < 40 else None, "lr": 0.1, "val_loss": None})
        if i % 4 == 3:
            rows.append({"step": i, "loss": None, "lr": None, "val_loss": 2.1 - 0.01 * i if i < 40 else None})
    write(tmp_path / "m.jsonl", rows)
    loss = only(tmp_path).series("loss")
    assert loss is not None and bool(np.isfinite(loss.value[:40]).all()) and bool(np.isnan(loss.value[40:]).all())


def test_a_metric_of_every_second_record_has_no_nan(tmp_path: Path) -> None:
    write(tmp_path / "m.jsonl", [{"step": i, "loss": 1.0, "acc": 0.5 if i % 2 == 0 else None} for i in range(40)])
    acc = only(tmp_path).series("accuracy")
    assert acc is not None and len(acc) == 20 and bool(np.isfinite(acc.value).all())


def test_an_evaluation_that_every_row_repeats_until_the_next_is_kept_once(tmp_path: Path) -> None:
    made = [2.0, 1.5, 1.2, 1.2, 1.1, 1.05, 1.3]
    rows = [
        {"step": i, "loss": 2.0 - 0.01 * i, "val_loss": made[i // 10], "val_acc": 0.1 * (i // 10)} for i in range(70)
    ]
    write(tmp_path / "m.jsonl", rows)
    run = only(tmp_path)
    val, acc = run.series("val_loss"), run.series("val_accuracy")
    assert val is not None and val.step.tolist() == list(range(0, 70, 10)) and val.value.tolist() == made
    assert acc is not None and len(acc) == 7 and [n.kind for n in run.notes] == ["values-held"]


def test_evaluations_that_are_equal_because_nothing_changes_are_all_kept(tmp_path: Path) -> None:
    rows = [{"step": i, "loss": 2.0 - 0.01 * i, "val_loss": max(1.0, 2.0 - 0.05 * i)} for i in range(60)]
    write(tmp_path / "m.jsonl", rows)
    val = only(tmp_path).series("val_loss")
    assert val is not None and len(val) == 60
    frozen = [{"step": i, "loss": 2.0, "val_loss": 1.0 + i // 20} for i in range(60)]
    write(tmp_path / "m.jsonl", frozen)
    val = only(tmp_path).series("val_loss")
    assert val is not None and len(val) == 60
