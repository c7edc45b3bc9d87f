"""CSV and TSV of every common logger become points; missing, NaN and unreadable cells stay apart."""

from __future__ import annotations

import gzip
import math
import os
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curvedoc.core.run import POINTS
from curvedoc.ingest import read_runs
from curvedoc.ingest.contract import Log
from curvedoc.ingest.csv import bulk as csv_bulk
from curvedoc.ingest.csv import reader as csv_reader
from curvedoc.rulebook.load import signals_file

CORPUS = Path(os.environ.get("CURVEDOC_CORPUS", Path(__file__).parents[3] / "shared" / "corpus"))


@pytest.fixture
def read(tmp_path: Path):  # type: ignore[no-untyped-def]
    def of(text: str | bytes, name: str = "metrics.csv") -> Log:
        file = tmp_path / name
        file.write_bytes(text.encode() if isinstance(text, str) else text)
        (log,) = csv_reader.read([file])
        assert dict(log.points.schema) == {k: v() for k, v in POINTS.items()}
        assert log.points["value"].null_count() == 0
        return log

    return of


def curve(log: Log, metric: str) -> list[tuple[int | None, float]]:
    return list(log.points.filter(pl.col("metric") == metric).select("step", "value").iter_rows())


def kinds(log: Log) -> set[str]:
    return {n.kind for n in log.notes}


def note(log: Log, kind: str) -> tuple[int | None, int]:
    (found,) = [n for n in log.notes if n.kind == kind]
    return found.line, found.count


def test_lightning_rows_are_sparse_and_epoch_stays_a_metric(read) -> None:  # type: ignore[no-untyped-def]
    log = read("epoch,step,lr-Adam,train_loss,val_loss\n,0,0.003,,\n0,0,,1.5,\n0,49,,,1.2\n,50,0.003,,\n1,50,,1.4,\n")
    assert log.axis == "step"
    assert curve(log, "train_loss") == [(0, 1.5), (50, 1.4)]
    assert curve(log, "val_loss") == [(49, 1.2)]
    assert curve(log, "lr-Adam") == [(0, 0.003), (50, 0.003)]
    assert curve(log, "epoch") == [(0, 0.0), (49, 0.0), (50, 1.0)]
    assert not kinds(log)


def test_keras_epochs_stand_in_for_steps_and_na_is_missing(read) -> None:  # type: ignore[no-untyped-def]
    log = read('epoch,loss,per_class,val_loss\n0,0.5,"[0.1, 0.2]",NA\n1,0.4,"[0.3, 0.4]",0.6\n', "training.log")
    assert log.axis == "epoch"
    assert "step-from-epoch" in kinds(log)
    assert curve(log, "loss") == [(0, 0.5), (1, 0.4)]
    assert curve(log, "val_loss") == [(1, 0.6)]
    assert curve(log, "per_class[1]") == [(0, 0.2), (1, 0.4)]
    assert "bad-cells" not in kinds(log)


@pytest.mark.parametrize("spelled", ["nan", "NaN", "NAN", "-nan", "1.#QNAN", "nan(ind)"])
def test_every_spelling_of_nan_is_a_value(read, spelled: str) -> None:  # type: ignore[no-untyped-def]
    log = read(f"step,loss,lr\n0,1.0,0.1\n1,{spelled},0.1\n")
    assert math.isnan(curve(log, "loss")[1][1])
    assert "bad-cells" not in kinds(log)


@pytest.mark.parametrize(
    ("spelled", "value"),
    [("inf", math.inf), ("Infinity", math.inf), ("-inf", -math.inf), ("+Inf", math.inf), ("1e999", math.inf)],
)
def test_every_spelling_of_infinity_is_a_value(read, spelled: str, value: float) -> None:  # type: ignore[no-untyped-def]
    assert curve(read(f"step,loss,lr\n0,1.0,0.1\n1,{spelled},0.1\n"), "loss")[1] == (1, value)


@pytest.mark.parametrize("spelled", ["", " ", "NA", "N/A", "None", "null", "--", '""'])
def test_every_spelling_of_missing_is_no_point(read, spelled: str) -> None:  # type: ignore[no-untyped-def]
    log = read(f"step,loss,lr\n0,1.0,0.1\n1,{spelled},0.1\n2,0.9,0.1\n")
    assert curve(log, "loss") == [(0, 1.0), (2, 0.9)]
    assert not kinds(log)


def test_cells_that_are_no_number_are_counted_with_their_first_line(read) -> None:  # type: ignore[no-untyped-def]
    log = read("step,loss\n0,1.0\n1,oops\n2,0.8\n3,0.7\n4,err\n5,0.5\n")
    assert [s for s, _ in curve(log, "loss")] == [0, 2, 3, 5]
    assert note(log, "bad-cells") == (3, 2)


def test_a_column_of_text_is_no_metric_and_no_damage(read) -> None:  # type: ignore[no-untyped-def]
    log = read("step,phase,loss\n0,warm,1.0\n1,warm,0.9\n2,main,0.8\n")
    assert set(log.points["metric"]) == {"loss"}
    assert not kinds(log)


def test_a_column_that_names_the_split_takes_the_metrics_apart(read) -> None:  # type: ignore[no-untyped-def]
    log = read("epoch,phase,loss,train_time\n1,train,2.0,1\n1,valid,2.1,1\n2,train,1.5,\n2,,1.7,1\n")
    assert curve(log, "train/loss") == [(1, 2.0), (2, 1.5)] and curve(log, "val/loss") == [(1, 2.1)]
    assert curve(log, "loss") == [(2, 1.7)] and len(curve(log, "train_time")) == 3
    long = read("step,split,metric,value\n1,train,loss,2.0\n1,eval,loss,2.1\n1,eval,val_acc,0.5\n", "long.csv")
    assert set(long.points["metric"]) == {"train/loss", "eval/loss", "val_acc"}
    other = read("epoch,stage,loss\n1,warmup,2.0\n2,main,1.5\n", "other.csv")
    assert curve(other, "loss") == [(1, 2.0), (2, 1.5)]


def test_a_header_repeated_at_a_restart_is_skipped_and_told(read) -> None:  # type: ignore[no-untyped-def]
    log = read("step,train_loss\n10,1.0\n20,0.9\nstep,train_loss\n15,0.95\n", "Train_Samples_train_loss.csv")
    assert curve(log, "train_loss") == [(10, 1.0), (20, 0.9), (15, 0.95)]
    assert note(log, "repeated-header") == (4, 1)
    assert log.axis == "samples"


def test_a_new_header_in_the_middle_names_the_columns_from_there_on(read) -> None:  # type: ignore[no-untyped-def]
    log = read("epoch,loss\n0,1.0\n1,0.9\nepoch,loss,val_loss\n2,0.8,0.7\n")
    assert curve(log, "loss") == [(0, 1.0), (1, 0.9), (2, 0.8)]
    assert curve(log, "val_loss") == [(2, 0.7)]


def test_ragged_rows_keep_the_cells_under_the_header(read) -> None:  # type: ignore[no-untyped-def]
    log = read("epoch,train_loss,eval_loss\n0,1.0,0.9\n1,0.8\n2,0.7,0.6,0.5\n3,0.4,0.3\n", "summary.csv")
    assert curve(log, "train_loss") == [(0, 1.0), (1, 0.8), (2, 0.7), (3, 0.4)]
    assert curve(log, "eval_loss") == [(0, 0.9), (2, 0.6), (3, 0.3)]
    assert note(log, "ragged-rows")[1] == 2


def test_padded_and_doubled_names_are_read(read) -> None:  # type: ignore[no-untyped-def]
    log = read("      epoch,   train/box_loss,   loss, loss\n          1,           1.5,   0.5,  0.4\n", "results.csv")
    assert curve(log, "train/box_loss") == [(1, 1.5)]
    assert curve(log, "loss") == [(1, 0.5)]
    assert curve(log, "loss (2)") == [(1, 0.4)]
    assert "duplicate-columns" in kinds(log)


@pytest.mark.parametrize("sep", [",", ";", "\t", "|"])
def test_every_separator_is_found(read, sep: str) -> None:  # type: ignore[no-untyped-def]
    log = read(
        "".join(sep.join(r) + "\n" for r in (("iter", "learn", "test_loss"), ("0", "0.5", "0.6"), ("1", "0.4", "0.5"))),
        "learn_error.tsv",
    )
    assert curve(log, "test_loss") == [(0, 0.6), (1, 0.5)]


def test_decimal_commas_are_read_where_the_comma_separates_nothing(read) -> None:  # type: ignore[no-untyped-def]
    log = read("step;loss;lr\n0;1,5;1e-3\n1;-0,25;1e-3\n")
    assert curve(log, "loss") == [(0, 1.5), (1, -0.25)]
    assert curve(log, "lr") == [(0, 1e-3), (1, 1e-3)]


def test_quoted_numbers_thousands_and_percents_are_read(read) -> None:  # type: ignore[no-untyped-def]
    log = read(
        '"step","loss","tokens","acc","ok"\n"0","1.5","1,234","12.5%","True"\n"1","1.25","2,000,000","13%","False"\n'
    )
    assert curve(log, "loss") == [(0, 1.5), (1, 1.25)]
    assert curve(log, "tokens") == [(0, 1234.0), (1, 2e6)]
    assert curve(log, "acc") == [(0, 12.5), (1, 13.0)]
    assert curve(log, "ok") == [(0, 1.0), (1, 0.0)]


def test_a_last_line_without_end_loses_only_its_last_number(read) -> None:  # type: ignore[no-untyped-def]
    log = read("step,loss,acc\n0,1.123,0.5\n1,1.1,0.61\n2,1.05,0.6")
    assert curve(log, "loss")[-1] == (2, 1.05)
    assert curve(log, "acc")[-1] == (1, 0.61)
    assert note(log, "truncated") == (4, 1)
    short = read("step,loss,acc\n0,1.123,0.5\n1,1.1,0.61\n2,1.0")
    assert curve(short, "loss")[-1] == (1, 1.1)
    assert "truncated" in kinds(short)
    counter = read("step,loss,acc\n10,1.123,0.5\n11,1.1,0.61\n1")
    assert curve(counter, "loss")[-1] == (11, 1.1)


def test_a_whole_last_line_without_end_is_not_called_cut(read) -> None:  # type: ignore[no-untyped-def]
    log = read("epoch,step,train_loss,val_loss\n0,0,1.5,\n0,50,1.2,")
    assert curve(log, "train_loss") == [(0, 1.5), (50, 1.2)]
    assert "truncated" not in kinds(log)
    fixed = read("step,loss\n" + "".join(f"{i},0.{900 - i}\n" for i in range(20)) + "20,0.880")
    assert curve(fixed, "loss")[-1] == (20, 0.88)
    assert "truncated" not in kinds(fixed)
    # as many digits as a float has, now more and now fewer: the last may lack some, but nothing says that it was torn
    full = read("step,loss\n0,1.1234567890123456\n1,1.05678901234\n2,0.98765432109876\n3,0.917263548172635")
    assert curve(full, "loss")[-1] == (2, 0.98765432109876)
    assert "truncated" not in kinds(full) and "bad-cells" in kinds(full)
    # every cell has its separator
    blank = read("step,loss,val_loss,val_acc\n1,,1.254,0.514\n2,0.853,,")
    assert curve(blank, "loss")[-1] == (2, 0.853)
    assert "truncated" not in kinds(blank)


def test_a_last_number_that_may_have_lost_its_exponent_is_left_out(read) -> None:  # type: ignore[no-untyped-def]
    log = read("step,loss,lr\n0,1.1,1.2345e-05\n1,1.0,8.7654e-05\n2,0.9,8.7654")
    assert curve(log, "loss")[-1] == (2, 0.9)
    assert curve(log, "lr")[-1][0] == 1
    assert "truncated" in kinds(log)


def test_rows_without_a_counter_are_counted(read) -> None:  # type: ignore[no-untyped-def]
    log = read("loss,acc\n1.0,0.1\n0.9,0.2\n")
    assert log.axis == "row"
    assert "no-step" in kinds(log)
    assert curve(log, "acc") == [(0, 0.1), (1, 0.2)]


def test_batches_beside_epochs_become_steps(read) -> None:  # type: ignore[no-untyped-def]
    log = read("epoch,batch,loss\n0,0,1.0\n0,1,0.9\n1,0,0.8\n1,1,0.7\n")
    assert log.axis == "step"
    assert curve(log, "loss") == [(0, 1.0), (1, 0.9), (2, 0.8), (3, 0.7)]


def test_sb3_counts_timesteps_and_keeps_its_paths(read) -> None:  # type: ignore[no-untyped-def]
    log = read(
        "rollout/ep_rew_mean,time/iterations,time/total_timesteps,train/loss\n20.5,1,2048,\n21.5,2,4096,0.3\n",
        "progress.csv",
    )
    assert curve(log, "train/loss") == [(4096, 0.3)]
    assert curve(log, "rollout/ep_rew_mean") == [(2048, 20.5), (4096, 21.5)]


def test_clocks_become_times_and_durations_stay_metrics(read) -> None:  # type: ignore[no-untyped-def]
    log = read("timestamp,step,loss\n1795240039.5,0,1.0\n1795240040.5,1,0.9\n")
    assert log.points["time"].to_list() == [1795240039.5, 1795240040.5]
    iso = read("timestamp,step,loss\n2026-11-21 06:47:19,0,1.0\n2026-11-21 06:47:20,1,0.9\n")
    assert iso.points["time"].to_list() == [1795243639.0, 1795243640.0]
    lasting = read("epoch,time,train/loss\n1,10.5,1.0\n2,20.5,0.9\n", "results.csv")
    assert curve(lasting, "time") == [(1, 10.5), (2, 20.5)]


def test_one_row_per_metric_is_read_as_metrics(read) -> None:  # type: ignore[no-untyped-def]
    log = read("step,name,value\n0,loss,1.0\n0,acc,0.1\n1,loss,0.9\n")
    assert curve(log, "loss") == [(0, 1.0), (1, 0.9)]
    assert curve(log, "acc") == [(0, 0.1)]
    download = read("Wall time,Step,Value\n1795240039.5,0,1.0\n1795240040.5,10,0.9\n", "run-exp_a-tag-train_loss.csv")
    assert curve(download, "train_loss") == [(0, 1.0), (10, 0.9)]


def test_ranks_in_a_column_are_kept(read) -> None:  # type: ignore[no-untyped-def]
    log = read("step,rank,loss\n0,0,1.0\n0,1,1.1\n1,0,0.9\n")
    assert log.points.select("rank", "step", "value").rows() == [(0, 0, 1.0), (0, 1, 0.9), (1, 0, 1.1)]
    assert set(log.points["metric"]) == {"loss"}


def test_nan_that_only_fills_the_gaps_of_a_sparse_column_is_missing(read) -> None:  # type: ignore[no-untyped-def]
    rows = "".join(f"{i},{1 - i / 100},{0.5 if i % 5 == 0 else 'nan'}\n" for i in range(40))
    log = read("step,train_loss,val_loss\n" + rows)
    assert [s for s, _ in curve(log, "val_loss")] == list(range(0, 40, 5))
    assert "nan-for-missing" in kinds(log)
    lost = read("step,loss\n" + "".join(f"{i},{'nan' if i > 15 else 1.0}\n" for i in range(40)))
    assert sum(math.isnan(v) for _, v in curve(lost, "loss")) == 24


def test_steps_that_are_no_number_leave_the_value_without_a_step(read) -> None:  # type: ignore[no-untyped-def]
    log = read("step,loss\n0,1.0\n1e30,0.9\nx,0.8\n3.0,0.7\n")
    assert curve(log, "loss") == [(0, 1.0), (None, 0.9), (None, 0.8), (3, 0.7)]


def test_encodings_line_ends_and_archives_are_read(read) -> None:  # type: ignore[no-untyped-def]
    text = "step,loss\n0,1.0\n1,0.9\n"
    for raw in (
        b"\xef\xbb\xbf" + text.encode(),
        text.replace("\n", "\r\n").encode(),
        text.replace("\n", "\r").encode(),
        text.encode("utf-16"),
        gzip.compress(text.encode()),
    ):
        assert curve(read(raw), "loss") == [(0, 1.0), (1, 0.9)]


def test_unclosed_quotes_cost_only_their_lines(read) -> None:  # type: ignore[no-untyped-def]
    log = read('step,loss\n0,1.0\n1,"0.9\n2,0.8\n3,0.7\n')
    assert [s for s, _ in curve(log, "loss")] == [0, 2, 3]
    assert note(log, "damaged") == (3, 1)


def test_empty_files_headers_alone_and_other_text_are_told(read) -> None:  # type: ignore[no-untyped-def]
    assert kinds(read("")) == {"empty"}
    assert len(read("step,loss\n").points) == 0
    assert kinds(read("1,2,3\n4,5,6\n")) == {"not-a-log"}
    assert kinds(read(b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n")) == {"lfs-pointer"}


def test_points_come_in_the_order_of_the_rows(read) -> None:  # type: ignore[no-untyped-def]
    log = read("step,loss\n" + "".join(f"{s},{s}.5\n" for s in (5, 3, 9, 1)))
    assert [s for s, _ in curve(log, "loss")] == [5, 3, 9, 1]


@settings(max_examples=60, deadline=None)
@given(text=st.text(alphabet=st.sampled_from("step,loss\n\"';\t0123456789.-eEnaif|\r#[] "), max_size=200))
def test_no_text_breaks_the_reader(text: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    file = tmp_path_factory.mktemp("csv") / "a.csv"
    file.write_text("step,loss\n" + text)
    (log,) = csv_reader.read([file])
    assert dict(log.points.schema) == {k: v() for k, v in POINTS.items()}


CELLS = st.one_of(
    st.floats().map(repr),
    st.integers(-9, 10**18).map(str),
    st.sampled_from(
        ["", "", "nan", "-inf", "1e400", "5.", ".5", "+3", " 7", "7 ", "NA", "None", "x", "1_0", "0x1", "#1"]
    ),
)


@settings(max_examples=60, deadline=None)
@given(
    rows=st.lists(st.tuples(st.integers(0, 99).map(str), CELLS, CELLS, st.sampled_from(["train", "a b"])), min_size=1),
    clean=st.booleans(),
    odd=st.sampled_from([None, "", "1", "1,2", "1,2,3,4,5", "#,1,2,3", "step,loss,acc,split", "step,f1,acc,split"]),
    at=st.integers(0, 20),
    sep=st.sampled_from([",", ";", "\t"]),
)
def test_a_table_read_in_one_call_equals_the_same_table_read_line_by_line(rows, clean, odd, at, sep, tmp_path_factory):
    if clean:
        rows = [(s, *(c if c in ("", "nan") or (c[-1].isdigit() and c.isascii()) else "2.5" for c in r), t)
                for s, *r, t in rows]  # fmt: skip
    lines = [",".join(r) for r in rows]
    if odd is not None:
        lines.insert(min(at, len(lines)), odd)
    file = tmp_path_factory.mktemp("csv") / "a.csv"
    file.write_text("\n".join(["step,loss,acc,split", *lines, ""]).replace(",", sep))
    (found,) = csv_reader.read([file])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(csv_reader, "plain_section", lambda data, notes: None)
        (want,) = csv_reader.read([file])
    assert repr(found.points.rows()) == repr(want.points.rows())
    assert {n.kind for n in found.notes} == {n.kind for n in want.notes}


def test_a_clean_table_is_read_in_one_call():
    text = "step,loss,lr,split\n" + "".join(f"{i},{1 / (i + 1)},,train\n" for i in range(50))
    table = csv_bulk.plain_section(text.encode(), [])
    assert table is not None and set(table.values) == {0, 1, 2} and len(table) == 50


@settings(max_examples=100, deadline=None)
@given(
    rows=st.lists(
        st.tuples(
            st.floats(allow_nan=False, allow_infinity=False).map(repr),
            st.one_of(st.integers(0, 10**30).map(str), st.sampled_from(["007", ".5", "1.", "+2", "1e400", "-0.0", ""])),
            st.sampled_from(["0", "nan", "-inf", "2E-3"]),
        ),
        min_size=1,
    ),
    sep=st.sampled_from(",;\t"),
)
def test_a_small_table_has_the_numbers_that_are_read_one_by_one(rows: list[tuple[str, ...]], sep: str) -> None:
    cut = [[n for n in row if n[-1:].isdigit()] for row in rows]  # such as JSON knows, where no row lost one
    for table in (rows, [r for r in cut if len(r) == len(cut[0])]):
        text = "\n".join(sep.join(row) for row in table)
        width = len(table[0])
        found, want = csv_bulk._few(text.encode(), sep, width), csv_bulk._one_by_one(text, sep, width)
        assert (found is None) == (want is None)
        for f, w in zip(found or (), want or (), strict=True):
            np.testing.assert_array_equal(f.value, w.value)
            np.testing.assert_array_equal(f.there, w.there)


@settings(max_examples=40, deadline=None)
@given(cut=st.integers(10, 300))
def test_a_prefix_of_a_file_gives_a_prefix_of_its_points(cut: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    whole = "step,loss,acc\n" + "".join(f"{s},{2 - s / 7},{s / 3}\n" for s in range(10, 20))
    file = tmp_path_factory.mktemp("csv") / "a.csv"
    file.write_text(whole)
    all_of = set(csv_reader.read([file])[0].points.select("metric", "step", "value").iter_rows())
    file.write_text(whole[:cut])
    part = csv_reader.read([file])[0].points.select("metric", "step", "value")
    assert {r for r in part.iter_rows() if r[0] in ("loss", "acc")} <= all_of


@pytest.mark.parametrize(
    ("name", "head", "taken"),
    [
        ("metrics.csv", b"epoch,step,loss\n0,1,0.5\n", True),
        ("history.csv", b"epoch,loss\n", True),
        ("learn_error.tsv", b"iter\tLogloss\n0\t0.5\n", True),
        ("training.log", b"epoch,loss,val_loss\n0,0.5,0.6\n1,0.4,0.5\n", True),
        ("training.log", b"step 1, loss 2.0\nstep 2, loss 1.0\n", False),
        ("history.csv", b"_step,_runtime,loss\n0,0.1,0.5\n", False),
        ("export.csv", b'"Step","sun-3 - train/loss","sun-3 - train/loss__MIN"\n"0","1","1"\n', False),
        ("export.csv", b'"Step","sun-3 - train/loss","moon-4 - train/loss"\n"0","1","1"\n', False),
        ("people.csv", b"name,city\nada,london\n", False),
        ("numbers.csv", b"1,2,3\n4,5,6\n", False),
        ("metrics.json", b"epoch,step,loss\n0,1,0.5\n", False),
    ],
)
def test_claims_go_by_the_header(name: str, head: bytes, taken: bool) -> None:
    assert csv_reader.claims(Path(name), head) is taken


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus is not here")
def test_every_cell_of_the_corpus_is_read() -> None:
    files = [*CORPUS.glob("*/lightning_logs/*/metrics.csv"), *CORPUS.glob("*/history.csv")]
    files = [f for f in files if csv_reader.claims(f, f.read_bytes()[:65536])]
    assert files
    for file in files:
        (log,) = csv_reader.read([file])
        header, *rows = [r.split(",") for r in file.read_text().splitlines()]
        axis = header.index("step") if "step" in header else header.index("epoch")
        assert len(log.points) == sum(c != "" for r in rows for i, c in enumerate(r) if i != axis), file
        assert kinds(log) <= {"step-from-epoch"}, file


@pytest.mark.parametrize("every", [1, 2])
def test_nan_in_rows_of_evaluations_is_missing_in_the_columns_of_training(read, every: int) -> None:  # type: ignore[no-untyped-def]
    """every: the interval of training rows; with 1 the evaluations share their rows with training."""
    rows = ["step,loss,lr,val_loss"]
    for i in range(60):
        train = f"{2 / (i + 1):.4f},0.1" if i % every == 0 else "nan,nan"
        if i % every == 0 or i % 7 == 6:
            rows.append(f"{i},{train},{0.5 if i % 7 == 6 else 'nan'}")
    log = read("\n".join(rows) + "\n")
    assert all(math.isfinite(v) for m in ("loss", "lr", "val_loss") for _, v in curve(log, m))
    assert [s for s, _ in curve(log, "val_loss")] == list(range(6, 60, 7))
    assert [s for s, _ in curve(log, "loss")] == list(range(0, 60, every))


def test_a_loss_that_is_lost_for_good_stays_lost_between_evaluations(read) -> None:  # type: ignore[no-untyped-def]
    rows = ["step,loss,lr,val_loss"]
    for i in range(60):
        lost = i > 40
        if i % 7 == 6:
            rows.append(f"{i},nan,nan,{'nan' if lost else 0.5}")
        else:
            rows.append(f"{i},{'nan' if lost else 0.4},0.1,nan")
    log = read("\n".join(rows) + "\n")
    loss = curve(log, "loss")
    assert [s for s, v in loss if math.isnan(v)] == list(range(41, 60))
    assert all(math.isfinite(v) for s, v in curve(log, "val_loss") if s < 41)


def test_a_loss_that_is_lost_at_once_stays_lost_between_rows_of_the_rate(read) -> None:  # type: ignore[no-untyped-def]
    rows = ["lr,step,train_loss,epoch,val_loss"]
    for i in range(60):
        rows.append(f"0.1,{i},,,")
        rows.append(f",{i},{'nan' if i > 2 else 0.5},{i // 10},")
        if i % 10 == 9:
            rows.append(f",{i},,{i // 10},nan")
    log = read("\n".join(rows) + "\n")
    assert [s for s, v in curve(log, "train_loss") if math.isnan(v)] == list(range(3, 60))
    assert all(math.isnan(v) for _, v in curve(log, "val_loss"))


@pytest.mark.parametrize("index", ["", "Unnamed: 0", "n"])
def test_an_index_counts_where_an_epoch_has_many_rows(read, index: str) -> None:  # type: ignore[no-untyped-def]
    log = read(f"{index},epoch,loss\n" + "".join(f"{10 * i},{i // 20},{2 / (i + 1):.4f}\n" for i in range(60)))
    assert log.axis == "step"
    assert [s for s, _ in curve(log, "loss")] == list(range(0, 600, 10))


@pytest.mark.parametrize("epochs", [[i // 20 for i in range(60)], [i / 20 for i in range(60)]])
def test_an_epoch_of_many_rows_or_in_fractions_leaves_the_rows_as_steps(read, epochs: list[float]) -> None:  # type: ignore[no-untyped-def]
    log = read("epoch,loss\n" + "".join(f"{e},{2 / (i + 1):.4f}\n" for i, e in enumerate(epochs)))
    assert log.axis == "row"
    assert [s for s, _ in curve(log, "loss")] == list(range(60))
    assert [v for _, v in curve(log, "epoch")] == epochs


def test_an_epoch_of_two_rows_is_the_step_although_an_index_stands_beside_it(read) -> None:  # type: ignore[no-untyped-def]
    log = read(",epoch,loss\n" + "".join(f"{i},{i // 2},{2 / (i + 1):.4f}\n" for i in range(20)))
    assert log.axis == "epoch"


@pytest.mark.parametrize("sep", [",", "\t", ";"])
def test_a_header_in_a_comment_names_the_columns(read, sep: str) -> None:  # type: ignore[no-untyped-def]
    log = read(f"# step{sep}loss\n" + "".join(f"{i}{sep}{2 / (i + 1):.4f}\n" for i in range(20)))
    assert [s for s, _ in curve(log, "loss")] == list(range(20))


def test_a_comment_before_the_header_stays_a_comment(read) -> None:  # type: ignore[no-untyped-def]
    log = read("# lr, seed\nstep,loss\n" + "".join(f"{i},{2 / (i + 1):.4f}\n" for i in range(20)))
    assert set(log.points["metric"]) == {"loss"}


def test_a_last_row_without_a_rate_holds_no_loss_that_is_lost(read) -> None:  # type: ignore[no-untyped-def]
    rows = [f"{i},{2 / (i + 1):.4f},0.001,0.5" for i in range(20)]
    log = read("epoch,loss,lr,val_loss\n" + "\n".join([*rows, "20,nan,nan,0.5"]) + "\n")
    assert [s for s, _ in curve(log, "loss")] == list(range(20))
    assert [s for s, _ in curve(log, "val_loss")] == list(range(21))


def test_a_lost_loss_named_after_its_step_is_no_counter(read) -> None:  # type: ignore[no-untyped-def]
    rows = ["epoch,step,train_loss_step,train_acc_step,lr-Adam"]
    for i in range(60):
        rows += [f",{i},,,0.1", f"{i // 10},{i},{'nan' if i > 20 else 0.5},0.1,"]
    log = read("\n".join(rows) + "\n")
    assert [s for s, v in curve(log, "train_loss_step") if math.isnan(v)] == list(range(21, 60))


def test_a_row_for_each_metric_is_read_however_its_columns_are_called(read) -> None:  # type: ignore[no-untyped-def]
    log = read(
        "metricName,metricValue,step,timestamp\n" + "".join(f"loss,{i}.5,{i}0,17\nacc,0.{i},{i}0,17\n" for i in (1, 2))
    )
    assert curve(log, "loss") == [(10, 1.5), (20, 2.5)]
    assert curve(log, "acc") == [(10, 0.1), (20, 0.2)]


def test_a_file_of_one_metric_may_hold_an_index_and_a_clock(read) -> None:  # type: ignore[no-untyped-def]
    rows = "".join(f"{i},{i}0.0,{i}.5,2024-05-01 10:00:0{i}.123000+00:00\n" for i in (1, 2, 3))
    log = read(",step,value,timestamp\n" + rows, "train_loss.csv")
    assert curve(log, "train_loss") == [(10, 1.5), (20, 2.5), (30, 3.5)]
    assert set(log.points["metric"]) == {"train_loss"}


@pytest.mark.parametrize(
    "cell", ["tensor({}, device='cuda:0', grad_fn=<NllLossBackward0>)", "tensor({})", "tensor({} )"]
)
@pytest.mark.parametrize("quote", ["", '"'])
def test_the_tensor_in_a_cell_is_its_number(cell: str, quote: str, tmp_path: Path) -> None:
    row = ",".join(["{}", f"{quote}{cell}{quote}", f"{quote}{cell}{quote}"])
    path = tmp_path / "metrics.csv"
    path.write_text(
        "epoch,loss,val_loss\n" + "".join(row.format(i, 2 / (i + 1), 2.5 / (i + 1)) + "\n" for i in range(30))
    )
    assert csv_reader.claims(path, path.read_bytes())
    (log,) = csv_reader.read([path])
    assert log.points.filter(pl.col("step") == 29)["value"].to_list() == [2 / 30, 2.5 / 30]


@pytest.mark.parametrize(
    ("header", "name"),
    [
        (b"step,loss,lr,8.25,0.001,0.125\n", "loss"),  # what was between header and row is cut out
        (b"step\x00\x00\x00\x00\x00\x00\x00\x0025\n", "column 2"),
        (b'step,lo\x9f\xb2LJ"\x8eD\x1220,8.38525390625,0.001,0.125\n', "column 2"),
        (b"step,\xe0\x11\x57\xc4:\xd2\n\x93\x9e,\x00\x01\n\x07\x92\xf3loss,\x00\n", "column 2"),
    ],
)
def test_rows_under_a_damaged_header_are_kept(tmp_path: Path, header: bytes, name: str) -> None:
    rows = "".join(f"{10 * i},{0.5 + 8 * math.exp(-i / 20):.4f},0.001,{0.0625 * i}\n" for i in range(3, 60))
    path = tmp_path / "metrics.csv"
    path.write_bytes(header + rows.encode())
    assert csv_reader.claims(path, path.read_bytes()) or csv_reader.guesses(path, path.read_bytes(), named=True)
    (log,) = csv_reader.read([path])
    kept = log.points.filter(pl.col("metric") == name)
    assert len(kept) == 57 and kept["step"][-1] == 590
    assert "no-header" in {note.kind for note in log.notes}


@pytest.mark.parametrize(
    "torn", [b"30,8.09\x00\x00\x0051,0.001,0.1875", b"30,\xc4\x93\x0b\xf3", b"30,8.09\xee51,0.001,0.1875"]
)
def test_damage_in_an_early_row_leaves_the_header_and_the_rows_above_it(tmp_path: Path, torn: bytes) -> None:
    rows = [f"{10 * i},{0.5 + 8 * math.exp(-i / 20):.4f},0.001,{0.0625 * i}".encode() for i in range(60)]
    rows[3] = torn
    path = tmp_path / "metrics.csv"
    path.write_bytes(b"step,loss (mean),lr,epoch\n" + b"\n".join(rows) + b"\n")
    (log,) = csv_reader.read([path])
    kept = log.points.filter(pl.col("metric") == "loss (mean)").drop_nulls("value")
    assert set(range(0, 600, 10)) - set(kept["step"].to_list()) <= {30}


@pytest.mark.parametrize(("header", "named"), [("epoch", "epoch"), ("step,loss", "loss")])
def test_columns_beyond_the_named_ones_are_read(tmp_path: Path, header: str, named: str) -> None:
    path = tmp_path / "metrics.csv"
    rows = "".join(f"{10 * i},{0.5 + 8 * math.exp(-i / 20):.4f},0.001,{0.0625 * i}\n" for i in range(60))
    path.write_text(f"{header}\n{rows}")
    (log,) = csv_reader.read([path])
    assert len(log.points.filter(pl.col("metric") == "column 3")) == 60
    assert named == "epoch" or named in log.points["metric"].unique().to_list()
    assert "no-header" in {note.kind for note in log.notes}


@pytest.mark.parametrize("header", ['"step,loss', 'ste"p,loss', 'step,lo"ss', 'step,loss"'])
def test_a_quote_that_is_not_closed_swallows_no_rows(tmp_path: Path, header: str) -> None:
    path = tmp_path / "metrics.csv"
    path.write_text(f"{header}\n" + "".join(f"{10 * i},{0.5 + 8 * math.exp(-i / 20):.4f}\n" for i in range(60)))
    assert csv_reader.claims(path, path.read_bytes()) or csv_reader.guesses(path, path.read_bytes(), named=True)
    (log,) = csv_reader.read([path])
    assert len(log.points.filter(pl.col("metric") == "loss")) == 60


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_the_episodes_of_a_monitor_are_rewards(tmp_path: Path, end: str) -> None:
    rows = [f"{20 + i % 7 + 0.3 * i:.3f},{30 + i % 11},{0.8 * i:.4f}" for i in range(60)]
    text = '#{"t_start": 1.5, "env_id": null}\n' + end.join(["r,l,t", *rows]) + end
    (tmp_path / "0.monitor.csv").write_bytes(text.encode())
    (run,) = read_runs([tmp_path], signals_file=signals_file()).runs
    reward = run.series("reward")
    assert reward is not None and [f"{v:.3f}" for v in reward.value] == [r.split(",")[0] for r in rows]


LOSSES = [round(2.0 / (e + 1) + 0.1, 4) for e in range(30)]
SIDEWAYS = {
    "epochs named": "metric," + ",".join(f"epoch {e}" for e in range(1, 31)) + "\n",
    "a counter of its own": "epoch," + ",".join(map(str, range(1, 31))) + "\n",
    "no counter": "",
}


@pytest.mark.parametrize("how", SIDEWAYS)
def test_a_table_on_its_side_is_set_upright(tmp_path: Path, how: str) -> None:
    rows = [f"{name}," + ",".join(str(v + k) for v in LOSSES) for name, k in (("train_loss", 0), ("val_loss", 1))]
    (tmp_path / "history.csv").write_text(SIDEWAYS[how] + "\n".join(rows) + "\n")
    (run,) = read_runs([tmp_path], signals_file=signals_file()).runs
    loss, val = run.series("loss"), run.series("val_loss")
    assert loss is not None and loss.value.tolist() == LOSSES
    assert val is not None and val.value.tolist() == [v + 1 for v in LOSSES]
    assert how == "no counter" or loss.step.tolist() == list(range(1, 31))


def test_a_table_of_classes_is_not_set_upright(tmp_path: Path) -> None:
    rows = [
        f"{name}," + ",".join(f"{0.5 + 0.03 * i + k}" for i in range(12))
        for k, name in enumerate(("precision", "recall", "f1"))
    ]
    (tmp_path / "metrics.csv").write_text("metric," + ",".join(map(str, range(12))) + "\n" + "\n".join(rows) + "\n")
    assert not read_runs([tmp_path], signals_file=signals_file()).runs


@pytest.mark.parametrize(
    "header", ["update,loss,lr", "meta_iter,pre_loss,post_loss", "n\tlogloss\tauc", "it,loss,e_pos"]
)
def test_what_scatters_beside_a_number_that_goes_on_is_a_training(tmp_path: Path, header: str) -> None:
    rng = np.random.default_rng(5)
    sep = "\t" if "\t" in header else ","
    rows = [sep.join((str(i), f"{rng.uniform(0.3, 2):.5f}", f"{rng.uniform(0.2, 0.9):.4f}")) for i in range(1, 41)]
    name = "log.tsv" if sep == "\t" else "log.csv"
    (tmp_path / name).write_text(header + "\n" + "\n".join(rows) + "\n")
    (run,) = read_runs([tmp_path], signals_file=signals_file()).runs
    assert len(run.points) >= 80


def test_a_loss_of_each_sample_is_no_training(tmp_path: Path) -> None:
    rng = np.random.default_rng(6)
    rows = [f"{i},{rng.uniform(0.3, 2):.5f},{rng.integers(0, 9)}" for i in range(40)]
    (tmp_path / "errors.csv").write_text("sample_id,loss,label\n" + "\n".join(rows) + "\n")
    assert not read_runs([tmp_path], signals_file=signals_file()).runs


def test_a_few_rows_of_nothing_but_losses_are_a_log(tmp_path: Path) -> None:
    cells = [(8.9 - i, 0.02 + i / 100) for i in range(5)]
    rows = [f'"tensor({g:.4f}, grad_fn=<MeanBackward0>)","tensor({d:.4f}, grad_fn=<AddBackward0>)"' for g, d in cells]
    (tmp_path / "losses.csv").write_text("losses_g,losses_d\n" + "\n".join(rows) + "\n")
    (run,) = read_runs([tmp_path], signals_file=signals_file()).runs
    assert {m.role for m in run.roles} == {"game_loss"}
    assert run.metric("losses_g").value.tolist() == [g for g, _ in cells]  # type: ignore[union-attr]
