"""`curvedoc export`: the curves of every run below the paths, for other tools."""

from __future__ import annotations

import sys
from pathlib import Path

from curvedoc.core.late_regex import late_regex
from curvedoc.options import Options
from curvedoc.reading import read

#: What a run's name may not bring into the name of a folder.
_UNSAFE = late_regex(r"[^\w.+=@-]+")


def export(
    paths: list[Path],
    options: Options,
    parquet: Path | None,
    csv: Path | None,
    jsonl: Path | None,
    tensorboard: Path | None,
    force: bool = False,
) -> None:
    """Write what was asked for; with nothing asked for, CSV to stdout. Raises UsageError."""
    from curvedoc.core.files.output_file import check, check_distinct, folder_for, write
    from curvedoc.report.exchange import points

    for target in (parquet, csv, jsonl):
        if target is not None:
            check(target, force, paths)
    check_distinct({"parquet": parquet, "csv": csv, "jsonl": jsonl})
    runs = read([*paths], options.signals)
    if not (parquet or csv or jsonl or tensorboard):
        sys.stdout.write(points.to_csv(runs).decode())
        return
    for path, made in ((parquet, points.to_parquet), (csv, points.to_csv), (jsonl, points.to_jsonl)):
        if path is not None:
            write(path, made(runs), force)
    if tensorboard is not None:
        for i, run in enumerate(runs):
            name = _UNSAFE.sub("_", run.name).strip("._") or f"run{i}"
            with folder_for(tensorboard / name) as folder:
                write(folder / f"events.out.tfevents.0.curvedoc.{i}", points.to_events(run), force)
    values = sum(len(run.points) for run in runs)
    sys.stderr.write(f"{len(runs):,} runs, {values:,} values written\n")
