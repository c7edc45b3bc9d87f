"""Trees made to hang or to eat memory: every run beside the trap is diagnosed, and the trap is told."""

import gzip
import itertools
import json
import math
import os
import random
import resource
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest
import zstandard

from curvedoc.ingest.bytes import file as file_bytes
from curvedoc.ingest.bytes import sparse as bytes_sparse
from curvedoc.ingest.csv import reader as csv_reader
from curvedoc.ingest.json import records as json_records
from curvedoc.ingest.json.salvage import one_by_one
from curvedoc.ingest.settings.yaml import YamlTrouble, load_yaml
from curvedoc.ingest.table import layout
from curvedoc.pipeline import analyze
from curvedoc.triage import Limits, bundle_sweep
from curvedoc.triage.run.time_limit import TooLate, alarm

FIFTY_GB = 50 << 30
RECORDS = b"".join(b'{"step": %d, "train/loss": %f}\n' % (i, 1 / (i + 1)) for i in range(50))
ROWS = b"step,train/loss\n" + b"".join(b"%d,%f\n" % (i, 1 / (i + 1)) for i in range(50))
SAID = b"".join(b"step %d loss %f\n" % (i, 1 / (i + 1)) for i in range(50))


def healthy(folder, n=400):
    folder.mkdir(parents=True, exist_ok=True)
    r = random.Random(folder.name)
    rows = ({"step": i, "train/loss": 0.3 + 2 * math.exp(-i / 60) + r.gauss(0, 0.02), "lr": 1e-3} for i in range(n))
    (folder / "metrics.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


def sparse(path, head=b"", size=FIFTY_GB):
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as f:
        f.write(head)
        f.truncate(size)
    if path.stat().st_blocks * 512 > size // 2:
        pytest.skip("this file system has no sparse files")


def gzipped(path, head, piece, times):
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(path, "wb", compresslevel=1) as f:
        f.write(head)
        for _ in range(times):
            f.write(piece)


def traps(root):
    """Each trap in a folder of its own; the file that must be told of."""
    for name in ("x.jsonl", "x.csv", "train.log", "events.out.tfevents.1.h", "trainer_state.json", "mlflow.db"):
        sparse(root / f"zeros-{name}" / name)
    sparse(root / "begun-jsonl" / "x.jsonl", RECORDS)
    sparse(root / "begun-csv" / "x.csv", ROWS)
    sparse(root / "begun-log" / "train.log", SAID)
    sparse(root / "begun-state" / "trainer_state.json", b'{"log_history": [{"step": 1, "loss": 2.0}, ')
    sparse(root / "begun-wandb" / "run-abc.wandb", b":W&B\xe1\xbe\x00")
    sparse(root / "begun-parquet" / "metrics.parquet", b"PAR1")
    sparse(root / "begun-config" / "config.json", b'{"lr": 1')
    sparse(root / "one-line" / "x.jsonl", RECORDS + b'{"step": 50, "train/loss": "')
    gzipped(root / "bomb-zeros" / "x.jsonl.gz", RECORDS, bytes(1 << 20), 100)
    gzipped(root / "bomb-line" / "train.log.gz", SAID, b"a" * (1 << 20), 100)
    (root / "bomb-zstd").mkdir()
    (root / "bomb-zstd" / "x.jsonl.zst").write_bytes(zstandard.compress(RECORDS + bytes(100 << 20)))
    deep = root / "deep"
    deep.mkdir()
    (deep / "x.jsonl").write_bytes(RECORDS + b'{"a":' * 300_000 + b"1" + b"}" * 300_000 + b"\n" + b"[" * 10**6 + b"\n")
    (deep / "history.json").write_bytes(b'{"loss":' + b"[" * 10**6 + b"]" * 10**6 + b"}")
    odd = root / "settings"
    healthy(odd)
    names = "abcdefghijkl"
    aliases = [f"{b}: &{b} [" + ",".join([f"*{a}"] * 9) + "]" for a, b in itertools.pairwise(names)]
    (odd / "config.yaml").write_text("a: &a [lol, lol, lol]\n" + "\n".join(aliases) + "\n")
    (odd / "hparams.yaml").write_text("[" * 50_000)
    (odd / "args.json").write_text('{"a":' * 10_000 + "1" + "}" * 10_000)
    pipes = root / "pipes"
    healthy(pipes)
    for name in ("train.jsonl", "config.yaml", "events.out.tfevents.1.h"):
        os.mkfifo(pipes / name)
    for name, target in (("a.jsonl", "/dev/zero"), ("b.csv", "/dev/urandom"), ("config.json", "/dev/zero")):
        (pipes / name).symlink_to(target)


def watched(*arguments, seconds=100):
    """Output of a command in a process of its own, and what the hungriest of its processes took (MB)."""
    code = (
        "import resource, subprocess, sys\n"
        "done = subprocess.run([sys.executable, '-m', 'curvedoc', *sys.argv[1:]], capture_output=True, text=True)\n"
        "used = resource.getrusage(resource.RUSAGE_CHILDREN)\n"
        "print(done.stdout + done.stderr)\n"
        "print(used.ru_maxrss >> 10)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        capture_output=True, text=True, timeout=seconds,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds)),
    )  # fmt: skip
    lines = done.stdout.rstrip().rsplit("\n", 1)
    return lines[0], int(lines[-1])


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    root = tmp_path_factory.mktemp("tree")
    for i in range(3):
        healthy(root / f"good{i}")
    traps(root)
    return root


@pytest.mark.parametrize("command", [("analyze", "--no-html"), ("triage", "--no-cache")])
def test_every_trap_is_told_and_every_run_beside_it_diagnosed(tree, tmp_path, command):
    out = tmp_path / "d.json"
    said, megabytes = watched(command[0], tree, "--json", out, *command[1:])
    assert out.exists(), said
    d = json.loads(out.read_text())
    runs = {r["run"] for r in d["runs"]}
    assert {"good0", "good1", "good2", "settings", "pipes"} <= runs
    told = {(*Path(u["path"]).parts, ".")[0] if not Path(u["path"]).is_absolute() else Path(u["path"]).parent.name
            for u in d["unreadable"]}  # fmt: skip
    noted = {r["run"] for r in d["runs"] for s in r["sources"] if s["notes"]}
    for folder in sorted(p.name for p in tree.iterdir()):
        if folder.startswith(("zeros-", "begun-", "one-", "bomb-", "deep")) and folder != "begun-config":
            assert any(folder in x for x in told | noted), folder
    assert megabytes < 1000


def test_packed_rows_by_the_million_take_no_more_memory_than_what_is_read_of_them(tmp_path):
    piece = b'{"step": 1, "train/loss": 0.5}\n' * 30_000
    gzipped(tmp_path / "bomb" / "x.jsonl.gz", b"", piece, (file_bytes.MAX_TEXT >> 20) * 6 // 5)
    out = tmp_path / "d.json"
    said, megabytes = watched("analyze", tmp_path / "bomb", "--no-html", "--json", out)
    (run,) = json.loads(out.read_text())["runs"]
    assert run["sources"][0]["notes"], said
    assert run["sources"][0]["points"] > 2_000_000 and megabytes < 1200


def test_more_metrics_than_a_log_has_are_left_out_and_told(tmp_path, monkeypatch):
    monkeypatch.setattr(layout, "MAX_KEYS", 100)
    monkeypatch.setattr(csv_reader, "MAX_COLUMNS", 100)
    keys, wide = tmp_path / "keys" / "x.jsonl", tmp_path / "wide" / "x.csv"
    keys.parent.mkdir()
    wide.parent.mkdir()
    rows = (json.dumps({"step": i, f"a{i}": 1.0, f"b{i}": 2.0, "train/loss": 1.0}) for i in range(80))
    keys.write_text("\n".join(rows) + "\n")
    head = "step,train/loss," + ",".join(f"c{i}" for i in range(110))
    rows = (f"{i},{1 / (i + 1)}," + ",".join("1" * 110) for i in range(12))
    wide.write_text(head + "\n" + "\n".join(rows) + "\n")
    for path in (keys, wide):
        (run,) = analyze(path).runs
        assert {n.kind for s in run.sources for n in s.notes} >= {"too-many-keys"}, path


def test_brackets_within_brackets_cost_no_time(tmp_path):
    began = time.process_time()
    for text in ("[" * 100_000, ("[" * 99 + "]" * 99 + ", ") * 500, "[" + ("[" * 900 + "]" * 900 + ",") * 100 + "]"):
        with suppress(YamlTrouble):
            load_yaml(text)
    assert time.process_time() - began < 20


@pytest.mark.parametrize("level", ['{"a":', '[{"a":', '{"b":1,"a":'])
def test_objects_within_objects_cost_no_time_and_what_follows_them_is_read(tmp_path, level):
    count = 50_000
    text = level * count + "1" + "}" * count + "\n" + RECORDS.decode()
    began = time.process_time()
    rows, _ = one_by_one(text)
    assert time.process_time() - began < 5
    if level == '{"a":':  # what stands before each level is charged to the time that may be spent
        assert rows[-1]["step"] == 49


def test_holes_of_a_file_are_skipped_and_what_lies_between_them_is_read(tmp_path):
    path = tmp_path / "x.jsonl"
    sparse(path, b"first\n", 3 * FIFTY_GB)
    with path.open("r+b") as f:
        f.seek(FIFTY_GB)
        f.write(b"second\n")
        f.seek(2 * FIFTY_GB)
        f.write(b"third\n")
    data, notes = file_bytes.read_bytes(path)
    assert [line.strip(b"\0") for line in data.split(b"\n")] == [b"first", b"second", b"third", b""]
    assert [n.kind for n in notes] == ["nul-bytes"] and len(data) < 1 << 20


def test_a_file_without_holes_is_read_as_it_is_whatever_zeros_it_holds(tmp_path):
    path = tmp_path / "x.bin"
    content = random.Random(0).randbytes(300_000) + bytes(200_000) + b"end"
    path.write_bytes(content)
    with bytes_sparse.SparseFile(path) as f:
        assert f.readall() == content and f.notes == ()


def test_a_file_that_grows_while_it_is_read_ends_where_it_ended(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_bytes(RECORDS)
    with bytes_sparse.SparseFile(path) as f, path.open("ab") as more:
        more.write(RECORDS)
        more.flush()
        assert f.readall() == RECORDS


def test_a_line_without_end_is_left_out_and_the_lines_after_it_are_read(monkeypatch):
    monkeypatch.setattr(bytes_sparse, "MAX_LINE", 1000)
    pieces = [b"one\n", b"x" * 900, b"y" * 900, b"z" * 900, b"tail\nthree\n", b""]
    data, notes = bytes_sparse.drained(lambda size: pieces.pop(0), 1 << 20, text=True)
    assert data == b"one\n\nthree\n" and [n.kind for n in notes] == ["too-large"]


def test_a_text_that_repeats_itself_is_no_bomb_while_it_is_small(tmp_path):
    path = tmp_path / "x.log.gz"
    path.write_bytes(gzip.compress(b"the same line\n" * 100_000))
    data, notes = file_bytes.read_bytes(path)
    assert len(data) == 1_400_000 and notes == ()


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_reader_that_hangs_costs_its_run_and_no_other(tmp_path, monkeypatch, jobs):
    for name in ("a", "b", "c"):
        healthy(tmp_path / name)
    read = json_records.read

    def hang(paths):
        while any(p.parent.name == "b" for p in paths):
            pass
        return read(paths)

    monkeypatch.setattr(json_records, "read", hang)
    d = analyze(tmp_path, jobs=jobs, limits=Limits(seconds=1.0))
    assert [r.run for r in d.runs] == ["a", "c"]
    assert [(Path(u.path).parts[0], "longer than 1 s" in u.reason) for u in d.unreadable] == [("b", True)]


def test_a_time_limit_rings_again_and_leaves_nothing_behind():
    rung = 0
    before = signal.getsignal(signal.SIGALRM)
    with pytest.raises(TooLate), alarm(0.02):
        while True:
            try:
                while True:
                    pass
            except TooLate:
                rung += 1
                if rung == 3:
                    raise
    assert signal.getsignal(signal.SIGALRM) is before and signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_a_large_or_packed_file_is_read_by_a_worker_even_with_one_job(tmp_path, monkeypatch):
    healthy(tmp_path / "a")
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "x.jsonl.gz").write_bytes(gzip.compress((tmp_path / "a" / "metrics.jsonl").read_bytes() * 2))
    jobs = []
    pool = bundle_sweep.run_pool
    monkeypatch.setattr(bundle_sweep, "run_pool", lambda *a: jobs.append(a[2]) or pool(*a))
    assert [r.run for r in analyze(tmp_path, limits=Limits()).runs] == ["a", "b::1", "b::2"]
    assert jobs == [1]
    assert [r.run for r in analyze(tmp_path / "a", limits=Limits()).runs] and jobs == [1]


def test_one_damaged_run_in_twenty_costs_only_itself(tmp_path):
    for i in range(57):
        healthy(tmp_path / f"run{i:02d}", 60)
    sparse(tmp_path / "bad0" / "x.jsonl")
    gzipped(tmp_path / "bad1" / "x.jsonl.gz", b"", bytes(1 << 20), 300)
    (tmp_path / "bad2").mkdir()
    (tmp_path / "bad2" / "events.out.tfevents.1.h").write_bytes(random.Random(0).randbytes(20_000))
    d = analyze(tmp_path, jobs=2, limits=Limits(seconds=60.0))
    assert {r.run for r in d.runs} == {f"run{i:02d}" for i in range(57)}
    assert {"bad0", "bad1", "bad2"} == {p for u in d.unreadable for p in Path(u.path).parts if p.startswith("bad")}
