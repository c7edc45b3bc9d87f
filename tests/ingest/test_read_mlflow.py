"""MLflow's two stores and trackio's: every run with its points and settings, and damage as notes."""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from corpus import SIGNALS
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from curvedoc.core.run import Run
from curvedoc.ingest import Harvest, plan, read_runs
from curvedoc.ingest.stores import mlflow_db, mlflow_files, trackio_db

ID = "3a555cb840744825935e19209ca9af11"
START = 1_700_000_000_000
MAX = 1.7976931348623157e308


def harvest(path: Path) -> Harvest:
    return read_runs([path], signals_file=SIGNALS)


def values(run: Run, metric: str) -> list[tuple[int, float]]:
    found = run.metric(metric)
    return [] if found is None else list(zip(found.step.tolist(), found.value.tolist(), strict=True))


# --- the file store


def file_run(store: Path, run: str = ID, name: str = "first", stage: str = "active", status: int = 3) -> Path:
    """A run of two metrics of 20 steps as MLflow writes it."""
    folder = store / "866374962228824626" / run
    for kind in ("metrics/train", "params", "tags", "artifacts"):
        (folder / kind).mkdir(parents=True)
    (folder / "meta.yaml").write_text(
        f"artifact_uri: file:///x\nexperiment_id: '866374962228824626'\nlifecycle_stage: {stage}\n"
        f"run_id: {run}\nrun_name: {name}\nstatus: {status}\ntags: []\nuser_id: me\n"
    )
    lines = [f"{START + 1000 * i} {3.0 - 0.1 * i!r} {10 * i}\n" for i in range(20)]
    (folder / "metrics" / "train" / "loss").write_text("".join(lines))
    (folder / "metrics" / "grad_norm").write_text(
        "".join(f"{START + 1000 * i} {1.0 + 0.3 * (i % 3)} {10 * i}\n" for i in range(20))
    )
    (folder / "params" / "learning_rate").write_text("0.0003")
    (folder / "tags" / "mlflow.user").write_text("me")
    (folder / "tags" / "team").write_text("blue")
    return folder


def test_each_run_folder_is_a_run_with_its_metrics_and_parameters(tmp_path: Path) -> None:
    file_run(tmp_path / "mlruns")
    file_run(tmp_path / "mlruns", "b" * 32, "second")
    runs = {r.name: r for r in harvest(tmp_path).runs}
    assert set(runs) == {f"mlruns/866374962228824626/{i}" for i in (ID, "b" * 32)}
    run = runs[f"mlruns/866374962228824626/{ID}"]
    assert values(run, "train/loss")[:2] == [(0, 3.0), (10, 2.9)]
    assert {m.role for m in run.roles} == {"loss", "grad_norm"}
    assert run.settings["lr"] == 0.0003
    assert run.config["mlflow.run_name"] == "first" and run.config["tags.team"] == "blue"
    assert "tags.mlflow.user" not in run.config
    assert run.notes == () and run.sources[0].notes == ()
    assert run.points["time"][0] == START / 1000


def test_a_deleted_run_and_a_model_are_left_out_and_told(tmp_path: Path) -> None:
    file_run(tmp_path / "mlruns")
    file_run(tmp_path / "mlruns", "d" * 32, stage="deleted")
    model = file_run(tmp_path / "mlruns", "m" * 32)
    (model / "meta.yaml").write_text(f"model_id: m-1\nlifecycle_stage: active\nsource_run_id: {ID}\n")
    found = harvest(tmp_path)
    assert len(found.runs) == 1 and not found.unreadable
    assert [(u.path[-3:], u.reason) for u in found.ignored] == [
        ("ddd", "a deleted MLflow run"),
        ("mmm", "a model in MLflow's store, not a run"),
    ]


def test_nan_and_infinity_are_read_as_python_spells_them(tmp_path: Path) -> None:
    folder = file_run(tmp_path)
    (folder / "metrics" / "odd").write_text(f"{START} nan 0\n{START} inf 1\n{START} -inf 2\n")
    (log,) = mlflow_files.read([folder / "meta.yaml"])
    odd = log.points.filter(log.points["metric"] == "odd")["value"].to_list()
    assert math.isnan(odd[0]) and odd[1:] == [math.inf, -math.inf]


def test_lines_without_a_step_are_counted_and_metrics_left_at_step_0_go_by_the_clock(tmp_path: Path) -> None:
    folder = file_run(tmp_path)
    (folder / "metrics" / "val_loss").write_text("".join(f"{START + 5000 * i + 1} {2.0 - i} 0\n" for i in range(4)))
    (run,) = harvest(tmp_path).runs
    assert [step for step, _ in values(run, "val_loss")] == [0, 50, 100, 150]
    for name in ("train/loss", "grad_norm", "val_loss"):
        (folder / "metrics" / name).write_text("".join(f"{START + 1000 * i} {9 - i}\n" for i in range(5)))
    (run,) = harvest(tmp_path).runs
    assert run.axis == "row" and [step for step, _ in values(run, "train/loss")] == [0, 1, 2, 3, 4]


def test_machine_metrics_stand_at_the_step_that_the_training_had_reached(tmp_path: Path) -> None:
    folder = file_run(tmp_path)
    (folder / "metrics" / "system").mkdir()
    (folder / "metrics" / "system" / "gpu").write_text(
        "".join(f"{START + 4000 * i + 1} {50 + i} {i}\n" for i in range(4))
    )
    (run,) = harvest(tmp_path).runs
    assert [step for step, _ in values(run, "system/gpu")] == [0, 40, 80, 120]


def test_a_torn_line_and_garbage_cost_themselves(tmp_path: Path) -> None:
    folder = file_run(tmp_path, status=1)
    path = folder / "metrics" / "train" / "loss"
    path.write_text(path.read_text() + f"what is this\n{START} 1.5 21")
    (folder / "meta.yaml").write_text("run_id: [unclosed")
    (run,) = harvest(tmp_path).runs
    assert len(values(run, "train/loss")) == 20
    assert {n.kind for n in run.sources[0].notes} == {"damaged", "truncated", "garbage-lines"}


def test_a_run_that_still_runs_says_so(tmp_path: Path) -> None:
    file_run(tmp_path, status=1)
    (run,) = harvest(tmp_path).runs
    assert [n.kind for n in run.notes] == ["no-clean-end"]


def test_the_size_of_a_run_grows_with_its_metrics(tmp_path: Path) -> None:
    folder = file_run(tmp_path)
    before = plan([tmp_path]).bundles[0].bytes
    with (folder / "metrics" / "grad_norm").open("a") as f:
        f.write(f"{START} 1.0 200\n")
    assert plan([tmp_path]).bundles[0].bytes > before


# --- the SQLite store


@contextmanager
def store(path: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(path)) as conn:
        conn.executescript(
            """CREATE TABLE runs (run_uuid VARCHAR(32) PRIMARY KEY, name TEXT, status TEXT, lifecycle_stage TEXT,
                 experiment_id INTEGER);
               CREATE TABLE metrics ("key" VARCHAR(250) NOT NULL, value FLOAT NOT NULL, timestamp BIGINT NOT NULL,
                 run_uuid VARCHAR(32) NOT NULL, step BIGINT DEFAULT '0' NOT NULL, is_nan BOOLEAN NOT NULL,
                 CONSTRAINT metric_pk PRIMARY KEY ("key", timestamp, step, run_uuid, value, is_nan));
               CREATE TABLE params ("key" TEXT, value TEXT, run_uuid TEXT);
               CREATE TABLE tags ("key" TEXT, value TEXT, run_uuid TEXT);"""
        )
        yield conn
        conn.commit()


def add(conn: sqlite3.Connection, run: str, name: str, stage: str = "active", n: int = 20) -> None:
    conn.execute("INSERT INTO runs VALUES (?, ?, 'FINISHED', ?, 1)", (run, name, stage))
    conn.execute("INSERT INTO params VALUES ('lr', '0.01', ?)", (run,))
    conn.execute("INSERT INTO tags VALUES ('mlflow.user', 'me', ?), ('team', 'blue', ?)", (run, run))
    for i in range(n):
        conn.execute("INSERT INTO metrics VALUES ('loss', ?, ?, ?, ?, 0)", (3 - 0.1 * i, START + i, run, i))
        conn.execute("INSERT INTO metrics VALUES ('acc', ?, ?, ?, ?, 0)", (0.01 * i, START + i, run, i))


def test_a_store_holds_many_runs_and_repeated_names_get_their_id(tmp_path: Path) -> None:
    with store(tmp_path / "anything.db") as conn:
        add(conn, "a" * 32, "twin")
        add(conn, "b" * 32, "twin")
        add(conn, "c" * 32, "own")
        add(conn, "d" * 32, "gone", "deleted")
        add(conn, "e" * 32, "bare", n=0)
    runs = harvest(tmp_path).runs
    assert [r.name for r in runs] == [".::twin-aaaaaaaa", ".::twin-bbbbbbbb", ".::own"]
    assert values(runs[2], "loss")[:2] == [(0, 3.0), (1, 2.9)]
    assert runs[2].config["lr"] == 0.01 and runs[2].config["tags.team"] == "blue"
    assert [(n.kind, n.count) for n in runs[0].sources[0].notes] == [("deleted-runs", 1), ("no-metrics", 1)]


def test_what_a_database_cannot_hold_comes_back_as_nan_and_infinity(tmp_path: Path) -> None:
    with store(tmp_path / "mlflow.db") as conn:
        add(conn, "a" * 32, "one", n=3)
        rows = [(0.0, 3, 1), (MAX, 4, 0), (-MAX, 5, 0)]
        conn.executemany(f"INSERT INTO metrics VALUES ('loss', ?, {START}, '{'a' * 32}', ?, ?)", rows)
    (log,) = mlflow_db.read([tmp_path / "mlflow.db"])
    loss = log.points.filter(log.points["metric"] == "loss")["value"].to_list()
    assert math.isnan(loss[3]) and loss[4:] == [math.inf, -math.inf]


def test_values_come_in_the_order_written_so_that_a_restart_shows(tmp_path: Path) -> None:
    with store(tmp_path / "mlflow.db") as conn:
        add(conn, "a" * 32, "one")
        again = [("loss", 9.0 + i, START - 5 + i, "a" * 32, i, 0) for i in range(5)]  # a clock that went back
        conn.executemany("INSERT INTO metrics VALUES (?, ?, ?, ?, ?, ?)", again)
    (run,) = harvest(tmp_path).runs
    assert values(run, "loss")[:2] == [(0, 9.0), (1, 10.0)]


def test_values_that_stand_only_in_the_journal_are_read_and_nothing_is_written(tmp_path: Path) -> None:
    path = tmp_path / "mlflow.db"
    with store(path) as conn:
        add(conn, "a" * 32, "one", n=10)
        conn.commit()
        conn.execute("PRAGMA journal_mode = WAL")
        conn.execute("PRAGMA wal_autocheckpoint = 0")
        rows = [("loss", 1.0, START + 50 + i, "a" * 32, 10 + i, 0) for i in range(5)]
        conn.executemany("INSERT INTO metrics VALUES (?, ?, ?, ?, ?, ?)", rows)
        conn.commit()
        before = {p.name: p.read_bytes() for p in tmp_path.iterdir()}
        (log,) = mlflow_db.read([path])
        assert {p.name: p.read_bytes() for p in tmp_path.iterdir()} == before
    assert len(log.points) == 25


def test_a_closed_store_is_read_without_a_file_beside_it(tmp_path: Path) -> None:
    with store(tmp_path / "mlflow.db") as conn:
        conn.execute("PRAGMA journal_mode = WAL")
        add(conn, "a" * 32, "one")
    assert len(mlflow_db.read([tmp_path / "mlflow.db"])[0].points) == 40
    assert [p.name for p in tmp_path.iterdir()] == ["mlflow.db"]


def test_a_locked_store_is_read_as_it_stands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("curvedoc.ingest.stores.sqlite._PATIENCE", 0.01)
    path = tmp_path / "mlflow.db"
    with store(path) as conn:
        add(conn, "a" * 32, "one")
        conn.commit()
        conn.execute("BEGIN EXCLUSIVE")
        (log,) = mlflow_db.read([path])
    assert len(log.points) == 40 and [n.kind for n in log.notes] == ["locked"]


def test_a_store_of_unknown_tables_or_none_is_told_and_others_are_no_logs(tmp_path: Path) -> None:
    for name in ("mlflow.db", "optuna.db"):
        with closing(sqlite3.connect(tmp_path / name)) as conn:
            conn.execute("CREATE TABLE trials (trial_id INTEGER)")
    (tmp_path / "mlruns.db").write_bytes(b"")
    found = harvest(tmp_path)
    assert [u.path for u in found.unreadable] == ["mlflow.db"] and "newer version" in found.unreadable[0].reason
    assert {u.path: u.reason for u in found.ignored} == {"optuna.db": "not a log", "mlruns.db": "an empty file"}


def test_a_view_in_place_of_a_table_is_never_run(tmp_path: Path) -> None:
    path = tmp_path / "mlflow.db"
    with store(path) as conn:
        add(conn, "a" * 32, "one")
        conn.execute("DROP TABLE metrics")
        conn.execute(
            "CREATE VIEW metrics AS WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) "
            "SELECT 'loss' AS key, n AS value, n AS timestamp, 'a' AS run_uuid, n AS step, 0 AS is_nan FROM c"
        )
    (log,) = mlflow_db.read([path])
    assert not len(log.points) and [n.kind for n in log.notes] == ["unknown-schema"]


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.floats(0, 1), st.integers(0, 255)), min_size=1, max_size=40), st.floats(0.2, 1))
def test_damage_never_raises(tmp_path: Path, flips: list[tuple[float, int]], kept: float) -> None:
    path = tmp_path / "mlflow.db"
    path.unlink(missing_ok=True)
    with store(path) as conn:
        add(conn, "a" * 32, "one")
    data = bytearray(path.read_bytes())
    for at, byte in flips:
        data[100 + int(at * (len(data) - 101))] = byte
    path.write_bytes(data[: int(len(data) * kept)])
    for reader in (mlflow_db, trackio_db):
        for log in reader.read([path]):
            assert len(log.points) <= 40


# --- trackio


def trackio(path: Path, blob: bool) -> None:
    """A project of two runs as trackio writes it."""
    with closing(sqlite3.connect(path)) as conn:
        conn.executescript(
            """CREATE TABLE metrics (id INTEGER PRIMARY KEY, run_id TEXT NOT NULL, timestamp TEXT NOT NULL,
                 run_name TEXT NOT NULL, step INTEGER NOT NULL, metrics TEXT NOT NULL);
               CREATE TABLE configs (id INTEGER PRIMARY KEY, run_id TEXT, run_name TEXT, config TEXT);
               CREATE TABLE system_metrics (id INTEGER PRIMARY KEY, run_id TEXT, timestamp TEXT, run_name TEXT,
                 metrics TEXT);"""
        )
        for run, name in (("x1", "first"), ("x2", "second")):
            config = {"learning_rate": 1e-3, "_Created": "2026-01-01", "optim": {"name": "adamw"}}
            conn.execute("INSERT INTO configs VALUES (NULL, ?, ?, ?)", (run, name, json.dumps(config)))
            for i in range(20):
                told: dict[str, object] = {"train/loss": 3 - 0.1 * i}
                if i == 19:
                    told = {"train/loss": "NaN", "train/grad_norm": "Infinity"}
                text = json.dumps(told)
                row = (run, f"2026-01-01T00:00:{i:02}+00:00", name, i, text.encode() if blob else text)
                conn.execute("INSERT INTO metrics VALUES (NULL, ?, ?, ?, ?, ?)", row)
            machine = (run, "2026-01-01T00:00:05.5+00:00", name, '{"gpu/0/utilization": 90}')
            conn.execute("INSERT INTO system_metrics VALUES (NULL, ?, ?, ?, ?)", machine)
        conn.commit()


@pytest.mark.parametrize("blob", [False, True])
def test_a_trackio_project_holds_a_run_for_each_name(tmp_path: Path, blob: bool) -> None:
    trackio(tmp_path / "tiny.db", blob)
    runs = harvest(tmp_path).runs
    assert [r.name for r in runs] == [".::first", ".::second"]
    loss = values(runs[0], "train/loss")
    assert loss[:2] == [(0, 3.0), (1, 2.9)] and loss[19][0] == 19 and math.isnan(loss[19][1])
    assert values(runs[0], "train/grad_norm") == [(19, math.inf)]
    assert values(runs[0], "system/gpu/0/utilization") == [(5, 90.0)]
    assert dict(runs[0].config) == {"learning_rate": 1e-3, "optim.name": "adamw"}
    assert runs[0].notes == () and runs[0].sources[0].notes == ()


def test_trackio_records_that_are_no_objects_are_counted(tmp_path: Path) -> None:
    trackio(tmp_path / "tiny.db", False)
    with closing(sqlite3.connect(tmp_path / "tiny.db")) as conn:
        rows = [("x1", "x", "first", 30, text) for text in ("[1]", "{", '{"a": ' * 2000)]
        conn.executemany("INSERT INTO metrics VALUES (NULL, ?, ?, ?, ?, ?)", rows)
        conn.commit()
    first = trackio_db.read([tmp_path / "tiny.db"])[0]
    assert [(n.kind, n.count) for n in first.notes] == [("garbage-lines", 3)]


def test_metrics_of_a_run_whose_meta_file_is_lost_are_read(tmp_path):
    folder = tmp_path / "mlruns" / "0" / "0123abcd" / "metrics"
    (folder / "val").mkdir(parents=True)
    for name, more in (("loss", 0.0), ("val/loss", 0.1)):
        rows = (f"{1_700_000_000_000 + 900 * i} {2.3 * 0.9**i + more} {i}\n" for i in range(30))
        (folder / name).write_text("".join(rows))
    found = read_runs([tmp_path / "mlruns"], signals_file=SIGNALS).runs
    metrics = {n: len(r.metric(n) or ()) for r in found for n in r.metrics()}
    assert {n.split("/")[-1] for n in metrics} == {"loss"} and set(metrics.values()) == {30}
    (folder / "notes").write_text("1700000000000 is when it began\n")
    assert len(read_runs([tmp_path / "mlruns"], signals_file=SIGNALS).runs) == len(found)
