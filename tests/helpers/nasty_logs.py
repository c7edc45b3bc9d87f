"""Nasty inputs by name: what disks, networks, editors, full quotas and hostile people do to logs.

Each has 40 values of a loss, and says how many of them must be found whatever happens to the rest.
"""

from __future__ import annotations

import gzip
import json
import math
import struct
import zlib
from collections.abc import Mapping
from dataclasses import dataclass

import zstandard
from wandb_writer import BLOCK, exit_record, frame, history, output

from curvedoc.ingest.tensorboard.checksum import crc32c, header, mask

ROWS = 40
LOSS = [round(0.5 + 4 * math.exp(-i / 12) + i / 4096, 4) for i in range(ROWS)]
STEP = [10 * i for i in range(ROWS)]


@dataclass(frozen=True, slots=True)
class NastyLog:
    """what: in words, for the page; files: path -> content; keeps: so many of the 40 values, at least."""

    format: str
    what: str
    files: Mapping[str, bytes]
    keeps: int = ROWS


def _field(number: int, raw: bytes) -> bytes:
    return bytes([number << 3 | 2, len(raw)]) + raw


def event(i: int, tag: bytes = b"loss", wall: float | None = None, step: int | None = None) -> bytes:
    """One record of an event file."""
    n = STEP[i] if step is None else step
    number = bytearray()
    while n > 127:
        number.append(n & 127 | 128)
        n >>= 7
    number.append(n)
    value = _field(1, tag) + b"\x15" + struct.pack("<f", LOSS[i])
    body = b"\x09" + struct.pack("<d", 1.7e9 + i if wall is None else wall) + b"\x10" + bytes(number)
    return framed(body + _field(5, _field(1, value)))


def framed(body: bytes) -> bytes:
    return header(len(body)) + body + struct.pack("<I", mask(crc32c(body)))


EVENTS = [event(i) for i in range(ROWS)]
EVENT = b"".join(EVENTS)
AT, SIZE = len(EVENT) // 2, len(EVENTS[0])
JSON_ROWS = [json.dumps({"step": s, "loss": v}) for s, v in zip(STEP, LOSS, strict=True)]
JSONL = "".join(r + "\n" for r in JSON_ROWS).encode()
MIDDLE = JSONL.index(b"\n", len(JSONL) // 2) + 1
STATE = {"global_step": 400, "log_history": [{"step": s, "loss": v} for s, v in zip(STEP, LOSS, strict=True)]}
PRETTY = json.dumps(STATE, indent=2).encode()
CSV_ROWS = [f"{s},{v},0.001" for s, v in zip(STEP, LOSS, strict=True)]
CSV = ("step,loss,lr\n" + "".join(r + "\n" for r in CSV_ROWS)).encode()
TEXT = "".join(f"step {s} loss: {v}\n" for s, v in zip(STEP, LOSS, strict=True)).encode()
LINES = TEXT.decode().splitlines(keepends=True)
RECORDS = [history(s, loss=v) for s, v in zip(STEP, LOSS, strict=True)]
WANDB = frame([*RECORDS, exit_record()])
PADDED = frame([r for row in RECORDS for r in (row, output("said\n" * 400))] + [exit_record()])


def _flipped(data: bytes, at: int) -> bytes:
    return data[:at] + bytes([data[at] ^ 4]) + data[at + 1 :]


def _events(what: str, data: bytes, keeps: int = ROWS) -> NastyLog:
    return NastyLog("event file", what, {"events.out.tfevents.1700000000.host": data}, keeps)


def _wandb(what: str, data: bytes, keeps: int = ROWS) -> NastyLog:
    return NastyLog(".wandb", what, {"run-abc.wandb": data}, keeps)


def _jsonl(what: str, data: bytes, keeps: int = ROWS, name: str = "metrics.jsonl") -> NastyLog:
    return NastyLog("JSON lines", what, {name: data}, keeps)


def _state(what: str, data: bytes, keeps: int = ROWS) -> NastyLog:
    return NastyLog("trainer_state.json", what, {"trainer_state.json": data}, keeps)


def _csv(what: str, data: bytes, keeps: int = ROWS, name: str = "metrics.csv") -> NastyLog:
    return NastyLog("CSV", what, {name: data}, keeps)


def _text(what: str, data: bytes, keeps: int = ROWS, name: str = "train.log") -> NastyLog:
    return NastyLog("text", what, {name: data}, keeps)


def _beside(format: str, what: str, files: Mapping[str, bytes], keeps: int = ROWS) -> NastyLog:
    return NastyLog(format, what, {"metrics.jsonl": JSONL, **files}, keeps)


def _joined(rows: list[str], at: int, *more: str) -> bytes:
    return "".join(r + "\n" for r in [*rows[:at], *more, *rows[at:]]).encode()


_LFS = b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n"
_HTML = b"<!DOCTYPE html><html><body>sign in</body></html>"
_BOMB_LINES = "".join(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 12)).encode()

_PICKLED = (
    b"\x93NUMPY\x01\x00v\x00{'descr': '|O', 'fortran_order': False, 'shape': (40,), }"
    + b" " * 56
    + b"\ncos\nsystem\n(S'true'\ntR."
)
_TRACE = ("Traceback (most recent call last):", '  File "a.py", line 1', "ValueError: x")
_ODD = ('{"step": 195, "loss": NaN}', '{"step": 196, "loss": -Infinity}', '{"step": 197, "loss": null}')
_BARS = "".join(f"\rstep {s} loss: {v}" for s, v in zip(STEP, LOSS, strict=True)).encode() + b"\n"
_COLORS = "".join(f"\x1b[32mstep\x1b[0m {s} loss: \x1b[1m{v}\x1b[0m\x1b[K\n" for s, v in zip(STEP, LOSS, strict=True))
_BACK = "".join(f"2026-01-01 {'10:00' if i % 2 else '09:00'}:00 {r}" for i, r in enumerate(LINES)).encode()
_MLFLOW = "mlruns/0/" + "a" * 32
_META = b"lifecycle_stage: active\nrun_id: " + b"a" * 32 + b"\nstatus: 3\n"
_METRIC = "".join(f"{17 * 10**11 + s} {v} {s}\n" for s, v in zip(STEP, LOSS, strict=True)).encode()
_ROW_END = CSV.index(b"\n", 300) + 1

NASTY: tuple[NastyLog, ...] = (
    _events("an empty file", b"", 0),
    _events("the last record is torn", EVENT[:-9], 39),
    _events("the header of the last record is torn", EVENT + EVENTS[0][:5]),
    _events("a tail of zeros that was reserved and never written", EVENT + bytes(5000)),
    _events("one bit of a value is flipped", _flipped(EVENT, AT - AT % SIZE + 40), 39),
    _events("one bit of a length is flipped", _flipped(EVENT, AT - AT % SIZE), 39),
    _events("4 KiB of garbage inserted", EVENT[:AT] + bytes(range(256)) * 16 + EVENT[AT:], 39),
    _events("a block of zeros in the middle", EVENT[:AT] + bytes(200) + EVENT[AT + 200 :], 34),
    _events("a byte deleted", EVENT[:AT] + EVENT[AT + 1 :], 39),
    _events("its beginning cut off", EVENT[AT:], 18),
    _events("one stray byte ahead of the first record", b"x" + EVENT),
    _events("two writers one after the other", EVENT + EVENT),
    _events("every LF turned into CRLF by a copy in text mode", EVENT.replace(b"\n", b"\r\n")),
    _events("packed by gzip", gzip.compress(EVENT)),
    _events("packed by gzip and torn", gzip.compress(EVENT)[:-30], 1),
    _events("a length of 2^60 bytes", EVENT + header(1 << 60) + b"x" * 50),
    _events(
        "a good record with no message inside",
        EVENT[:SIZE] + framed(b"\xff\xff\xff\xff\xff\xff\xff\xff\xff") + EVENT[SIZE:],
    ),
    _events("clocks of zero", b"".join(event(i, wall=0.0) for i in range(ROWS))),
    _events("clocks that are NaN", b"".join(event(i, wall=math.nan) for i in range(ROWS))),
    _events("all points at step 0", b"".join(event(i, step=0) for i in range(ROWS))),
    _events("steps that go back (a restart)", b"".join(event(i, step=10 * (i % 30)) for i in range(ROWS)), 30),
    _events("a tag with a newline and a path in it", b"".join(event(i, b"a/../\nloss") for i in range(ROWS))),
    _events("a tag that is no UTF-8", b"".join(event(i, b"lo\xffss") for i in range(ROWS))),
    _events("a git-LFS pointer in its place", _LFS, 0),
    _events("an HTML page in its place", _HTML, 0),
    _wandb("an empty file", b"", 0),
    _wandb("the writer was killed: no exit record", frame(RECORDS)),
    _wandb("the last record is torn", frame(RECORDS)[:-5], 39),
    _wandb("a tail of zeros", WANDB + bytes(70_000)),
    _wandb("one bit of a value is flipped", _flipped(WANDB, 700), 39),
    _wandb("a byte inserted", PADDED[:9000] + b"x" + PADDED[9000:], 39),
    _wandb("a byte deleted", PADDED[:9000] + PADDED[9001:], 39),
    _wandb("its beginning cut off", PADDED[BLOCK + 1000 :], 18),
    _wandb("its magic overwritten", bytes(7) + WANDB[7:]),
    _wandb("a block of zeros in the middle", PADDED[:20_000] + bytes(8000) + PADDED[28_000:], 34),
    _wandb("a good record with no message inside", frame([*RECORDS[:9], b"\xff\xff\xff", *RECORDS[9:], exit_record()])),
    _wandb(
        "NaN and Infinity as bare words", frame([*RECORDS, history(400, loss=math.nan), history(410, loss=math.inf)])
    ),
    _jsonl("an empty file", b"", 0),
    _jsonl("the last line is torn", JSONL[:-8], 39),
    _jsonl("the last line has no end", JSONL[:-1]),
    _jsonl("a traceback between the records", _joined(JSON_ROWS, 20, *_TRACE)),
    _jsonl("a line of garbage", JSONL[:MIDDLE] + bytes(range(128, 256)) + b"\n" + JSONL[MIDDLE:]),
    _jsonl("a hole of zeros in the middle", JSONL[:MIDDLE] + bytes(5000) + JSONL[MIDDLE:]),
    _jsonl("a byte order mark", b"\xef\xbb\xbf" + JSONL),
    _jsonl("UTF-16", JSONL.decode().encode("utf-16")),
    _jsonl("CRLF line ends", JSONL.replace(b"\n", b"\r\n")),
    _jsonl("CR line ends", JSONL.replace(b"\n", b"\r")),
    _jsonl("NaN, Infinity and null as values", _joined(JSON_ROWS, 20, *_ODD)),
    _jsonl("the value 1e999", _joined(JSON_ROWS, 20, '{"step": 195, "loss": 1e999}')),
    _jsonl("a step beyond 64 bits", _joined(JSON_ROWS, 40, '{"step": 99999999999999999999999, "loss": 0.5}')),
    _jsonl("a record 100,000 levels deep", _joined(JSON_ROWS, 20, '{"a":' * 100_000 + "1" + "}" * 100_000)),
    _jsonl("two records run together in one line", JSONL.replace(b"}\n", b"} ", 1)),
    _jsonl("all records in one line", JSONL.replace(b"\n", b" ")),
    _jsonl("one array over all records", b"[" + JSONL[:-1].replace(b"\n", b",") + b"]", name="metrics.json"),
    _jsonl("one array, torn", b"[" + JSONL[:-1].replace(b"\n", b",")[:-8], 39, "metrics.json"),
    _jsonl("packed by gzip", gzip.compress(JSONL), name="metrics.jsonl.gz"),
    _jsonl("packed by zstd", zstandard.compress(JSONL), name="metrics.jsonl.zst"),
    _jsonl("packed by gzip, with bytes behind", gzip.compress(JSONL) + b"junk", name="metrics.jsonl.gz"),
    _jsonl(
        "a bomb: 100 MB of zeros behind the records",
        gzip.compress(JSONL + bytes(100 << 20), 9),
        name="metrics.jsonl.gz",
    ),
    _jsonl("numbers in quotes", JSONL.replace(b'"loss": ', b'"loss": "').replace(b"}", b'"}')),
    _jsonl("a key twice in each record", JSONL.replace(b"{", b'{"loss": 0, ')),
    _jsonl("escape sequences and a lone surrogate in a key", JSONL.replace(b"}", b', "\\u001b]52;\\ud800": 1}')),
    _jsonl("a name that climbs out of its folder", JSONL.replace(b'"loss"', b'"../../loss"')),
    _state("an empty file", b"", 0),
    _state("cut in the middle", PRETTY[: len(PRETTY) // 2], 18),
    _state("its head cut off", PRETTY[len(PRETTY) // 2 :], 18),
    _state("written twice, one behind the other", PRETTY + PRETTY),
    _state("a bracket lost", PRETTY.replace(b"[", b"", 1)),
    _state("a quote lost in the middle", PRETTY[:1000] + PRETTY[1000:].replace(b'"', b"", 1), 39),
    _state("NaN as a bare word", PRETTY.replace(b"  ]", b'  ,{"step": 400, "loss": NaN}\n  ]')),
    _csv("an empty file", b"", 0),
    _csv("a header and no row", b"step,loss,lr\n", 0),
    _csv("no header", CSV.split(b"\n", 1)[1]),
    _csv("its head cut off inside a row", CSV[len(CSV) // 2 + 3 :], 18),
    _csv("its head cut off inside the header", CSV[5:]),
    _csv("the last line is torn", CSV[:-9], 39),
    _csv("the header again among the rows", _joined(["step,loss,lr", *CSV_ROWS], 20, "step,loss,lr")),
    _csv("rows with a cell too many", _joined(["step,loss,lr", *CSV_ROWS], 20, "195,0.9,0.001,7")),
    _csv("rows with a cell too few", _joined(["step,loss,lr", *CSV_ROWS], 20, "195,0.9")),
    _csv("an unclosed quote", _joined(["step,loss,lr", *CSV_ROWS], 20, '195,"0.9,0.001')),
    _csv("words among the numbers", _joined(["step,loss,lr", *CSV_ROWS], 20, "195,oops,0.001")),
    _csv("semicolons and decimal commas", CSV.replace(b",", b";").replace(b".", b",")),
    _csv("two columns of one name", CSV.replace(b"lr", b"loss", 1)),
    _csv("a hole of zeros between rows", CSV[:_ROW_END] + bytes(4096) + CSV[_ROW_END:]),
    _csv("cells that a spreadsheet would run", CSV.replace(b"lr", b"=cmd|'/c calc'!A1", 1)),
    _csv("CR line ends", CSV.replace(b"\n", b"\r")),
    _text("an empty file", b"", 0),
    _text("the last line is torn", TEXT[:-3], 39),
    _text("a block of garbage as long as the log", TEXT + bytes(range(128, 256)) * 8, 40),
    _text("garbage in the middle of a line", TEXT[:400] + b"\xff\xfe\x00\x01" + TEXT[400:], 39),
    _text("progress bars that rewrite their line", _BARS),
    _text("colors and cursor movements of a terminal", _COLORS.encode()),
    _text("a line of a megabyte", "".join([*LINES[:20], "x" * (1 << 20) + "\n", *LINES[20:]]).encode()),
    _text("Windows-1252", ("é" * 5 + " café\n").encode("cp1252") * 5 + TEXT),
    _text(
        "a traceback that never ends",
        TEXT + b"Traceback (most recent call last):\n" + b'  File "a.py", line 1, in f\n    f()\n' * 5000,
    ),
    _text("a clock that goes back", _BACK),
    _beside("configuration", "YAML aliases that unfold to 9^11 words", {"config.yaml": b"a0: &a0 [x]\n" + _BOMB_LINES}),
    _beside(
        "configuration",
        "YAML that asks for a Python object",
        {"config.yaml": b"lr: !!python/object/apply:os.system ['true']\n"},
    ),
    _beside("configuration", "YAML 10,000 levels deep", {"config.yaml": b"a: " + b"[" * 10_000 + b"]" * 10_000}),
    _beside("configuration", "JSON cut in the middle", {"config.json": b'{"lr": 0.001, "batch'}),
    _beside(
        "configuration", "a password among the settings", {"config.yaml": b"lr: 0.001\ndb_password: hunter2hunter2\n"}
    ),
    NastyLog(
        "MLflow",
        "a metric file torn inside a line",
        {
            f"{_MLFLOW}/meta.yaml": _META,
            f"{_MLFLOW}/metrics/loss": _METRIC[:-9],
        },
        39,
    ),
    NastyLog("SQLite", "an MLflow database of zero bytes", {"mlflow.db": b""}, 0),
    NastyLog("SQLite", "an MLflow database cut after its header", {"mlflow.db": b"SQLite format 3\x00" + bytes(84)}, 0),
    NastyLog(
        "parquet",
        "a file that begins like one and goes on as garbage",
        {"metrics.parquet": b"PAR1" + bytes(range(256)) * 40},
        0,
    ),
    NastyLog("NumPy", "an array of pickled objects", {"losses.npy": _PICKLED}, 0),
    NastyLog(
        "gzip",
        "a checksum that is wrong",
        {"metrics.jsonl.gz": gzip.compress(JSONL)[:-8] + struct.pack("<II", zlib.crc32(b"x"), len(JSONL))},
    ),
)
