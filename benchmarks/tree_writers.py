"""Trees of runs to measure on: event files, JSON lines, CSV; event files written in bulk, a million points a second."""

from __future__ import annotations

import csv
import io
import json
import struct
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from curvedoc.ingest.tensorboard.checksum import crc32c, mask

TAGS = (
    "train/loss", "train/grad_norm", "train/lr", "val/loss", "train/accuracy", "val/accuracy", "perf/tokens_per_sec",
    "gpu/memory", "train/param_norm", "data/queue_depth",
)  # fmt: skip
Bytes = NDArray[np.uint8]
_TABLE = np.array([crc32c(bytes([i])) for i in range(256)], dtype=np.uint32)


def curves(seed: int, metrics: int, points: int) -> dict[str, NDArray[np.float64]]:
    """Metrics of one run: healthy, or in every fifth NaN from the middle on, or in every fifth a divergence."""
    r = np.random.default_rng(seed)
    at = np.linspace(0, 1, points)
    loss = 2.3 * np.exp(-4 * at) + 0.3 + 0.03 * r.standard_normal(points)
    if seed % 5 == 0:
        loss[points // 2 :] = np.nan
    elif seed % 5 == 1:
        loss[points // 2 :] *= np.exp(np.linspace(0, 6, points - points // 2))
    known = {
        "train/loss": loss, "train/grad_norm": 1 + 0.1 * r.random(points), "train/lr": np.full(points, 1e-3),
        "val/loss": loss + 0.1, "train/accuracy": 0.9 * at, "val/accuracy": 0.85 * at,
    }  # fmt: skip
    names = [*TAGS, *(f"extra/{i:02d}" for i in range(metrics))][:metrics]
    return {name: known.get(name, r.random(points)) for name in names}


def _crc(rows: Bytes) -> NDArray[np.uint32]:
    """The masked CRC-32C of every row."""
    # the table of one byte as crc32c gives it, undone to the plain one: crc(byte) = T[0xff ^ byte] ^ 0xff_ffff ^ ~0
    plain = np.empty(256, dtype=np.uint32)
    plain[0xFF ^ np.arange(256)] = _TABLE ^ np.uint32(0xFFFFFFFF) ^ np.uint32(0x00FFFFFF)
    state = np.full(len(rows), 0xFFFFFFFF, dtype=np.uint32)
    for column in rows.T:
        state = plain[(state ^ column) & 0xFF] ^ (state >> 8)
    crc = ~state
    return ((crc >> 15) | (crc << 17)) + np.uint32(0xA282EAD8)


def _varint(n: int) -> bytes:
    out = bytearray()
    while n >= 128:
        out.append(n & 127 | 128)
        n >>= 7
    return bytes([*out, n])


def _records(tag: str, steps: NDArray[np.int64], values: NDArray[np.float64], size: int) -> Bytes:
    """Framed scalar events of one tag, one a row; all steps have varints of `size` bytes."""
    n = len(steps)
    name = tag.encode()
    value = b"\x0a" + _varint(len(name)) + name + b"\x15"
    summary = b"\x2a" + _varint(len(value) + 4 + 1 + len(_varint(len(value) + 4))) + b"\x0a" + _varint(len(value) + 4)
    time = (1.7e9 + steps * 0.25).astype("<f8").view(np.uint8).reshape(n, 8)
    shifts = 7 * np.arange(size)
    step = ((steps[:, None] >> shifts) & 127).astype(np.uint8)
    step[:, :-1] |= 128
    number = values.astype("<f4").view(np.uint8).reshape(n, 4)

    def same(data: bytes) -> Bytes:
        return np.tile(np.frombuffer(data, dtype=np.uint8), (n, 1))

    body = np.hstack([same(b"\x09"), time, same(b"\x10"), step, same(summary + value), number])
    length = struct.pack("<Q", body.shape[1])
    head = length + struct.pack("<I", mask(crc32c(length)))
    return np.hstack([same(head), body, _crc(body).astype("<u4").view(np.uint8).reshape(n, 4)])


def event_blocks(
    points: int, block: int, table: Callable[[int, int], dict[str, NDArray[np.float64]]]
) -> Iterator[bytes]:
    """An event file, all tags of a step together, steps 1, 2, 3 ...; table: metrics of some rows."""
    first = b"\x09" + struct.pack("<d", 1.7e9) + b"\x1a\x0dbrain.Event:2"
    length = struct.pack("<Q", len(first))
    yield b"".join([length, struct.pack("<I", mask(crc32c(length))), first, struct.pack("<I", mask(crc32c(first)))])
    low = 1
    while low <= points:
        size = len(_varint(low))
        steps = np.arange(low, min(points + 1, 1 << 7 * size, low + block), dtype=np.int64)
        named = table(low - 1, len(steps))
        yield np.hstack([_records(tag, steps, values, size) for tag, values in named.items()]).tobytes()
        low += len(steps)


def event_file(path: Path, table: dict[str, NDArray[np.float64]]) -> None:
    """One event file with the points of a table."""
    points = len(next(iter(table.values())))

    def rows(first: int, count: int) -> dict[str, NDArray[np.float64]]:
        return {tag: values[first : first + count] for tag, values in table.items()}

    path.write_bytes(b"".join(event_blocks(points, points, rows)))


def json_lines(path: Path, table: dict[str, NDArray[np.float64]]) -> None:
    """One object a step."""
    names = list(table)
    with path.open("w", encoding="utf-8") as f:
        for step, row in enumerate(zip(*(v.tolist() for v in table.values()), strict=True), 1):
            f.write(json.dumps({"step": step, **dict(zip(names, row, strict=True))}) + "\n")


def csv_file(path: Path, table: dict[str, NDArray[np.float64]]) -> None:
    """One row a step."""
    sink = io.StringIO()
    writer = csv.writer(sink)
    writer.writerow(["step", *table])
    for step, row in enumerate(zip(*(v.tolist() for v in table.values()), strict=True), 1):
        writer.writerow([step, *row])
    path.write_text(sink.getvalue(), encoding="utf-8")


def text_log(path: Path, table: dict[str, NDArray[np.float64]]) -> None:
    """One line a step, as a training prints it."""
    rows = zip(*(v.tolist() for v in table.values()), strict=True)
    with path.open("w", encoding="utf-8") as f:
        f.writelines(
            f"[INFO] step {step}: {', '.join(f'{k}={v:.6g}' for k, v in zip(table, row, strict=True))}\n"
            for step, row in enumerate(rows, 1)
        )


WRITERS = {
    "events": ("events.out.tfevents.1700000000.host.1.0", event_file),
    "jsonl": ("metrics.jsonl", json_lines),
    "csv": ("metrics.csv", csv_file),
    "text": ("train.log", text_log),
}


def tree(root: Path, kind: str, runs: int, metrics: int, points: int) -> Path:
    """A tree of runs, ten to an experiment, each with its configuration beside it (not beside CSV)."""
    name, write = WRITERS[kind]
    for i in range(runs):
        folder = root / f"exp{i // 10}" / f"run{i}"
        folder.mkdir(parents=True)
        write(folder / name, curves(i, metrics, points))
        if kind == "jsonl":
            (folder / "config.json").write_text(json.dumps({"lr": 1e-3, "seed": i}), encoding="utf-8")
    return root
