"""A reader that is imported late says of itself what its module says, and never refuses what the module would take."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from curvedoc.ingest.late_reader import LateReader
from curvedoc.ingest.registry import READERS

ROOT = Path(__file__).resolve().parents[2]
LATE = [r for r in READERS if isinstance(r, LateReader)]
NAMES = ("events.out.tfevents.1", "run.wandb", "mlflow.db", "run.json", "loss.npy", "history.npz", "a.csv", "loss.txt",
         "a.ipynb", "train.log", "x")  # fmt: skip
HEADS = (b"SQLite format 3\x00", b":W&B\x00", b"PK\x03\x04", b"\x93NUMPY\x01\x00", b"\x18" + b"\x00" * 7,
         b'{"cells": [', b"step,loss\n1,2\n", b"step 1 loss 2\n", b'{"status": "', b"")  # fmt: skip


@pytest.mark.parametrize("reader", LATE, ids=lambda r: r.NAME)
def test_it_says_what_its_module_says(reader: LateReader) -> None:
    module = reader.load()
    assert (reader.NAME, reader.FILES, reader.ABOUT) == (module.NAME, module.FILES, module.ABOUT)
    assert set(reader.optional) == {n for n in ("guesses", "read_mapped") if hasattr(module, n)}
    assert all(hasattr(reader, n) == hasattr(module, n) for n in ("guesses", "read_mapped"))


@settings(max_examples=300, deadline=None)
@example(name="events.out.tfevents.1", head=b"SQLite format 3\x00", tail=b'"LogFloats"')
@given(name=st.sampled_from(NAMES) | st.text("ab.wdbnpyt", min_size=1, max_size=9), head=st.sampled_from(HEADS),
       tail=st.binary(max_size=60))  # fmt: skip
def test_what_the_module_takes_is_never_refused(name: str, head: bytes, tail: bytes) -> None:
    path = Path("/nowhere") / name.replace("/", "_")
    for reader in LATE:
        assert reader.claims(path, head + tail) == reader.load().claims(path, head + tail), reader.NAME


def test_the_samples_are_taken_by_the_same_readers() -> None:
    files = [p for p in (ROOT / "sample_logs").rglob("*") if p.is_file()]
    for path in files:
        head = path.read_bytes()[: 1 << 16]
        for reader in LATE:
            assert reader.claims(path, head) == reader.load().claims(path, head), (path, reader.NAME)


def test_a_log_of_json_imports_no_reader_of_another_kind(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text("".join(f'{{"step": {i}, "loss": {2 - i / 100}}}\n' for i in range(50)))
    code = (
        "import sys, curvedoc\n"
        f"curvedoc.read({str(tmp_path / 'a.jsonl')!r})\n"
        "rooms = {'.'.join(m.split('.')[:3]) for m in sys.modules if m.startswith('curvedoc.ingest.')}\n"
        "assert not rooms & {f'curvedoc.ingest.{r}' for r in ('text', 'csv', 'tensorboard', 'notebook')}, rooms\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
