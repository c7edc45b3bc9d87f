"""The curves of runs in the formats that other tools read: parquet, CSV, JSON lines, TensorBoard."""

from __future__ import annotations

import io
import math
import struct
from collections.abc import Sequence

import polars as pl

from curvedoc.core.run import Run
from curvedoc.ingest.tensorboard.checksum import crc32c, mask


def points_frame(runs: Sequence[Run]) -> pl.DataFrame:
    """The points of all runs, `Run.points` behind a column `run`, with a column `role` ("" for a metric of none)."""
    parts = []
    for run in runs:
        roles = {m.metric: m.role for m in reversed(run.roles)}
        role = pl.col("metric").replace_strict(roles, default="", return_dtype=pl.String).alias("role")
        parts.append(run.points.select(pl.lit(run.name).alias("run"), role, pl.all()))
    return pl.concat(parts) if parts else pl.DataFrame()


def to_parquet(runs: Sequence[Run]) -> bytes:
    """The points of all runs as one parquet file."""
    out = io.BytesIO()
    points_frame(runs).write_parquet(out, compression="zstd")
    return out.getvalue()


def to_csv(runs: Sequence[Run]) -> bytes:
    """The points of all runs as CSV; NaN and inf are spelled so, what is unknown is blank.

    A name that a spreadsheet would run as a formula gets an apostrophe in front: it comes from a log.
    """
    frame = points_frame(runs)
    harmless = pl.col("run", "metric").str.replace(r"^([=+\-@\t\r])", "'$1")
    return (frame.with_columns(harmless) if len(frame) else frame).write_csv().encode()


def to_jsonl(runs: Sequence[Run]) -> bytes:
    """The points of all runs, one JSON object a line; a value that JSON cannot spell is the text NaN, inf or -inf."""
    frame = points_frame(runs)
    odd = frame.filter(~pl.col("value").is_finite()).height
    if odd:
        value = pl.when(pl.col("value").is_finite()).then(pl.col("value").cast(pl.String))
        frame = frame.with_columns(value.otherwise(pl.col("value").cast(pl.String)).alias("value"))
    return frame.write_ndjson().encode()


def to_events(run: Run) -> bytes:
    """One run as a TensorBoard event file; superseded points are left out, of several ranks each tag says its own."""
    parts = [_record(_version(_first_time(run)))]
    for b in run.blocks:
        tag = (b.metric if not b.rank else f"{b.metric}/rank{b.rank}").encode()
        for i in range(len(b.value)):
            if b.superseded is not None and bool(b.superseded[i]):
                continue
            time = 0.0 if b.time is None or math.isnan(b.time[i]) else float(b.time[i])
            parts.append(_record(_scalar(tag, int(b.step[i]), float(b.value[i]), time)))
    return b"".join(parts)


def _first_time(run: Run) -> float:
    known = run.points["time"].drop_nulls()
    return float(known.min()) if len(known) else 0.0  # type: ignore[arg-type]


def _version(time: float) -> bytes:
    return b"\x09" + struct.pack("<d", time) + _field(3, b"brain.Event:2")


def _scalar(tag: bytes, step: int, value: float, time: float) -> bytes:
    """An Event with one Summary.Value: time, step, and tag with simple_value."""
    one = _field(1, tag) + b"\x15" + struct.pack("<f", _float32(value))
    return b"\x09" + struct.pack("<d", time) + b"\x10" + _varint(step) + _field(5, _field(1, one))


def _float32(value: float) -> float:
    """What the format can hold: a double past its range is infinite in it."""
    try:
        struct.pack("<f", value)
    except OverflowError:
        return math.copysign(math.inf, value)
    return value


def _field(number: int, data: bytes) -> bytes:
    return bytes([number << 3 | 2]) + _varint(len(data)) + data


def _varint(value: int) -> bytes:
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def _record(data: bytes) -> bytes:
    size = struct.pack("<Q", len(data))
    return size + struct.pack("<I", mask(crc32c(size))) + data + struct.pack("<I", mask(crc32c(data)))
