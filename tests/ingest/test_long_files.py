"""Files too long for memory: thinned with extremes kept, the end always read, the thinning told."""

from __future__ import annotations

import gzip
import json
import math
import random
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from nasty_logs import event

from curvedoc import analyze
from curvedoc.core.block import Block
from curvedoc.core.fewer_points import fewer
from curvedoc.core.run import Run
from curvedoc.ingest import read_runs
from curvedoc.ingest.bytes import file as file_bytes
from curvedoc.ingest.bytes import long_text
from curvedoc.ingest.bytes.thinning import thin
from curvedoc.ingest.tensorboard import reader as tensorboard_reader
from curvedoc.ingest.text import reader as text_reader
from curvedoc.rulebook.location import signals_file
from curvedoc.triage import Limits

N = 20_000
#: Where the loss leaps, sinks and is lost.
HIGH, LOW, LOST = 7001, 9003, 12_005


def loss(i: int) -> float:
    if i in (HIGH, LOW):
        return 950.25 if i == HIGH else 0.00125
    return math.nan if i == LOST else round(2 + 3 * math.exp(-i / 3000) + random.Random(i).random() / 10, 6)


def _stamped(i: int) -> str:
    return f"2026-01-01 {i // 3600:02d}:{i // 60 % 60:02d}:{i % 60:02d} INFO step {i} loss: {loss(i)}\n"


def _bar(i: int) -> str:
    return f"\rEpoch 1:  {i * 100 // N}%|{'#' * (i * 10 // N)}| {i}/{N} [10:00<20:00, loss={loss(i)}]"


LINES: dict[str, tuple[str, Callable[[int], str]]] = {
    "metrics.jsonl": ("", lambda i: json.dumps({"step": i, "loss": loss(i), "lr": 0.001}) + "\n"),
    "metrics.csv": ("step,loss,lr\n", lambda i: f"{i},{loss(i)},0.001\n"),
    "train.log": ("starting\n", _stamped),
    "train.out": ("", _bar),
}


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> int:
    """Limits a thousand times below the real ones."""
    limit = 120_000
    monkeypatch.setattr(text_reader, "MAX_TEXT", limit)
    monkeypatch.setattr(file_bytes.read_text, "__defaults__", (limit, *file_bytes.read_text.__defaults__[1:]))
    monkeypatch.setattr(long_text, "WINDOW", 1 << 15)
    return limit


def run_of(path: Path) -> Run:
    (run,) = read_runs([path], signals_file=signals_file()).runs
    return run


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "packed"])
@pytest.mark.parametrize("name", LINES)
def test_a_long_log_is_thinned_with_its_extremes_and_its_ends(
    tmp_path: Path, small: int, name: str, pack: Callable[[bytes], bytes]
) -> None:
    head, line = LINES[name]
    data = (head + "".join(map(line, range(N)))).encode()
    path = tmp_path / (name + (".gz" if pack is gzip.compress else ""))
    path.write_bytes(pack(data))
    run = run_of(path)
    s = run.series("loss")
    assert s is not None
    step, value = s.step.tolist(), s.value
    assert len(data) > 3 * small and len(value) < 0.6 * N
    assert step[:50] == list(range(50)) and step[-50:] == list(range(N - 50, N))
    assert float(np.nanmax(value)) == 950.25 and float(np.nanmin(value)) == 0.00125
    assert bool(np.isnan(value[step.index(LOST)])) and step.index(HIGH) and step.index(LOW)
    assert max(np.diff(step)) < N / 20  # an even share of the rest
    notes = [n for source in run.sources for n in source.notes]
    (told,) = [n for n in notes if n.kind == "thinned"]
    assert "the beginning and the end" in told.text and "--" not in told.text
    assert {n.kind for n in notes} <= {"thinned", "no-step", "truncated"}


def test_what_happened_once_stays_in_a_long_text(tmp_path: Path, small: int) -> None:
    head, line = LINES["train.log"]
    lines = [line(i) for i in range(N)]
    lines[8000] = "CUDA error: an illegal memory access was encountered\n"
    lines[9000] = "Traceback (most recent call last):\n  File 'train.py', line 3, in <module>\nValueError: bad batch\n"
    (tmp_path / "train.log").write_text(head + "".join(lines))
    said = "\n".join(run_of(tmp_path / "train.log").messages["text"].to_list())
    assert "illegal memory access" in said and "ValueError: bad batch" in said


def test_a_long_document_gives_its_beginning_and_its_end(tmp_path: Path, small: int) -> None:
    rows = [{"step": i, "loss": round(5 - i / N, 6)} for i in range(N)]
    path = tmp_path / "trainer_state.json"
    path.write_text(json.dumps({"global_step": N, "log_history": rows}, indent=2))
    run = run_of(path)
    s = run.series("loss")
    assert s is not None and s.step[0] == 0 and s.step[-1] == N - 1 and 1000 < len(s) < N
    assert set(zip(s.step.tolist(), s.value.tolist(), strict=True)) <= {(r["step"], r["loss"]) for r in rows}
    assert "thinned" in {n.kind for source in run.sources for n in source.notes}


def test_a_text_within_the_limit_is_read_as_it_is(tmp_path: Path, small: int) -> None:
    data = "".join(map(LINES["metrics.jsonl"][1], range(2000))).encode()
    for name, content in (("a.jsonl", data), ("b.jsonl.gz", gzip.compress(data))):
        (tmp_path / name).write_bytes(content)
        assert file_bytes.read_text(tmp_path / name) == (data, ())


def test_a_line_without_end_is_left_out_of_a_long_text(
    tmp_path: Path, small: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(long_text, "MAX_LINE", 1 << 16)
    line = LINES["metrics.jsonl"][1]
    data = "".join(map(line, range(8000))) + "x" * 400_000 + "\n" + "".join(map(line, range(8000, 16_000)))
    (tmp_path / "m.jsonl").write_text(data)
    found, notes = file_bytes.read_text(tmp_path / "m.jsonl")
    assert {n.kind for n in notes} <= {"thinned", "too-large"} and len(found) < small * 1.3
    assert found.endswith(line(15_999).encode())


def test_thinning_keeps_whole_lines_in_their_order() -> None:
    r = random.Random(0)
    lines = [f"step {i} loss {r.random():.{r.randint(0, 9)}f}\n".encode() for i in range(5000)]
    for room in (0, 100, 5_000, 50_000, 10**6):
        kept = thin(b"".join(lines), room).splitlines(keepends=True)
        assert sum(map(len, kept)) <= max(room, 0) or room == 10**6
        places = [int(k.split()[1]) for k in kept]
        assert places == sorted(places) and all(k == lines[p] for k, p in zip(kept, places, strict=True))


def test_a_long_event_file_is_thinned_and_its_end_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tensorboard_reader, "MAX_POINTS", 2000)
    monkeypatch.setattr(tensorboard_reader, "_SHORTEST", 100)
    monkeypatch.setattr(tensorboard_reader, "CHUNK", 1 << 15)
    short = b"".join(event(i % 40, b"acc", step=1000 * i) for i in range(9))
    path = tmp_path / "events.out.tfevents.1.host"
    path.write_bytes(b"".join(event(i % 40, step=i) for i in range(9000)) + short)
    run = run_of(path)
    loss, acc = run.metric("loss"), run.metric("acc")
    assert loss is not None and acc is not None and len(acc) == 9
    assert 400 < len(loss) < 4000 and loss.step[0] == 0 and loss.step[-1] == 8999
    assert max(np.diff(loss.step)) < 200
    assert "thinned" in {n.kind for source in run.sources for n in source.notes}


def test_fewer_points_keep_extremes_and_what_is_not_finite_however_often_it_is_done() -> None:
    value = np.random.default_rng(0).normal(2, 0.1, 100_000)
    value[[5001, 50_003, 70_007]] = 99.0, -99.0, np.nan
    block = Block("loss", 0, np.arange(100_000), value, np.arange(100_000.0))
    for keep in (20_000, 5_000, 1_000):
        block = fewer(block, keep)
        assert 0.3 * keep < len(block) <= keep
        assert set(block.step.tolist()) >= {0, 5001, 50_003, 70_007, *range(99_900, 100_000)}
        assert block.time is not None and bool((np.diff(block.step) > 0).all())
        assert float(np.diff(block.step).max()) < 100_000 / keep * 12
    assert fewer(block, 5_000) is block


def test_the_library_call_has_limits(tmp_path: Path) -> None:
    (tmp_path / "m.jsonl").write_text("".join(LINES["metrics.jsonl"][1](i) for i in range(300)))
    assert len(analyze(tmp_path, limits=Limits(seconds=300)).runs) == 1


def test_records_between_long_pages_of_weights_make_a_text_a_log(tmp_path: Path) -> None:
    pages = "".join(f"2026-01-01 00:00:00,001 tool.weights INFO: part.{i}.w   loaded from {i}.w\n" for i in range(2000))
    rows = "".join(f"2026-01-01 00:10:00,001 tool.trainer INFO: iter: {20 * i}  loss: {loss(i)}\n" for i in range(600))
    (tmp_path / "log.txt").write_text(pages + rows + pages + pages)
    (run,) = read_runs([tmp_path], signals_file=signals_file()).runs
    found = run.series("loss")
    assert found is not None and len(found) == 600
