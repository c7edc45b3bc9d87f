"""Aim's store: RocksDB databases of encoded keys and values, one of settings and one of points for each run."""

from __future__ import annotations

import importlib.util
import math
import sqlite3
import struct
from pathlib import Path

import pytest

from curvedoc import read
from curvedoc.core.diagnosis import Unreadable
from curvedoc.core.errors import NothingToAnalyse
from curvedoc.ingest.find import walk
from curvedoc.ingest.find.plan import plan

Value = int | float | str | None
Word = str | int
RUN = "0f3c"
CONTEXTS = {"train": 0x8774FEE10D416F95, "val": 0x4807FC79C3DFAF35}
LOSS = [0.3 + 2.0 * 0.9**i for i in range(40)]


def key(*way: Word) -> bytes:
    return b"".join(
        (w.encode() if isinstance(w, str) else b"\xfe" + w.to_bytes(8, "big")) + b"\xfe" for w in way
    )  # fmt: skip


def encoded(value: Value) -> bytes:
    if value is None:
        return b"\x00"
    if isinstance(value, str):
        return b"\x04" + value.encode()
    return b"\x02" + struct.pack("<q", value) if isinstance(value, int) else b"\x03" + struct.pack("<d", value)


def database(place: Path, rows: dict[bytes, bytes]) -> None:
    rocksdict = pytest.importorskip("rocksdict")
    place.parent.mkdir(parents=True, exist_ok=True)
    made = rocksdict.Rdict(str(place), options=rocksdict.Options(raw_mode=True))
    for k, v in rows.items():
        made[k] = v
    made.close()


def store(place: Path, ended: bool = True) -> Path:
    home = place / ".aim"
    meta: dict[bytes, bytes] = {
        key("meta", "attrs", "hparams", "lr"): encoded(0.01),
        key("meta", "attrs", "hparams", "batch_size"): encoded(32),
        key("meta", "chunks", RUN, "end_time"): encoded(1.795e9 if ended else None),
    }
    meta |= {key("meta", "contexts", i, "subset"): encoded(name) for name, i in CONTEXTS.items()}
    seqs: dict[bytes, bytes] = {}
    for context, every in (("train", 1), ("val", 10)):
        for step in range(0, 40, every):
            mixed = step * 0x9E3779B97F4A7C15 % 2**64  # the order of keys is not that of steps
            way = ("seqs", "v2", "chunks", RUN, CONTEXTS[context], "loss")
            value = math.nan if context == "train" and step == 39 else LOSS[step]
            for column, v in (("step", step), ("val", value), ("time", 1.795e9 + step), ("epoch", None)):
                seqs[key(*way, column, mixed)] = encoded(v)
    database(home / "meta" / "chunks" / RUN, meta)
    database(home / "seqs" / "chunks" / RUN, seqs)
    index = sqlite3.connect(home / "run_metadata.sqlite")
    index.execute("CREATE TABLE run (hash TEXT, name TEXT)")
    index.execute("INSERT INTO run VALUES (?, ?)", (RUN, "first try"))
    index.commit()
    index.close()
    return place


def test_every_run_with_its_contexts_steps_and_settings(tmp_path: Path) -> None:
    (run,) = read(store(tmp_path))
    assert run.settings["lr"] == 0.01
    loss, val = run.series("loss"), run.series("val_loss")
    assert loss is not None and val is not None
    assert loss.step.tolist() == list(range(40)) and loss.value[:39].tolist() == LOSS[:39]
    assert math.isnan(loss.value[39]) and val.step.tolist() == [0, 10, 20, 30]


def test_reading_leaves_the_store_as_it_was(tmp_path: Path) -> None:
    store(tmp_path)
    before = {p: p.stat().st_mtime_ns for p in tmp_path.rglob("*") if p.is_file()}
    assert len(read(tmp_path)) == 1
    assert {p: p.stat().st_mtime_ns for p in tmp_path.rglob("*") if p.is_file()} == before


def test_a_damaged_store_is_a_note(tmp_path: Path) -> None:
    store(tmp_path)
    for path in (tmp_path / ".aim" / "seqs" / "chunks" / RUN).iterdir():
        path.write_bytes(b"x" * 40)
    with pytest.raises(NothingToAnalyse, match="the run 0f3c cannot be opened"):
        read(tmp_path)


def test_without_the_package_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walk, "find_spec", lambda name: None if name == "rocksdict" else importlib.util.find_spec(name))
    home = tmp_path / ".aim"
    home.mkdir()
    (home / "run_metadata.sqlite").write_bytes(b"SQLite format 3\x00")
    (told,) = plan([tmp_path]).unreadable
    assert isinstance(told, Unreadable) and "pip install 'curvedoc[aim]'" in told.reason
