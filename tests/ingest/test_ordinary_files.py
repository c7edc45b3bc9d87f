"""What lies beside logs in a project is no log: nothing may be read into it on a walk."""

from __future__ import annotations

from pathlib import Path

from corpus import SIGNALS
from ordinary_files import KINDS, ordinary

from curvedoc.ingest import read_runs


def test_300_ordinary_files_give_no_run_on_a_walk(tmp_path: Path) -> None:
    files = dict(ordinary())
    assert len(files) == 300
    assert sum(name.startswith("csv_") for name in files) == 60
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    found = read_runs([tmp_path], signals_file=SIGNALS)
    assert {(r.name, tuple(m.role for m in r.roles)) for r in found.runs} == set()
    assert len(KINDS) == 20
