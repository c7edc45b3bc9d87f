"""Writers: rows of a run -> files as common loggers leave them.

Clocks are invented (a start and a time a step), so that a sample can be made again byte for byte.
"""

from __future__ import annotations

import csv
import json
import struct
import zlib
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

Row = dict[str, Any]
BLOCK = 32768


def clock(start: float, step: int, pace: float) -> float:
    """Seconds since the Unix epoch at a step; every step takes `pace`, give or take a fifth."""
    return round(start + pace * (step + 0.2 * ((step * 2654435761) % 97) / 97), 3)


def config_yaml(path: Path, config: Row) -> None:
    """A flat YAML configuration."""
    path.write_text("".join(f"{k}: {json.dumps(v)}\n" for k, v in config.items()))


def jsonl(path: Path, rows: Iterable[Row]) -> None:
    """One object a line; NaN as Python's json spells it."""
    path.write_text("".join(json.dumps(r) + "\n" for r in rows))


def table(path: Path, columns: Sequence[str], rows: Iterable[Row]) -> None:
    """CSV with empty cells where a row has no value."""
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, columns, restval="", extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows({k: "" if v is None else v for k, v in r.items()} for r in rows)


def tensorboard(folder: Path, rows: Iterable[Row], start: float, pace: float) -> None:
    """An event file of simple scalars, framed by TensorBoard's own writer. Row keys besides step are tags."""
    from tensorboard.compat.proto.event_pb2 import Event
    from tensorboard.compat.proto.summary_pb2 import Summary
    from tensorboard.summary.writer.record_writer import RecordWriter

    path = folder / f"events.out.tfevents.{int(start)}.node-a.3117.0"
    with path.open("wb") as file:
        writer = RecordWriter(file)
        writer.write(Event(wall_time=start, file_version="brain.Event:2").SerializeToString())
        for row in rows:
            for tag, value in row.items():
                if tag == "step" or value is None:
                    continue
                summary = Summary(value=[Summary.Value(tag=tag, simple_value=value)])
                event = Event(wall_time=clock(start, row["step"], pace), step=row["step"], summary=summary)
                writer.write(event.SerializeToString())
        writer.flush()


def hf_state(path: Path, history: list[Row], max_steps: int, epochs: int) -> None:
    """trainer_state.json of the Hugging Face Trainer."""
    state = {
        "best_metric": None,
        "epoch": float(epochs),
        "global_step": max_steps,
        "is_local_process_zero": True,
        "is_world_process_zero": True,
        "log_history": history,
        "logging_steps": 10,
        "max_steps": max_steps,
        "num_train_epochs": epochs,
        "save_steps": 500,
    }
    path.write_text(json.dumps(state, indent=2))


def loguru(path: Path, lines: Iterable[tuple[float, str, str, str]]) -> None:
    """Lines of (time, level, place, text) as loguru writes them to a file."""
    out = []
    for time, level, place, text in lines:
        stamp = datetime.fromtimestamp(time, UTC).strftime("%Y-%m-%d %H:%M:%S.%f")[:-3]
        out.append(f"{stamp} | {level:<8} | {place} - {text}\n")
    path.write_text("".join(out))


def stamp(start: float, seconds: float) -> str:
    """A date and time for print lines."""
    return (datetime.fromtimestamp(start, UTC) + timedelta(seconds=seconds)).strftime("%Y-%m-%d %H:%M:%S")


def _varint(n: int) -> bytes:
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    return bytes([*out, n])


def _field(number: int, value: int | bytes | str) -> bytes:
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value)
    raw = value.encode() if isinstance(value, str) else value
    return _varint(number << 3 | 2) + _varint(len(raw)) + raw


def _item(key: str, value: object) -> bytes:
    return _field(1, key) + _field(16, json.dumps(value))


def wandb_offline(path: Path, config: Row, rows: Iterable[Row], start: float, pace: float) -> None:
    """A run-*.wandb log: run record with its configuration, history records, exit record, in LevelDB's framing."""
    update = b"".join(_field(1, _item(k, v)) for k, v in config.items())
    records = [_field(17, _field(1, "k3v9x2qa") + _field(3, "toy") + _field(4, update))]
    for row in rows:
        values = {**row, "_step": row["step"], "_timestamp": clock(start, row["step"], pace)}
        items = b"".join(_field(1, _item(k, v)) for k, v in values.items() if v is not None and k != "step")
        records.append(_field(2, items + _field(2, _field(1, row["step"]))))
    records.append(_field(18, b""))
    out = bytearray(b":W&B" + struct.pack("<HB", 0xBEE1, 0))
    for data in records:
        first = True
        while True:
            room = BLOCK - len(out) % BLOCK
            if room < 7:
                out += bytes(room)
                continue
            part, data = data[: room - 7], data[room - 7 :]
            kind = (1 if not data else 2) if first else (4 if not data else 3)
            out += struct.pack("<IHB", zlib.crc32(bytes([kind]) + part), len(part), kind) + part
            first = False
            if not data:
                break
    path.write_bytes(out)
