"""A file that was given by name and that no reader takes: whether it is a table that --map can explain, and how."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from curvedoc.ingest.bytes.file import read_head, text_bytes
from curvedoc.ingest.csv.as_records import as_records
from curvedoc.ingest.csv.header_lines import tidied
from curvedoc.ingest.csv.sections import is_header, sections, separator_of, split_line
from curvedoc.ingest.json.objects import batches
from curvedoc.ingest.naming.log_words import is_loss, is_rate
from curvedoc.ingest.table.axis import axis_of
from curvedoc.ingest.table.columns import RecordTable, table
from curvedoc.ingest.table.inference.structure import counts

#: The readers that can be told what their columns hold.
CSV, JSON = "csv", "jsonl"


def reader_of(head: bytes) -> str | None:
    """The NAME of the reader that takes the head of a file for a table, None where it is none."""
    found = _table(head)
    return None if found is None else found[0]


def map_option(path: Path) -> str:
    """The option that says what the columns of a file are, as far as that can be guessed; "" where it has none."""
    found = _table(read_head(path)) if path.is_file() else None
    if found is None:
        return ""
    rows = found[1]
    axis = axis_of(rows)
    steps = list(axis.keys) or [k for k, c in rows.numbers.items() if counts(c.value)]
    rest = [k for k in rows.numbers if k not in steps[:1]]
    measured = [k for k in rest if bool((rows.numbers[k].value != np.floor(rows.numbers[k].value)).any())]
    losses = [k for k in rest if is_loss(k)] or (measured if len(measured) == 1 else [])
    pairs = {"step": steps[0]} if steps else {}
    pairs["loss"] = losses[0] if losses else "..."
    rates = [k for k in rest if is_rate(k)]
    pairs |= {"lr": rates[0]} if rates else {}
    return "--map " + json.dumps(",".join(f"{k}={v}" for k, v in pairs.items()), ensure_ascii=False)


def _table(head: bytes) -> tuple[str, RecordTable] | None:
    clean, _ = text_bytes(head)
    clean = clean[: clean.rfind(b"\n") + 1]
    if clean.lstrip()[:1] == b"{":
        rows = table(batches(clean))
        return (JSON, rows) if rows.rows > 1 and rows.numbers else None
    text = tidied(clean).decode("utf-8", "replace")
    lines = text.split("\n", 1)
    names = split_line(lines[0], separator_of(lines[:1]))
    if b"\x00" in head[:1000] or len(names) < 2 or not is_header(names):
        return None
    found, _ = sections(text)
    if len(found) != 1:
        return None
    rows = as_records(found[0])
    return (CSV, rows) if rows.rows > 1 and rows.numbers else None
