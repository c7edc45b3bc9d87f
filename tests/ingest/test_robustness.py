"""docs/robustness.md, written from what becomes of each nasty input (python tests/ingest/test_robustness.py)."""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "helpers"))
from nasty_logs import LOSS, NASTY, ROWS, NastyLog

from curvedoc.core.notes import coalesce
from curvedoc.ingest import read_runs
from curvedoc.rulebook.location import signals_file

PAGE = Path(__file__).parents[2] / "docs" / "robustness.md"
HEAD = """# What becomes of damaged and hostile input

Every row is a test: the page is written by `python tests/ingest/test_robustness.py` from what happens, and
`tests/ingest/test_robustness.py` compares. Each log held {rows} values of a loss. "Told" are the notes that stand under
the run's sources in every view; a log of which nothing could be read is listed as unreadable with its reason.

## What a format can and cannot show

| format | a lost or torn record | a changed digit |
|---|---|---|
| event files, `.wandb` | told, by a checksum of each record; the next good one is read | told: the record is dropped |
| gzip, zstd | told; read up to there | told, by checksums that gzip always has and zstd where its writer made them |
| SQLite, parquet | told by the library that reads them | SQLite: no; parquet: where its writer made checksums |
| JSON, CSV, text, MLflow's files | told where a line no longer parses | no; one row wrong a thousandfold is doubted |

Long files: of more than 64 MB of text (48 MB where lines are taken apart) the beginning and the end are read as they
are, and between them rare lines, lines of trouble, those with the lowest and highest numbers of each stretch, and an
even share of the rest; a note says so. Of an event file with more than 6,000,000 points the longest curves keep the
lowest and the highest of each stretch, what is not finite, and their end.

## {count} inputs

| format | input | values read | told |
|---|---|---|---|
"""


def outcome(nasty: NastyLog, folder: Path) -> tuple[int, str]:
    """How many of the values were found, and the row of the page."""
    for name, data in nasty.files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    paths = [folder / next(iter(nasty.files))] if len(nasty.files) == 1 else [folder]  # as somebody points at it
    harvest = read_runs(paths, signals_file=signals_file())
    found = {round(v, 4) for run in harvest.runs for b in run.blocks for v in b.value.tolist()}
    count = len(found & set(LOSS))
    notes = [n for run in harvest.runs for n in (*run.notes, *(n for s in run.sources for n in s.notes))]
    told = [f"{n.text}" for n in coalesce(notes)]
    told += [f"unreadable: {u.reason}" for u in harvest.unreadable] + [f"no log: {u.reason}" for u in harvest.ignored]
    text = "; ".join(dict.fromkeys(told)).replace("|", "\\|").replace("\n", " ") or "nothing is amiss"
    return count, f"| {nasty.format} | {nasty.what} | {count} of {ROWS} | {text} |"


@pytest.mark.parametrize("nasty", NASTY, ids=[f"{n.format}: {n.what}" for n in NASTY])
def test_a_nasty_input_is_read_as_the_page_says(nasty: NastyLog, tmp_path: Path) -> None:
    begun = time.process_time()
    count, row = outcome(nasty, tmp_path)
    assert count >= nasty.keeps
    assert row in PAGE.read_text(encoding="utf-8").splitlines()
    assert time.process_time() - begun < 10


def test_there_are_many_and_no_two_are_called_the_same() -> None:
    assert len({(n.format, n.what) for n in NASTY}) == len(NASTY) >= 80


def main() -> None:
    rows = []
    for nasty in NASTY:
        with tempfile.TemporaryDirectory() as folder:
            count, row = outcome(nasty, Path(folder))
            rows.append(row)
            if count < nasty.keeps:
                print(f"only {count} of {nasty.keeps}: {row}")
    PAGE.write_text(HEAD.format(rows=ROWS, count=len(rows)) + "\n".join(rows) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
