"""What is fuzzed: a whole log of each format with a number of records, and the way from its bytes to what is read."""

from __future__ import annotations

import json
import math
import os
import struct
import tempfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from curvedoc.core.errors import CurvedocError
from curvedoc.ingest.find.plan import plan
from curvedoc.ingest.naming.signals import Signals, load_signals
from curvedoc.ingest.read import NO_MEMORY, read_bundles
from curvedoc.ingest.settings.yaml import YamlTrouble, load_yaml
from curvedoc.ingest.tensorboard.checksum import crc32c, header, mask
from curvedoc.rulebook.load import load
from curvedoc.rulebook.location import signals_file

ROWS = 60
_BLOCK = 1 << 15


@dataclass(frozen=True, slots=True)
class Seed:
    """A whole log. records: where each lies (start, end, its value); none where none are counted."""

    name: str
    data: bytes
    records: tuple[tuple[int, int, float], ...] = ()


def loss(i: int) -> float:
    """The value of a record: another one for each, exact as a float of 32 bits, and falling like a loss."""
    return 1.0 + round(4096 * 8 * math.exp(-i / 25)) / 4096 + i / 8192


@dataclass(frozen=True, slots=True)
class Target:
    """One reader under test. run: gives the values that were read, and never raises."""

    name: str
    seeds: tuple[Seed, ...]
    run: Callable[[bytes], set[float]]
    words: tuple[bytes, ...] = ()


@cache
def scratch() -> Path:
    """A folder in memory, where there is one."""
    memory = Path("/dev/shm")
    return Path(tempfile.mkdtemp(prefix="fuzz", dir=memory if os.access(memory, os.W_OK) else None))


@cache
def _table() -> Signals:
    return load_signals(signals_file())


def as_log(name: str) -> Callable[[bytes], set[float]]:
    """The whole way of a file: found, claimed by a reader, read and put together."""
    path = scratch() / name

    def run(data: bytes) -> set[float]:
        path.write_bytes(data)
        harvest = read_bundles(plan([path]).bundles, _table())
        for lost in harvest.unreadable:
            if "reader failed" in lost.reason or lost.reason == NO_MEMORY:
                raise RuntimeError(lost.reason)
        return {v for run in harvest.runs for block in run.blocks for v in block.value.tolist()}

    return run


def _yaml(data: bytes) -> set[float]:
    with suppress(YamlTrouble):
        load_yaml(data.decode("utf-8", "replace"))
    return set()


def _rule(data: bytes) -> set[float]:
    folder = scratch() / "rules"
    folder.mkdir(exist_ok=True)
    (folder / "own.yaml").write_bytes(data)
    with suppress(CurvedocError):
        load((folder,), builtin=False)
    return set()


def _lines(name: str, head: str, rows: list[str]) -> Seed:
    """A text of a record a line."""
    out, records = head.encode(), []
    for i, row in enumerate(rows):
        line = row.encode() + b"\n"
        records.append((len(out), len(out) + len(line), loss(i)))
        out += line
    return Seed(name, out, tuple(records))


def _record(i: int) -> dict[str, float]:
    return {"step": 10 * i, "loss": loss(i), "lr": 0.001, "epoch": i / 16}


def _state(indent: int | None) -> Seed:
    """A trainer_state.json, as json.dump writes it."""
    marks = [{"step": 10 * i, "epoch": i / 16, "learning_rate": 0.001, "loss": loss(i)} for i in range(ROWS)]
    text = json.dumps({"best_metric": None, "global_step": 600, "log_history": marks, "max_steps": 600}, indent=indent)
    records, at = [], text.index("[")
    for i in range(ROWS):
        start = text.index("{", at)
        at = text.index("}", start) + 1
        records.append((start, at, loss(i)))
    return Seed("indented" if indent else "one line", text.encode(), tuple(records))


def _event(payload: bytes) -> bytes:
    return header(len(payload)) + payload + struct.pack("<I", mask(crc32c(payload)))


def _varint(n: int) -> bytes:
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    return bytes([*out, n])


def _field(number: int, raw: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(raw)) + raw


def events(rows: int, tags: int = 1) -> Iterator[tuple[bytes, float]]:
    """The records of an event file, each with its value, as TensorBoard's writers frame them."""
    for i in range(rows):
        values = b"".join(
            _field(1, _field(1, b"train/loss" if t == 0 else b"m%d" % t) + b"\x15" + struct.pack("<f", loss(i)))
            for t in range(tags)
        )
        yield _event(b"\x09" + struct.pack("<d", 1.7e9 + i) + b"\x10" + _varint(10 * i) + _field(5, values)), loss(i)


def _event_file() -> Seed:
    out = _event(b"\x09" + struct.pack("<d", 1.7e9) + _field(3, b"brain.Event:2"))
    records = []
    for data, value in events(ROWS):
        records.append((len(out), len(out) + len(data), value))
        out += data
    return Seed("scalars", out, tuple(records))


def _wandb(long: int) -> Seed:
    """A .wandb log; long: bytes of console output between rows, so that records cross the blocks of 32 KiB."""
    out = bytearray(b":W&B\xe1\xbe\x00")
    records = []

    def add(data: bytes) -> tuple[int, int]:
        first, start = True, len(out)
        while True:
            room = _BLOCK - len(out) % _BLOCK
            if room < 7:
                out.extend(bytes(room))
                continue
            part, data = data[: room - 7], data[room - 7 :]
            kind = (1 if not data else 2) if first else (4 if not data else 3)
            out.extend(struct.pack("<IHB", zlib.crc32(bytes([kind]) + part), len(part), kind) + part)
            first = False
            if not data:
                return start, len(out)

    for i in range(ROWS):
        items = {"_step": 10 * i, "loss": loss(i), "lr": 0.001}
        row = b"".join(_field(1, _field(2, k.encode()) + _field(16, json.dumps(v).encode())) for k, v in items.items())
        records.append((*add(_field(2, row)), loss(i)))
        if long:
            add(_field(13, _field(3, (b"said " * 20 + b"\n") * (long // 101))))
    add(_field(18, b""))
    return Seed(f"output {long}", bytes(out), tuple(records))


_RULE = b"""id: own-rule
title: A rule of one's own
family: loss
description: The loss rises.
severity: high
params:
  ratio: {default: 2.0, min: 1.5, max: 4.0, unit: "1", about: how far it rises}
needs: [loss]
when: last(loss) > ratio * min(loss)
"""
_CONFIG = b"""lr: 1e-3
base: &b {a: 1, b: [1, 2, .inf]}
model:
  <<: *b
  name: 'x'
  deep: {c: {d: ~}}
when: 2026-01-01
"""


def targets() -> tuple[Target, ...]:
    """Everything that is fuzzed."""
    rows = [_record(i) for i in range(ROWS)]
    jsonl = _lines("lines", "", [json.dumps(r) for r in rows])
    csv = _lines("table", "step,loss,lr,epoch\n", [f"{r['step']},{r['loss']!r},0.001,{r['epoch']}" for r in rows])
    said = [
        f"2026-01-01 10:00:{i:02d},123 | INFO | step {r['step']} loss: {r['loss']!r} lr: 0.001"
        for i, r in enumerate(rows)
    ]
    plain = [f"step={r['step']} loss={r['loss']!r}" for r in rows]
    quotes = (b'"', b"{", b"}", b"]", b"NaN")
    odd_lines = (b"\r", b"\x1b[31m", b"Traceback (most recent call last):\n", b"|", b"=", b"{'", b"NaN")
    odd_yaml = (b"<<: *b", b"&b ", b"*b", b"!!python/object:os.system", b"{", b"- ")
    texts = (_lines("stamped", "", said), _lines("plain", "", plain))
    return (
        Target("event", (_event_file(),), as_log("events.out.tfevents.1700000000.host")),
        Target("wandb", (_wandb(0), _wandb(3000)), as_log("run-abc.wandb"), (b":W&B", bytes(7))),
        Target("json-lines", (jsonl,), as_log("metrics.jsonl"), (*quotes, b"1e999", b"[[[[", b"null,")),
        Target("json-state", (_state(2), _state(None)), as_log("trainer_state.json"), quotes),
        Target("csv", (csv,), as_log("metrics.csv"), (b'"', b",", b";", b"nan", b"\r")),
        Target("text", texts, as_log("train.log"), odd_lines),
        Target("yaml", (Seed("config", _CONFIG),), _yaml, odd_yaml),
        Target("rule", (Seed("rule", _RULE),), _rule, (b"(", b"**", b"lambda", b"not ", b"{{", b"[[", b"- ", b": ")),
    )
