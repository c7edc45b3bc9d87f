"""The TensorBoard reader: what it keeps, what it drops, and that damage never changes a value."""

from __future__ import annotations

import gzip
import math
import os
import random
import struct
import subprocess
import sys
import tracemalloc
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import naive_tensorboard as naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tensorboard.compat.proto.event_pb2 import Event

from curvedoc.core.run import Flag
from curvedoc.ingest.contract import Log
from curvedoc.ingest.tensorboard import reader as tensorboard_reader

tensorboardX = pytest.importorskip("tensorboardX")

NAME = "events.out.tfevents.1700000000.host.1.0"


def read(folder: Path, data: bytes, name: str = NAME) -> Log:
    path = folder / name
    path.write_bytes(data)
    (log,) = tensorboard_reader.read([path])
    return log


def rows(log: Log) -> list[tuple[str, int, float]]:
    return list(zip(log.points["metric"], log.points["step"], log.points["value"], strict=True))


def by_metric(rows: Sequence[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Rows in file order as a log has them: one metric after the other, in order of first appearance."""
    names = list(dict.fromkeys(row[0] for row in rows))
    return sorted(rows, key=lambda row: names.index(row[0]))


def kinds(log: Log) -> list[str]:
    return [n.kind for n in log.notes]


@cache
def a_run(steps: int = 100) -> bytes:
    """Three tags of different lengths, wall times and values without a pattern."""
    r = random.Random(7)
    out = [naive.version()]
    for step in range(steps):
        for tag in ("train/loss", "lr", "train/grad_norm"):
            out.append(naive.scalar(tag, r.random(), step, 1.7e9 + step + r.random()))
    return b"".join(out)


# ---- what is kept


def test_scalars_come_out_metric_by_metric_with_raw_tags_steps_and_wall_times(tmp_path: Path) -> None:
    with tensorboardX.SummaryWriter(str(tmp_path)) as w:
        for step in range(50):
            w.add_scalar("train/loss", 2.0 / (step + 1), step, walltime=1000.0 + step)
            w.add_scalar("lr", 0.25, step, walltime=1000.5 + step)
    (path,) = tmp_path.glob("*tfevents*")
    (log,) = tensorboard_reader.read([path])
    assert log.notes == ()
    assert log.points["metric"].to_list() == ["train/loss"] * 50 + ["lr"] * 50
    assert log.points["step"].to_list() == [*range(50), *range(50)]
    assert log.points["value"].to_list()[:3] == [2.0, 1.0, pytest.approx(2 / 3)]
    assert log.points["time"].to_list()[49:51] == [1049.0, 1000.5]
    assert log.bytes == path.stat().st_size


TENSORS = [(1, "<f4"), (2, "<f8"), (3, "<i4"), (4, "u1"), (5, "<i2"), (6, "i1"), (9, "<i8"), (10, "?"), (19, "<f2")]


def _fill(event: Event, kind: int, tag: str, number: float) -> None:
    value = event.summary.value.add(tag=tag)
    if kind == 0:
        value.simple_value = number
        return
    if kind == 1:
        value.tensor.dtype = 1
        value.tensor.float_val.append(number)
    elif kind == 2:
        value.tensor.dtype = 2
        value.tensor.tensor_shape.dim.add(size=1)
        value.tensor.double_val.append(number)
    elif kind == 3:
        value.metadata.plugin_data.plugin_name = "scalars"
        value.tensor.dtype = 1
        value.tensor.tensor_shape.SetInParent()
        value.tensor.tensor_content = struct.pack("<f", number)
    else:
        dtype, layout = TENSORS[kind % len(TENSORS)]
        value.tensor.dtype = dtype
        with np.errstate(all="ignore"):
            content = np.array(number if layout[-1] in "248" or "f" in layout else abs(number) > 1).astype(layout)
        value.tensor.tensor_content = content.tobytes()


@settings(max_examples=50, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    shapes=st.lists(
        st.tuples(st.lists(st.integers(0, 13), min_size=1, max_size=3), st.integers(0, 40), st.integers(1, 30)),
        min_size=1,
        max_size=5,
    ),
    walls=st.sampled_from([1.7e9, 12.5, 1e-300]),
    big=st.booleans(),
)
def test_every_encoding_of_a_scalar_gives_what_the_protobuf_library_gives(
    tmp_path_factory: pytest.TempPathFactory,
    seed: int,
    shapes: list[tuple[list[int], int, int]],
    walls: float,
    big: bool,
) -> None:
    r = random.Random(seed)
    records = [naive.version()]
    for values, pad, repeat in shapes:
        for _ in range(repeat):
            event = Event(wall_time=walls + r.random())
            event.step = r.choice([0, 1, 127, 128, 300, 2**31, 2**62, -1, -(2**63)] if big else range(1, 120))
            for k, kind in enumerate(values):
                number = r.choice([r.gauss(0, 3), math.nan, math.inf, -math.inf, 0.0]) if kind < 4 else r.gauss(0, 3)
                _fill(event, kind, r.choice("abcé") + "x" * pad + str(k), number)
            records.append(naive.record(event.SerializeToString()))
    r.shuffle(records)
    folder = tmp_path_factory.mktemp("tb")
    log = read(folder, b"".join(records))
    want = by_metric(naive.rows(folder / NAME))
    got = list(zip(rows(log), log.points["time"], strict=True))
    assert len(got) == len(want) and log.notes == ()
    for ((tag, step, value), time), expected in zip(got, want, strict=True):
        assert (tag, step, time) == (expected[0], expected[1], expected[3]) and naive.same(value, expected[2])


def test_inf_of_a_narrow_type_is_flagged_and_inf_of_a_double_is_not(tmp_path: Path) -> None:
    records = []
    for step in range(10):
        event = Event(wall_time=1.0, step=step)
        _fill(event, 0, "a", math.inf if step % 2 else 1.0)
        _fill(event, 2, "b", math.inf)
        records.append(naive.record(event.SerializeToString()))
    log = read(tmp_path, b"".join(records))
    flags = dict(zip(rows(log), log.points["flags"], strict=True))
    assert flags[("a", 1, math.inf)] == Flag.F32_INF and flags[("a", 2, 1.0)] == 0 and flags[("b", 1, math.inf)] == 0


@pytest.mark.parametrize("count", [3, 40])
def test_wall_times_that_are_none_become_null_with_one_note(tmp_path: Path, count: int) -> None:
    walls = [1.7e9, 0.0, math.nan, -5.0, 1.7e12]
    log = read(tmp_path, b"".join(naive.scalar("a", 1.0, i, walls[i % 5]) for i in range(5 * count)))
    assert log.points["time"].null_count() == 4 * count and log.points["time"][0] == 1.7e9
    assert [(n.kind, n.count) for n in log.notes] == [("bad-time", 4 * count)]
    assert log.notes[0].offset == len(naive.scalar("a", 1.0, 0, 1.7e9))


def test_histograms_become_series_of_their_measures(tmp_path: Path) -> None:
    values = np.concatenate([np.zeros(50), np.linspace(-1, 3, 50)])
    with tensorboardX.SummaryWriter(str(tmp_path)) as w:
        for step in range(12):
            w.add_histogram("w", values, step)
    (path,) = tmp_path.glob("*tfevents*")
    (log,) = tensorboard_reader.read([path])
    got = {tag: value for tag, step, value in rows(log) if step == 11}
    assert got["w@min"] == -1 and got["w@max"] == 3 and got["w@absmax"] == 3
    assert got["w@mean"] == pytest.approx(values.mean()) and got["w@std"] == pytest.approx(values.std())
    assert got["w@zero_frac"] == pytest.approx(0.5)
    assert log.points.height == 12 * 6


def test_tensor_histograms_are_read_also_where_later_records_leave_the_plugin_out(tmp_path: Path) -> None:
    records = []
    for step in range(3):
        event = Event(wall_time=1.0, step=step)
        value = event.summary.value.add(tag="h")
        if step == 0:
            value.metadata.plugin_data.plugin_name = "histograms"
        value.tensor.dtype = 2
        for size in (2, 3):
            value.tensor.tensor_shape.dim.add(size=size)
        value.tensor.double_val.extend([1.0, 2.0, 3.0, 2.0, 3.0, 1.0])
        records.append(naive.record(event.SerializeToString()))
    log = read(tmp_path, b"".join(records))
    got = {(tag, step): value for tag, step, value in rows(log)}
    assert got[("h@mean", 2)] == 1.75 and got[("h@zero_frac", 2)] == 0.0 and got[("h@max", 0)] == 3.0


def test_text_that_holds_settings_becomes_config_and_other_text_a_message(tmp_path: Path) -> None:
    with tensorboardX.SummaryWriter(str(tmp_path)) as w:
        w.add_text("args", '{"lr": 0.1, "model": {"depth": 4}}', 0)
        w.add_text("hyperparameters", "|param|value|\n|-|-|\n|seed|3|\n|lr|0.2|", 0)
        w.add_text("note", "a sample of the output", 7)
        w.add_scalar("loss", 1.0, 1)
    (path,) = tmp_path.glob("*tfevents*")
    (log,) = tensorboard_reader.read([path])
    assert log.config == {"lr": 0.1, "model.depth": 4, "seed": 3, "hyperparameters.lr": 0.2}
    assert log.messages["text"].to_list() == ["a sample of the output"] and log.messages["step"].to_list() == [7]


def test_hyper_parameters_become_config_and_results_of_the_whole_run_no_curves(tmp_path: Path) -> None:
    with tensorboardX.SummaryWriter(str(tmp_path)) as w:
        w.add_hparams({"lr": 0.1, "layers": 4, "amp": True, "opt": "sgd"}, {"hparam/accuracy": 0.9, "best": 0.5})
    (path,) = (p for p in tmp_path.rglob("*tfevents*") if b"_hparams_" in p.read_bytes())
    (log,) = tensorboard_reader.read([path])
    assert log.config == {"lr": 0.1, "layers": 4, "amp": True, "opt": "sgd"}
    assert log.points.height == 0 and log.clean_end is True and log.notes == ()


def test_images_and_other_media_between_scalars_are_skipped_with_a_note(tmp_path: Path) -> None:
    pytest.importorskip("PIL")
    with tensorboardX.SummaryWriter(str(tmp_path)) as w:
        for step in range(20):
            w.add_scalar("loss", step, step)
            w.add_image("img", np.zeros((3, 40, 40), np.uint8), step)
    (path,) = tmp_path.glob("*tfevents*")
    (log,) = tensorboard_reader.read([path])
    assert log.points["value"].to_list() == list(range(20))
    assert set(kinds(log)) <= {"skipped"}


def test_strange_tags_stay_apart_and_are_valid_text(tmp_path: Path) -> None:
    tags = ["", "a\nb", "/../x", "x" * 10_000, "é"]
    raw = naive.record(
        Event(wall_time=1.0, step=1).SerializeToString() + b"\x2a\x0b\x0a\x09\x0a\x02\xff\xfe\x15\0\0\x80?"
    )
    log = read(tmp_path, b"".join(naive.scalar(t, 1.0, s) for s in range(9) for t in tags) + raw * 9)
    assert set(log.points["metric"]) == {*tags, "\\xff\\xfe"} or kinds(log) == ["damaged"]
    assert log.points.height >= 45


def test_thousands_of_tags_of_one_length_are_told_apart(tmp_path: Path) -> None:
    r = random.Random(3)
    logged = [(f"layer/{i:06d}/norm", step, r.random()) for step in range(2) for i in range(3000)]
    log = read(tmp_path, b"".join(naive.scalar(t, v, s) for t, s, v in logged))
    want = sorted(logged, key=lambda row: row[:2])
    assert [(t, s) for t, s, _ in rows(log)] == [(t, s) for t, s, _ in want]
    assert np.allclose(log.points["value"].to_numpy(), [v for _, _, v in want], rtol=1e-6)


# ---- many files, any buffer size


def test_files_read_together_give_what_each_gives_alone(tmp_path: Path) -> None:
    whole = a_run(20)
    contents = [whole, whole[:-9], b"", naive.version(), whole[40:], whole[:700] + bytes(300), b"\x01", whole]
    paths = []
    for i, data in enumerate(contents):
        paths.append(tmp_path / f"{i}.{NAME}")
        paths[-1].write_bytes(data)
    for together, path in zip(tensorboard_reader.read(paths), paths, strict=True):
        (alone,) = tensorboard_reader.read([path])
        assert together.points.equals(alone.points) and together.notes == alone.notes


@settings(max_examples=30, deadline=None)
@given(chunk=st.integers(300, 6000), damage=st.integers(0, 5), at=st.integers(0, 10**6))
def test_the_size_of_the_buffer_changes_nothing(
    tmp_path_factory: pytest.TempPathFactory, chunk: int, damage: int, at: int
) -> None:
    data = a_run(40) + naive.scalar("t" * 5000, 1.0, 3) + a_run(5)
    at %= len(data)
    damaged = [
        data,
        data[:at],
        data[:at] + bytes(600) + data[at + 600 :],
        data[:at] + data[at + 600 :],
        data[:at] + random.Random(at).randbytes(900) + data[at:],
        data + bytes(3000),
    ][damage]
    folder = tmp_path_factory.mktemp("tb")
    want = read(folder, damaged)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tensorboard_reader, "CHUNK", chunk)
        got = read(folder, damaged)
    assert got.points.equals(want.points)
    assert [(n.kind, n.offset) for n in got.notes] == [(n.kind, n.offset) for n in want.notes]


def test_a_record_beyond_the_limit_is_skipped_and_reading_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tensorboard_reader, "CHUNK", 1000)
    monkeypatch.setattr(tensorboard_reader, "MAX_RECORD", 10_000)
    data = naive.scalar("a", 1.0, 1) + naive.scalar("b" * 20_000, 1.0, 2) + naive.scalar("c", 3.0, 3)
    log = read(tmp_path, data)
    assert rows(log) == [("a", 1, 1.0), ("c", 3, 3.0)] and kinds(log) == ["skipped"]


def test_a_claimed_length_is_never_allocated(tmp_path: Path) -> None:
    size = struct.pack("<Q", 1 << 40)
    claim = size + naive.masked(size)
    tracemalloc.start()
    log = read(tmp_path, a_run(50) + claim + b"x" * 1000)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert log.points.height == 150 and kinds(log) == ["truncated"] and peak < 64 << 20


# ---- damage


def test_a_file_cut_inside_a_record_keeps_the_rest_and_says_where(tmp_path: Path) -> None:
    data = a_run()
    for cut in (1, 5, 15, 30):
        log = read(tmp_path, data[:-cut])
        assert log.points.height == 299 and kinds(log) == ["truncated"]
        assert log.notes[0].offset == len(data) - len(naive.scalar("train/grad_norm", 0.5, 99))


@settings(max_examples=60, deadline=None)
@given(cut=st.integers(0, 10**6))
def test_a_prefix_of_a_file_gives_a_prefix_of_its_points(tmp_path_factory: pytest.TempPathFactory, cut: int) -> None:
    folder = tmp_path_factory.mktemp("tb")
    data = a_run()
    full = rows(read(folder, data))
    log = read(folder, data[: cut % len(data)])
    in_file = sorted(full, key=lambda row: row[1])  # every step has the same metrics in the same order
    assert rows(log) == by_metric(in_file[: log.points.height])
    assert set(kinds(log)) <= {"truncated", "empty", "no-scalars"}


@settings(max_examples=60, deadline=None)
@given(flips=st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 7)), min_size=1, max_size=3))
def test_flipped_bits_never_change_a_value_and_are_always_told(
    tmp_path_factory: pytest.TempPathFactory, flips: list[tuple[int, int]]
) -> None:
    folder = tmp_path_factory.mktemp("tb")
    data = a_run()
    full = rows(read(folder, data))
    broken = bytearray(data)
    for at, bit in flips:
        broken[at % len(data)] ^= 1 << bit
    log = read(folder, bytes(broken))
    lost = len(full) - log.points.height
    assert set(rows(log)) <= set(full) and lost <= 2 * len(flips)
    assert not lost or set(kinds(log)) & {"damaged", "bad-checksum", "truncated"}


@settings(max_examples=60, deadline=None)
@given(at=st.integers(0, 10**6), size=st.integers(1, 3000), how=st.sampled_from(["cut", "zero", "insert"]))
def test_a_lost_block_costs_no_more_than_the_records_it_touches(
    tmp_path_factory: pytest.TempPathFactory, at: int, size: int, how: str
) -> None:
    folder = tmp_path_factory.mktemp("tb")
    data = a_run()
    full = rows(read(folder, data))
    at %= len(data)
    size = min(size, len(data) - at)
    middle = {"cut": b"", "zero": bytes(size), "insert": random.Random(at).randbytes(size) + data[at : at + size]}[how]
    log = read(folder, data[:at] + middle + data[at + size :])
    touched = 3 if how == "insert" else size // 40 + 3
    assert set(rows(log)) <= set(full) and log.points.height >= len(full) - touched


def test_a_zero_tail_is_told_apart_from_damage(tmp_path: Path) -> None:
    data = a_run()
    log = read(tmp_path, data + bytes(100_000))
    assert [(n.kind, n.offset) for n in log.notes] == [("zero-tail", len(data))] and log.points.height == 300
    torn = read(tmp_path, data[:-20] + bytes(100_000))
    assert set(kinds(torn)) == {"truncated", "zero-tail"} and torn.points.height == 299


def test_a_second_writer_behind_a_torn_record_is_read_whole(tmp_path: Path) -> None:
    first, second = a_run(30), a_run(10)
    log = read(tmp_path, first[:-25] + second)
    assert log.points.height == 89 + 30 and kinds(log) == ["damaged"]
    whole = rows(read(tmp_path, second))
    for tag, before in (("train/loss", 30), ("lr", 30), ("train/grad_norm", 29)):  # the torn record is the last one
        mine = [row for row in rows(log) if row[0] == tag]
        assert mine[before:] == [row for row in whole if row[0] == tag]


def test_a_valid_record_without_a_valid_event_is_dropped_alone(tmp_path: Path) -> None:
    bad = naive.record(b"\x09" + b"\xff" * 30)
    log = read(tmp_path, a_run(5) + bad * 12 + a_run(5))
    assert log.points.height == 30 and [(n.kind, n.count) for n in log.notes] == [("damaged", 12)]


def test_line_ends_converted_by_a_text_mode_copy_are_turned_back(tmp_path: Path) -> None:
    data = b"".join(naive.scalar("a\n", 1.0 + i, 10 + i) for i in range(60))
    log = read(tmp_path, data.replace(b"\n", b"\r\n"))
    assert rows(log) == [("a\n", 10 + i, 1.0 + i) for i in range(60)]
    assert kinds(log) == ["damaged"] and "CRLF" in log.notes[0].text


def test_what_is_no_event_file_is_a_note(tmp_path: Path) -> None:
    assert kinds(read(tmp_path, b"")) == ["empty"]
    assert kinds(read(tmp_path, b"\x18\0\0\0\0\0\0")) == ["truncated"]
    assert kinds(read(tmp_path, naive.version())) == ["no-scalars"]
    assert kinds(read(tmp_path, b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n")) == [
        "lfs-pointer"
    ]
    assert kinds(read(tmp_path, b"<!DOCTYPE html><html>sign in</html>")) == ["not-a-log"]
    assert kinds(read(tmp_path, random.Random(1).randbytes(70_000))) == ["not-a-log"]
    assert kinds(tensorboard_reader.read([tmp_path / "gone.tfevents"])[0]) == ["unreadable"]
    assert kinds(tensorboard_reader.read([tmp_path])[0]) == ["unreadable"]


def test_a_compressed_file_is_read_also_when_its_archive_is_torn(tmp_path: Path) -> None:
    data = a_run()
    packed = gzip.compress(data, mtime=0)
    assert rows(read(tmp_path, packed, NAME + ".gz")) == rows(read(tmp_path, data))
    torn = read(tmp_path, packed[: len(packed) // 2], NAME + ".gz")
    assert 0 < torn.points.height < 300 and "truncated" in kinds(torn)


@settings(max_examples=60, deadline=None)
@given(bodies=st.lists(st.binary(max_size=80), max_size=12), repeat=st.integers(1, 10))
def test_hostile_records_never_raise(
    tmp_path_factory: pytest.TempPathFactory, bodies: list[bytes], repeat: int
) -> None:
    data = b"".join(naive.record(b) for b in bodies) * repeat
    log = read(tmp_path_factory.mktemp("tb"), data + b"".join(bodies))
    assert log.format == "tensorboard"


def test_nested_headers_do_not_make_reading_quadratic(tmp_path: Path) -> None:
    inner = b"".join(naive.record(bytes(8))[:12] for _ in range(2000))
    size = struct.pack("<Q", len(inner))
    log = read(tmp_path, (size + naive.masked(size) + inner) * 20)
    assert log.points.height == 0 and log.notes


def test_claims_by_name_and_by_the_first_header() -> None:
    assert tensorboard_reader.claims(Path(NAME), b"")
    assert not tensorboard_reader.claims(Path(NAME + ".profile-empty"), a_run(1))
    assert tensorboard_reader.claims(Path("copy.bin"), a_run(1))
    assert not tensorboard_reader.claims(Path("train.log"), b"step 1 loss 2.0\n")


def test_corpus_files_give_what_tensorboards_own_loader_gives() -> None:
    from tensorboard.backend.event_processing.event_file_loader import LegacyEventFileLoader

    corpus = Path(os.environ.get("CURVEDOC_CORPUS", Path(__file__).parents[3] / "shared" / "corpus"))
    paths = sorted(corpus.glob("**/*tfevents*"))
    if not paths:
        pytest.skip("no corpus here: set CURVEDOC_CORPUS")
    paths.sort(key=lambda p: p.stat().st_size)
    for log in tensorboard_reader.read(paths[:20]):
        events = LegacyEventFileLoader(str(log.path)).Load()
        assert log.points.height == sum(len(e.summary.value) for e in events)


def test_the_placeholder_that_lightning_logs_for_hyper_parameters_is_no_curve(tmp_path: Path) -> None:
    loss = naive.scalar("loss", 2.0, 1)
    assert rows(read(tmp_path, naive.scalar("hp_metric", -1.0, 0) + loss)) == [("loss", 1, 2.0)]
    assert len(rows(read(tmp_path, naive.scalar("hp_metric", 0.5, 0) + loss))) == 2


def test_plain_scalars_are_read_where_tensorboard_cannot_be_imported(tmp_path: Path) -> None:
    writer = pytest.importorskip("tensorboardX").SummaryWriter(str(tmp_path / "runs"))
    for i in range(100):
        writer.add_scalar("loss", 2.3 * 0.99**i, i)
    writer.add_text("note", "a text")
    writer.close()
    code = (
        "import sys\n"
        "class Absent:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name.split('.')[0] in ('tensorboard', 'google'): raise ModuleNotFoundError(name)\n"
        "sys.meta_path.insert(0, Absent())\n"
        "import curvedoc\n"
        f"(run,) = curvedoc.analyze({str(tmp_path / 'runs')!r}).runs\n"
        "assert run.signals[0].points == 100 and run.verdict == 'healthy', run\n"
        "assert any('tensorboard' in n.text for s in run.sources for n in s.notes)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)
