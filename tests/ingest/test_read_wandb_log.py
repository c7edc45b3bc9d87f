"""The reader of binary W&B logs: what each record becomes, and that damage costs records and never changes one."""

from __future__ import annotations

import io
import math
import os
import random
import struct
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wandb_writer import BLOCK, exit_record, field, frame, history, item, output

from curvedoc.core.run import Flag
from curvedoc.ingest.contract import Log
from curvedoc.ingest.wandb import reader as wandb_reader
from curvedoc.ingest.wandb.frames import records


def read(tmp: Path, data: bytes) -> Log:
    path = tmp / "run-abc.wandb"
    path.write_bytes(data)
    (log,) = wandb_reader.read([path])
    return log


def rows(log: Log) -> list[tuple[str, int | None, float]]:
    return list(zip(log.points["metric"], log.points["step"], log.points["value"], strict=True))


def kinds(log: Log) -> list[str]:
    return [n.kind for n in log.notes]


def test_history_becomes_points_with_step_and_clock_and_the_axes_are_no_metrics(tmp_path: Path) -> None:
    log = read(tmp_path, frame([history(0, 1.7e9, loss=2.5), history(10, 1.7e9 + 1, loss=1.5, lr=0.1), exit_record()]))
    assert rows(log) == [("loss", 0, 2.5), ("loss", 10, 1.5), ("lr", 10, 0.1)]
    assert log.points["time"].to_list() == [1.7e9, 1.7e9 + 1, 1.7e9 + 1]
    assert log.notes == () and log.clean_end is True and log.config == {"wandb.exit_code": 0}


def test_nan_infinity_null_booleans_and_quoted_numbers_keep_apart(tmp_path: Path) -> None:
    values = {"a": math.nan, "b": -math.inf, "c": None, "d": True, "e": "NaN", "f": "text", "g": 2**70}
    log = read(tmp_path, frame([history(1, **values), exit_record()]))
    got = {m: (v, f) for m, v, f in zip(log.points["metric"], log.points["value"], log.points["flags"], strict=True)}
    assert math.isnan(got["a"][0]) and got["a"][1] == 0
    assert got["b"] == (-math.inf, 0)
    assert math.isnan(got["c"][0]) and got["c"][1] == Flag.NULL
    assert got["d"] == (1.0, 0)
    assert math.isnan(got["e"][0]) and got["e"][1] == Flag.WAS_STRING
    assert "f" not in got
    assert got["g"] == (2.0**70, 0)


def test_nested_keys_join_with_dots_and_media_are_left_out(tmp_path: Path) -> None:
    items = [
        item(["val", "loss"], 0.5), item(["img", "_type"], "image-file"), item(["img", "width"], 32),
        item("deep", {"x": {"y": 1.0}, "s": "no"}), item("table", {"_type": "table-file", "nrows": 3}),
    ]  # fmt: skip
    log = read(tmp_path, frame([field(2, b"".join(field(1, i) for i in items) + field(2, field(1, 7)))]))
    assert rows(log) == [("val.loss", 7, 0.5), ("deep.x.y", 7, 1.0)]


def test_histograms_become_measures(tmp_path: Path) -> None:
    flat = [item(["w", "_type"], "histogram"), item(["w", "values"], [2, 0, 2]), item(["w", "bins"], [-3, -1, 1, 3])]
    packed = item("v", {"_type": "histogram", "values": [1, 1], "packedBins": {"min": 0.0, "size": 1.0, "count": 2}})
    log = read(tmp_path, frame([field(2, b"".join(field(1, i) for i in [*flat, packed]))]))
    got = {m: v for m, _, v in rows(log)}
    assert got["w@min"] == -3 and got["w@max"] == 3 and got["w@mean"] == 0 and got["w@std"] == 2
    assert got["v@mean"] == 1 and got["v@absmax"] == 2
    assert not any(name.endswith((".values", ".bins")) for name in got)


def test_define_metric_names_the_step_but_epochs_do_not_replace_it(tmp_path: Path) -> None:
    define = [
        field(12, field(2, "train/*") + field(4, "global_step")),
        field(12, field(1, "eval") + field(4, "epoch")),
    ]
    run = [history(i, **{"train/loss": 1.0 / (i + 1), "global_step": i * 100, "eval": 0.5, "epoch": i}) for i in (0, 1)]
    log = read(tmp_path, frame([*define, *run, exit_record()]))
    steps = {(m, i): s for i, (m, s, _) in enumerate(rows(log))}
    assert [s for (m, _), s in steps.items() if m == "train/loss"] == [0, 100]
    assert [s for (m, _), s in steps.items() if m == "global_step"] == [0, 100]
    assert [s for (m, _), s in steps.items() if m == "eval"] == [0, 1]


def test_settings_come_flat_and_later_records_change_or_remove_them(tmp_path: Path) -> None:
    first = b"".join(field(1, item(k, v)) for k, v in {"lr": 0.1, "opt": {"name": "sgd"}, "_wandb": {"x": 1}}.items())
    run = field(17, field(1, "id7") + field(3, "proj") + field(8, "calm-sea-1") + field(4, first))
    change = field(5, field(1, item("lr", 0.2)) + field(2, item(["opt", "name"], None)))
    log = read(tmp_path, frame([run, change, exit_record(3)]))
    assert log.config == {
        "wandb.run_id": "id7", "wandb.project": "proj", "wandb.name": "calm-sea-1", "lr": 0.2, "wandb.exit_code": 3,
    }  # fmt: skip


def test_system_metrics_take_the_last_step_before_them_and_their_own_clock(tmp_path: Path) -> None:
    def stats(at: int) -> bytes:
        return field(7, field(2, field(1, at)) + field(3, item("gpu.0.gpu", 97.0)))

    log = read(tmp_path, frame([stats(1_700_000_001), history(40, loss=1.0), stats(1_700_000_009)]))
    of = log.points.filter(log.points["metric"] == "system/gpu.0.gpu")
    assert of["step"].to_list() == [None, 40]
    assert of["time"].to_list() == [1_700_000_001.0, 1_700_000_009.0]


def test_console_output_becomes_lines_with_the_step_before_them_and_tracebacks_stay_whole(tmp_path: Path) -> None:
    trace = 'Traceback (most recent call last):\n  File "t.py", line 3, in f\n    g()\nValueError: bad\n'
    parts = ["\x1b[32mINFO\x1b[0m start", "ed\nbar 1\rbar 2\r\n", "WARNING: slow\n" + trace + "INFO bye"]
    log = read(tmp_path, frame([history(5, loss=1.0), *(output(p) for p in parts)]))
    got = list(zip(log.messages["level"], log.messages["step"], log.messages["text"], strict=True))
    assert got == [
        ("INFO", 5, "INFO started"), ("", 5, "bar 1"), ("", 5, "bar 2"), ("WARNING", 5, "WARNING: slow"),
        ("TRACEBACK", 5, trace.rstrip()), ("INFO", 5, "INFO bye"),
    ]  # fmt: skip
    assert log.is_text


def test_a_run_without_exit_record_says_so_and_nothing_worse(tmp_path: Path) -> None:
    log = read(tmp_path, frame([history(1, loss=1.0)]))
    assert kinds(log) == ["no-exit-record"] and log.clean_end is False and not log.is_text


def test_a_torn_tail_keeps_every_whole_record(tmp_path: Path) -> None:
    data = frame(history(i, loss=float(i)) for i in range(50))
    log = read(tmp_path, data[:-5])
    assert [v for _, _, v in rows(log)] == [float(i) for i in range(49)]
    assert kinds(log) == ["truncated", "no-exit-record"]
    assert log.notes[0].offset is not None and log.notes[0].offset < len(data) - 5


def test_records_larger_than_a_block_are_put_together(tmp_path: Path) -> None:
    big = field(2, field(1, item("note", "x" * 100_000)) + field(1, item("loss", 1.5)) + field(2, field(1, 3)))
    log = read(tmp_path, frame([history(1, loss=2.0), big, history(4, loss=1.0), exit_record()]))
    assert rows(log) == [("loss", 1, 2.0), ("loss", 3, 1.5), ("loss", 4, 1.0)] and log.notes == ()


def test_a_zeroed_block_costs_that_block_alone_and_a_zero_tail_is_told_apart(tmp_path: Path) -> None:
    data = frame([*(history(i, loss=float(i)) for i in range(4000)), exit_record()])
    hole = data[:BLOCK] + bytes(BLOCK) + data[2 * BLOCK :]
    log = read(tmp_path, hole)
    got = {s for _, s, _ in rows(log)}
    assert "damaged" in kinds(log) and log.clean_end is True
    assert 0 in got and 3999 in got and len(got) > 4000 - 2 * BLOCK // 50
    tail = read(tmp_path, data + bytes(100_000))
    assert kinds(tail) == ["zero-tail"] and len(rows(tail)) == 4000 and tail.notes[0].offset == len(data)


@pytest.mark.parametrize("name", ["inserted", "deleted", "head cut", "block of zeros cut out"])
def test_a_byte_more_or_less_costs_the_record_that_it_hit(tmp_path: Path, name: str) -> None:
    data = frame([*(history(i, loss=float(i)) for i in range(4000)), exit_record()])
    at = 5 * BLOCK + 1000
    broken = {
        "inserted": data[:at] + b"x" + data[at:],
        "deleted": data[:at] + data[at + 1 :],
        "head cut": data[at:],
        "block of zeros cut out": data[:at] + data[at + 4096 :],
    }[name]
    log = read(tmp_path, broken)
    expected = {"inserted": 3999, "deleted": 3999, "head cut": 1800}.get(name, 4000 - 55)
    assert abs(len(rows(log)) - expected) < 5
    assert "damaged" in kinds(log) and log.clean_end is True and {v for _, _, v in rows(log)} <= set(range(4000))


def test_garbage_full_of_headers_costs_no_more_than_its_size(tmp_path: Path) -> None:
    garbage = struct.pack("<IHB", 0, 32000, 1) * 600_000  # a header in every seventh byte, none of which holds
    begun = time.process_time()
    log = read(tmp_path, frame([history(1, loss=1.0)]) + garbage)
    assert time.process_time() - begun < 5 and [v for _, _, v in rows(log)] == [1.0]


def test_what_is_no_log_is_a_note(tmp_path: Path) -> None:
    assert kinds(read(tmp_path, b"")) == ["empty"]
    assert kinds(read(tmp_path, b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n")) == [
        "lfs-pointer"
    ]
    assert kinds(read(tmp_path, b"<!DOCTYPE html><html>sign in</html>")) == ["not-a-log"]
    assert "damaged" in kinds(read(tmp_path, random.Random(1).randbytes(70_000)))
    (gone,) = wandb_reader.read([tmp_path / "gone.wandb"])
    assert kinds(gone) == ["unreadable"] and gone.points.height == 0


def test_a_record_with_a_good_checksum_and_no_message_inside_is_dropped_alone(tmp_path: Path) -> None:
    log = read(tmp_path, frame([history(1, loss=1.0), b"\xff\xff\xff", field(2, b"\x0a\x7f"), history(2, loss=2.0)]))
    assert [s for _, s, _ in rows(log)] == [1, 2]
    assert [(n.kind, n.count) for n in log.notes] == [("damaged", 2), ("no-exit-record", 1)]


@settings(max_examples=60, deadline=None)
@given(cut=st.integers(0, 10**6), data=st.data())
def test_a_prefix_of_a_log_gives_a_prefix_of_its_points_and_a_flipped_bit_changes_none(
    tmp_path_factory: pytest.TempPathFactory, cut: int, data: st.DataObject
) -> None:
    tmp = tmp_path_factory.mktemp("w")
    whole = frame([*(history(i, loss=i / 7, lr=0.1) for i in range(500)), exit_record()])
    full = rows(read(tmp, whole))
    part = rows(read(tmp, whole[: cut % len(whole)]))
    assert part == full[: len(part)]
    at = data.draw(st.integers(7, len(whole) - 1))
    broken = bytearray(whole)
    broken[at] ^= 1 << data.draw(st.integers(0, 7))
    hurt = read(tmp, bytes(broken))
    assert set(rows(hurt)) <= set(full)
    assert len(rows(hurt)) == len(full) or set(kinds(hurt)) & {"damaged", "bad-checksum", "truncated"}


@settings(max_examples=60, deadline=None)
@given(payload=st.lists(st.binary(max_size=60), max_size=6))
def test_hostile_records_never_raise(tmp_path_factory: pytest.TempPathFactory, payload: list[bytes]) -> None:
    tags = [2, 5, 7, 12, 13, 17, 18]
    records = [field(tags[i % len(tags)], field(1 + i % 3, p)) for i, p in enumerate(payload)]
    log = read(tmp_path_factory.mktemp("w"), frame([*payload, *records]))
    assert log.format == "wandb"


def test_lone_surrogates_in_names_and_settings_are_replaced(tmp_path: Path) -> None:
    run = field(17, field(4, field(1, field(1, "note") + field(16, '{"\\ud800": "\\udfff"}'))))
    bad = field(2, field(1, field(1, "deep") + field(16, '{"\\ud800": 1.5}')) + field(2, field(1, 1)))
    log = read(tmp_path, frame([run, bad, exit_record()]))
    assert rows(log) == [("deep.?", 1, 1.5)] and log.config["note.?"] == "?"


def test_claims_by_name_and_by_magic() -> None:
    assert wandb_reader.claims(Path("run-1.wandb"), b"")
    assert wandb_reader.claims(Path("x"), b":W&B" + struct.pack("<HB", 0xBEE1, 0))
    assert not wandb_reader.claims(Path("x.log"), b"hello")


def test_corpus_logs_are_read_whole() -> None:
    corpus = Path(os.environ.get("CURVEDOC_CORPUS", Path(__file__).parents[3] / "shared" / "corpus"))
    paths = sorted(corpus.glob("**/*.wandb"))
    if not paths:
        pytest.skip("no corpus here: set CURVEDOC_CORPUS")
    for log in wandb_reader.read(paths):
        assert log.points.height and log.clean_end and not log.notes and log.config["wandb.run_id"]


def found(data: bytes) -> list[bytes]:
    return [body for _, body in records(io.BytesIO(data).read, lambda cause, at: None)]


def test_every_flipped_bit_costs_one_record_and_so_does_every_stretch_that_is_cut_out() -> None:
    whole = [history(i, loss=float(i)) for i in range(24)]
    data, size = frame(whole), len(frame(whole[:2])) - len(frame(whole[:1]))
    for at in range(7, len(data)):
        for bit in range(8):
            flipped = data[:at] + bytes([data[at] ^ 1 << bit]) + data[at + 1 :]
            assert len(found(flipped)) >= len(whole) - 1, (at, bit)
    for at in range(len(data) - size):  # as long as a record: what is left of one ends where a later one does
        assert len(found(data[:at] + data[at + size :])) >= len(whole) - 2, at
    for n in range(1, 4):
        assert found(data[:4] + data[4 + n :]) == whole
