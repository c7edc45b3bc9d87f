"""Each input that once broke a reader (tests/corpus_bad) is read as its line in the README says."""

from __future__ import annotations

import shutil
import sys
import time
from pathlib import Path

import pytest

from curvedoc.ingest import read_runs
from curvedoc.rulebook.location import signals_file

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
from fuzz_targets import ROWS, loss

FOLDER = Path(__file__).parents[1] / "corpus_bad"
TABLE = [
    [cell.strip() for cell in line.strip("| ").split("|")]
    for line in (FOLDER / "README.md").read_text(encoding="utf-8").splitlines()
    if line.startswith("|") and not line.startswith(("| file", "|---"))
]


@pytest.mark.parametrize(("file", "name", "values", "story"), TABLE, ids=[row[0] for row in TABLE])
def test_what_broke_a_reader_once_is_read(file: str, name: str, values: str, story: str, tmp_path: Path) -> None:
    shutil.copy(FOLDER / file, tmp_path / name)
    begun = time.process_time()
    harvest = read_runs([tmp_path / name], signals_file=signals_file())
    assert time.process_time() - begun < 5
    assert not [u for u in harvest.unreadable if "reader failed" in u.reason]
    found = {v for run in harvest.runs for b in run.blocks for v in b.value.tolist()}
    assert len(found & {loss(i) for i in range(ROWS)}) >= int(values)


def test_each_file_has_its_story() -> None:
    assert {row[0] for row in TABLE} == {p.name for p in FOLDER.iterdir()} - {"README.md"}
