"""Exports of W&B give the same points whichever way they were exported, and say what an export lost."""

import csv
import io
import json
import math
import random
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curvedoc.core.run import POINTS, Flag
from curvedoc.ingest.json import records as json_records
from curvedoc.ingest.wandb import export, folder
from curvedoc.ingest.wandb.web_csv import split_names

ROWS = [
    {"_step": i, "_runtime": i / 2, "_timestamp": 1.75e9 + i, "train/loss": 2.0 - i / 100, "epoch": i // 10}
    | ({"val/loss": 1.5} if i % 10 == 9 else {})
    for i in range(50)
]
NAMES = ["_step", "_runtime", "_timestamp", "train/loss", "epoch", "val/loss"]


def put(tmp_path, data, name):
    path = tmp_path / name
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path


def read_all(tmp_path, data, name="history.json"):
    path = put(tmp_path, data, name)
    assert export.claims(path, path.read_bytes()[: 1 << 16])
    logs = export.read([path])
    assert all(dict(log.points.schema) == dict(POINTS) for log in logs)
    return logs


def read(tmp_path, data, name="history.json"):
    (log,) = read_all(tmp_path, data, name)
    return log


def curve(log, metric):
    rows = log.points.filter(pl.col("metric") == metric)
    return dict(zip(rows["step"].to_list(), rows["value"].to_list(), strict=True))


def kinds(log):
    return [n.kind for n in log.notes]


def as_csv(rows, names, **more):
    out = io.StringIO()
    writer = csv.DictWriter(out, names, **more)
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def frame():
    return pl.DataFrame({n: [r.get(n) for r in ROWS] for n in NAMES})


def parquet(made):
    out = io.BytesIO()
    made.write_parquet(out)
    return out.getvalue()


EXPORTS = {
    "rows.json": lambda: json.dumps(ROWS),
    "pretty.json": lambda: json.dumps(ROWS, indent=2),
    "lines.jsonl": lambda: "".join(json.dumps(r) + "\n" for r in ROWS),
    "columns.json": lambda: json.dumps({n: [r.get(n) for r in ROWS] for n in NAMES}),
    "pandas.json": lambda: json.dumps({n: {str(i): r.get(n) for i, r in enumerate(ROWS)} for n in NAMES}),
    "dense.json": lambda: json.dumps([{n: r.get(n, math.nan) for n in NAMES} for r in ROWS]),
    "history.csv": lambda: as_csv(ROWS, NAMES),
    "indexed.csv": lambda: as_csv([{"": i, **r} for i, r in enumerate(ROWS)], ["", *NAMES]),
    "history.parquet": lambda: parquet(frame()),
}


@pytest.mark.parametrize("name", EXPORTS)
def test_every_way_of_exporting_a_history_gives_the_same_points(tmp_path, name):
    log = read(tmp_path, EXPORTS[name](), name)
    assert curve(log, "train/loss") == {i: 2.0 - i / 100 for i in range(50)}
    assert curve(log, "val/loss") == dict.fromkeys(range(9, 50, 10), 1.5)
    assert set(log.points["metric"]) == {"train/loss", "val/loss", "epoch"}
    assert log.points.filter(pl.col("metric") == "train/loss")["time"].to_list() == [1.75e9 + i for i in range(50)]
    assert log.axis == "step" and set(kinds(log)) <= {"nan-as-missing"}


@pytest.mark.parametrize("nan", ['"NaN"', "NaN"])
def test_a_nan_that_comes_to_stay_is_kept(tmp_path, nan):
    rows = [{**r, "train/loss": "@" if r["_step"] >= 30 else r["train/loss"], "val/loss": 1.0} for r in ROWS]
    log = read(tmp_path, json.dumps(rows).replace('"@"', nan))
    assert [math.isnan(v) for v in curve(log, "train/loss").values()] == [False] * 30 + [True] * 20
    assert len(curve(read(tmp_path, as_csv(rows, NAMES).replace("@", "NaN"), "h.csv"), "train/loss")) == 50


def test_the_trainers_own_counter_goes_before_the_log_calls(tmp_path):
    rows = [{"_step": i, "trainer/global_step": 50 * i, "loss": 1.0} for i in range(5)]
    log = read(tmp_path, json.dumps(rows))
    assert list(curve(log, "loss")) == [0, 50, 100, 150, 200] and "_step" not in set(log.points["metric"])


def test_media_are_skipped_and_nested_keys_joined(tmp_path):
    rows = [{"_step": 0, "w": {"_type": "histogram", "bins": [1, 2]}, "train": {"loss": 1.0}}]
    log = read(tmp_path, json.dumps(rows))
    assert set(log.points["metric"]) == {"train/loss"} and "media-skipped" in kinds(log)


def test_system_metrics_without_a_step_keep_their_clock(tmp_path):
    rows = [{"_runtime": i * 30.0, "_timestamp": 1.75e9 + i * 30, "system.gpu.0.gpu": 50.0 + i} for i in range(5)]
    log = read(tmp_path, json.dumps(rows))
    assert set(log.points["metric"]) == {"system.gpu.0.gpu"}
    assert log.points["step"].null_count() == 5 and log.points["time"].to_list()[0] == 1.75e9


def test_random_rows_look_sampled_and_regular_ones_do_not(tmp_path):
    def sampled(steps):
        return "looks-sampled" in kinds(read(tmp_path, json.dumps([{"_step": s, "loss": 1.0} for s in steps])))

    assert sampled(sorted(random.Random(0).sample(range(20_000), 500)))
    assert not sampled(range(500))
    assert not sampled(range(0, 50_000, 50))
    assert not sampled([s + (s >= 100) for s in range(0, 5000, 10)])


def test_a_cut_last_csv_line_loses_its_last_value_only(tmp_path):
    text = as_csv(ROWS, ["_step", "epoch", "train/loss"], extrasaction="ignore", lineterminator="\n")[:-2]
    log = read(tmp_path, text, "h.csv")
    assert len(curve(log, "train/loss")) == 49 and len(curve(log, "epoch")) == 50 and kinds(log) == ["truncated"]


@pytest.mark.parametrize("cut", [20, 400, -3])
def test_a_parquet_without_its_end_is_called_cut(tmp_path, cut):
    log = read(tmp_path, parquet(frame())[:cut], "history.parquet")
    assert "truncated" in kinds(log) and log.points.height == 0


def test_a_parquet_with_a_spoiled_footer_is_called_damaged(tmp_path):
    whole = bytearray(parquet(frame()))
    footer = int.from_bytes(whole[-8:-4], "little")
    whole[-8 - footer : -8] = b"\xff" * footer
    assert "damaged" in kinds(read(tmp_path, bytes(whole), "history.parquet"))


def test_parquet_of_other_loggers_and_types_is_read(tmp_path):
    made = pl.DataFrame(
        {
            "step": [1, 2],
            "loss": [1.0, math.nan],
            "timestamp": ["2025-06-15T15:06:40", "2025-06-15T15:06:41"],
            "l": [[1], [2]],
        }
    ).with_columns(pl.col("timestamp").str.to_datetime())
    log = read(tmp_path, parquet(made), "metrics.parquet")
    assert curve(log, "loss")[1] == 1.0 and math.isnan(curve(log, "loss")[2])
    assert log.points["time"].to_list() == [1.75e9, 1.75e9 + 1] and kinds(log) == ["media-skipped"]


def ui(header, rows):
    return "\n".join(",".join(f'"{c}"' for c in r) for r in [header, *rows]) + "\n"


def ui_header(*metrics):
    return ["Step", *(m + s for m in metrics for s in ("", "__MIN", "__MAX"))]


def test_a_page_export_gives_one_log_a_run(tmp_path):
    header = ui_header("sun-3 - train/loss", "haze - 7 - train/loss")
    logs = read_all(tmp_path, ui(header, [[0, 2.5, 2.5, 2.5, 9, 9, 9], [1, 2.0, 2.0, 2.0, "", "", ""]]), "export.csv")
    assert [log.run for log in logs] == ["sun-3", "haze - 7"]
    assert curve(logs[0], "train/loss") == {0: 2.5, 1: 2.0} and curve(logs[1], "train/loss") == {0: 9.0}
    assert [len(log.points) for log in logs] == [2, 1] and kinds(logs[0]) == []


def test_buckets_whose_bounds_differ_are_marked_and_keep_their_bounds(tmp_path):
    rows = [[0, 2.0, 1.0, 3.0], [1, 1.5, 1.5, 1.5], [2, 1.0, "NaN", "NaN"]]
    (log,) = read_all(tmp_path, ui(ui_header("a - loss"), rows), "export.csv")
    assert log.points.filter(pl.col("metric") == "loss")["flags"].to_list() == [Flag.AGGREGATED, 0, 0]
    assert curve(log, "loss__MIN")[0] == 1.0 and curve(log, "loss__MAX")[0] == 3.0
    assert kinds(log) == ["aggregated"]


def test_an_export_of_one_run_has_no_run_in_its_columns(tmp_path):
    (log,) = read_all(tmp_path, ui(ui_header("train/loss", "acc"), [[0, 1, 1, 1, 2, 2, 2]]), "export.csv")
    assert log.run is None and set(log.points["metric"]) == {"train/loss", "acc"}


def test_a_page_export_of_nothing_but_bounds_keeps_them(tmp_path):
    text = ui(["Step", "a - gpu__MIN", "a - gpu__MAX"], [[0, 1, 5], [1, 2, 6]])
    (log,) = read_all(tmp_path, text, "export.csv")
    assert set(log.points["metric"]) == {"gpu__MIN", "gpu__MAX"} and set(log.points["flags"]) == {Flag.AGGREGATED}


@pytest.mark.parametrize(
    ("axis", "cells", "kind", "steps", "times"),
    [
        ("trainer/global_step", [10, 20], "step", [10, 20], [None, None]),
        ("epoch", [0, 1], "epoch", [0, 1], [None, None]),
        ("epoch", [0.5, 1.25], "row", [0, 1], [None, None]),
        ("Relative Time (Process)", [0.5, 3.5], "row", [None, None], [0.5, 3.5]),
        ("Wall Time", ["2025-06-15T15:06:40", "2025-06-15T15:06:41"], "row", [None, None], [1.75e9, 1.75e9 + 1]),
    ],
)
def test_the_first_column_is_the_axis_whatever_it_counts(tmp_path, axis, cells, kind, steps, times):
    text = ui([axis, "a - loss", "b - loss"], [[c, i, i] for i, c in enumerate(cells)])
    log = read_all(tmp_path, text, "export.csv")[0]
    assert (log.axis, log.points["step"].to_list(), log.points["time"].to_list()) == (kind, steps, times)


def test_names_with_dashes_are_cut_where_several_columns_agree():
    assert split_names(["lr - 1e-3 - loss", "lr - 3e-3 - loss"]) == [("lr - 1e-3", "loss"), ("lr - 3e-3", "loss")]
    assert split_names(["a - top - 5", "b - top - 5"]) == [("a - top", "5"), ("b - top", "5")]
    assert split_names(["a - loss", "a - acc"]) == [("a", "loss"), ("a", "acc")]
    assert split_names(["a - b - loss"]) == [("a - b", "loss")] and split_names(["loss"]) == [(None, "loss")]


def test_uneven_quotes_and_ragged_rows_cost_no_more_than_their_lines(tmp_path):
    text = as_csv(ROWS, NAMES, lineterminator="\n").split("\n")
    text[10] = '9,"4.5,1,1'
    text[20] += ",7,8"
    text[30] = "29,14.5"
    log = read(tmp_path, "\n".join(text), "h.csv")
    assert len(curve(log, "train/loss")) >= 40


def test_other_csv_and_json_are_left_to_their_readers():
    for name, text in (
        ("metrics.csv", "epoch,step,train_loss\n1,2,3\n"),
        ("a.csv", "step,note - x\n"),
        ("log.jsonl", '{"step": 1, "loss": 2}\n'),
        ("wandb-history.jsonl", '{"_step": 1}\n'),
        ("t.txt", "Step one - two\n"),
        ("x.json", ""),
    ):
        expected = name == "a.csv"  # "step" and " - ": a page's export without bounds
        assert export.claims(Path(name), text.encode()) is expected


def test_old_clients_histories_and_side_files_are_read(tmp_path):
    rows = [{"_step": i, "_timestamp": 1.5e9 + i, "loss": 1.0 if i < 3 else math.nan} for i in range(5)]
    history = put(tmp_path, "".join(json.dumps(r) + "\n" for r in rows), "wandb-history.jsonl")
    summary = put(tmp_path, json.dumps({"loss": 0.5, "h": {"_type": "histogram"}, "_wandb": {}}), "wandb-summary.json")
    meta = {"args": ["--lr", "0.1", "--amp"], "gpu": "A100", "git": {"commit": "abc"}}
    metadata = put(tmp_path, json.dumps(meta), "wandb-metadata.json")
    broken = put(tmp_path, "{", "wandb-summary.json.x").rename(tmp_path / "sub.json")
    assert all(folder.claims(p, p.read_bytes()) for p in (history, summary, metadata))
    assert not folder.claims(broken, b"{")
    first, second, third = folder.read([history, summary, metadata])
    assert list(curve(first, "loss")) == [0, 1, 2, 3, 4] and first.points["time"][0] == 1.5e9
    assert second.config == {"summary.loss": 0.5}
    assert third.config == {"wandb.gpu": "A100", "wandb.git.commit": "abc", "args.lr": 0.1, "args.amp": True}
    assert [n.kind for n in folder.read([broken])[0].notes] == ["damaged"]


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 3000), st.binary(max_size=40), st.sampled_from(sorted(EXPORTS)))
def test_noise_in_an_export_never_raises(tmp_path_factory, at, noise, name):
    made = EXPORTS[name]()
    data = made if isinstance(made, bytes) else made.encode()
    path = put(tmp_path_factory.mktemp("w"), data[:at] + noise + data[at:], name)
    head = path.read_bytes()[: 1 << 16]
    for reader in (export, json_records, folder):
        reader.claims(path, head)
    for log in export.read([path]):
        assert dict(log.points.schema) == dict(POINTS)
