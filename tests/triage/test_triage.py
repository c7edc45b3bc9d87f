"""Many runs at once: one answer whatever the number of workers, kept outcomes, and runs that break their worker."""

from __future__ import annotations

import csv
import functools
import io
import json
import math
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner, Result

from curvedoc.cli.app import app
from curvedoc.cli.settings.moment import moment
from curvedoc.core.diagnosis import Curve, Diagnosis, RunDiagnosis, Unreadable
from curvedoc.core.errors import UsageError
from curvedoc.diagnose.siblings.outline import Outline
from curvedoc.diagnose.siblings.shape import coarse
from curvedoc.options import Options
from curvedoc.pipeline import analyze
from curvedoc.report.exchange.json_document import to_json
from curvedoc.rulebook.load import load
from curvedoc.triage import Limits, SweepOptions, sweep
from curvedoc.triage.baseline import known_of, new_only, read_known
from curvedoc.triage.rows import COLUMNS, frame, rows, to_jsonl
from curvedoc.triage.run import pool
from curvedoc.triage.run.shard import Shard, Task
from curvedoc.triage.run.worker import serve
from curvedoc.triage.store.outcome import Outcome
from curvedoc.triage.store.outcomes import Store
from curvedoc.triage.store.slim import slim
from curvedoc.triage.store.tree_key import NO_TREE, TreeKey
from curvedoc.triage.store.whole_tree import TreeRecord, listing, recall, record, tree_key

RUNNER = CliRunner()
#: Compiling the rules is most of a small call; the shipped ones do not change while these tests run.
LOADED = functools.cache(load)
#: Few rules make a call quick; what is tested here is not what they find.
QUICK = Options(select=("nan-sudden", "nan-after-blowup", "divergence", "irreproducible"))


def log(folder: Path, kind: str = "healthy", seed: int = 0, config: dict[str, Any] | None = None) -> Path:
    """A run of 120 steps in a folder of its own: "healthy", or "nan" from the middle on."""
    folder.mkdir(parents=True)
    noise = np.random.default_rng(seed).standard_normal(120)
    lines = []
    for step in range(120):
        loss = 2.3 * math.exp(-step / 30) + 0.2 + 0.02 * float(noise[step])
        lines.append(json.dumps({"step": step, "loss": math.nan if kind == "nan" and step >= 60 else loss, "lr": 1e-3}))
    (folder / "metrics.jsonl").write_text("\n".join(lines) + "\n")
    if config is not None:
        (folder / "config.json").write_text(json.dumps(config))
    return folder


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("tree")
    for i in range(12):
        log(root / f"exp{i % 2}" / f"run{i}", "nan" if i % 3 == 0 else "healthy", i, {"lr": 1e-3, "seed": i})
    return root


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CURVEDOC_CACHE", str(tmp_path / "cache"))


@pytest.fixture(autouse=True)
def loaded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("curvedoc.rulebook.load.load", LOADED)


def call(*args: str | Path) -> Result:
    return RUNNER.invoke(app, [str(a) for a in args])


def told(runs: Sequence[RunDiagnosis]) -> list[tuple[str, str, str, int | None]]:
    return [(r.run, r.verdict, r.headline, r.cost.first_detectable_step) for r in runs]


def test_workers_find_what_one_process_finds(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("curvedoc.triage.bundle_sweep.FEW_RUNS", 2)
    alone = analyze(tree, QUICK)
    shared = analyze(tree, QUICK, jobs=2)
    assert to_json(shared) == to_json(alone)
    assert {r.verdict for r in alone.runs} == {"healthy", "failed"}


def test_a_second_call_takes_what_is_unchanged_from_the_store_and_says_the_same(tree: Path, tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    first = sweep([tree], QUICK, SweepOptions(store=store))
    second = sweep([tree], QUICK, SweepOptions(store=store))
    assert (first.kept, second.kept, second.total) == (0, 12, 12)
    assert to_json(second.diagnosis) == to_json(first.diagnosis)


def test_a_table_takes_no_more_than_a_small_curve_of_each_run(tree: Path, tmp_path: Path) -> None:
    whole, store = sweep([tree], QUICK), Store(tmp_path / "store")
    bare = SweepOptions(full=False)
    for got in (sweep([tree], QUICK, bare), *(sweep([tree], QUICK, replace(bare, store=store)) for _ in range(2))):
        assert to_jsonl(got.diagnosis) == to_jsonl(whole.diagnosis)
        assert repr(got.diagnosis.runs) == repr(tuple(slim(r) for r in whole.diagnosis.runs))  # NaN is not NaN
    # what was kept has all of them, for a call that shows them
    assert to_json(sweep([tree], QUICK, SweepOptions(store=store)).diagnosis) == to_json(whole.diagnosis)


def test_a_changed_file_and_changed_options_are_judged_again(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    run = log(tmp_path / "t" / "a")
    log(tmp_path / "t" / "b")
    sweep([tmp_path / "t"], QUICK, SweepOptions(store=store))
    (run / "metrics.jsonl").write_text('{"step": 0, "loss": 1}\n{"step": 1, "loss": NaN}\n')
    assert sweep([tmp_path / "t"], QUICK, SweepOptions(store=store)).kept == 1
    assert sweep([tmp_path / "t"], Options(select=("divergence",)), SweepOptions(store=store)).kept == 0


@pytest.mark.parametrize("damage", range(4))
def test_damaged_entries_are_found_again_and_written_again(damage: int, tree: Path, tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    want = to_json(sweep([tree], QUICK, SweepOptions(store=store)).diagnosis)
    (pack,), (whole,) = store.folder.glob("packs/*"), store.folder.glob("trees/*")
    for path in (pack, whole):
        data = path.read_bytes()
        half = len(data) // 2
        path.write_bytes([b"", data[:half], data[:half] + b"abc" + data[half + 3 :], b"\xff" * 50][damage])
    again = sweep([tree], QUICK, SweepOptions(store=Store(store.folder)))
    assert (again.kept == 0) if damage in (0, 3) else (4 < again.kept < 12)
    assert to_json(again.diagnosis) == want
    assert sweep([tree], QUICK, SweepOptions(store=Store(store.folder))).kept == 12


def test_a_store_that_does_not_last_keeps_only_curves(tree: Path, tmp_path: Path) -> None:
    outcome = Outcome((_run("r", [1.0, math.nan, 3.0]),), outlines=(Outline("r", {}, {}, None),))
    store = Store(tmp_path / "store", lasting=False)
    store.save("abcd", outcome)
    assert store.load("abcd") is None and store.has("abcd")
    assert repr(store.whole("abcd", slim(outcome.runs[0]))) == repr(outcome.runs[0])


@given(st.binary(max_size=60), st.integers(0, 900))
@settings(max_examples=60, deadline=None)
def test_no_entry_whatever_its_bytes_makes_the_store_raise(noise: bytes, at: int) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(folder))
        run = _run("r", [1.0, math.nan, 3.0])
        store.save("abcd", Outcome((run,), outlines=(Outline("r", {}, {"lr": 0.1}, 2.0),)))
        (entry,) = Path(folder).glob("packs/*")
        good = entry.read_bytes()
        entry.write_bytes(good[:at] + noise + good[at + len(noise) :])
        for reader in (store, Store(Path(folder))):
            kept = reader.load("abcd")
            assert kept is None or kept.runs[0].run == "r"
            assert reader.whole("abcd", run).run == "r"


def test_an_unchanged_tree_is_told_from_one_file_and_neither_logs_nor_rules_are_read(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store(tmp_path / "store")
    want = to_json(sweep([tree], QUICK, SweepOptions(store=store)).diagnosis)
    assert sweep([tree], Options(select=("divergence",)), SweepOptions(store=store)).kept == 0
    monkeypatch.setattr("curvedoc.triage.bundle_sweep.plan", None)
    monkeypatch.setattr("curvedoc.triage.bundle_sweep.rulebook", None)
    again = sweep([tree], QUICK, SweepOptions(store=store))
    assert (again.kept, again.done, again.total) == (12, 12, 12)
    assert to_json(again.diagnosis) == want


def test_a_file_that_comes_goes_or_changes_makes_a_tree_another(tmp_path: Path) -> None:
    root = tmp_path / "t"
    path = log(root / "a") / "metrics.jsonl"
    seen = [listing([root]), listing([root / "a" / "metrics.jsonl"])]
    (root / "a" / "config.json").write_text('{"lr": 1}')
    seen += [listing([root]), listing([root / "a" / "metrics.jsonl"])]
    path.write_text(path.read_text().replace("0", "1"))
    seen.append(listing([root]))
    path.rename(root / "b.jsonl")
    seen.append(listing([root]))
    assert len(set(seen)) == len(seen) and all(seen)
    assert listing([root / "none"]) == listing([Path("s3://bucket/runs")]) == ""


def test_every_option_takes_part_in_the_key_of_a_tree(tmp_path: Path) -> None:
    other = {
        "rules": (tmp_path,), "select": ("divergence",), "ignore": ("divergence",), "set": ("divergence.rise=2",),
        "sensitivity": 0.5, "signals": {"loss": "x"}, "siblings": False, "facts": ("classes=10",), "follow_links": True,
        "alive": True, "baseline_run": "a",
    }  # fmt: skip
    log(tmp_path / "t" / "a")
    keys = [tree_key([tmp_path / "t"], replace(Options(), **{name: value}), ()) for name, value in other.items()]
    assert set(other) >= {f.name for f in fields(Options)}
    assert len({tree_key([tmp_path / "t"], Options(), ()), *keys}) == len(other) + 1
    assert tree_key([tmp_path / "none"], Options(), ()) == NO_TREE


@given(st.binary(max_size=40), st.integers(0, 600))
@settings(max_examples=60, deadline=None)
def test_no_file_of_a_tree_whatever_its_bytes_makes_a_call_raise(noise: bytes, at: int) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        runs = (_run("r", [1.0, 3.0]), _run("s", [2.0]))
        record(Path(folder), TreeKey("n", "m"), TreeRecord(Diagnosis("1", "d", runs), ("k", "l"), 2))
        (entry,) = Path(folder).glob("trees/*")
        kept = recall(Path(folder), TreeKey("n", "m"))
        assert (
            kept is not None
            and repr(kept.diagnosis.runs) == repr(runs)
            and recall(Path(folder), TreeKey("n", "x")) is None
        )
        good = entry.read_bytes()
        entry.write_bytes(good[:at] + noise + good[at + len(noise) :])
        found = recall(Path(folder), TreeKey("n", "m"))
        assert found is None or len(found.keys) == len(found.diagnosis.runs) == 2


def _run(name: str, values: Sequence[float], role: str = "loss") -> RunDiagnosis:
    from curvedoc.core.diagnosis import Waste

    step = tuple(range(len(values)))
    curve = Curve(
        "loss", role, "", step, tuple(values), tuple(values), tuple(values), len(values), ((1, 1),), ((1,), (2.0,))
    )
    return RunDiagnosis(name, "healthy", "", (), (), (), (), (), None, Waste(), (curve,))


@given(st.lists(st.floats(-1e6, 1e6) | st.just(math.nan), min_size=1, max_size=300), st.integers(2, 80))
@settings(max_examples=50, deadline=None)
def test_a_coarse_curve_keeps_extremes_first_and_last(values: list[float], buckets: int) -> None:
    (curve,) = _run("r", values).curves
    small = coarse(curve, buckets)
    assert len(small.step) <= max(buckets, 1)
    assert small.step[0] == 0 and np.array_equal(small.mean[-1], values[-1], equal_nan=True)
    finite = [v for v in values if math.isfinite(v)]
    if finite:
        assert min(v for v in small.low if math.isfinite(v)) == min(finite)
        assert max(v for v in small.high if math.isfinite(v)) == max(finite)


def test_whole_curves_come_back_from_the_store_as_they_were_saved(tmp_path: Path) -> None:
    run = _run("r", [float(i) if i % 7 else math.nan for i in range(400)])
    store = Store(tmp_path)
    store.save("abcd", Outcome((run,), outlines=(Outline("r", {}, {"lr": 0.1}, 2.0),)))
    kept = store.load("abcd")
    assert kept is not None and repr(kept.runs) == repr((slim(run),))
    assert repr(store.whole("abcd", kept.runs[0])) == repr(run)


def test_a_worker_killed_while_it_is_started_is_no_closed_output(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr("curvedoc.triage.bundle_sweep.FEW_RUNS", 5)
    start = pool._start
    tried: list[int] = []

    def killed_at_first(*a: Any) -> Any:
        tried.append(1)
        if len(tried) % 2:
            raise BrokenPipeError(32, "Broken pipe")
        return start(*a)

    monkeypatch.setattr(pool, "_start", killed_at_first)
    for i in range(6):
        log(tmp_path / "t" / f"run{i}", "healthy", i)
    assert sweep([tmp_path / "t"], QUICK, SweepOptions(jobs=2)).done == 6
    assert len(tried) > 1


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere workers start when there is work")
def test_workers_that_start_before_the_runs_are_known_do_the_work_and_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("curvedoc.triage.tree_sweep.CROWDED", 5)
    monkeypatch.setattr("curvedoc.triage.bundle_sweep.FEW_RUNS", 5)
    started: list[int] = []
    start = pool._start
    monkeypatch.setattr(pool, "_start", lambda *a: started.append(1) or start(*a))
    for i in range(6):
        log(tmp_path / "t" / f"run{i}", "nan" if i == 2 else "healthy", i)
    done = sweep([tmp_path / "t"], QUICK, SweepOptions(jobs=2))
    assert [r.verdict for r in done.diagnosis.runs].count("failed") == 1 and done.done == 6
    assert len(started) == 2
    for i in range(6):  # as many folders, and nothing in them that a worker is needed for
        (tmp_path / "t" / f"run{i}" / "metrics.jsonl").write_text("no log\n")
    assert not sweep([tmp_path / "t"], QUICK, SweepOptions(jobs=2)).diagnosis.runs
    assert not multiprocessing.active_children()


def test_a_pipe_in_the_tree_is_told_and_never_waited_for(tmp_path: Path) -> None:
    log(tmp_path / "t" / "a")
    log(tmp_path / "t" / "c")
    (tmp_path / "t" / "b").mkdir()
    os.mkfifo(tmp_path / "t" / "b" / "metrics.jsonl")
    d = sweep([tmp_path / "t"], QUICK).diagnosis
    assert [r.run for r in d.runs] == ["a", "c"]
    assert [(u.path, "pipe" in u.reason) for u in d.unreadable] == [("b/metrics.jsonl", True)]


def _breaking(pipe: Any, context: Any, memory: int) -> None:
    """A worker that does to certain runs what a hostile log or a fault in a library might do."""
    import curvedoc.triage.run.worker as worker

    whole = worker.work

    def work(shard: Shard, given: Any) -> Iterator[tuple[Task, Outcome | None]]:
        if any("dies-unread" in t.bundle.name for t in shard.tasks):
            os.kill(os.getpid(), signal.SIGSEGV)
        for task, outcome in whole(shard, given):
            yield task, outcome
            if outcome is None and "hangs" in task.bundle.name:
                time.sleep(600)
            if outcome is None and "eats" in task.bundle.name:
                np.ones(1 << 40, dtype=np.uint8)
            if outcome is None and "dies-read" in task.bundle.name:
                os._exit(7)

    worker.work = work
    serve(pipe, context, memory)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory limits hold on Linux alone")
def test_runs_that_hang_crash_or_eat_memory_are_told_and_the_others_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("dies-read", "dies-unread", "hangs", "eats", "x", "y", "z"):
        log(tmp_path / "t" / name)
    monkeypatch.setattr("curvedoc.triage.bundle_sweep.FEW_RUNS", 2)
    monkeypatch.setattr(pool, "serve", _breaking)
    store = Store(tmp_path / "store")
    done = sweep([tmp_path / "t"], QUICK, SweepOptions(jobs=2, limits=Limits(3.0, 1 << 30), store=store))
    assert [r.run for r in done.diagnosis.runs] == ["x", "y", "z"]
    reasons = {u.path: u.reason for u in done.diagnosis.unreadable}
    assert "longer than 3 s" in reasons["hangs"]
    assert "SIGSEGV" in reasons["dies-unread"]
    assert "exit code 7" in reasons["dies-read"]
    assert "eats" in reasons
    assert done.done == done.total == 7
    # only results are kept: what took the workers down may have come from outside, and is tried again
    monkeypatch.undo()
    again = sweep([tmp_path / "t"], QUICK, SweepOptions(jobs=2, limits=Limits(60.0, 1 << 30), store=store))
    assert again.kept == 3 and again.diagnosis.unreadable == () and len(again.diagnosis.runs) == 7


def test_what_was_finished_before_ctrl_c_is_kept_and_the_next_call_goes_on(tree: Path, tmp_path: Path) -> None:
    store = Store(tmp_path / "store")

    def stop(phase: str, done: int, of: int) -> None:
        if done == 5:
            raise KeyboardInterrupt

    cut = sweep([tree], QUICK, SweepOptions(store=store, progress=stop))
    assert cut.interrupted and cut.done == 5 and len(cut.diagnosis.runs) == 5
    rest = sweep([tree], QUICK, SweepOptions(store=store))
    assert not rest.interrupted and rest.kept == 5 and rest.done == 12


def test_repeats_are_compared_across_shards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for i in range(4):
        log(tmp_path / "t" / f"r{i}", seed=i // 2, config={"lr": 0.1, "seed": 1})
    monkeypatch.setattr("curvedoc.triage.bundle_sweep.SHARD_RUNS", 2)
    alone = {r.run: [f.symptom for f in r.findings] for r in analyze(tmp_path / "t", QUICK).runs}
    monkeypatch.setattr("curvedoc.triage.bundle_sweep.SHARD_RUNS", 100)
    assert {r.run: [f.symptom for f in r.findings] for r in sweep([tmp_path / "t"], QUICK).diagnosis.runs} == alone
    assert any(alone.values())


@pytest.mark.parametrize(
    "text",
    ["2026-03-01", "2026-03-01T12:30", "2026-03-01 12:30:00 +0100", "2026-03-01T12:30:00+01:00", "2026-03-01T12:30Z",
     "20260301", "@1772366400", "@1772366400 +0100", "90min", "12h", "3d", "1.5w", "2h30m", "2 days ago", "3.weeks.ago",
     "1 day 2 hours", "40 Seconds"],
)  # fmt: skip
def test_since_takes_dates_and_ages(text: str) -> None:
    now = time.mktime((2026, 6, 1, 0, 0, 0, 0, 0, -1))
    assert now - 100 * 86400 < moment(text, now) < now


def test_since_tells_exact_times() -> None:
    assert moment("2026-03-01 12:30:00 +0100", 0.0) == moment("2026-03-01T11:30:00Z", 0.0) == 1772364600.0
    assert moment("2h30m", 10_000.0) == 1000.0 and moment("@5", 0.0) == 5.0 and moment("1d 1h ago", 90_000.0) == 0.0
    assert moment("2026-03-01 12:30:00 -0500", 0.0) - moment("2026-03-01 12:30:00 +0100", 0.0) == 6 * 3600


@pytest.mark.parametrize(
    "text",
    [
        "",
        "yesterday",
        "3",
        "-3d",
        "2026-13-01",
        "3d foo",
        "h",
        "ago",
        "@",
        "1mo",
        "9" * 400 + "d",
        "12h-3d",
        "3 d 2026",
    ],
)
def test_since_refuses_what_is_neither(text: str) -> None:
    with pytest.raises(UsageError, match="neither a date nor an age"):
        moment(text, 0.0)


def test_only_runs_changed_since_are_judged(tmp_path: Path) -> None:
    for name, age in (("old", 1e6), ("new", 0.0)):
        path = log(tmp_path / "t" / name) / "metrics.jsonl"
        stamp = 1.7e9 - age
        os.utime(path, (stamp, stamp))
    done = sweep([tmp_path / "t"], QUICK, SweepOptions(since=1.7e9 - 1000))
    assert [r.run for r in done.diagnosis.runs] == ["new"]


def test_the_table_lists_the_worst_first_and_counts_the_healthy(tree: Path) -> None:
    result = call("triage", tree, "--select", "nan-sudden")
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert "12 runs: 4 failed, 8 healthy" in result.stdout
    assert "Went wrong the same way" in result.stdout
    assert sum(line.startswith("✕") for line in lines) == 4
    assert not any(line.startswith("✓") for line in lines) and "8 healthy runs not shown" in result.stdout
    assert max(len(line) for line in lines) <= 100
    everything = call("triage", tree, "--select", "nan-sudden", "--all").stdout.splitlines()
    assert sum(line.startswith("✓") for line in everything) == 8


def test_every_format_tells_the_same_runs(tree: Path, tmp_path: Path) -> None:
    args = ("triage", tree, "--select", "nan-sudden", "-q")
    table = list(csv.DictReader(io.StringIO(call(*args, "-f", "csv").stdout)))
    document = json.loads(call(*args, "-f", "json").stdout)
    call(*args, "--parquet", tmp_path / "t.parquet", "--html", tmp_path / "t.html", "--markdown", tmp_path / "t.md")
    kept = pl.read_parquet(tmp_path / "t.parquet")
    assert sorted(r["run"] for r in table) == [r["run"] for r in document["runs"]] == sorted(kept["run"])
    assert list(table[0]) == list(COLUMNS) == kept.columns
    assert table[0]["verdict"] == "failed" and table[0]["last_value"] == "NaN" and table[0]["group"] == "A"
    assert all(r["run"] in (tmp_path / "t.html").read_text("utf-8") for r in table)
    assert "4 failed" in (tmp_path / "t.md").read_text("utf-8")


def test_a_baseline_leaves_what_is_new(tmp_path: Path) -> None:
    args = ("triage", tmp_path / "t", "--select", "nan-sudden")
    log(tmp_path / "t" / "old", "nan")
    log(tmp_path / "t" / "fine")
    assert call(*args, "--json", tmp_path / "base.json", "--fail-on", "error").exit_code == 1
    nothing = call(*args, "--baseline", tmp_path / "base.json", "--fail-on", "error")
    assert nothing.exit_code == 0 and nothing.stdout.startswith("Nothing new since")
    log(tmp_path / "t" / "new", "nan")
    result = call(*args, "--baseline", tmp_path / "base.json", "--fail-on", "error", "-f", "csv")
    assert result.exit_code == 1
    assert [r["run"] for r in csv.DictReader(io.StringIO(result.stdout))] == ["new"]


def test_every_form_of_a_baseline_knows_the_same(tree: Path, tmp_path: Path) -> None:
    d = sweep([tree], QUICK).diagnosis
    d = replace(d, unreadable=(Unreadable("x/bad.log", "damaged"),))
    (tmp_path / "d.json").write_text(to_json(d))
    (tmp_path / "rows.jsonl").write_text(to_jsonl(d))
    (tmp_path / "rows").write_text(to_jsonl(d))
    (tmp_path / "calls.jsonl").write_text(to_json(replace(d, runs=d.runs[:5], unreadable=())) + to_json(d))
    runs = "".join(json.dumps(r) + "\n" for r in json.loads(to_json(d))["runs"])
    (tmp_path / "runs.ndjson").write_text(runs + '{"unreadable": "x/bad.log"}\n')
    want = known_of(d)
    assert any(want.failures.values())
    for path in sorted(tmp_path.glob("*")):
        if path.is_file():
            assert read_known(path) == want, path.name
            assert not new_only(d, read_known(path)).runs and not new_only(d, read_known(path)).unreadable
    one = tmp_path / "one.jsonl"
    one.write_text('{"run": "exp0/run0", "symptoms": "nan-sudden lr-flat"}\n\n{"run": "b", "verdict": "healthy"}\n')
    assert read_known(one).failures == {"exp0/run0": {"nan-sudden", "lr-flat"}, "b": frozenset()}


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("b.json", "", "empty"),
        ("b.json", "[1]", "not a saved diagnosis"),
        ("b.json", '{"schema": "other/9"}', "not a saved diagnosis"),
        ("b.jsonl", '{"run": "a", "symptoms": []}\n{"run": "b", "symp', "b.jsonl:2"),
        ("b.jsonl", "3\n", "no run"),
        ("b.jsonl", '{"run": "a"}', "neither"),
        ("b.jsonl", '{"run": "a", "failures": 3}', "no list"),
        ("b.jsonl", "[" * 100_000, "not JSON"),
    ],
)
def test_a_baseline_that_is_none_is_told_with_its_place(tmp_path: Path, name: str, text: str, said: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(UsageError) as error:
        read_known(tmp_path / name)
    assert said in str(error.value)


def test_lines_of_one_triage_are_a_baseline_of_the_next(tmp_path: Path) -> None:
    args = ("triage", tmp_path / "t", "--select", "nan-sudden")
    log(tmp_path / "t" / "old", "nan")
    log(tmp_path / "t" / "fine")
    (tmp_path / "base.jsonl").write_text(call(*args, "-f", "jsonl", "-q").stdout)
    log(tmp_path / "t" / "new", "nan")
    result = call(*args, "--baseline", tmp_path / "base.jsonl", "-f", "jsonl")
    (row,) = [json.loads(line) for line in result.stdout.splitlines()]
    assert row["run"] == "new" and row["failures"] == ["nan-sudden"] and row["last_value"] is None


def test_an_empty_tree_is_told_with_its_own_exit_code(tmp_path: Path) -> None:
    assert call("triage", tmp_path).exit_code == 4
    assert call("triage", tmp_path / "none").exit_code == 2


@pytest.mark.parametrize("name", ["train.log", "metrics.jsonl"])
def test_a_tree_of_which_nothing_can_be_read_has_that_exit_code_too_and_tells_what_it_is(
    tmp_path: Path, name: str
) -> None:
    (tmp_path / name).write_bytes(bytes(random.Random(0).choices(range(256), k=20_000)))
    done = call("triage", tmp_path, "--no-cache", "--format", "json")
    assert done.exit_code == 4
    assert [u["path"] for u in json.loads(done.stdout)["unreadable"]] == [name]
    assert call("triage", tmp_path, "--no-cache", "--strict").exit_code == 5


def test_a_name_that_a_spreadsheet_would_run_is_disarmed(tmp_path: Path) -> None:
    log(tmp_path / "t" / "=1+1")
    log(tmp_path / "t" / "b")
    result = call("triage", tmp_path / "t", "--select", "nan-sudden", "-f", "csv")
    assert "\n'=1+1," in result.stdout
    d = sweep([tmp_path / "t"], QUICK).diagnosis
    assert len(rows(d)) == len(frame(d)) == 2


def test_memory_does_not_hold_one_copy_of_what_many_runs_share(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("curvedoc.triage.bundle_sweep.MANY", 2)
    runs = sweep([tree], QUICK).diagnosis.runs
    assert len({id(r.not_judged) for r in runs}) < len(runs)
    assert all(len(r.curves) <= 1 or r.verdict == "failed" for r in runs) or len(runs) <= 60


def test_a_file_that_wanted_a_library_is_read_once_it_is_there(tmp_path: Path) -> None:
    zstandard = pytest.importorskip("zstandard")
    rows = "".join(f'{{"step": {i}, "loss": {2.3 * 0.98**i}}}\n' for i in range(60))
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "m.jsonl.zst").write_bytes(zstandard.ZstdCompressor().compress(rows.encode()))
    (tmp_path / "without").mkdir()
    (tmp_path / "without" / "zstandard.py").write_text("raise ImportError\n")

    def said(*path: str) -> str:
        environment = os.environ | {"PYTHONPATH": os.pathsep.join([*path, str(Path(__file__).parents[2])])}
        call = [sys.executable, "-m", "curvedoc", "triage", str(tmp_path / "runs")]
        return subprocess.run(call, env=environment, capture_output=True, text=True, timeout=120, check=False).stdout

    if sys.version_info < (3, 14):
        assert "install `curvedoc[zstd]`" in said(str(tmp_path / "without"))
    assert "1 healthy" in said()
